"""A model as the structural schema that a CRD wants, from the JSON schema that pydantic makes.

https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .base import ApiModel
from .rules import VALIDATIONS

Schema = dict[str, Any]

_KEPT_AS_THEY_ARE = (
    "description",
    "type",
    "format",
    "enum",
    "default",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "maxProperties",
    "required",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-int-or-string",
    VALIDATIONS,
)
_UNDERSTOOD = {*_KEPT_AS_THEY_ARE, "title", "properties", "items", "additionalProperties", "const"}


def structural_schema(model: type[ApiModel]) -> Schema:
    """The model's schema without references, unions, titles or nulls."""
    made = model.model_json_schema(by_alias=True)
    return _structural(made, made.get("$defs", {}))


def _structural(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Schema:
    flat = _flattened(schema, definitions)
    if unknown := flat.keys() - _UNDERSTOOD:
        raise ValueError(f"a CRD cannot say {', '.join(sorted(unknown))}, found in the schema {dict(schema)}")
    made = {word: flat[word] for word in _KEPT_AS_THEY_ARE if word in flat}
    if "const" in flat:
        made["enum"] = [flat["const"]]
    if "default" in made:
        made["default"] = _without_nulls(made["default"])
        if made["default"] is None:
            del made["default"]
    match flat.get("additionalProperties"):
        case True:
            made["x-kubernetes-preserve-unknown-fields"] = True
        case dict() as values:
            made["additionalProperties"] = _structural(values, definitions)
    if "properties" in flat:
        made["properties"] = {name: _structural(of, definitions) for name, of in flat["properties"].items()}
    if "items" in flat:
        made["items"] = _structural(flat["items"], definitions)
    return made


def _flattened(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Schema:
    """References followed and unions resolved. What stands beside them wins, but rules add up."""
    beside = {word: value for word, value in schema.items() if word not in ("$ref", "$defs", "anyOf")}
    if "$ref" in schema:
        below = _flattened(definitions[schema["$ref"].removeprefix("#/$defs/")], definitions)
    elif "anyOf" in schema:
        below = _one_of(schema["anyOf"], definitions)
    else:
        return beside
    rules = [*below.get(VALIDATIONS, []), *beside.get(VALIDATIONS, [])]
    return {**below, **beside, **({VALIDATIONS: rules} if rules else {})}


def _one_of(choices: list[Mapping[str, Any]], definitions: Mapping[str, Any]) -> Schema:
    """`X | None` is X; `int | str` has a word of its own; there is no other union."""
    left = [choice for choice in choices if choice.get("type") != "null"]
    if [choice.get("type") for choice in left] == ["integer", "string"]:
        return {"x-kubernetes-int-or-string": True}
    if len(left) != 1:
        raise ValueError(f"a CRD has no unions; use one optional field per choice instead of {choices}")
    return _flattened(left[0], definitions)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(of) for name, of in value.items() if of is not None}
    return value
