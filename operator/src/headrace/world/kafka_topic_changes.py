"""Do to topics what their plans ask for, many at a time. Nothing is decided here.

Blocking; the operator runs it in threads. It raises nothing on Kafka's account: each topic has its own outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from kafka.admin import AlterConfigOp, ConfigResourceType, KafkaAdminClient
from kafka.errors import KafkaError, UnknownTopicIdError, UnknownTopicOrPartitionError, for_code
from kafka.protocol.admin import (
    AlterPartitionReassignmentsRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    IncrementalAlterConfigsRequest,
)

from headrace.plan.topic.actions import (
    CreateTopic,
    DeleteTopic,
    GrowPartitions,
    MoveReplicas,
    SetTopicConfigs,
    TopicAction,
)
from headrace.plan.trouble import Trouble

from .connection import DONE_WITHIN, ask
from .kafka_errors import failed, refused
from .kafka_topics import chunks, read_id, spell_id


@dataclass(frozen=True)
class Outcome:
    """What came of it, by the topic's name. A topic that is in neither was changed as asked."""

    troubles: dict[str, Trouble] = field(default_factory=dict)  # the first one; what would follow was not tried
    created: dict[str, str] = field(default_factory=dict)  # the ids of new topics


@dataclass(frozen=True)
class Answer:
    name: str
    code: int
    said: str | None
    topic_id: str | None = None


A = TypeVar("A", bound=TopicAction)


def act_on_topics(admin: KafkaAdminClient, actions: Iterable[TopicAction]) -> Outcome:
    """One request for each kind of action and 100 topics; for each topic in the order that its plan has them in."""
    todo, outcome = list(actions), Outcome()
    _try(admin, "make", _create, [a for a in todo if isinstance(a, CreateTopic)], outcome)
    _try(admin, "change the settings of", _configure, [a for a in todo if isinstance(a, SetTopicConfigs)], outcome)
    _try(admin, "add partitions to", _grow, [a for a in todo if isinstance(a, GrowPartitions)], outcome)
    _try(admin, "move replicas of", _move, [a for a in todo if isinstance(a, MoveReplicas)], outcome)
    _try(admin, "delete", _delete, [a for a in todo if isinstance(a, DeleteTopic)], outcome)
    return outcome


def _try(
    admin: KafkaAdminClient,
    doing: str,
    send: Callable[[KafkaAdminClient, Sequence[A]], Iterable[Answer]],
    actions: Sequence[A],
    outcome: Outcome,
) -> None:
    for some in chunks([action for action in actions if action.name not in outcome.troubles]):
        try:
            for answer in send(admin, some):
                if answer.code:
                    trouble = refused(answer.code, answer.said, f"{doing} topic {answer.name}")
                    outcome.troubles.setdefault(answer.name, trouble)
                elif answer.topic_id:
                    outcome.created[answer.name] = answer.topic_id
        except (KafkaError, OSError) as why:
            for action in some:
                outcome.troubles.setdefault(action.name, failed(why, f"{doing} topic {action.name}"))


def _create(admin: KafkaAdminClient, actions: Sequence[CreateTopic]) -> Iterable[Answer]:
    _Topic = CreateTopicsRequest.CreatableTopic
    topics = [
        _Topic(
            name=action.name,
            num_partitions=action.partitions,
            replication_factor=action.replicas,
            configs=[_Topic.CreatableTopicConfig(name=key, value=value) for key, value in action.configs.items()],
        )
        for action in actions
    ]
    answer = ask(admin, CreateTopicsRequest(topics=topics, timeout_ms=DONE_WITHIN, validate_only=False))
    for topic in answer.topics:
        made = None if topic.error_code else spell_id(topic.topic_id)
        yield Answer(topic.name, topic.error_code, topic.error_message, made)


def _configure(admin: KafkaAdminClient, actions: Sequence[SetTopicConfigs]) -> Iterable[Answer]:
    resources = [
        (
            ConfigResourceType.TOPIC,
            action.name,
            [
                *((key, AlterConfigOp.SET, value) for key, value in action.set.items()),
                *((key, AlterConfigOp.DELETE, None) for key in action.unset),
            ],
        )
        for action in actions
    ]
    for answer in ask(admin, IncrementalAlterConfigsRequest(resources=resources, validate_only=False)).responses:
        yield Answer(answer.resource_name, answer.error_code, answer.error_message)


def _grow(admin: KafkaAdminClient, actions: Sequence[GrowPartitions]) -> Iterable[Answer]:
    _Topic = CreatePartitionsRequest.CreatePartitionsTopic
    topics = [_Topic(name=action.name, count=action.to, assignments=None) for action in actions]
    for answer in ask(admin, CreatePartitionsRequest(topics=topics, timeout_ms=DONE_WITHIN)).results:
        yield Answer(answer.name, answer.error_code, answer.error_message)


def _move(admin: KafkaAdminClient, actions: Sequence[MoveReplicas]) -> Iterable[Answer]:
    _Topic = AlterPartitionReassignmentsRequest.ReassignableTopic
    topics = [
        _Topic(
            name=action.name,
            partitions=[
                _Topic.ReassignablePartition(partition_index=partition, replicas=list(replicas))
                for partition, replicas in action.replicas.items()
            ],
        )
        for action in actions
    ]
    answer = ask(admin, AlterPartitionReassignmentsRequest(timeout_ms=DONE_WITHIN, topics=topics))
    if answer.error_code:
        raise for_code(answer.error_code)(answer.error_message)
    for topic in answer.responses:
        for partition in topic.partitions:
            yield Answer(topic.name, partition.error_code, partition.error_message)


def _delete(admin: KafkaAdminClient, actions: Sequence[DeleteTopic]) -> Iterable[Answer]:
    names = {action.topic_id: action.name for action in actions}
    _Topic = DeleteTopicsRequest.DeleteTopicState
    topics = [_Topic(name=None, topic_id=read_id(action.topic_id)) for action in actions]
    for topic in ask(admin, DeleteTopicsRequest(topics=topics, timeout_ms=DONE_WITHIN)).responses:
        gone = for_code(topic.error_code) in (UnknownTopicIdError, UnknownTopicOrPartitionError)
        yield Answer(names[spell_id(topic.topic_id)], 0 if gone else topic.error_code, topic.error_message)
