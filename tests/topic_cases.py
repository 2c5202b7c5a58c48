"""Topics and what is seen of them, said briefly, for the tests of plans."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from headrace.api.base import PAUSED_ANNOTATION
from headrace.api.manifest import parse
from headrace.api.topic import Topic
from headrace.plan.partition import Partition
from headrace.plan.topic.situation import Broker, BrokerUp, Situation, TopicSeen
from headrace.plan.trouble import Trouble

NOW = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)
SETTINGS = frozenset(
    {"cleanup.policy", "compression.type", "min.insync.replicas", "retention.bytes", "retention.ms", "segment.bytes"}
)
UP = BrokerUp(members=frozenset({0, 1, 2}), live=frozenset({0, 1, 2}), topic_settings=SETTINGS)
AWAY = Trouble("BrokerUnreachable", "Broker main does not answer.", retriable=True)
# What is set in Kafka on a topic for which nothing is said but its Broker, which has three nodes.
PLAIN = {"cleanup.policy": "delete", "min.insync.replicas": "2"}


def topic(
    name: str = "orders",
    *,
    topic_id: str | None = "id-1",
    made: datetime = NOW - timedelta(days=1),
    deleted: datetime | None = None,
    paused: bool = False,
    status: dict[str, Any] | None = None,
    **spec: Any,
) -> Topic:
    """A Topic that the operator already knows by `topic_id`, unless that is None."""
    made_from = parse(
        {
            "apiVersion": "headrace.dev/v1alpha1",
            "kind": "Topic",
            "metadata": {
                "name": name,
                "namespace": "shop",
                "uid": f"uid-{name}",
                "generation": 3,
                "creationTimestamp": made.isoformat(),
                "deletionTimestamp": deleted and deleted.isoformat(),
                "annotations": {PAUSED_ANNOTATION: "true"} if paused else {},
            },
            "spec": {"broker": "main", **spec},
            "status": {"topicId": topic_id, **(status or {})},
        }
    )
    assert isinstance(made_from, Topic)
    return made_from


def partition(number: int, replicas: Sequence[int], **different: Any) -> Partition:
    """All replicas in sync and the first one leading, unless said otherwise."""
    as_is: dict[str, Any] = {"leader": replicas[0], "replicas": tuple(replicas), "in_sync": tuple(replicas)}
    return Partition(number, **{**as_is, **different})


def seen(*partitions: Partition, **different: Any) -> TopicSeen:
    """One partition on three nodes, with settings as they should be, unless said otherwise."""
    as_is: dict[str, Any] = {"name": "orders", "topic_id": "id-1", "configs": PLAIN, "size_bytes": 2048}
    return TopicSeen(partitions=partitions or (partition(0, (0, 1, 2)),), **{**as_is, **different})


def situation(
    of: Topic, what: TopicSeen | Trouble | None = None, broker: Broker = UP, siblings: Sequence[Topic] = ()
) -> Situation:
    """Being deleted, if the Topic says so."""
    deleting = of.metadata.deletion_timestamp is not None
    return Situation(of, broker, what, NOW, deleting=deleting, siblings=tuple(siblings))
