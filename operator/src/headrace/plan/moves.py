"""Where replicas go when nodes come and go: pure, deterministic, and no more of them than need be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

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
    of_node = {n: sorted(at for at, replicas in now.items() if n in replicas) for n in nodes}
    moves: dict[TopicPartition, tuple[int, ...]] = {}
    # What a node could not give to a target once, it never can: the target holds it already, and keeps it.
    offers = {(source, target): iter(of_node[source]) for source in nodes for target in empty}
    while True:
        target = min(empty, key=lambda n: (held[n], n))
        step = _one_step(now, held, offers, target)
        if step is None:
            return moves
        at, source = step
        held[source] -= 1
        held[target] += 1
        now[at] = moves[at] = tuple(target if r == source else r for r in now[at])


def _one_step(
    now: Mapping[TopicPartition, tuple[int, ...]],
    held: Counter[int],
    offers: Mapping[tuple[int, int], Iterator[TopicPartition]],
    target: int,
) -> tuple[TopicPartition, int] | None:
    """One replica from the fullest node that has one to give."""
    for source in sorted((n for n in held if (n, target) in offers), key=lambda n: (-held[n], n)):
        if held[source] - held[target] < 2:
            return None
        for at in offers[source, target]:
            if source in now[at] and target not in now[at]:
                return at, source
    return None


def _held(partitions: Iterable[PartitionSeen], nodes: Iterable[int]) -> Counter[int]:
    held = Counter(dict.fromkeys(nodes, 0))
    for p in partitions:
        held.update(r for r in p.replicas if r in held)
    return held
