"""What every plan says besides what to do: conditions, events, and when to look again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from headrace.api.base import Condition

# A person's mistake waits for a new generation; what the world may mend by itself is looked at again after these.
SOON = 2.0  # seconds: something is under way and nothing will wake us when it is done
LATER = 60.0  # seconds: drift that nobody announces


@dataclass(frozen=True)
class Finding:
    """A condition before it is known since when it holds."""

    type: str
    status: Literal["True", "False", "Unknown"]
    reason: str
    message: str


@dataclass(frozen=True)
class Event:
    """What a person would want to see in `kubectl describe`: said once, when it happens."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str


def ready(message: str, reason: str = "Ready") -> Finding:
    return Finding("Ready", "True", reason, message)


def not_ready(reason: str, message: str) -> Finding:
    return Finding("Ready", "False", reason, message)


def settled(
    findings: Iterable[Finding], known: Iterable[Condition], generation: int, now: datetime
) -> tuple[Condition, ...]:
    """Conditions as they are written: a time changes only when its status does; types no longer found are dropped."""
    before = {c.type: c for c in known}
    return tuple(
        Condition(
            type=found.type,
            status=found.status,
            reason=found.reason,
            message=found.message,
            last_transition_time=(
                before[found.type].last_transition_time
                if found.type in before and before[found.type].status == found.status
                else now
            ),
            observed_generation=generation,
        )
        for found in sorted(findings, key=lambda found: found.type)
    )
