"""Was anything lost, doubled or shuffled? Pure counting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Record = tuple[str, int]  # a key, and something that is different for every record of that key


@dataclass(frozen=True)
class Tally:
    acknowledged: int
    read: int
    missing: int  # acknowledged and never read
    doubled: int  # copies beyond the first of a record
    unexpected: int  # read and never acknowledged
    out_of_order: int  # read after a record of the same key that was sent later

    @property
    def ordered(self) -> bool:
        return self.out_of_order == 0

    @property
    def exact(self) -> bool:
        return self.missing == self.doubled == self.unexpected == self.out_of_order == 0


def tally(acknowledged: Sequence[Record], read: Iterable[Record]) -> Tally:
    """Compare what was acknowledged, each record once and in the order of sending, with what was read."""
    sent_at = {record: position for position, record in enumerate(acknowledged)}
    seen: set[Record] = set()
    latest: dict[str, int] = {}
    count = doubled = unexpected = out_of_order = 0
    for record in read:
        count += 1
        key, position = record[0], sent_at.get(record)
        if record in seen:
            doubled += 1
        elif position is None:
            unexpected += 1
        elif position < latest.get(key, -1):
            out_of_order += 1
        else:
            latest[key] = position
        seen.add(record)
    return Tally(
        acknowledged=len(acknowledged),
        read=count,
        missing=len(sent_at.keys() - seen),
        doubled=doubled,
        unexpected=unexpected,
        out_of_order=out_of_order,
    )
