"""Topic: a set of partitions on a Broker."""

from __future__ import annotations

import re
from operator import attrgetter
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from .base import API_VERSION, ApiModel, Conditions, Int, Metadata, ObservedGeneration, StatusModel
from .kafka_config import TOPIC_KEYS_MADE_ELSEWHERE, TopicConfig, where_it_is_made
from .kind import AGE, READY, REASON, Column, Kind
from .quantity import UNLIMITED, DurationOrUnlimited, SizeOrUnlimited, parse_duration, parse_size
from .rules import AnyRule, ChangeRule, Found, Rule, changed, quoted_list

NAME_LENGTH = 249  # Kafka adds "-<partition>" and makes a directory of it
REPLICAS_AT_MOST = 3  # unless the spec asks for more

_NAME = r"[a-zA-Z0-9._-]+"
_TAKEN_NAMES = (
    ".",
    "..",
    "__cluster_metadata",
    "__consumer_offsets",
    "__remote_log_metadata",
    "__share_group_state",
    "__transaction_state",
)

_NO_REPLICAS = f"unset, which means at most {REPLICAS_AT_MOST}"

KafkaName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=NAME_LENGTH),
    Rule(
        f"self.matches(r'^{_NAME}$')",
        lambda name: re.fullmatch(_NAME, name) is not None,
        "must be made of letters, digits, dots, underscores and hyphens, as Kafka's topic names are",
    ),
    Rule(
        f"!(self in {quoted_list(_TAKEN_NAMES)})",
        lambda name: name not in _TAKEN_NAMES,
        "may not be a name that Kafka keeps for itself: choose another",
    ),
]


class Retention(ApiModel):
    """How long records are kept."""

    rules: ClassVar[tuple[AnyRule, ...]] = (
        Rule(
            "self.keep != 'Compact' || (!has(self.time) && !has(self.size))",
            lambda retention: retention.keep != "Compact" or (retention.time is None and retention.size is None),
            "time and size do nothing with keep: Compact, which keeps the last record of each key for ever: "
            "remove them, or use keep: CompactAndTime",
        ),
    )

    time: DurationOrUnlimited | None = Field(
        default=None,
        description="How long a record is kept, such as `30m`, `12h` or `7d`, or `Unlimited`. "
        "Default: the Broker's log.retention.ms, which is 7 days unless its `config` says otherwise.",
    )
    size: SizeOrUnlimited | None = Field(
        default=None,
        description="How much of each partition is kept, in bytes, such as `1Gi`, or `Unlimited`. "
        "Default: the Broker's log.retention.bytes, which is unlimited unless its `config` says otherwise.",
    )
    keep: Literal["Time", "Compact", "CompactAndTime"] = Field(
        default="Time",
        description="`Time`: records go when they are older than `time` or beyond `size`. `Compact`: the last record "
        "of each key stays. `CompactAndTime`: the last record of each key stays until `time` or `size` ends it too.",
    )

    @property
    def milliseconds(self) -> int | None:
        """Kafka's retention.ms; None where the Broker decides."""
        if self.time is None:
            return None
        return -1 if self.time == UNLIMITED else parse_duration(self.time)

    @property
    def bytes_per_partition(self) -> int | None:
        """Kafka's retention.bytes; None where the Broker decides."""
        if self.size is None:
            return None
        return -1 if self.size == UNLIMITED else parse_size(self.size)


