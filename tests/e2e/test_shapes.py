"""Brokers of other shapes than three nodes on disk: dedicated controllers, memory, and one that grows to three."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kind.making import Up
from waiting import eventually

from e2e.kafka import KafkaCluster
from e2e.kubernetes import Kubernetes
from e2e.operator import Operator

NAMESPACE = "shapes"


@pytest.fixture
def kafka(up: Up, operator: Operator, images: dict[str, str]) -> Iterator[KafkaCluster]:
    up.cluster.kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found", timeout=180)  # of a run that was stopped
    up.cluster.kubectl("create", "namespace", NAMESPACE)
    it = KafkaCluster(Kubernetes(up.cluster, NAMESPACE), images)
    yield it
    it.remove()


def round_trip(kafka: KafkaCluster, topic: str) -> list[str]:
    kafka.tool(f"printf '%s\\n' one two | kafka-console-producer.sh --topic {topic}")
    return kafka.tool(
        f"kafka-console-consumer.sh --topic {topic} --from-beginning --max-messages 2 --timeout-ms 30000"
    ).split()


def test_dedicated_controllers_and_brokers_in_memory(kafka: KafkaCluster) -> None:
    kafka.apply(replicas=2, controllers={"replicas": 1, "heap": "128Mi"}, storage={"memory": {"size": "128Mi"}})
    kafka.until_ready()
    kafka.open_toolbox()
    kafka.create_topic("memory", partitions=2, replicas=2, in_sync=1)
    assert round_trip(kafka, "memory") == ["one", "two"]
    assert [n["role"] for n in kafka.status()["nodes"]] == ["Broker", "Broker", "Controller"]
    assert kafka.active_controller() == 1000


def test_one_node_grows_to_three_and_they_become_the_quorum(kafka: KafkaCluster) -> None:
    kafka.apply(replicas=1)
    kafka.until_ready()
    kafka.open_toolbox()
    kafka.create_topic("early", partitions=1, replicas=1, in_sync=1)
    assert round_trip(kafka, "early") == ["one", "two"]
    kafka.kubernetes.kubectl("scale", "br/main", "--replicas=3")
    eventually(lambda: kafka.voters() == {0, 1, 2}, 180, "the new nodes are voters")
    kafka.until_ready()
    read = "kafka-console-consumer.sh --topic early --from-beginning --max-messages 2 --timeout-ms 30000"
    assert kafka.tool(read).split() == ["one", "two"]
