"""Whether the watches still hear: what a list shows must have been told by the watch before long (kopf #1145)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable

REMEMBERED = 10_000  # deleted objects
DEAF_AFTER = 60.0  # seconds that a change may be seen by a list and not be heard


class Hearing:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._listed_as: dict[str, set[str]] = {}
        self._heard: dict[str, int] = {}  # uid -> newest version that the watch told
        self._missing: dict[str, tuple[int, float]] = {}  # uid -> version not heard of, since when
        self._gone: OrderedDict[str, None] = OrderedDict()  # the last that were deleted: a list may be older than that

    def heard(self, uid: str, version: str, gone: bool = False) -> None:
        """The watch told of this version."""
        if gone:
            self._heard.pop(uid, None)
            self._missing.pop(uid, None)
            self._gone[uid] = None
            if len(self._gone) > REMEMBERED:
                self._gone.popitem(last=False)
            return
        self._heard[uid] = max(int(version), self._heard.get(uid, 0))
        if uid in self._missing and self._missing[uid][0] <= self._heard[uid]:
            del self._missing[uid]

    def listed(self, uid: str, version: str) -> None:
        """A list showed this version."""
        if self._heard.get(uid, 0) < int(version) and uid not in self._missing and uid not in self._gone:
            self._missing[uid] = (int(version), self._clock())

    def there_are_only(self, uids: Iterable[str], kind: str) -> None:
        """A whole list of a kind: what it does not show any more is not waited for."""
        there = set(uids)
        for uid in [u for u in self._missing if u in self._listed_as.get(kind, set()) - there]:
            del self._missing[uid]
        self._listed_as[kind] = there

    def deaf(self) -> bool:
        return any(self._clock() - since > DEAF_AFTER for _, since in self._missing.values())
