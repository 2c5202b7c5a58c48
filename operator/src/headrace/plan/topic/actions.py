"""What can be done to a topic in Kafka."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class CreateTopic:
    name: str
    partitions: int
    replicas: int
    configs: Mapping[str, str]


@dataclass(frozen=True)
class SetTopicConfigs:
    """Set and unset what is set on the topic itself; what is not named stays."""

    name: str
    set: Mapping[str, str]
    unset: tuple[str, ...]


@dataclass(frozen=True)
class GrowPartitions:
    name: str
    to: int


@dataclass(frozen=True)
class MoveReplicas:
    """Kafka's reassignment. Replaces a move of the same partition that is under way."""

    name: str
    replicas: Mapping[int, tuple[int, ...]]  # by partition; the first one is the preferred leader


@dataclass(frozen=True)
class DeleteTopic:
    """By its id: a topic of the same name that somebody made in the meantime is left alone."""

    name: str
    topic_id: str


TopicAction = CreateTopic | SetTopicConfigs | GrowPartitions | MoveReplicas | DeleteTopic
