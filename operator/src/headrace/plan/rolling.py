"""Which node may restart next, if any: one at a time, and never when somebody would notice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from headrace.objects.node import Node

from .seen import KafkaSeen, PartitionSeen, PodSeen


@dataclass(frozen=True)
class Restart:
    """This node may go down now."""

    node: Node
    pod: PodSeen
    remaining: int


@dataclass(frozen=True)
class Hold:
    """No node may go down now; the next look may see it otherwise."""

    reason: str
    message: str
    remaining: int


@dataclass(frozen=True)
class Situation:
    """All that a restart is decided by."""

    nodes: Sequence[Node]
    pods: dict[str, PodSeen]
    outdated: Sequence[Node]  # those that are to restart
    kafka: KafkaSeen | None
    kafka_error: str = ""


def next_restart(now: Situation) -> Restart | Hold | None:
    """None when no node is to restart."""
    if not now.outdated:
        return None
    remaining = len(now.outdated)
    # A node that does not run cannot be missed, and may be down because of the very thing that the restart mends.
    for node in now.outdated:
        pod = now.pods[node.pod]
        if not pod.ready and not pod.deleting and pod.trouble:
            return Restart(node, pod, remaining)
    for check in CHECKS:
        if said := check(now):
            return Hold(*said, remaining)
    for node in in_order_of_restart(now.outdated, now.kafka):
        if not dangers(node, now):
            return Restart(node, now.pods[node.pod], remaining)
    first = in_order_of_restart(now.outdated, now.kafka)[0]
    return Hold("RestartUnsafe", f"Node {first.id} cannot restart now: {dangers(first, now)[0]}", remaining)


def in_order_of_restart(nodes: Iterable[Node], kafka: KafkaSeen | None) -> list[Node]:
    """Those that only store first, then those that vote, the active controller last."""
    active = kafka.controller if kafka else -1
    return sorted(nodes, key=lambda n: (n.id == active, n.is_voter, n.id))


def dangers(node: Node, now: Situation) -> list[str]:
    """What would go wrong if this node went down now."""
    assert now.kafka is not None
    found = [said for p in now.kafka.partitions or () if (said := partition_danger(node.id, p))]
    if said := quorum_danger(node, now.kafka):
        found.append(said)
    return found


def partition_danger(node: int, partition: PartitionSeen) -> str:
    if node not in partition.replicas:
        return ""
    left = [r for r in partition.in_sync if r != node]
    # With as many replicas as must be in sync, a restart always interrupts writes: no better moment will come than
    # one in which all of them are there.
    bound_to_pause = len(partition.replicas) <= partition.min_in_sync
    if bound_to_pause and set(partition.in_sync) == set(partition.replicas):
        return ""
    if len(left) >= partition.min_in_sync and not bound_to_pause:
        return ""
    return (
        f"partition {partition.at} would have {len(left)} replicas in sync and needs {partition.min_in_sync} "
        f"(in sync are {', '.join(map(str, partition.in_sync)) or 'none'} of {', '.join(map(str, partition.replicas))})"
    )


def quorum_danger(node: Node, kafka: KafkaSeen) -> str:
    voters = {v.id: v for v in kafka.voters}
    if node.id not in voters or len(voters) == 1:  # alone, it cannot be replaced for the time
        return ""
    left = sum(v.caught_up for v in voters.values() if v.id != node.id)
    needed = len(voters) // 2 + 1
    if left >= needed:
        return ""
    return f"{left} of {len(voters)} controllers would be left, and {needed} are needed"


Said = tuple[str, str]


def _a_node_is_down(now: Situation) -> Said | None:
    missing = [n for n in now.nodes if n.pod not in now.pods or not now.pods[n.pod].ready or now.pods[n.pod].deleting]
    if missing:
        which = ", ".join(str(n.id) for n in missing)
        return "WaitingForNode", f"Node {which} is not back yet: the next one restarts when it is."
    return None


def _kafka_does_not_answer(now: Situation) -> Said | None:
    if now.kafka is None:
        return "WaitingForKafka", f"No node restarts while Kafka does not answer: {now.kafka_error}"
    return None


def _a_broker_does_not_serve(now: Situation) -> Said | None:
    assert now.kafka is not None
    fenced = sorted(n.id for n in now.nodes if n.serves_clients and n.id not in now.kafka.live)
    if fenced:
        return "WaitingForNode", f"Node {', '.join(map(str, fenced))} runs but does not serve yet."
    return None


def _replicas_are_moving(now: Situation) -> Said | None:
    assert now.kafka is not None
    if now.kafka.moving:
        return "WaitingForMoves", f"No node restarts while {now.kafka.moving} partitions move between nodes."
    return None


def _nobody_looked_at_the_partitions(now: Situation) -> Said | None:
    assert now.kafka is not None
    if now.kafka.partitions is None:
        return "WaitingForKafka", "No node restarts before all partitions were looked at."
    return None


# In this order: each may take for granted what the ones before it have seen.
CHECKS: tuple[Callable[[Situation], Said | None], ...] = (
    _a_node_is_down,
    _kafka_does_not_answer,
    _a_broker_does_not_serve,
    _replicas_are_moving,
    _nobody_looked_at_the_partitions,
)
