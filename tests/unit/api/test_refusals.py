"""The models accept and refuse, without an API server, what it accepts and refuses."""

from __future__ import annotations

import pytest
from api_cases.accepted import ACCEPTED, BROKER, TOPIC, Manifest, patched
from api_cases.changes import ACCEPTED_CHANGES, REFUSED_CHANGES, RefusedChange
from api_cases.refused import REFUSED, Refused
from headrace.api.base import refused_changes
from headrace.api.manifest import InvalidManifest, parse


@pytest.mark.parametrize("manifest", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_accepts(manifest: Manifest) -> None:
    assert parse(manifest).metadata.name == manifest["metadata"]["name"]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.why)
def test_refuses(case: Refused) -> None:
    with pytest.raises(InvalidManifest) as refusal:
        parse(case.manifest)
    assert (case.offline or case.says) in str(refusal.value)


@pytest.mark.parametrize(("before", "after"), ACCEPTED_CHANGES.values(), ids=ACCEPTED_CHANGES.keys())
def test_lets_change(before: Manifest, after: Manifest) -> None:
    assert refused_changes(parse(after), parse(before)) == []


@pytest.mark.parametrize("case", REFUSED_CHANGES, ids=lambda case: case.why)
def test_refuses_the_change(case: RefusedChange) -> None:
    [problem] = refused_changes(parse(case.after), parse(case.before))
    assert case.says in problem


def test_a_refused_change_names_the_field() -> None:
    assert refused_changes(parse(patched(TOPIC, {"spec": {"partitions": 1, "name": "other"}})), parse(TOPIC)) == [
        "spec.name: name may not be changed, because Kafka cannot rename a topic: put it back, or make a new Topic; "
        "found a change from readings to other",
        "spec.partitions: partitions may grow but never shrink, because Kafka cannot take a partition away: "
        "put it back, or make a new Topic; found a change from 6 to 1",
    ]


def test_a_refusal_names_the_object_and_every_mistake() -> None:
    mistakes = {"replicas": 0, "heap": "much", "colour": "blue", "storage": {"persistent": {"size": None}}}
    with pytest.raises(InvalidManifest) as refusal:
        parse(patched(BROKER, {"spec": mistakes}))
    assert str(refusal.value).startswith("Broker main is invalid: ")
    assert set(refusal.value.problems) == {
        "spec.replicas: input should be greater than or equal to 1; found 0",
        "spec.heap: must be a number of bytes above 0 and below 1Ei, such as 512Mi or 10Gi; found much",
        "spec.colour: there is no such field, check its spelling",
        "spec.storage.persistent.size: is required, set it",
    }


@pytest.mark.parametrize(
    ("patch", "says"),
    [
        ({"kind": "Brokr"}, "Brokr main is invalid: kind: must be Broker or Topic; found Brokr"),
        ({"kind": None}, "kind: must be Broker or Topic; found None"),
        ({"apiVersion": "v1"}, "Broker main is invalid: apiVersion: must be headrace.dev/v1alpha1; found v1"),
        ({"metadata": None}, "Broker without a name is invalid: metadata: is required, set it"),
    ],
)
def test_what_is_no_resource_of_ours_is_told_apart(patch: Manifest, says: str) -> None:
    with pytest.raises(InvalidManifest) as refusal:
        parse(patched(BROKER, patch))
    assert says in str(refusal.value)
