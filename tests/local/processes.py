"""Looking at processes from outside."""

from __future__ import annotations

import os


def group_is_there(leader: int) -> bool:
    """Whether any process of a group is left: its leader, or one that the leader left behind."""
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    return True
