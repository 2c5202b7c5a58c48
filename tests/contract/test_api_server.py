"""What a real API server makes of our CRDs: what it accepts, fills in and refuses, and in which words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from api_cases.accepted import ACCEPTED, BROKER, TOPIC, Manifest, broker, patched
from api_cases.changes import ACCEPTED_CHANGES, REFUSED_CHANGES, RefusedChange
from api_cases.refused import A_SIZE, REFUSED, Refused
from headrace.api.base import Condition, to_manifest
from headrace.api.broker import BrokerStatus, MovesStatus, NodeStatus, RollStatus
from headrace.api.manifest import parse
from headrace.api.topic import TopicStatus
from kind.shell import CommandFailed

from .api_server import Kubectl

READY = Condition(
    type="Ready",
    status="True",
    reason="AsAsked",
    message="All is as the spec asks.",
    last_transition_time=datetime(2026, 12, 1, 12, 30, 15, 678, tzinfo=UTC),
    observed_generation=1,
)


@pytest.fixture
def clean(kubectl: Kubectl) -> Iterator[Kubectl]:
    """A server that a test may leave Brokers and Topics on."""
    yield kubectl
    kubectl("delete", "brokers,topics", "--all", "--wait")


def create(kubectl: Kubectl, manifest: Manifest, *flags: str) -> Manifest:
    made: Manifest = json.loads(kubectl("create", *flags, "-o", "json", "-f", "-", stdin=json.dumps(manifest)))
    return made


def replace(kubectl: Kubectl, manifest: Manifest) -> None:
    kubectl("replace", "--filename", "-", stdin=json.dumps(manifest))


def write_status(kubectl: Kubectl, what: str, status: BrokerStatus | TopicStatus) -> Any:
    patch = json.dumps({"status": to_manifest(status)})
    how = ("--subresource=status", "--type=merge", "-o", "json", "--patch", patch)
    return json.loads(kubectl("patch", what, *how))


def rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.splitlines()]


@pytest.mark.parametrize("manifest", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_accepts_and_fills_in_what_the_models_fill_in(kubectl: Kubectl, manifest: Manifest) -> None:
    stored = create(kubectl, manifest, "--dry-run=server")
    assert parse(stored).spec == parse(manifest).spec


def test_shows_the_defaults_of_a_broker(kubectl: Kubectl) -> None:
    assert create(kubectl, broker(controllers={}), "--dry-run=server")["spec"] == {
        **BROKER["spec"],
        "replicas": 3,
        "controllers": {"replicas": 3, "storageSize": "1Gi", "heap": "256Mi"},
        "heap": "512Mi",
        "rebalance": {"throttle": "50Mi"},
    }


def test_shows_the_defaults_of_a_topic(kubectl: Kubectl) -> None:
    assert create(kubectl, patched(TOPIC, {"spec": {"partitions": None}}), "--dry-run=server")["spec"] == {
        "broker": "main",
        "partitions": 1,
        "retention": {"keep": "Time"},
        "deletionPolicy": "Retain",
    }


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.why)
def test_refuses(kubectl: Kubectl, case: Refused) -> None:
    with pytest.raises(CommandFailed) as refusal:
        create(kubectl, case.manifest, "--dry-run=server")
    assert case.says in str(refusal.value)


@pytest.mark.parametrize(("before", "after"), ACCEPTED_CHANGES.values(), ids=ACCEPTED_CHANGES.keys())
def test_lets_change(clean: Kubectl, before: Manifest, after: Manifest) -> None:
    create(clean, before)
    replace(clean, after)


@pytest.mark.parametrize("case", REFUSED_CHANGES, ids=lambda case: case.why)
def test_refuses_the_change(clean: Kubectl, case: RefusedChange) -> None:
    create(clean, case.before)
    with pytest.raises(CommandFailed) as refusal:
        replace(clean, case.after)
    assert case.says in str(refusal.value)


def test_a_change_to_a_size_that_is_none_is_told_once_and_plainly(clean: Kubectl) -> None:
    create(clean, BROKER)
    with pytest.raises(CommandFailed) as refusal:
        replace(clean, broker(storage={"persistent": {"size": "much"}}))
    assert str(refusal.value).endswith(f'spec.storage.persistent.size: Invalid value: "much": {A_SIZE}')


def test_kubectl_scale_changes_a_broker_and_nothing_below_one_node(clean: Kubectl) -> None:
    create(clean, BROKER)
    write_status(clean, "br/main", BrokerStatus(replicas=3, label_selector="headrace.dev/broker=main"))
    clean("scale", "br/main", "--replicas=5", "--current-replicas=3")
    assert clean("get", "br/main", "-o", "jsonpath={.spec.replicas}") == "5"
    scale = json.loads(clean("get", "br/main", "--subresource=scale", "-o", "json"))
    assert scale["status"] == {"replicas": 3, "selector": "headrace.dev/broker=main"}
    with pytest.raises(CommandFailed, match="should be greater than or equal to 1"):
        clean("scale", "br/main", "--replicas=0")


def test_stores_the_whole_status_of_a_broker_and_answers_the_first_question(clean: Kubectl) -> None:
    create(clean, BROKER)
    status = BrokerStatus(
        observed_generation=1,
        conditions=(READY,),
        bootstrap="main.default.svc:9092",
        cluster_id="MkU3OEVBNTcwNTJENDM2Qg",
        ready_nodes="2/3",
        replicas=3,
        ready=2,
        label_selector="headrace.dev/broker=main",
        version="4.3.1",
        metadata_version="4.3-IV0",
        roll=RollStatus(node=2, reason="ImageChanged", remaining=1),
        moves=MovesStatus(reason="ScaleIn", partitions=12, remaining=3),
        nodes=(NodeStatus(id=0, pod="main-broker-0", role="Combined", ready=True, image="kafka:4.3.1"),),
    )
    assert parse(write_status(clean, "br/main", status)).status == status
    header, row = rows(clean("get", "headrace", "-o", "wide"))
    assert header == ["NAME", "READY", "NODES", "VERSION", "REASON", "BOOTSTRAP", "AGE"]
    assert row[:-1] == ["broker.headrace.dev/main", "True", "2/3", "4.3.1", "AsAsked", "main.default.svc:9092"]


def test_stores_the_whole_status_of_a_topic_and_answers_the_first_question(clean: Kubectl) -> None:
    create(clean, TOPIC)
    status = TopicStatus(
        observed_generation=1,
        conditions=(READY,),
        topic_id="PMfjJxN1Q0-8q5tCgX0oHQ",
        topic_name="readings",
        partitions=6,
        replicas=3,
        min_in_sync=2,
        under_replicated=0,
        offline=0,
        moving=0,
        size_bytes=5 * 1024**4,
        size="5Ti",
    )
    assert parse(write_status(clean, "tp/readings", status)).status == status
    header, row = rows(clean("get", "tp"))
    assert header == ["NAME", "BROKER", "PARTITIONS", "REPLICAS", "READY", "REASON", "AGE"]
    assert row[:-1] == ["readings", "main", "6", "3", "True", "AsAsked"]


def test_kubectl_explains_a_field(kubectl: Kubectl) -> None:
    assert "May grow, never shrink" in " ".join(kubectl("explain", "topic.spec.partitions").split())