class TopicSpec(ApiModel):
    """What is asked for."""

    rules: ClassVar[tuple[AnyRule, ...]] = (
        Rule(
            f"!has(self.minInSync) || self.minInSync <= (has(self.replicas) ? self.replicas : {REPLICAS_AT_MOST})",
            lambda spec: spec.min_in_sync is None or spec.min_in_sync <= (spec.replicas or REPLICAS_AT_MOST),
            "minInSync may not be greater than replicas, or nothing could ever be written: lower it or raise replicas",
            Found(
                "minInSync %s and replicas %s",
                ("self.minInSync", f"has(self.replicas) ? string(self.replicas) : '{_NO_REPLICAS}'"),
                lambda spec: (spec.min_in_sync, spec.replicas or _NO_REPLICAS),
            ),
            field=".minInSync",
        ),
        ChangeRule(
            "self.broker == oldSelf.broker",
            lambda new, old: new.broker == old.broker,
            "broker may not be changed, because records do not move between Brokers: put it back, or make a new Topic",
            changed("broker", attrgetter("broker")),
            field=".broker",
        ),
        ChangeRule(
            "self.partitions >= oldSelf.partitions",
            lambda new, old: new.partitions >= old.partitions,
            "partitions may grow but never shrink, because Kafka cannot take a partition away: "
            "put it back, or make a new Topic",
            changed("partitions", attrgetter("partitions")),
            field=".partitions",
        ),
    )

    broker: str = Field(
        min_length=1, max_length=40, description="Name of the Broker, in the same namespace, that holds it. Immutable."
    )
    name: KafkaName | None = Field(
        default=None, description="Kafka's name of the topic. Immutable. Default: `metadata.name`."
    )
    partitions: Int = Field(
        default=1,
        ge=1,
        le=10_000,
        description="How many logs the topic is made of. May grow, never shrink; when it grows, records of one key may "
        "be in two partitions, the old and the new.",
    )
    replicas: Int | None = Field(
        default=None,
        ge=1,
        le=100,
        description="On how many nodes each partition is stored. "
        "Default: 3, or as many as the Broker has nodes if these are fewer; it follows when the Broker is scaled.",
    )
    min_in_sync: Int | None = Field(
        default=None,
        ge=1,
        le=100,
        description="How many replicas must have a record before a write with acks=all is acknowledged. "
        "Default: 2 where there are 3 replicas or more, otherwise 1, so that one node can always restart.",
    )
    retention: Retention = Field(default=Retention(), description="How long records are kept.")
    config: TopicConfig = Field(
        default_factory=dict,
        description="Kafka settings of the topic, name to value, such as `{compression.type: lz4}`. "
        "Default: none, the Broker's settings hold. "
        f"Refused: {', '.join(map(where_it_is_made, TOPIC_KEYS_MADE_ELSEWHERE))}.",
    )
    deletion_policy: Literal["Retain", "Delete", "DeleteIfEmpty", "DeleteIfUnused"] = Field(
        default="Retain",
        description="What becomes of Kafka's topic when this resource is deleted. `Retain`: it stays. `Delete`: it and "
        "its records go. `DeleteIfEmpty`: it goes if it holds no record. `DeleteIfUnused`: it goes if no consumer "
        "group reads it.",
    )

    def replicas_on(self, nodes: int) -> int:
        """What `replicas` means on a Broker with so many nodes."""
        return self.replicas or max(1, min(REPLICAS_AT_MOST, nodes))

    def min_in_sync_on(self, nodes: int) -> int:
        """What `minInSync` means there: by default one replica may be away, if there is more than one.

        Not two of two: then no node could restart without refusing writes.
        """
        return self.min_in_sync or min(2, max(1, self.replicas_on(nodes) - 1))


class TopicStatus(StatusModel):
    """What was found."""

    observed_generation: ObservedGeneration = None
    conditions: Conditions = Field(default_factory=tuple)
    topic_id: str | None = Field(default=None, description="Kafka's id of the topic.")
    topic_name: str | None = Field(default=None, description="Kafka's name of the topic.")
    partitions: int | None = Field(default=None, description="How many partitions there are.")
    replicas: int | None = Field(default=None, description="On how many nodes each partition is stored.")
    min_in_sync: int | None = Field(default=None, description="How many replicas acknowledge a write with acks=all.")
    under_replicated: int | None = Field(default=None, description="Partitions with a replica that is behind or away.")
    offline: int | None = Field(default=None, description="Partitions without a leader: nobody can read or write them.")
    moving: int | None = Field(default=None, description="Partitions whose replicas move between nodes now.")
    size_bytes: int | None = Field(default=None, description="Bytes on disk, of all replicas together.")
    size: str | None = Field(default=None, description="`sizeBytes` as people say it, such as `1.5Gi`.")


_KAFKA_NAME_IN_CEL = "has({0}.spec.name) ? {0}.spec.name : {0}.metadata.name"


class Topic(ApiModel):
    """A set of partitions, each a replicated, ordered log."""

    rules: ClassVar[tuple[AnyRule, ...]] = (
        Rule(
            f"has(self.spec.name) || self.metadata.name.size() <= {NAME_LENGTH}",
            lambda topic: len(topic.kafka_name) <= NAME_LENGTH,
            f"without spec.name, metadata.name may have at most {NAME_LENGTH} characters, as in Kafka: set spec.name",
        ),
        # Of the whole, not of spec.name: writing down the name that it has anyway is no change.
        ChangeRule(
            f"({_KAFKA_NAME_IN_CEL.format('self')}) == ({_KAFKA_NAME_IN_CEL.format('oldSelf')})",
            lambda new, old: new.kafka_name == old.kafka_name,
            "name may not be changed, because Kafka cannot rename a topic: put it back, or make a new Topic",
            Found(
                "a change from %s to %s",
                (_KAFKA_NAME_IN_CEL.format("oldSelf"), _KAFKA_NAME_IN_CEL.format("self")),
                lambda new, old: (old.kafka_name, new.kafka_name),
            ),
            field=".spec.name",
        ),
    )

    api_version: Literal["headrace.dev/v1alpha1"] = API_VERSION
    kind: Literal["Topic"] = "Topic"
    metadata: Metadata
    spec: TopicSpec
    status: TopicStatus = Field(default_factory=TopicStatus)

    @property
    def kafka_name(self) -> str:
        return self.spec.name or self.metadata.name


TOPIC = Kind(
    Topic,
    plural="topics",
    short="tp",
    columns=(
        Column("Broker", ".spec.broker", "The Broker that holds it."),
        Column("Partitions", ".status.partitions", "How many partitions there are.", type="integer"),
        Column("Replicas", ".status.replicas", "On how many nodes each partition is stored.", type="integer"),
        READY,
        REASON,
        Column("Size", ".status.size", "Bytes on disk, of all replicas together.", priority=1),
        AGE,
    ),
)
