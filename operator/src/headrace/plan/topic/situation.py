"""What a plan for a Topic starts from: the resource, its Broker, and what Kafka holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from headrace.api.topic import Topic

from ..partition import Partition
from ..trouble import Trouble

# How long the deletion of a resource waits for a Broker that does not answer, before the topic is left behind.
PATIENCE = timedelta(minutes=10)


@dataclass(frozen=True)
class TopicSeen:
    """A topic as Kafka has it. None stands for what was not asked, or could not be found out."""

    name: str
    topic_id: str
    partitions: tuple[Partition, ...]
    configs: Mapping[str, str] = field(default_factory=dict)  # only what is set on the topic itself
    size_bytes: int | None = None
    empty: bool | None = None
    readers: tuple[str, ...] | None = None  # consumer groups that have committed offsets on it, or share it

    @property
    def moving(self) -> tuple[Partition, ...]:
        return tuple(p for p in self.partitions if p.moving)

    @property
    def offline(self) -> tuple[Partition, ...]:
        return tuple(p for p in self.partitions if p.leader is None)

    @property
    def under_replicated(self) -> tuple[Partition, ...]:
        """As Kafka counts it: a replica that a move is only just bringing is not missing."""
        return tuple(p for p in self.partitions if not set(p.settled) <= set(p.in_sync))


@dataclass(frozen=True)
class BrokerMissing:
    """There is no such Broker."""


@dataclass(frozen=True)
class BrokerDeleting:
    """The Broker is on its way out; nothing will come back from it."""


@dataclass(frozen=True)
class BrokerAway:
    """The Broker is there but does not serve, or does not answer us, for now."""

    trouble: Trouble


@dataclass(frozen=True)
class BrokerUp:
    """The Broker serves."""

    members: frozenset[int]  # nodes that it shall have: not those about to leave, but those that are away for a moment
    live: frozenset[int]  # nodes that serve now
    topic_settings: frozenset[str]  # every topic setting that this Kafka knows
    moves_under_way: bool = False  # replicas of some topic move, or are about to: what throttles them stays
    own_moves: bool = False  # the Broker itself moves replicas now


Broker = BrokerMissing | BrokerDeleting | BrokerAway | BrokerUp


@dataclass(frozen=True)
class Situation:
    """All that a plan may depend on."""

    topic: Topic
    broker: Broker
    seen: TopicSeen | Trouble | None  # None: Kafka answered, and has no such topic
    now: datetime
    deleting: bool = False
    siblings: tuple[Topic, ...] = ()  # the other Topics of the namespace, of any Broker

    @property
    def name(self) -> str:
        return self.topic.kafka_name

    @property
    def called(self) -> str:
        """How messages call the resource."""
        resource = self.topic.metadata.name
        return f"Topic {resource}" if resource == self.name else f"Topic {resource} ({self.name} in Kafka)"

    @property
    def up(self) -> BrokerUp:
        """The Broker, for those who come after the check that it is up."""
        assert isinstance(self.broker, BrokerUp)
        return self.broker

    @property
    def found(self) -> TopicSeen:
        """The topic in Kafka, for those who come after the check that there is one."""
        assert isinstance(self.seen, TopicSeen)
        return self.seen

    @property
    def replicas(self) -> int:
        """What spec.replicas means here. By the nodes that the Broker shall have: one that restarts changes nothing."""
        return self.topic.spec.replicas_on(len(self.up.members))

    @property
    def min_in_sync(self) -> int:
        return self.topic.spec.min_in_sync_on(len(self.up.members))

    @property
    def has_waited_long_enough(self) -> bool:
        since = self.topic.metadata.deletion_timestamp
        return since is not None and self.now - since >= PATIENCE

    @property
    def rivals(self) -> tuple[Topic, ...]:
        """Other Topics for the same topic in Kafka, if they are there to stay, the oldest first."""
        return tuple(
            sorted(
                (
                    other
                    for other in self.siblings
                    if other.metadata.name != self.topic.metadata.name
                    and other.metadata.namespace == self.topic.metadata.namespace
                    and other.spec.broker == self.topic.spec.broker
                    and other.kafka_name == self.name
                    and other.metadata.deletion_timestamp is None
                ),
                key=seniority,
            )
        )


def seniority(topic: Topic) -> tuple[bool, float, str]:
    """Sorts the oldest first; names decide where times do not."""
    made = topic.metadata.creation_timestamp
    return (made is None, made.timestamp() if made else 0.0, topic.metadata.name)
