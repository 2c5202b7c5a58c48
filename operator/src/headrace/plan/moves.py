"""Where replicas go when nodes come and go: pure, deterministic, and no more of them than need be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from .seen import PartitionSeen, TopicPartition

Moves = Mapping[TopicPartition, tuple[int, ...]]


class TooFewNodes(Exception):
    """A partition has more replicas than there are nodes to hold them; the message names it."""


def off(partitions: Iterable[PartitionSeen], leaving: frozenset[int], staying: Sequence[int]) -> Moves:
    """Replicas on leaving nodes go to the staying nodes that hold the fewest; the others do not move."""
    held = _held(partitions, staying)
    moves: dict[TopicPartition, tuple[int, ...]] = {}
    for p in sorted(partitions, key=lambda p: p.at):
        replicas = list(p.replicas)
        for i, replica in enumerate(replicas):
            if replica in leaving:
                free = [n for n in staying if n not in replicas]
                if not free:
                    raise TooFewNodes(
                        f"partition {p.at} has {len(replicas)} replicas, but only {len(staying)} nodes would stay"
                    )
                replicas[i] = min(free, key=lambda n: (held[n], n))
                held[replicas[i]] += 1
        if tuple(replicas) != p.replicas:
            moves[p.at] = tuple(replicas)
    return moves


def onto_empty(partitions: Sequence[PartitionSeen], nodes: Sequence[int]) -> Moves:
    """When a node holds nothing, replicas move to it from the fullest, until no node holds two more than another.

    Only then: nodes that hold something were filled by Kafka or by people, who may have had their reasons.
    """
    held = _held(partitions, nodes)
    empty = {n for n in nodes if held[n] == 0}
    if not empty or len(empty) == len(nodes):
        return {}
    now = {p.at: p.replicas for p in partitions}
    moves: dict[TopicPartition, tuple[int, ...]] = {}
    while True:
        target = min(empty, key=lambda n: (held[n], n))
        step = _one_step(now, held, target)
        if step is None:
            return moves
        at, replicas, source = step
        held[source] -= 1
        held[target] += 1
        now[at] = moves[at] = replicas


def _one_step(
    now: Mapping[TopicPartition, tuple[int, ...]], held: Counter[int], target: int
) -> tuple[TopicPartition, tuple[int, ...], int] | None:
    """One replica from the fullest node that has one to give; the order within the partition is kept."""
    for source in sorted(held, key=lambda n: (-held[n], n)):
        if held[source] - held[target] < 2:
            return None
        for at in sorted(now):
            replicas = now[at]
            if source in replicas and target not in replicas:
                return at, tuple(target if r == source else r for r in replicas), source
    return None


def _held(partitions: Iterable[PartitionSeen], nodes: Iterable[int]) -> Counter[int]:
    held = Counter(dict.fromkeys(nodes, 0))
    for p in partitions:
        held.update(r for r in p.replicas if r in held)
    return held
