"""What went wrong in the world, in the words of a condition."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Trouble:
    """Why something could not be seen or done, and whether it may go away by itself."""

    reason: str
    message: str
    retriable: bool
