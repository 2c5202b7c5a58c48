"""Where replicas go: as few moves as possible, and as even a spread as these allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product

import pytest
from headrace.plan.partition import Partition
from headrace.plan.placement import moves
from hypothesis import given, settings
from hypothesis import strategies as st
from topic_cases import partition

Moves = Mapping[int, tuple[int, ...]]


@dataclass(frozen=True)
class Case:
    partitions: tuple[Partition, ...]
    replicas: int
    members: frozenset[int]
    live: frozenset[int]

    def moves(self) -> Moves:
        return moves(self.partitions, self.replicas, self.members, self.live)

    def touched(self) -> list[tuple[Partition, tuple[int, ...]]]:
        """Every partition that moves, with its new replicas."""
        made = self.moves()
        return [(p, made[p.id]) for p in self.partitions if p.id in made]


@st.composite
def cases(draw: st.DrawFn, nodes: int = 6, at_most: int = 12, leaving: bool = True) -> Case:
    """Topics of any shape, on Brokers of which nodes may be away, or be about to leave."""
    nodes = draw(st.integers(1, nodes))
    members = frozenset(range(nodes))
    live = members - draw(st.frozensets(st.sampled_from(sorted(members)), max_size=nodes - 1))
    homes = [*range(nodes), *([nodes] if leaving else [])]
    partitions = []
    for number in range(draw(st.integers(1, at_most))):
        replicas = draw(st.lists(st.sampled_from(homes), min_size=1, max_size=len(homes), unique=True))
        in_sync = draw(st.lists(st.sampled_from(replicas), unique=True))
        partitions.append(partition(number, replicas, in_sync=tuple(in_sync), leader=in_sync[0] if in_sync else None))
    return Case(tuple(partitions), draw(st.integers(1, nodes)), members, live)


@given(cases())
def test_who_moves_has_the_right_number_of_distinct_replicas_and_all_on_nodes_that_stay(case: Case) -> None:
    for _, after in case.touched():
        assert len(after) == len(set(after)) == case.replicas
        assert set(after) <= case.members


@given(cases())
def test_new_replicas_only_go_to_nodes_that_serve(case: Case) -> None:
    for before, after in case.touched():
        assert set(after) - set(before.replicas) <= case.live


@given(cases())
def test_nothing_is_copied_that_need_not_be(case: Case) -> None:
    for before, after in case.touched():
        staying = set(before.replicas) & case.members
        assert len(set(after) - set(before.replicas)) == max(0, case.replicas - len(staying))


@given(cases())
def test_only_partitions_with_too_many_or_too_few_replicas_move(case: Case) -> None:
    for before, _ in case.touched():
        assert len(before.replicas) != case.replicas


@given(cases(leaving=False))
def test_where_every_node_serves_and_every_partition_has_a_leader_nothing_waits(case: Case) -> None:
    whole = Case(case.partitions, case.replicas, case.members, case.members)
    made = whole.moves()
    assert {len(made.get(p.id, p.replicas)) for p in whole.partitions if p.leader is not None} <= {whole.replicas}


@given(cases())
def test_a_preferred_leader_that_is_in_sync_and_stays_remains_the_first(case: Case) -> None:
    for before, after in case.touched():
        first = before.replicas[0]
        if first in case.members and first in before.in_sync:
            assert after[0] == first


@given(cases())
def test_replicas_in_sync_are_never_given_up_for_one_that_is_not(case: Case) -> None:
    for before, after in case.touched():
        given_up = set(before.in_sync) & case.members - set(after)
        behind = set(after) & set(before.replicas) - set(before.in_sync)
        assert not (given_up and behind)


@given(cases())
def test_a_second_look_after_the_move_finds_nothing_to_move(case: Case) -> None:
    made = case.moves()
    after = tuple(partition(p.id, made[p.id]) if p.id in made else p for p in case.partitions)
    waiting = {p.id for p in case.partitions} - made.keys()
    assert moves(after, case.replicas, case.members, case.live).keys() <= waiting


@given(cases(), st.randoms())
def test_the_answer_does_not_depend_on_the_order_of_the_question(case: Case, random: object) -> None:
    shuffled = list(case.partitions)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert moves(shuffled, case.replicas, case.members, sorted(case.live, reverse=True)) == case.moves()


@settings(max_examples=1000)  # few topics are such that taking the emptiest node for each partition is not enough
@given(cases(nodes=4, at_most=4, leaving=False))
def test_no_other_choice_with_as_few_moves_would_spread_the_replicas_more_evenly(case: Case) -> None:
    made = case.moves()
    whole = [p for p in case.partitions if p.id in made]
    rest = Counter(node for p in case.partitions if p.id not in made for node in p.replicas)

    def unevenness(choice: tuple[tuple[int, ...], ...]) -> int:
        load = rest + Counter(node for replicas in choice for node in replicas)
        return sum(load[node] ** 2 for node in case.members)

    best = min((unevenness(choice) for choice in product(*(_allowed(p, case) for p in whole))), default=0)
    assert not whole or unevenness(tuple(made[p.id] for p in whole)) == best


def _allowed(before: Partition, case: Case) -> list[tuple[int, ...]]:
    """Every set of replicas that the other properties allow a partition to get."""
    now = [node for node in before.replicas if node in case.members]
    if len(now) < case.replicas:
        new = sorted(case.live - set(now))
        return [(*now, *added) for added in combinations(new, case.replicas - len(now))]
    sound = [node for node in now if node in before.in_sync]
    if len(sound) >= case.replicas:
        return [(sound[0], *others) for others in combinations(sound[1:], case.replicas - 1)]
    behind = [node for node in now if node not in sound]
    return [(*sound, *others) for others in combinations(behind, case.replicas - len(sound))]


@given(st.integers(1, 6), st.integers(1, 30), st.data())
def test_from_an_even_spread_to_an_even_spread(nodes: int, count: int, data: st.DataObject) -> None:
    replicas = data.draw(st.integers(1, nodes))
    partitions = tuple(partition(number, (number % nodes,)) for number in range(count))
    everyone = frozenset(range(nodes))
    made = Case(partitions, replicas, everyone, everyone).moves()
    load = Counter(node for p in partitions for node in made.get(p.id, p.replicas))
    assert max(load[n] for n in everyone) - min(load[n] for n in everyone) <= 1


EVERYONE = frozenset({0, 1, 2})


def test_a_partition_with_a_choice_leaves_a_node_to_one_without() -> None:
    free, bound = partition(0, (0, 1, 2)), partition(1, (0, 1, 2), in_sync=(0, 1))
    assert moves([free, bound], 2, EVERYONE, EVERYONE) == {0: (0, 2), 1: (0, 1)}


def test_topics_with_one_partition_choose_the_node_after_their_first_so_that_not_all_choose_the_same() -> None:
    chosen = [moves([partition(0, (first,))], 2, EVERYONE, EVERYONE)[0] for first in (0, 1, 2)]
    assert chosen == [(0, 1), (1, 2), (2, 0)]


def test_a_partition_without_a_leader_waits() -> None:
    lost = partition(0, (0,), leader=None, in_sync=())
    assert moves([lost, partition(1, (1,))], 2, EVERYONE, EVERYONE).keys() == {1}


def test_a_partition_waits_if_nodes_that_could_take_a_replica_are_away() -> None:
    assert moves([partition(0, (0, 1))], 3, EVERYONE, frozenset({0, 1})) == {}


def test_a_move_that_is_under_way_to_the_right_number_is_left_alone() -> None:
    under_way = partition(0, (0, 1, 2), in_sync=(0,), adding=frozenset({1, 2}))
    assert moves([under_way], 3, EVERYONE, EVERYONE) == {}


@pytest.mark.parametrize(("replicas", "expected"), [(1, (0,)), (3, (0, 1, 2))])
def test_a_move_that_is_under_way_to_another_number_is_replaced(replicas: int, expected: tuple[int, ...]) -> None:
    under_way = partition(0, (0, 1), in_sync=(0,), adding=frozenset({1}))
    assert moves([under_way], replicas, EVERYONE, EVERYONE) == {0: expected}


def test_a_replica_on_a_node_that_leaves_is_not_kept_when_its_partition_moves_anyway() -> None:
    assert moves([partition(0, (3, 0))], 3, EVERYONE, EVERYONE) == {0: (0, 1, 2)}
