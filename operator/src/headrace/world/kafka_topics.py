"""Topics as Kafka has them, many at a time: the number of requests does not grow with the number of topics.

Blocking; the operator runs it in threads. KafkaError and OSError mean that Kafka could not be asked at all.
"""

from __future__ import annotations

import base64
import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from kafka.admin import ConfigResourceType, ConfigSourceType, KafkaAdminClient
from kafka.errors import KafkaError, UnknownTopicOrPartitionError, for_code
from kafka.protocol.admin import (
    CreateTopicsRequest,
    DescribeConfigsRequest,
    DescribeLogDirsRequest,
    ListPartitionReassignmentsRequest,
)
from kafka.protocol.metadata import MetadataRequest

from headrace.plan.partition import Partition
from headrace.plan.topic.situation import TopicSeen
from headrace.plan.trouble import Trouble

from .connection import ANSWERED_WITHIN, DONE_WITHIN, ask
from .kafka_errors import refused
from .kafka_usage import Led, emptiness, readers

AT_ONCE = 100  # topics in a request with a long answer for each; more would keep kafka-python busy for too long at once

Moves = Mapping[tuple[str, int], Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Look:
    """What was seen in one go. A name that is not among `topics` is of no topic."""

    topics: Mapping[str, TopicSeen | Trouble]
    live: frozenset[int]  # nodes that serve
    moving: bool  # whether replicas move, of whatever topic


def observe_topics(
    admin: KafkaAdminClient,
    names: Iterable[str],
    *,
    emptiness_of: Collection[str] = (),
    readers_of: Collection[str] = (),
) -> Look:
    """The named topics. Whether they are empty and who reads them is only found out for those that are asked for."""
    _Topic = MetadataRequest.MetadataRequestTopic
    asked = [_Topic(name=name) for name in sorted(set(names))]
    # Asked before and after, because Kafka does not say in one answer what is there and what of it is being moved.
    before = _moves(admin)
    metadata = ask(admin, MetadataRequest(topics=asked, allow_auto_topic_creation=False))
    moves = {**before, **_moves(admin)}
    live = frozenset(broker.node_id for broker in metadata.brokers)
    answers = {t.name: t for t in metadata.topics if for_code(t.error_code) is not UnknownTopicOrPartitionError}
    there = {name: t for name, t in answers.items() if not t.error_code}
    partitions = {name: _partitions(t, moves) for name, t in there.items()}
    configs = _configs(admin, sorted(there))
    sizes = _sizes(admin, partitions, live)
    led: Led = {name: {p.id: p.leader for p in partitions[name]} for name in there}
    empty = emptiness(admin, {name: led[name] for name in emptiness_of if name in led})
    read_by = readers(admin, {name: led[name] for name in readers_of if name in led}, live)
    seen: dict[str, TopicSeen | Trouble] = {
        name: refused(t.error_code, None, f"look at topic {name}") for name, t in answers.items() if t.error_code
    }
    for name, topic in there.items():
        found = configs[name]
        seen[name] = (
            found
            if isinstance(found, Trouble)
            else TopicSeen(
                name=name,
                topic_id=spell_id(topic.topic_id),
                partitions=partitions[name],
                configs=found,
                size_bytes=sizes.get(name),
                empty=empty.get(name),
                readers=read_by.get(name),
            )
        )
    return Look(seen, live, bool(moves))


def topic_settings(admin: KafkaAdminClient) -> frozenset[str]:
    """The names of every setting that a topic of this Kafka can have. They only change with its version.

    Asked of a topic that is not made: the answer to a creation lists them all, and there may be no topic yet to ask.
    """
    _Topic = CreateTopicsRequest.CreatableTopic
    probe = _Topic(name="headrace-asks-for-settings", num_partitions=1, replication_factor=1)
    (answer,) = ask(admin, CreateTopicsRequest(topics=[probe], timeout_ms=DONE_WITHIN, validate_only=True)).topics
    if code := answer.error_code or answer.topic_config_error_code:
        raise for_code(code)(answer.error_message)
    return frozenset(config.name for config in answer.configs)


def spell_id(topic_id: uuid.UUID) -> str:
    """As Kafka's tools and logs spell it."""
    return base64.urlsafe_b64encode(topic_id.bytes).decode().rstrip("=")


def read_id(spelled: str) -> uuid.UUID:
    return uuid.UUID(bytes=base64.urlsafe_b64decode(spelled + "=="))


def chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), AT_ONCE):
        yield items[start : start + AT_ONCE]


def _moves(admin: KafkaAdminClient) -> Moves:
    answer = ask(admin, ListPartitionReassignmentsRequest(timeout_ms=ANSWERED_WITHIN, topics=None))
    if answer.error_code:
        raise for_code(answer.error_code)(answer.error_message)
    return {(t.name, p.partition_index): p for t in answer.topics for p in t.partitions}


def _partitions(topic: Any, moves: Moves) -> tuple[Partition, ...]:
    found = []
    for p in sorted(topic.partitions, key=lambda p: p.partition_index):
        move = moves.get((topic.name, p.partition_index))
        found.append(
            Partition(
                id=p.partition_index,
                leader=p.leader_id if p.leader_id >= 0 else None,
                replicas=tuple(move.replicas if move else p.replica_nodes),
                in_sync=tuple(p.isr_nodes),
                adding=frozenset(move.adding_replicas) if move else frozenset(),
                removing=frozenset(move.removing_replicas) if move else frozenset(),
            )
        )
    return tuple(found)


def _configs(admin: KafkaAdminClient, names: Sequence[str]) -> dict[str, dict[str, str] | Trouble]:
    """What is set on each topic itself, not what it has from the Broker, be that set while the Broker runs or not."""
    found: dict[str, dict[str, str] | Trouble] = {}
    for some in chunks(names):
        resources = [(ConfigResourceType.TOPIC, name, None) for name in some]
        for answer in ask(admin, DescribeConfigsRequest(resources=resources)).results:
            found[answer.resource_name] = (
                refused(answer.error_code, answer.error_message, f"see the settings of topic {answer.resource_name}")
                if answer.error_code
                else {
                    config.name: config.value
                    for config in answer.configs
                    if config.config_source == ConfigSourceType.DYNAMIC_TOPIC_CONFIG
                }
            )
    return found


def _sizes(
    admin: KafkaAdminClient, partitions: Mapping[str, Sequence[Partition]], live: Iterable[int]
) -> Mapping[str, int]:
    """Bytes on disk by topic, of all replicas together. Nothing unless every node could tell: a part says little."""
    if not partitions:
        return {}
    sizes = Counter(dict.fromkeys(partitions, 0))
    request = DescribeLogDirsRequest(topics=[(name, [p.id for p in ps]) for name, ps in partitions.items()])
    for node in sorted(live):
        try:
            directories = ask(admin, request, node).results
        except (KafkaError, OSError):
            return {}
        if any(directory.error_code for directory in directories):
            return {}
        for directory in directories:
            for topic in directory.topics:
                sizes[topic.name] += sum(p.partition_size for p in topic.partitions)
    return sizes
