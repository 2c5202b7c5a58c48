"""Keys are looked at when woken, one at a time each, and again after a failure."""

from __future__ import annotations

import asyncio

from headrace.world import loop as loops
from headrace.world.loop import Loop
from pytest import MonkeyPatch


def run(loop_of: Loop[str], until: asyncio.Event, wakes: list[str]) -> None:
    async def whole() -> None:
        running = asyncio.create_task(loop_of.run())
        for key in wakes:
            loop_of.wake(key)
        await asyncio.wait_for(until.wait(), 10)
        running.cancel()

    asyncio.run(whole())


def test_a_wake_during_a_look_is_not_lost_and_no_key_is_looked_at_twice_at_once() -> None:
    done, looks, busy = asyncio.Event(), 0, 0

    async def work(key: str) -> float | None:
        nonlocal looks, busy
        busy += 1
        assert busy == 1
        looks += 1
        if looks == 1:
            it.wake(key)
        await asyncio.sleep(0)
        busy -= 1
        if looks == 2:
            done.set()
        return None

    it: Loop[str] = Loop(work)
    run(it, done, ["a", "a"])
    assert looks == 2


def test_a_look_that_fails_is_made_again_and_others_go_on(monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "BACKOFF", (0.01,))
    done, seen = asyncio.Event(), list[str]()

    async def work(key: str) -> float | None:
        seen.append(key)
        if seen.count("bad") == 3 and "good" in seen:
            done.set()
        if key == "bad":
            raise RuntimeError("as it must")
        return None

    run(Loop(work), done, ["bad", "good"])
    assert seen.count("good") == 1


def test_a_look_is_made_again_when_it_asks_for_it() -> None:
    done, looks = asyncio.Event(), 0

    async def work(_: str) -> float | None:
        nonlocal looks
        looks += 1
        if looks == 3:
            done.set()
        return 0.01

    run(Loop(work), done, ["a"])
    assert looks >= 3
