"""A Broker on a real cluster: declared, used, changed, broken; nothing acknowledged is ever lost."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from kind.making import Up
from waiting import eventually

from e2e.kafka import KafkaCluster
from e2e.kubernetes import Kubernetes
from e2e.operator import Operator

NAMESPACE = "brokers"


@pytest.fixture(scope="module")
def kafka(up: Up, operator: Operator, images: dict[str, str]) -> Iterator[KafkaCluster]:
    """Three nodes that all tests here share; each has a topic of its own."""
    up.cluster.kubectl("create", "namespace", NAMESPACE)
    it = KafkaCluster(Kubernetes(up.cluster, NAMESPACE), images)
    began = time.monotonic()
    it.apply()
    it.until_ready()
    print(f"three brokers, from apply to Ready: {time.monotonic() - began:.0f} s")
    yield it
    up.cluster.kubectl("delete", "namespace", NAMESPACE, "--wait=true", timeout=180)


def test_a_declared_broker_says_where_it_is_and_what_it_runs(kafka: KafkaCluster) -> None:
    status = kafka.status()
    assert status["bootstrap"] == f"main-bootstrap.{NAMESPACE}.svc:9092"
    assert (status["readyNodes"], status["version"]) == ("3/3", "4.3.1")
    shown = kafka.kubernetes.kubectl("get", "br", "main")
    assert shown.split("\n")[1].split()[:5] == ["main", "True", "3/3", "4.3.1", "Ready"]
    nodes = {kafka.kubernetes.node_of(f"main-broker-{i}") for i in range(3)}
    assert len(nodes) == 3, "brokers share a machine though there are enough of them"


def test_at_rest_a_look_writes_nothing(kafka: KafkaCluster, operator: Operator) -> None:
    def versions() -> list[str]:
        kinds = ("broker/main", "statefulset/main-broker", "configmap/main-config", "service/main-nodes")
        return [kafka.kubernetes.get(*k.split("/"))["metadata"]["resourceVersion"] for k in kinds]

    passes = 'headrace_reconciles_total{kind="Broker"}'
    kafka.kubernetes.kubectl("annotate", "statefulset", "main-broker", "a-test/wakes=the-operator")
    before, looked = versions(), operator.metric(passes)
    eventually(lambda: operator.metric(passes) >= looked + 2, 150, "the operator has looked twice")
    assert versions() == before


@pytest.mark.parametrize("node", [0, 1, 2])
def test_a_killed_broker_comes_back_and_nothing_is_lost(kafka: KafkaCluster, node: int) -> None:
    topic = f"killed-{node}"
    kafka.create_topic(topic)
    with kafka.ledger(topic) as ledger:
        kafka.kill_node(node)
        ledger.until_more_are_acknowledged()
        kafka.until_ready()
        ledger.until_more_are_acknowledged()
    kafka.books(ledger).assert_nothing_was_lost()
