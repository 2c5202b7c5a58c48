"""Which settings a topic should have in Kafka, and how they differ from those it has."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal

from headrace.api.topic import TopicSpec

CLEANUP_POLICIES = {"Time": "delete", "Compact": "compact", "CompactAndTime": "compact,delete"}
MIN_IN_SYNC = "min.insync.replicas"
THROTTLES = ("follower.replication.throttled.replicas", "leader.replication.throttled.replicas")

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Difference:
    set: Mapping[str, str]
    unset: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.set or self.unset)


def wanted_configs(spec: TopicSpec, nodes: int) -> dict[str, str]:
    """All that is to be set on the topic itself, on a Broker with so many nodes."""
    retention = spec.retention
    configs = {
        **spec.config,
        "cleanup.policy": CLEANUP_POLICIES[retention.keep],
        MIN_IN_SYNC: str(spec.min_in_sync_on(nodes)),
    }
    if retention.milliseconds is not None:
        configs["retention.ms"] = str(retention.milliseconds)
    if retention.bytes_per_partition is not None:
        configs["retention.bytes"] = str(retention.bytes_per_partition)
    return configs


def difference(wanted: Mapping[str, str], found: Mapping[str, str], leave: Collection[str]) -> Difference:
    """What to set and unset so that `found` becomes `wanted`, leaving the settings named in `leave` as they are."""
    return Difference(
        set={
            key: value
            for key, value in sorted(wanted.items())
            if key not in leave and not (key in found and means_the_same(value, found[key]))
        },
        unset=tuple(key for key in sorted(found) if key not in wanted and key not in leave),
    )


def means_the_same(asked: str, found: str) -> bool:
    """Kafka shows a value as it understood it: " 1000" as 1000, TRUE as true, 0.50 as 0.5.

    Without this such a value would be set again and again.
    """
    return _plain(asked) == _plain(found)


def _plain(value: str) -> str | Decimal:
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return Decimal(text)
    return text.lower() if text.lower() in ("true", "false") else text
