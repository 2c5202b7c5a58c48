"""Waiting for a condition, with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(what: str, condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Return when `condition` is true; fail, saying what was waited for, if it is not within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}"
        time.sleep(0.02)
