"""The operator may be stopped between any two actions, and begun again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from headrace.api.topic import Topic
from headrace.world.kafka_topic_changes import act_on_topics
from kafka import KafkaAdminClient
from local.topics.hands import (
    deleted,
    in_kafka,
    made_by_somebody,
    new,
)
from local.topics.keeper import Keeper
from waiting import eventually


def as_made(admin: KafkaAdminClient, keeper: Keeper, of: Topic) -> Topic:
    return of


def with_old_settings(admin: KafkaAdminClient, keeper: Keeper, of: Topic) -> Topic:
    made_by_somebody(admin, of.kafka_name, 1, **{"segment.bytes": "2000000", "retention.ms": "1"})
    return of


def kept_and_deleted(admin: KafkaAdminClient, keeper: Keeper, of: Topic) -> Topic:
    return deleted(keeper.keep(of)[0])


@dataclass(frozen=True)
class State:
    """What a topic is like, without what differs from one to the next."""

    partitions: int
    configs: Mapping[str, str]


def state(admin: KafkaAdminClient, name: str) -> State | None:
    seen = in_kafka(admin, name)
    return State(len(seen.partitions), seen.configs) if seen else None


SPEC = {"partitions": 3, "retention": {"time": "1h"}, "config": {"compression.type": "lz4"}, "deletionPolicy": "Delete"}
END = State(
    3,
    {
        "cleanup.policy": "delete",
        "compression.type": "lz4",
        "min.insync.replicas": "1",
        "retention.ms": "3600000",
    },
)


@pytest.mark.parametrize(
    ("begin", "number_of_actions", "end"),
    [(as_made, 1, END), (with_old_settings, 2, END), (kept_and_deleted, 1, None)],
    ids=["being made", "being changed", "being deleted"],
)
def test_a_topic_ends_the_same_wherever_the_work_on_it_was_stopped(
    keeper: Keeper,
    admin: KafkaAdminClient,
    begin: Callable[[KafkaAdminClient, Keeper, Topic], Topic],
    number_of_actions: int,
    end: State | None,
) -> None:
    for done_before_it_stopped in range(number_of_actions + 1):
        of = begin(admin, keeper, new(**SPEC))
        plan = keeper.plan(of)
        assert len(plan.actions) == number_of_actions
        # Stopped here: neither the rest nor the status is written. Another operator starts from the same resource.
        assert act_on_topics(admin, plan.actions[:done_before_it_stopped]).troubles == {}
        again, _ = keeper.keep(of)
        eventually(lambda name=of.kafka_name: state(admin, name) == end, 10, "it is as it should end", every=0.05)  # type: ignore[misc]
        assert keeper.plan(again).actions == ()
