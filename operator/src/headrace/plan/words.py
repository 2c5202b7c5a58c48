"""How messages count and list."""

from __future__ import annotations

from collections.abc import Iterable


def counted(number: int, what: str) -> str:
    """1 partition, 2 partitions."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def listed(items: Iterable[object], at_most: int = 5) -> str:
    """a, b and 3 more: a condition is for people, who do not read a thousand names."""
    texts = [str(item) for item in items]
    if len(texts) > at_most:
        return f"{', '.join(texts[: at_most - 1])} and {len(texts) - at_most + 1} more"
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)
