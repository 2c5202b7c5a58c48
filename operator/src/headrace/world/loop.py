"""Who is looked at next: each key by one worker at a time, again when it was woken, with backoff when it failed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
log = logging.getLogger(__name__)

BACKOFF = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)  # seconds after the first, second, … failure in a row


class Loop(Generic[Key]):
    """`work` looks at the world and says in how many seconds it wants to look again; None: only when woken."""

    def __init__(self, work: Callable[[Key], Awaitable[float | None]], at_once: int = 8) -> None:
        self._work = work
        self._due: dict[Key, float] = {}
        self._busy: set[Key] = set()
        self._failures: dict[Key, int] = {}
        self._changed = asyncio.Event()
        self._slots = asyncio.Semaphore(at_once)

    def wake(self, key: Key, after: float = 0.0) -> None:
        """Look at this key, not later than `after` seconds from now. Never lost, also while it is being looked at."""
        due = asyncio.get_running_loop().time() + after
        self._due[key] = min(due, self._due.get(key, due))
        self._changed.set()

    async def run(self) -> None:
        """Until cancelled; what is being worked on is cancelled too."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                now = asyncio.get_running_loop().time()
                waiting = {k: t for k, t in self._due.items() if k not in self._busy}
                for key in [k for k, t in waiting.items() if t <= now]:
                    del self._due[key], waiting[key]
                    self._busy.add(key)
                    tasks.create_task(self._one(key))
                self._changed.clear()
                try:
                    pause = min(waiting.values()) - now if waiting else None
                    await asyncio.wait_for(self._changed.wait(), pause)
                except TimeoutError:
                    pass

    async def _one(self, key: Key) -> None:
        try:
            async with self._slots:
                after = await self._work(key)
            self._failures.pop(key, None)
        except Exception:
            failures = self._failures[key] = self._failures.get(key, 0) + 1
            after = BACKOFF[min(failures, len(BACKOFF)) - 1]
            log.exception("looking at %s failed; again in %g s", key, after)
        finally:
            self._busy.discard(key)
            self._changed.set()
        if after is not None:
            self.wake(key, after)
