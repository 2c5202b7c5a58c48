"""Replicas move off nodes that leave and onto nodes that came: all of them, no more than need be, evenly."""

from __future__ import annotations

from collections import Counter

import pytest
from headrace.plan import moves
from headrace.plan.seen import PartitionSeen, TopicPartition
from hypothesis import given
from hypothesis import strategies as st


def partition(topic: str, number: int, *replicas: int) -> PartitionSeen:
    return PartitionSeen(TopicPartition(topic, number), replicas[0], replicas, replicas)


@st.composite
def clusters(draw: st.DrawFn) -> tuple[list[int], list[PartitionSeen]]:
    """Nodes 0 to n-1, and partitions with replicas anywhere on them."""
    nodes = list(range(draw(st.integers(2, 7))))
    found = []
    for number in range(draw(st.integers(0, 20))):
        many = draw(st.integers(1, min(3, len(nodes))))
        found.append(partition("t", number, *draw(st.permutations(nodes))[:many]))
    return nodes, found


def after(partitions: list[PartitionSeen], moved: moves.Moves) -> dict[TopicPartition, tuple[int, ...]]:
    return {p.at: moved.get(p.at, p.replicas) for p in partitions}


@given(clusters(), st.data())
def test_nodes_that_leave_end_up_empty_and_nothing_else_moves(
    cluster: tuple[list[int], list[PartitionSeen]], data: st.DataObject
) -> None:
    nodes, partitions = cluster
    leaving = frozenset(data.draw(st.sets(st.sampled_from(nodes), max_size=len(nodes) - 1)))
    staying = [n for n in nodes if n not in leaving]
    try:
        moved = moves.off(partitions, leaving, staying)
    except moves.TooFewNodes:
        assert any(len(p.replicas) > len(staying) for p in partitions)
        return
    for p in partitions:
        now = after(partitions, moved)[p.at]
        assert len(set(now)) == len(p.replicas)
        assert not set(now) & leaving
        kept = [(a, b) for a, b in zip(p.replicas, now, strict=True) if a not in leaving]
        assert all(a == b for a, b in kept), "a replica on a staying node moved"


@given(clusters(), st.integers(1, 3))
def test_new_nodes_get_their_share_from_the_fullest_and_the_rest_stays(
    cluster: tuple[list[int], list[PartitionSeen]], new: int
) -> None:
    nodes, partitions = cluster
    newcomers = [max(nodes) + 1 + i for i in range(new)]
    moved = moves.onto_empty(partitions, [*nodes, *newcomers])
    now = after(partitions, moved)
    held = Counter(dict.fromkeys([*nodes, *newcomers], 0))
    for replicas in now.values():
        assert len(set(replicas)) == len(replicas)
        held.update(replicas)
    for p in partitions:
        changed = {b for a, b in zip(p.replicas, now[p.at], strict=True) if a != b}
        held_before = Counter(r for q in partitions for r in q.replicas)
        assert all(held_before[b] == 0 for b in changed), "a replica moved to a node that was not empty"
    if partitions and len({r for p in partitions for r in p.replicas}) < len(held):
        room = [n for n in newcomers if any(n not in replicas for replicas in now.values())]
        fullest = max(held.values())
        assert all(fullest - held[n] < 2 or _nothing_to_give(now, held, n) for n in room)


def _nothing_to_give(now: dict[TopicPartition, tuple[int, ...]], held: Counter[int], target: int) -> bool:
    """No node that holds two more than the target has a partition that the target lacks."""
    return not any(
        held[r] - held[target] >= 2 and target not in replicas for replicas in now.values() for r in replicas
    )


@given(clusters())
def test_a_second_look_moves_nothing_more(cluster: tuple[list[int], list[PartitionSeen]]) -> None:
    nodes, partitions = cluster
    grown = [*nodes, max(nodes) + 1]
    moved = after(partitions, moves.onto_empty(partitions, grown))
    settled = [PartitionSeen(at, replicas[0], replicas, replicas) for at, replicas in moved.items()]
    assert moves.onto_empty(settled, grown) == {}


def test_a_partition_with_more_replicas_than_nodes_would_stay_is_named() -> None:
    with pytest.raises(moves.TooFewNodes, match=r"partition t-0 has 3 replicas, but only 2 nodes would stay"):
        moves.off([partition("t", 0, 0, 1, 2)], frozenset({2}), [0, 1])


def test_a_full_cluster_without_an_empty_node_is_left_as_it_is() -> None:
    lopsided = [partition("t", n, 0) for n in range(9)] + [partition("t", 9, 1)]
    assert moves.onto_empty(lopsided, [0, 1]) == {}
