"""A Kafka cluster as a whole, through its admin API: look at it, and do what a Broker's plan asks for.

Blocking; the operator runs it in threads. What kafka-python's admin client has no method for is sent as the request
that it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafka import TopicPartition as KafkaTopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient
from kafka.errors import KafkaError, KafkaTimeoutError, UnknownTopicOrPartitionError, for_code
from kafka.protocol.admin.configs import DescribeConfigsRequest, IncrementalAlterConfigsRequest

from headrace.plan.actions import EndThrottle, MoveReplicas, RaiseMetadataVersion, SetClusterConfigs, UnregisterBroker
from headrace.plan.broker import THROTTLES
from headrace.plan.seen import KafkaSeen, PartitionSeen, TopicPartition, VoterSeen

from .connection import ask
from .kafka_messages import UnregisterBrokerRequest

CLUSTER_WIDE = ""  # the name that all brokers together have as a config resource
SET, DELETE = 0, 1  # operations of IncrementalAlterConfigs
# Which replicas of a topic are slowed down while they catch up: all of them.
THROTTLED = {"leader.replication.throttled.replicas": "*", "follower.replication.throttled.replicas": "*"}
# A voter that has caught up with the leader so recently takes part in the quorum.
CAUGHT_UP_WITHIN = 10_000  # milliseconds
ATTEMPTS = 3
TOPICS_AT_ONCE = 100

ClusterAction = SetClusterConfigs | MoveReplicas | EndThrottle | RaiseMetadataVersion | UnregisterBroker


class Unanswered(Exception):
    """Kafka cannot be asked, or did not do what it was asked for; the message says why, in its own words."""


def look(admin: KafkaAdminClient, wants_partitions: Callable[[KafkaSeen], bool]) -> KafkaSeen:
    """The cluster as it is. Partitions are only looked at if the rest makes somebody want to."""
    for attempt in range(ATTEMPTS):
        try:
            return _look(admin, wants_partitions)
        except (KafkaError, OSError, ValueError) as why:
            # One node that goes away is not the whole cluster: the next attempt asks another.
            if attempt + 1 == ATTEMPTS or isinstance(why, KafkaTimeoutError):
                raise Unanswered(in_words(why)) from why
    raise AssertionError("unreachable")


def _look(admin: KafkaAdminClient, wants_partitions: Callable[[KafkaSeen], bool]) -> KafkaSeen:
    cluster = admin.describe_cluster()
    versions = admin.describe_features()["metadata.version"]
    leader, voters = _quorum(admin)
    moving = {TopicPartition(at.topic, at.partition) for at in admin.list_partition_reassignments()}
    seen = KafkaSeen(
        cluster_id=cluster["cluster_id"],
        live=frozenset(b["broker_id"] for b in cluster["brokers"] if not b["is_fenced"]),
        fenced=frozenset(b["broker_id"] for b in cluster["brokers"] if b["is_fenced"]),
        controller=leader,
        voters=voters,
        metadata_version=versions["finalized"][1],
        metadata_version_supported=versions["supported"][1],
        dynamic=_cluster_configs(admin),
        moving=len(moving),
    )
    if not wants_partitions(seen):
        return seen
    return dataclasses.replace(seen, partitions=tuple(_partitions(admin, moving)))


def act(admin: KafkaAdminClient, action: ClusterAction) -> None:
    try:
        match action:
            case SetClusterConfigs(wanted, unwanted):
                _alter(admin, CLUSTER_WIDE, ConfigResourceType.BROKER, wanted, unwanted)
            case MoveReplicas(moves, throttle):
                # The brake first: a move that began without it would not be slowed down.
                _alter(admin, CLUSTER_WIDE, ConfigResourceType.BROKER, dict.fromkeys(THROTTLES, str(throttle)))
                for topic in {at.topic for at in moves}:
                    _alter(admin, topic, ConfigResourceType.TOPIC, THROTTLED)
                asked = {KafkaTopicPartition(at.topic, at.partition): list(to) for at, to in moves.items()}
                _raise_first(admin.alter_partition_reassignments(asked).items())
            case EndThrottle():
                _end_throttle_of(admin, admin.list_topics())
                _alter(admin, CLUSTER_WIDE, ConfigResourceType.BROKER, {}, THROTTLES)
            case RaiseMetadataVersion(to):
                said = admin.update_features({"metadata.version": to})["metadata.version"]
                if said != "OK":
                    raise Unanswered(said)
            case UnregisterBroker(node):
                _checked(ask(admin, UnregisterBrokerRequest(broker_id=node)))
    except (KafkaError, OSError, ValueError) as why:
        raise Unanswered(in_words(why)) from why


def in_words(why: BaseException) -> str:
    return f"{type(why).__name__}: {why}" if str(why) else type(why).__name__


def _quorum(admin: KafkaAdminClient) -> tuple[int, tuple[VoterSeen, ...]]:
    (partition,) = admin.describe_metadata_quorum()["topics"][0]["partitions"]
    voters = {v["replica_id"]: v["last_caught_up_timestamp"] for v in partition["current_voters"]}
    leader = partition["leader_id"]
    now = max(voters.values(), default=0)  # the leader's: no clock of ours is compared with theirs
    caught_up = {v: v == leader or now - at < CAUGHT_UP_WITHIN for v, at in voters.items()}
    return leader, tuple(VoterSeen(v, caught_up[v]) for v in sorted(voters))


def _partitions(admin: KafkaAdminClient, moving: set[TopicPartition]) -> Iterable[PartitionSeen]:
    topics = admin.describe_topics()
    needed = _min_in_sync(admin, [t["name"] for t in topics])
    for topic in topics:
        for p in topic["partitions"]:
            at = TopicPartition(topic["name"], p["partition_index"])
            yield PartitionSeen(
                at,
                p["leader_id"],
                tuple(p["replica_nodes"]),
                tuple(p["isr_nodes"]),
                # What cannot be seen is taken for the strictest.
                needed.get(topic["name"], len(p["replica_nodes"])),
                at in moving,
            )


def _min_in_sync(admin: KafkaAdminClient, topics: list[str]) -> dict[str, int]:
    key = "min.insync.replicas"
    asked = [ConfigResource(ConfigResourceType.TOPIC, name, {key: None}) for name in topics]
    found = admin.describe_configs(asked, config_filter="all").get("topic", {}) if asked else {}
    return {name: int(configs[key]["value"]) for name, configs in found.items() if key in configs}


def _cluster_configs(admin: KafkaAdminClient) -> dict[str, str]:
    asked = [(ConfigResourceType.BROKER, CLUSTER_WIDE, None)]
    (found,) = ask(admin, DescribeConfigsRequest(resources=asked, include_synonyms=False)).results
    _checked(found)
    return {c.name: c.value for c in found.configs}


def _alter(
    admin: KafkaAdminClient, name: str, kind: int, wanted: Mapping[str, str], unwanted: Iterable[str] = ()
) -> None:
    changes = [(key, SET, value) for key, value in wanted.items()] + [(key, DELETE, None) for key in unwanted]
    request = IncrementalAlterConfigsRequest(resources=[(kind, name, changes)], validate_only=False)
    for answer in ask(admin, request).responses:
        _checked(answer)


def _end_throttle_of(admin: KafkaAdminClient, topics: list[str]) -> None:
    changes = [(key, DELETE, None) for key in THROTTLED]
    for start in range(0, len(topics), TOPICS_AT_ONCE):
        some = [(ConfigResourceType.TOPIC, name, changes) for name in topics[start : start + TOPICS_AT_ONCE]]
        for answer in ask(admin, IncrementalAlterConfigsRequest(resources=some, validate_only=False)).responses:
            if for_code(answer.error_code) is not UnknownTopicOrPartitionError:  # deleted meanwhile
                _checked(answer)


def _checked(answer: Any) -> None:
    if answer.error_code:
        raise for_code(answer.error_code)(answer.error_message)


def _raise_first(errors: Iterable[tuple[object, Any]]) -> None:
    for at, error in errors:
        if error is not None:
            raise Unanswered(f"{at}: {error.__name__}: {error.description}")
