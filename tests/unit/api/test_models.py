from __future__ import annotations

from datetime import UTC, datetime

import pytest
from api_cases.accepted import ACCEPTED, BROKER, TOPIC, Manifest, broker, patched, topic
from headrace.api.base import PAUSED_ANNOTATION, Condition, to_manifest
from headrace.api.broker import Broker, BrokerStatus
from headrace.api.kafka_config import BROKER_KEYS_OF_THE_OPERATOR, is_of_the_operator
from headrace.api.manifest import parse
from headrace.api.topic import Retention, Topic, TopicSpec
from pydantic import ValidationError


@pytest.mark.parametrize("manifest", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_a_model_survives_being_written_and_read(manifest: Manifest) -> None:
    model = parse(manifest)
    assert parse(to_manifest(model)) == model


def test_manifests_are_in_camel_case_and_python_in_snake_case() -> None:
    made = parse(topic(minInSync=2, deletionPolicy="Delete"))
    assert isinstance(made, Topic)
    assert (made.spec.min_in_sync, made.spec.deletion_policy) == (2, "Delete")
    assert to_manifest(TopicSpec(broker="main", min_in_sync=2))["minInSync"] == 2


def test_a_model_cannot_be_changed() -> None:
    made = parse(BROKER)
    assert isinstance(made, Broker)
    with pytest.raises(ValidationError, match="frozen"):
        made.spec.replicas = 5


@pytest.mark.parametrize(("value", "paused"), [("true", True), ("false", False), ("", False), (None, False)])
def test_a_resource_is_paused_by_an_annotation(value: str | None, paused: bool) -> None:
    annotated = patched(TOPIC, {"metadata": {"annotations": {PAUSED_ANNOTATION: value}}})
    assert parse(annotated).metadata.paused is paused


def test_what_the_api_server_adds_to_metadata_is_no_mistake() -> None:
    added = {"uid": "u", "generation": 3, "creationTimestamp": "2026-12-01T00:00:00Z", "managedFields": [{}]}
    metadata = parse(patched(BROKER, {"metadata": added})).metadata
    assert (metadata.uid, metadata.generation) == ("u", 3)
    assert metadata.creation_timestamp == datetime(2026, 12, 1, tzinfo=UTC)


def test_a_status_that_a_newer_operator_wrote_can_be_read() -> None:
    made = parse(patched(BROKER, {"status": {"clusterId": "x", "mood": "good", "nodes": [{**NODE, "mood": "good"}]}}))
    assert isinstance(made.status, BrokerStatus)
    assert (made.status.cluster_id, len(made.status.nodes)) == ("x", 1)


NODE = {"id": 0, "role": "Broker", "ready": True}


def test_a_condition_is_the_same_after_kubernetes_has_stored_it() -> None:
    noon = datetime(2026, 12, 1, 12, 0, 0, 123456, tzinfo=UTC)
    said = Condition(type="Ready", status="True", reason="AsAsked", message="", last_transition_time=noon)
    assert to_manifest(said)["lastTransitionTime"] == "2026-12-01T12:00:00Z"
    assert Condition.model_validate(to_manifest(said)) == said


@pytest.mark.parametrize(("nodes", "replicas", "min_in_sync"), [(0, 1, 1), (1, 1, 1), (2, 2, 1), (3, 3, 2), (9, 3, 2)])
def test_the_defaults_of_a_topic_work_on_every_broker(nodes: int, replicas: int, min_in_sync: int) -> None:
    spec = TopicSpec(broker="main")
    assert (spec.replicas_on(nodes), spec.min_in_sync_on(nodes)) == (replicas, min_in_sync)


@pytest.mark.parametrize(("replicas", "min_in_sync"), [(1, 1), (2, 1), (3, 2), (5, 2)])
def test_one_node_may_be_away_where_only_replicas_are_asked_for(replicas: int, min_in_sync: int) -> None:
    spec = TopicSpec(broker="main", replicas=replicas)
    assert (spec.replicas_on(3), spec.min_in_sync_on(3)) == (replicas, min_in_sync)


def test_what_a_topic_asks_for_is_not_bent_to_fit() -> None:
    spec = TopicSpec(broker="main", replicas=3, min_in_sync=3)
    assert (spec.replicas_on(1), spec.min_in_sync_on(1)) == (3, 3)


@pytest.mark.parametrize(
    ("retention", "milliseconds", "size"),
    [
        (Retention(), None, None),
        (Retention(time="7d", size="1Gi"), 604_800_000, 1024**3),
        (Retention(time="Unlimited", size="Unlimited"), -1, -1),
    ],
)
def test_retention_is_told_in_kafkas_numbers(retention: Retention, milliseconds: int, size: int) -> None:
    assert (retention.milliseconds, retention.bytes_per_partition) == (milliseconds, size)


@pytest.mark.parametrize(("manifest", "name"), [(TOPIC, "readings"), (topic(name="Raw.Readings"), "Raw.Readings")])
def test_a_topic_has_the_name_of_its_resource_unless_it_says_another(manifest: Manifest, name: str) -> None:
    made = parse(manifest)
    assert isinstance(made, Topic)
    assert made.kafka_name == name


@pytest.mark.parametrize("key", BROKER_KEYS_OF_THE_OPERATOR)
def test_every_setting_of_the_operators_is_refused(key: str) -> None:
    with pytest.raises(ValidationError, match="may not hold what the operator sets itself"):
        Broker.model_validate(broker(config={key + "x" * key.endswith("."): "1"}))


@pytest.mark.parametrize("key", ["log.dirs.x", "listeners2", "log.retention.ms", "controller.quorum.fetch.timeout.ms"])
def test_settings_that_only_look_alike_are_let_through(key: str) -> None:
    assert not is_of_the_operator(key)
