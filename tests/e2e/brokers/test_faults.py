"""Faults, with a producer (acks=all) and a reader all through: nothing that was acknowledged is lost or doubled."""

from __future__ import annotations

import pytest
from kind.shell import CommandFailed
from waiting import eventually

from e2e.kafka import KafkaCluster
from e2e.operator import Operator

NODES = (0, 1, 2)


@pytest.mark.parametrize("node", NODES)
def test_a_broker_is_killed(kafka: KafkaCluster, node: int) -> None:
    kafka.create_topic(f"killed-{node}")
    with kafka.ledger(f"killed-{node}") as ledger:
        kafka.kill_node(node)
        ledger.until_more_are_acknowledged()
        kafka.until_ready()
        ledger.until_more_are_acknowledged()
    kafka.books(ledger).assert_nothing_was_lost()


def test_the_active_controller_is_killed(kafka: KafkaCluster) -> None:
    kafka.create_topic("controller")
    with kafka.ledger("controller") as ledger:
        before = kafka.active_controller()
        kafka.kill_node(before)
        ledger.until_more_are_acknowledged()
        eventually(lambda: kafka.active_controller() != before, 60, "another controller is active")
        kafka.until_ready()
    kafka.books(ledger).assert_nothing_was_lost()


def test_two_of_three_machines_are_lost_and_come_back(kafka: KafkaCluster) -> None:
    """Writes stop with a clear error, and service returns by itself."""
    kafka.create_topic("two")
    lost = [kafka.kubernetes.node_of(f"main-broker-{i}") for i in (1, 2)]
    with kafka.ledger("two") as ledger:
        for machine in lost:
            kafka.kubernetes.stop_node(machine)
        try:
            with pytest.raises(CommandFailed, match=r"(?i)timed out|not.?enough.?replicas"):
                impatient = "kcat -b main-broker-0.main-nodes:9092 -t two -P -X acks=all -X message.timeout.ms=8000"
                kafka.kubernetes.run_in(ledger.name, "bash", "-c", f"echo refused | {impatient}", timeout=60)
        finally:
            for machine in lost:
                kafka.kubernetes.start_node(machine)
        for machine in lost:
            kafka.kubernetes.wait_until_node(machine, ready=True)
        ledger.until_more_are_acknowledged(within=180)
        kafka.until_ready()
    kafka.books(ledger).assert_nothing_was_lost()


def test_a_machine_is_stopped_and_started(kafka: KafkaCluster, operator: Operator) -> None:
    kafka.create_topic("machine")
    machine = kafka.kubernetes.node_of("main-broker-1")
    with kafka.ledger("machine") as ledger:
        kafka.kubernetes.stop_node(machine)
        try:
            ledger.until_more_are_acknowledged()
            if not operator_is_there(operator, machine):
                eventually(
                    lambda: kafka.condition()["reason"] == "NodesDown", 90, "the Broker says that a node is down"
                )
        finally:
            kafka.kubernetes.start_node(machine)
        kafka.kubernetes.wait_until_node(machine, ready=True)
        kafka.until_ready()
        ledger.until_more_are_acknowledged()
    kafka.books(ledger).assert_nothing_was_lost()


def operator_is_there(operator: Operator, machine: str) -> bool:
    """Then it is gone with the machine, and nobody can say that a node is down until it is back."""
    return any(p["spec"]["nodeName"] == machine for p in operator.pods())


def test_all_nodes_restart_one_by_one_though_the_operator_is_killed_in_the_middle(
    kafka: KafkaCluster, operator: Operator
) -> None:
    kafka.create_topic("rolling")
    before = kafka.pod_uids()
    with kafka.ledger("rolling") as ledger:
        kafka.change(config={"num.partitions": "2"})
        eventually(lambda: kafka.pod_uids() != before, 90, "the first node restarts")
        operator.kill()
        eventually(lambda: not set(kafka.pod_uids().values()) & set(before.values()), 240, "every node has restarted")
        kafka.until_ready()
        ledger.until_more_are_acknowledged()
    books = kafka.books(ledger)
    books.assert_nothing_was_lost()
    assert books.refused == {}
    events = kafka.kubernetes.kubectl(
        "get", "events", "--field-selector", "involvedObject.name=main,reason=RestartingNode"
    )
    assert all(f"Node {node} restarts" in events for node in NODES)


def test_a_node_is_added_and_taken_away_though_the_operator_is_killed_in_the_middle(
    kafka: KafkaCluster, operator: Operator
) -> None:
    kafka.create_topic("scaling", partitions=12)
    with kafka.ledger("scaling") as ledger:
        kafka.kubernetes.kubectl("scale", "br/main", "--replicas=4")
        eventually(lambda: "main-broker-3" in kafka.pod_uids(), 90, "the fourth node is made")
        operator.kill()
        eventually(lambda: replicas_on(kafka, 3) > 0, 180, "the fourth node holds replicas")
        kafka.until_ready()
        kafka.kubernetes.kubectl("scale", "br/main", "--replicas=3")
        eventually(lambda: kafka.status().get("moves", {}).get("reason") == "ScaleIn", 90, "replicas move off it")
        operator.kill()
        eventually(lambda: "main-broker-3" not in kafka.pod_uids(), 180, "the fourth node is gone")
        kafka.until_ready()
        ledger.until_more_are_acknowledged()
    kafka.books(ledger).assert_nothing_was_lost()
    assert replicas_on(kafka, 3) == 0
    said = kafka.tool("kafka-configs.sh --describe --entity-type topics --entity-name scaling")
    assert "throttled" not in said


def replicas_on(kafka: KafkaCluster, node: int) -> int:
    said = kafka.tool("kafka-topics.sh --describe")
    held = [line.split("Replicas: ")[1].split()[0].split(",") for line in said.splitlines() if "Replicas: " in line]
    return sum(str(node) in replicas for replicas in held)
