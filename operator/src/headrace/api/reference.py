"""A kind as a page of the reference, from the same schema as its CRD."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .base import API_VERSION, CATEGORY
from .crd import crd
from .kind import Kind
from .rules import VALIDATIONS
from .schema import Schema


def reference_page(kind: Kind[Any]) -> str:
    schema: Schema = crd(kind)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    lines = [
        f"# {kind.name}",
        "",
        schema["description"],
        "",
        f"`apiVersion: {API_VERSION}`, `kind: {kind.name}`. `kubectl get {kind.short}` lists them; "
        f"`kubectl get {CATEGORY}` lists everything of Headrace.",
        "",
        *_rules(schema),
    ]
    for part in ("spec", "status"):
        for path, of in _objects(part, schema["properties"][part]):
            table = _spec_table(of) if part == "spec" else _status_table(of)
            lines += ["## " + path, "", of["description"], "", *table, "", *_rules(of)]
    lines += ["## kubectl get", "", "| Column | Meaning |", "|---|---|"]
    lines += [f"| {c.name}{' (with `-o wide`)' * (c.priority > 0)} | {c.description} |" for c in kind.columns]
    return "\n".join(lines) + "\n"


def _objects(path: str, schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Every object with named fields, the outer before the inner."""
    if "properties" in schema:
        yield path, schema
    for name, of in schema.get("properties", {}).items():
        yield from _objects(f"{path}.{name}", of)
    if "items" in schema:
        yield from _objects(f"{path}[]", schema["items"])


def _status_table(schema: Schema) -> list[str]:
    rows = [f"| `{name}` | {_type(of)} | {of['description']} |" for name, of in schema["properties"].items()]
    return ["| Field | Type | Meaning |", "|---|---|---|", *rows]


def _spec_table(schema: Schema) -> list[str]:
    required = schema.get("required", [])
    rows = ["| Field | Type | Default | Meaning |", "|---|---|---|---|"]
    for name, of in schema["properties"].items():
        default = "required" if name in required else f"`{_yaml(of['default'])}`" if "default" in of else ""
        rows.append(f"| `{name}` | {_type(of)} | {default} | {of['description']} |")
    return rows


def _type(schema: Schema) -> str:
    if "enum" in schema:
        return " \\| ".join(f"`{value}`" for value in schema["enum"])
    if "items" in schema:
        return f"list of {_type(schema['items'])}"
    if "additionalProperties" in schema:
        return f"map of {_type(schema['additionalProperties'])}"
    if "x-kubernetes-int-or-string" in schema:
        return "integer or string"
    if "minimum" in schema and "maximum" in schema:
        return f"integer, {schema['minimum']} to {schema['maximum']}"
    word: str = schema["type"]
    return word


def _rules(schema: Schema) -> list[str]:
    """The rules on the object and on its plain fields; those of inner objects stand with them."""
    said = [rule["message"] for rule in schema.get(VALIDATIONS, [])]
    for name, of in schema["properties"].items():
        if "properties" not in of:
            said += [f"`{name}`: {rule['message']}" for rule in of.get(VALIDATIONS, [])]
    return ["Rules:", "", *(f"- {message}" for message in said), ""] if said else []


def _yaml(value: Any) -> str:
    """A default as one would write it in a manifest, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_yaml(of)}" for name, of in value.items()) + "}"
    return value if isinstance(value, str) else json.dumps(value)
