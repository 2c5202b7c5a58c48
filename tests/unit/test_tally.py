from __future__ import annotations

import random

import pytest
from headrace.cli.tally import Record, Tally, tally
from hypothesis import given
from hypothesis import strategies as st

A1, A2, A3, B1, B2 = ("a", 1), ("a", 2), ("a", 3), ("b", 1), ("b", 2)


def counts(of: Tally) -> dict[str, int]:
    """The counts that are not zero, without the two totals."""
    names = ("missing", "doubled", "unexpected", "out_of_order")
    return {name: getattr(of, name) for name in names if getattr(of, name)}


@pytest.mark.parametrize(
    ("what", "acknowledged", "read", "found"),
    [
        ("nothing at all", [], [], {}),
        ("all of it", [A1, B1, A2], [A1, B1, A2], {}),
        ("keys overtaking each other, as partitions do", [A1, B1, A2, B2], [B1, B2, A1, A2], {}),
        ("one lost", [A1, A2, A3], [A1, A3], {"missing": 1}),
        ("all lost", [A1, B1], [], {"missing": 2}),
        ("one twice", [A1, A2], [A1, A1, A2], {"doubled": 1}),
        ("one three times", [A1], [A1, A1, A1], {"doubled": 2}),
        ("a copy that comes later is doubled, not out of order", [A1, A2], [A1, A2, A1], {"doubled": 1}),
        ("two of one key swapped", [A1, A2], [A2, A1], {"out_of_order": 1}),
        ("the last one first", [A1, A2, A3], [A3, A1, A2], {"out_of_order": 2}),
        ("order is the order of sending, not of the numbers", [A3, A1], [A3, A1], {}),
        ("something that nobody acknowledged", [A1], [A1, B1], {"unexpected": 1}),
        ("one lost, another twice: the totals look right", [A1, A2], [A1, A1], {"missing": 1, "doubled": 1}),
    ],
)
def test_what_was_read_is_told_apart(
    what: str, acknowledged: list[Record], read: list[Record], found: dict[str, int]
) -> None:
    outcome = tally(acknowledged, read)
    assert counts(outcome) == found, what
    assert outcome.exact == (not found)
    assert (outcome.acknowledged, outcome.read) == (len(acknowledged), len(read))


sendings = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), unique=True, min_size=1, max_size=30)


def by_partition(records: list[Record], shuffle: random.Random) -> list[Record]:
    """The records as a reader of several partitions gets them: keys mixed anew, each key in its order."""
    queues = {key: [r for r in records if r[0] == key] for key, _ in records}
    mixed = [key for key, _ in records]
    shuffle.shuffle(mixed)
    return [queues[key].pop(0) for key in mixed]


@given(sendings, st.randoms(use_true_random=False))
def test_whatever_way_partitions_are_read_all_in_order_is_exact(sent: list[Record], shuffle: random.Random) -> None:
    assert tally(sent, by_partition(sent, shuffle)).exact


@given(sendings, st.randoms(use_true_random=False), st.data())
def test_every_loss_and_every_copy_is_counted(sent: list[Record], shuffle: random.Random, data: st.DataObject) -> None:
    read = by_partition(sent, shuffle)
    lost = data.draw(st.sets(st.sampled_from(read)))
    kept = [record for record in read if record not in lost]
    copies = data.draw(st.lists(st.sampled_from(kept), max_size=5)) if kept else []
    # A copy comes anywhere after the record itself.
    for copy in copies:
        kept.insert(data.draw(st.integers(kept.index(copy) + 1, len(kept))), copy)
    expected = {name: n for name, n in (("missing", len(lost)), ("doubled", len(copies))) if n}
    assert counts(tally(sent, kept)) == expected


@given(sendings, st.data())
def test_a_swap_within_a_key_never_goes_unnoticed(sent: list[Record], data: st.DataObject) -> None:
    earlier, later = sorted(data.draw(st.lists(st.integers(0, len(sent) - 1), min_size=2, max_size=2)))
    read = list(sent)
    read[earlier], read[later] = read[later], read[earlier]
    outcome = tally(sent, read)
    assert outcome.ordered == all(
        [r for r in read if r[0] == key] == [r for r in sent if r[0] == key] for key in ("a", "b", "c")
    )
    assert outcome.missing == outcome.doubled == 0
