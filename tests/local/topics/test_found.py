"""Topics as somebody else left them: adopted, made anew, deleted."""

from __future__ import annotations

from headrace.plan.topic.actions import GrowPartitions
from headrace.world.local import LocalBroker
from kafka import KafkaAdminClient
from local.topics.hands import (
    deleted_by_somebody,
    made_by_somebody,
    new,
    produce,
    reasons,
    there,
)
from local.topics.keeper import Keeper


def test_a_topic_that_was_there_before_is_adopted(keeper: Keeper, admin: KafkaAdminClient, broker: LocalBroker) -> None:
    asked = new(partitions=3)
    found = made_by_somebody(admin, asked.kafka_name, 2, **{"segment.bytes": "2000000"})
    produce(broker, asked.kafka_name)
    kept, plans = keeper.keep(asked)
    assert reasons(plans) == ["Adopted", "Configured", "Grown"]
    seen = there(admin, asked.kafka_name)
    assert seen.topic_id == found.topic_id == kept.status.topic_id
    assert (len(seen.partitions), seen.configs.get("segment.bytes")) == (3, None)


def test_an_adopted_topic_with_more_partitions_than_asked_keeps_them(keeper: Keeper, admin: KafkaAdminClient) -> None:
    asked = new(partitions=1)
    made_by_somebody(admin, asked.kafka_name, 3)
    kept, _ = keeper.once(asked)
    plan = keeper.plan(kept)
    assert (plan.findings[0].reason, plan.status.partitions) == ("MorePartitions", 3)
    assert not any(isinstance(action, GrowPartitions) for action in plan.actions)


def test_a_topic_that_was_made_anew_behind_our_back_is_noticed_by_its_id(
    keeper: Keeper, admin: KafkaAdminClient
) -> None:
    kept, _ = keeper.keep(new())
    deleted_by_somebody(admin, kept.kafka_name)
    anew = made_by_somebody(admin, kept.kafka_name)
    again, plans = keeper.keep(kept)
    assert reasons(plans)[0] == "Recreated"
    assert kept.status.topic_id != again.status.topic_id == anew.topic_id


def test_a_topic_that_was_deleted_behind_our_back_is_made_again_and_said_once(
    keeper: Keeper, admin: KafkaAdminClient
) -> None:
    kept, _ = keeper.keep(new(partitions=2))
    deleted_by_somebody(admin, kept.kafka_name)
    again, plans = keeper.keep(kept)
    assert reasons(plans) == ["Vanished"]
    assert again.status.topic_id == there(admin, kept.kafka_name).topic_id != kept.status.topic_id
