"""Waiting for a condition, with a deadline and a word about what was seen last."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(look: Callable[[], T], within: float, what: str, every: float = 0.5) -> T:
    """The first true answer of `look`. A look that raises AssertionError has not seen it yet."""
    deadline = time.monotonic() + within
    while True:
        try:
            seen: object = None
            if seen := look():
                return seen
        except AssertionError as why:
            seen = why
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not in {within:g} s; seen last: {seen}")
        time.sleep(every)
