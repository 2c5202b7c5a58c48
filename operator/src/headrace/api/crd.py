"""A kind as the CustomResourceDefinition that is applied to a cluster."""

from __future__ import annotations

from typing import Any

from .base import CATEGORY, GROUP, VERSION
from .kind import Column, Kind
from .rules import VALIDATIONS
from .schema import Schema, structural_schema


def crd(kind: Kind[Any]) -> dict[str, Any]:
    subresources: dict[str, Any] = {"status": {}}
    if kind.scale:
        subresources["scale"] = {
            "specReplicasPath": kind.scale.spec_replicas,
            "statusReplicasPath": kind.scale.status_replicas,
            "labelSelectorPath": kind.scale.label_selector,
        }
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": subresources,
        "additionalPrinterColumns": [_column(column) for column in kind.columns],
        "schema": {"openAPIV3Schema": _root(structural_schema(kind.model))},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {
                "kind": kind.name,
                "listKind": f"{kind.name}List",
                "singular": kind.name.lower(),
                "plural": kind.plural,
                "shortNames": [kind.short],
                "categories": [CATEGORY],
            },
            "versions": [version],
        },
    }


def _root(schema: Schema) -> Schema:
    """What every object has is the API server's own business; a CRD may only name it."""
    properties = schema["properties"]
    root = {
        "description": schema["description"],
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": properties["spec"],
            "status": properties["status"],
        },
    }
    return {**root, VALIDATIONS: schema[VALIDATIONS]} if VALIDATIONS in schema else root


def _column(column: Column) -> dict[str, Any]:
    made: dict[str, Any] = {"name": column.name, "type": column.type, "jsonPath": column.path}
    made["description"] = column.description
    return {**made, "priority": column.priority} if column.priority else made
