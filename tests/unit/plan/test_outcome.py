"""Conditions change their time only when their status changes."""

from __future__ import annotations

from datetime import UTC, datetime

from headrace.plan.outcome import Finding, not_ready, ready, settled

EARLIER = datetime(2026, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def test_a_new_condition_holds_since_now() -> None:
    (condition,) = settled([ready("All is well.")], [], 3, NOW)
    assert (condition.last_transition_time, condition.observed_generation) == (NOW, 3)


def test_a_condition_that_still_holds_keeps_its_time_though_its_words_change() -> None:
    before = settled([not_ready("NodesStarting", "1 of 3 nodes serve.")], [], 1, EARLIER)
    (condition,) = settled([not_ready("NodesStarting", "2 of 3 nodes serve.")], before, 2, NOW)
    assert (condition.last_transition_time, condition.message) == (EARLIER, "2 of 3 nodes serve.")


def test_a_condition_that_turned_holds_since_now() -> None:
    before = settled([not_ready("NodesStarting", "1 of 3 nodes serve.")], [], 1, EARLIER)
    (condition,) = settled([ready("All is well.")], before, 1, NOW)
    assert condition.last_transition_time == NOW


def test_a_condition_that_is_no_longer_found_is_dropped_and_the_rest_is_in_order() -> None:
    before = settled([Finding("Moving", "True", "ScaleOut", "2 left."), ready("Well.")], [], 1, EARLIER)
    after = settled([ready("Well."), Finding("Paused", "True", "Asked", "By annotation.")], before, 1, NOW)
    assert [c.type for c in after] == ["Paused", "Ready"]
