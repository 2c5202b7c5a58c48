"""What must hold of a resource, said twice side by side: in CEL for the API server, in Python for everyone else.

The two must agree; the tests run one table of good and bad manifests through both.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

VALIDATIONS = "x-kubernetes-validations"


@dataclass(frozen=True)
class Found:
    """What was found, for the end of a message: a text with a %s for each value that goes into it.

    The values are CEL expressions; `python` takes what the rule's own check takes and returns them as a tuple.
    """

    text: str
    cel: tuple[str, ...]
    python: Callable[..., tuple[object, ...]]


@dataclass(frozen=True)
class Rule:
    """Must hold of every value. Stands in a model's `rules`, or in the `Annotated` of a plain type."""

    cel: str
    holds: Callable[[Any], bool]
    message: str
    found: Found | None = None
    field: str = ""  # path below the value where the API server shows the error, such as ".spec.name"

    def problem(self, value: Any) -> str | None:
        return None if self.holds(value) else _say(self.message, self.found, value)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def check(value: Any) -> Any:
            raise_for([self.problem(value)])
            return value

        return core_schema.no_info_after_validator_function(check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return with_validations(handler(schema), [self])


@dataclass(frozen=True)
class ChangeRule:
    """Must hold of every update: `allows(new, old)`. Stands in a model's `rules`.

    The API server does not ask when the value it is declared on appears or vanishes. So a rule about an optional
    field stands on the object around it.
    """

    cel: str
    allows: Callable[[Any, Any], bool]
    message: str
    found: Found | None = None
    field: str = ""

    def problem(self, new: Any, old: Any) -> str | None:
        return None if self.allows(new, old) else _say(self.message, self.found, new, old)


AnyRule = Rule | ChangeRule


def changed(field: str, of: Callable[[Any], object]) -> Found:
    """From what to what a field of the value was changed: its name in CEL, and how Python gets it."""
    return Found("a change from %s to %s", (f"oldSelf.{field}", f"self.{field}"), lambda new, old: (of(old), of(new)))


def no_key(cel: str, python: Callable[[str, Any], bool], message: str) -> Rule:
    """A rule on a map: there is no `key` of which this is true. The message ends with those that there are."""

    def wrong(values: Mapping[str, Any]) -> list[str]:
        return [key for key, value in values.items() if python(key, value)]

    return Rule(
        f"!self.exists(key, {cel})",
        lambda values: not wrong(values),
        message,
        Found("%s", (f"self.filter(key, {cel})",), lambda values: (quoted_list(wrong(values)),)),
    )


def raise_for(problems: Iterable[str | None]) -> None:
    """Raise what pydantic shows as it is, without its "Value error" in front."""
    if said := "; ".join(p for p in problems if p):
        raise PydanticCustomError("refused", "{why}", {"why": said})


def with_validations(schema: JsonSchemaValue, rules: Iterable[AnyRule]) -> JsonSchemaValue:
    added = [_validation(rule) for rule in rules]
    return {**schema, VALIDATIONS: [*schema.get(VALIDATIONS, []), *added]} if added else schema


def quoted(text: str) -> str:
    """A CEL string literal."""
    return json.dumps(text, ensure_ascii=False)


def quoted_list(texts: Iterable[str]) -> str:
    """A CEL list of string literals; CEL's format spells a list of strings in the same way."""
    return "[" + ", ".join(quoted(t) for t in texts) + "]"


def _validation(rule: AnyRule) -> dict[str, str]:
    said = {"rule": rule.cel, "message": rule.message}
    if rule.found:
        # Not by `+`: the length of a number as text is unknown to the API server's cost estimate, so it would refuse.
        text = f"{rule.message.replace('%', '%%')}; found {rule.found.text}"
        said["messageExpression"] = f"{quoted(text)}.format([{', '.join(rule.found.cel)}])"
    if rule.field:
        said["fieldPath"] = rule.field
    return said


def _say(message: str, found: Found | None, *values: Any) -> str:
    return f"{message}; found {found.text % found.python(*values)}" if found else message
