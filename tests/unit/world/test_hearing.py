"""A watch that no longer tells what lists show is noticed; one that is only a little late is not."""

from __future__ import annotations

from headrace.world.hearing import DEAF_AFTER, Hearing


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_change_that_is_never_heard_of_means_deafness_after_a_while() -> None:
    clock = Clock()
    hearing = Hearing(clock)
    hearing.heard("a", "1")
    hearing.listed("a", "2")
    clock.now = DEAF_AFTER
    assert not hearing.deaf()
    clock.now += 1
    assert hearing.deaf()


def test_a_change_that_is_heard_of_late_is_heard() -> None:
    clock = Clock()
    hearing = Hearing(clock)
    hearing.listed("a", "2")
    hearing.heard("a", "3")
    clock.now = DEAF_AFTER + 1
    assert not hearing.deaf()


def test_a_list_that_is_older_than_a_deletion_is_not_waited_for() -> None:
    clock = Clock()
    hearing = Hearing(clock)
    hearing.heard("a", "1", gone=True)
    hearing.listed("a", "1")
    clock.now = DEAF_AFTER + 1
    assert not hearing.deaf()


def test_what_the_next_list_does_not_show_any_more_is_not_waited_for() -> None:
    clock = Clock()
    hearing = Hearing(clock)
    hearing.there_are_only(["a", "b"], "Topic")
    hearing.listed("a", "5")
    hearing.there_are_only(["b"], "Topic")
    clock.now = DEAF_AFTER + 1
    assert not hearing.deaf()
