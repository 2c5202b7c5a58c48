"""An object is written again when it differs from what was applied, and not because Kubernetes spells it otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from headrace.world.same import holds, stamped

WANTED: dict[str, Any] = {
    "kind": "StatefulSet",
    "metadata": {"name": "x", "labels": {"a": "b"}},
    "spec": {
        "replicas": 3,
        "resources": {"requests": {"cpu": 1, "memory": "1024Mi"}},
        "env": [{"name": "A"}],
        "none": {},
    },
}


def found(**spec: Any) -> dict[str, Any]:
    """What Kubernetes gives back for WANTED: its digest, defaults, and its own spelling."""
    live = stamped(WANTED)
    as_kubernetes_has_it = {
        "replicas": 3,
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
        "env": [{"name": "A", "value": ""}],
        "revisionHistoryLimit": 10,
    }
    return {**live, "metadata": {**live["metadata"], "uid": "1"}, "spec": as_kubernetes_has_it | spec}


def test_defaults_and_other_spellings_are_no_difference() -> None:
    assert holds(found(), WANTED)


@pytest.mark.parametrize(
    "spec",
    [
        {"replicas": 4},
        {"resources": {"requests": {"cpu": "2", "memory": "1Gi"}}},
        {"resources": {"requests": {"cpu": "1", "memory": "1G"}}},
        {"env": [{"name": "A"}, {"name": "B"}]},
        {"env": []},
    ],
)
def test_what_somebody_changed_is_a_difference(spec: dict[str, Any]) -> None:
    assert not holds(found(**spec), WANTED)


def test_a_field_that_is_no_longer_wanted_is_a_difference() -> None:
    fewer = {**WANTED, "spec": {"replicas": 3}}
    assert not holds(found(), fewer)
