"""What is generated from the models is up to date, and is what a CRD has to be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from headrace.api.__main__ import generated
from headrace.api.crd import crd
from headrace.api.kind import Kind
from headrace.api.manifest import KINDS

ROOT = Path(__file__).parents[2]
ALLOWED_ON_EVERY_TYPE = {"description", "type", "enum", "default", "x-kubernetes-validations"}
ALLOWED = {
    "object": {"properties", "required", "additionalProperties", "maxProperties"},
    "array": {"items", "minItems", "maxItems", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"},
    "string": {"minLength", "maxLength", "format"},
    "integer": {"minimum", "maximum"},
    "boolean": set[str](),
}


def schemas(path: str, schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield path, schema
    for name, of in schema.get("properties", {}).items():
        yield from schemas(f"{path}.{name}", of)
    for below in ("items", "additionalProperties"):
        if below in schema:
            yield from schemas(f"{path}[]", schema[below])


def every_schema() -> list[tuple[str, dict[str, Any]]]:
    roots = [(k.name, crd(k)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]) for k in KINDS]
    return [found for name, root in roots for found in schemas(name, root)]


@pytest.mark.parametrize(("name", "text"), generated().items())
def test_is_up_to_date(name: str, text: str) -> None:
    path = ROOT / name
    assert path.exists() and path.read_text() == text, f"{name} is not what the models say: run `make crds`"


def test_nothing_is_left_over() -> None:
    there = {str(path.relative_to(ROOT)) for folder in ("crds", "docs/reference") for path in (ROOT / folder).iterdir()}
    assert there == generated().keys()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_file_holds_the_crd(kind: Kind[Any]) -> None:
    assert yaml.safe_load((ROOT / f"crds/headrace.dev_{kind.plural}.yaml").read_text()) == crd(kind)


@pytest.mark.parametrize(("path", "schema"), every_schema(), ids=[path for path, _ in every_schema()])
def test_says_only_what_a_structural_schema_may(path: str, schema: dict[str, Any]) -> None:
    if "x-kubernetes-int-or-string" in schema:
        assert schema.keys() <= {"x-kubernetes-int-or-string", "x-kubernetes-validations"}
    elif "x-kubernetes-preserve-unknown-fields" in schema:
        assert schema["type"] == "object" and "properties" not in schema
    else:
        assert schema.keys() <= ALLOWED_ON_EVERY_TYPE | ALLOWED[schema["type"]]


def test_every_field_has_a_description() -> None:
    fields = [(path, schema) for path, schema in every_schema() if ".spec" in path or ".status" in path]
    assert [path for path, schema in fields if "description" not in schema and not path.endswith("[]")] == []


def is_bound(schema: dict[str, Any]) -> bool:
    match schema.get("type"):
        case "string":
            return "maxLength" in schema or "enum" in schema
        case "array":
            return "maxItems" in schema
        case "object":
            return bool(schema.keys() & {"maxProperties", "properties", "x-kubernetes-preserve-unknown-fields"})
        case _:
            return True


def test_every_text_list_and_map_of_a_spec_has_a_bound() -> None:
    # These two are checked by no rule of ours, but by Kubernetes when the pods are made.
    free = ["Broker.spec.template.annotations[]", "Broker.spec.template.nodeSelector[]"]
    assert [path for path, schema in every_schema() if ".spec" in path and not is_bound(schema)] == free
