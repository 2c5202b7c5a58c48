"""Topics on a real cluster: declared, changed, deleted, and a thousand at once."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from kind.making import Up
from kind.shell import CommandFailed
from waiting import eventually

from e2e.kafka import API, KafkaCluster
from e2e.kubernetes import Kubernetes, succeeds
from e2e.operator import Operator

NAMESPACE = "topics"


@pytest.fixture(scope="module")
def kafka(up: Up, operator: Operator, images: dict[str, str]) -> Iterator[KafkaCluster]:
    """One node in memory: what happens to topics does not depend on how many there are."""
    up.cluster.kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found", timeout=180)  # of a run that was stopped
    up.cluster.kubectl("create", "namespace", NAMESPACE)
    it = KafkaCluster(Kubernetes(up.cluster, NAMESPACE), images)
    it.apply(replicas=1, storage={"memory": {"size": "512Mi"}})
    it.until_ready()
    it.open_toolbox()
    yield it
    it.remove()


def topic(resource: str, /, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": API, "kind": "Topic", "metadata": {"name": resource}, "spec": {"broker": "main", **spec}}


def condition(kafka: KafkaCluster, name: str) -> tuple[str, str, str]:
    found = kafka.kubernetes.get("topic", name).get("status", {}).get("conditions", [])
    return next(((c["status"], c["reason"], c["message"]) for c in found if c["type"] == "Ready"), ("", "", ""))


def until_ready(kafka: KafkaCluster, name: str) -> dict[str, Any]:
    def look() -> dict[str, Any]:
        found = kafka.kubernetes.get("topic", name)
        status: dict[str, Any] = found.get("status", {})
        assert status.get("observedGeneration") == found["metadata"]["generation"], status
        assert condition(kafka, name)[0] == "True", condition(kafka, name)
        return status

    return eventually(look, 60, f"Topic {name} is ready")


def describe(kafka: KafkaCluster, name: str) -> str:
    return kafka.tool(f"kafka-topics.sh --describe --topic {name}")


def test_a_declared_topic_is_there_and_says_what_it_is(kafka: KafkaCluster) -> None:
    kafka.kubernetes.apply(
        topic("readings", partitions=3, retention={"time": "1h"}, config={"compression.type": "lz4"})
    )
    status = until_ready(kafka, "readings")
    told = describe(kafka, "readings")
    assert f"TopicId: {status['topicId']}" in told
    assert "PartitionCount: 3" in told
    assert "retention.ms=3600000" in told
    assert "compression.type=lz4" in told


def test_a_topic_grows_and_its_settings_follow_and_drift_is_reverted(kafka: KafkaCluster) -> None:
    kafka.kubernetes.apply(topic("growing", partitions=1))
    until_ready(kafka, "growing")
    kafka.kubernetes.apply(topic("growing", partitions=4, config={"max.message.bytes": "1234"}))
    until_ready(kafka, "growing")
    eventually(lambda: "PartitionCount: 4" in describe(kafka, "growing"), 60, "it has four partitions")
    assert "max.message.bytes=1234" in describe(kafka, "growing")
    drift = "kafka-configs.sh --alter --entity-type topics --entity-name growing --add-config max.message.bytes=99"
    kafka.tool(drift)
    # Nobody announces drift: it is found by the next look, which a change of any Topic brings on.
    kafka.kubernetes.kubectl("label", "topic", "growing", "a-test=wakes-the-operator")
    eventually(lambda: "max.message.bytes=1234" in describe(kafka, "growing"), 60, "the drift is reverted")


def test_an_unknown_setting_is_refused_by_name(kafka: KafkaCluster) -> None:
    kafka.kubernetes.apply(topic("odd", config={"retention.hours": "1"}))
    eventually(lambda: condition(kafka, "odd")[0] == "False", 60, "it is refused")
    assert "retention.hours" in condition(kafka, "odd")[2]
    assert "odd" not in kafka.tool("kafka-topics.sh --list").split()


def test_fewer_partitions_are_refused_by_kubectl(kafka: KafkaCluster) -> None:
    kafka.kubernetes.apply(topic("fixed", partitions=2))
    with pytest.raises(CommandFailed, match="partitions may grow but never shrink"):
        kafka.kubernetes.apply(topic("fixed", partitions=1))


def test_a_missing_broker_is_said_and_its_topic_can_be_deleted(kafka: KafkaCluster) -> None:
    kafka.kubernetes.apply(topic("lost", broker="none", deletionPolicy="Delete"))
    eventually(lambda: condition(kafka, "lost")[1] == "BrokerMissing", 60, "it is said")
    kafka.kubernetes.kubectl("delete", "topic", "lost", "--timeout=60s", timeout=70)


@pytest.mark.parametrize(("policy", "stays"), [("Retain", True), ("Delete", False), ("DeleteIfEmpty", True)])
def test_what_becomes_of_a_topic_is_what_its_policy_says(kafka: KafkaCluster, policy: str, stays: bool) -> None:
    name = f"policy-{policy.lower()}"
    kafka.kubernetes.apply(topic(name, deletionPolicy=policy))
    until_ready(kafka, name)
    kafka.tool(f"echo a record | kafka-console-producer.sh --topic {name}")
    kafka.kubernetes.kubectl("delete", "topic", name, "--timeout=60s", timeout=70)
    eventually(lambda: (name in kafka.tool("kafka-topics.sh --list").split()) is stays, 60, f"its fate is {policy}")


def test_the_older_of_two_resources_for_one_topic_wins(kafka: KafkaCluster) -> None:
    kafka.kubernetes.apply(topic("first", name="one"))
    until_ready(kafka, "first")
    eventually(lambda: older_by_a_second(kafka, "first"), 10, "the second is younger by the clock of Kubernetes")
    kafka.kubernetes.apply(topic("second", name="one"))
    eventually(lambda: condition(kafka, "second")[0] == "False", 60, "the second is refused")
    assert "first" in condition(kafka, "second")[2]
    assert condition(kafka, "first")[0] == "True"


def older_by_a_second(kafka: KafkaCluster, name: str) -> bool:
    made = kafka.kubernetes.get("topic", name)["metadata"]["creationTimestamp"]
    return time.time() - time.mktime(time.strptime(made, "%Y-%m-%dT%H:%M:%SZ")) + time.timezone > 1.5


def test_a_topic_that_was_deleted_behind_our_back_is_made_again_and_it_is_said(kafka: KafkaCluster) -> None:
    kafka.kubernetes.apply(topic("vanishing"))
    before = until_ready(kafka, "vanishing")["topicId"]
    kafka.tool("kafka-topics.sh --delete --topic vanishing")
    kafka.kubernetes.kubectl("label", "topic", "vanishing", "a-test=wakes-the-operator")

    def made_again() -> bool:
        return bool(kafka.kubernetes.get("topic", "vanishing")["status"].get("topicId") not in (None, before))

    eventually(made_again, 60, "it is there again, with another id")
    said = kafka.kubernetes.kubectl("get", "events", "--field-selector", "involvedObject.name=vanishing")
    assert "Warning" in said


def test_a_thousand_topics_at_once_are_ready_without_a_storm(kafka: KafkaCluster, operator: Operator) -> None:
    many = 1000
    writes, changes = operator.metric("headrace_api_writes_total"), operator.metric("headrace_kafka_requests_total")
    began = time.monotonic()
    kafka.kubernetes.kubectl(
        "apply", "-f", "-", stdin="\n---\n".join(json.dumps(topic(f"bulk-{i}")) for i in range(many)), timeout=300
    )

    def all_ready() -> bool:
        shown = kafka.kubernetes.kubectl("get", "topics", "--no-headers", timeout=60)
        ready = [line for line in shown.splitlines() if line.startswith("bulk-") and " True " in line]
        assert len(ready) == many, f"{len(ready)} are ready"
        return True

    eventually(all_ready, 240, "a thousand topics are ready", every=1)
    took = time.monotonic() - began
    per_topic = (operator.metric("headrace_api_writes_total") - writes) / many
    requests = operator.metric("headrace_kafka_requests_total") - changes
    memory = operator.metric("process_resident_memory_bytes") / 2**20
    print(
        f"{many} topics: {took:.0f} s, {per_topic:.1f} API writes each, {requests:.0f} asked of Kafka, {memory:.0f} MiB"
    )
    assert per_topic < 4
    assert requests < many / 2
    assert memory < 200
    kafka.kubernetes.kubectl("delete", "topics", "--all", "--wait=false", timeout=300)


def test_a_namespace_with_topics_and_their_broker_can_be_deleted(
    up: Up, operator: Operator, images: dict[str, str]
) -> None:
    name = "topics-going"
    up.cluster.kubectl("create", "namespace", name)
    it = KafkaCluster(Kubernetes(up.cluster, name), images)
    it.apply(replicas=1, storage={"memory": {"size": "128Mi"}})
    it.until_ready()
    it.kubernetes.apply(topic("doomed", deletionPolicy="Delete"))
    until_ready(it, "doomed")
    up.cluster.kubectl("delete", "namespace", name, "--timeout=120s", timeout=130)
    assert not succeeds(up.cluster.kubectl, "get", "namespace", name)
