"""What Kafka is asked about topics, what it answers, and what that is taken for."""

from __future__ import annotations

import gc
import logging
import uuid
from pathlib import Path

import pytest
from headrace.plan.topic.actions import DeleteTopic, GrowPartitions, MoveReplicas, SetTopicConfigs
from headrace.world import connection
from headrace.world.kafka_topic_changes import Outcome, act_on_topics
from headrace.world.kafka_topics import read_id, spell_id, topic_settings
from headrace.world.local import LocalBroker
from headrace.world.local_config import Settings
from kafka import KafkaAdminClient
from kafka.admin import ConfigResource
from local.topics.hands import (
    new,
)
from local.topics.keeper import Keeper
from waiting import eventually


def test_the_names_of_all_topic_settings_are_those_that_a_topic_has_and_nothing_is_made_to_know_them(
    keeper: Keeper, admin: KafkaAdminClient
) -> None:
    kept, _ = keeper.keep(new())
    before = set(admin.list_topics())
    described = admin.describe_configs([ConfigResource("TOPIC", kept.kafka_name)], config_filter="all")
    assert topic_settings(admin) == described["topic"][kept.kafka_name].keys()
    assert set(admin.list_topics()) == before


def test_ids_are_spelled_as_kafka_spells_them() -> None:
    one = uuid.UUID("2af41ed3-6391-458b-a78f-48014629f6a7")
    assert spell_id(one) == "KvQe02ORRYunj0gBRin2pw"
    assert read_id(spell_id(one)) == one


def test_what_the_broker_has_set_is_not_taken_for_a_setting_of_the_topic(
    keeper: Keeper, admin: KafkaAdminClient
) -> None:
    """kafka-python counts what is set on one broker while it runs among what is modified on a topic."""
    kept, _ = keeper.keep(new())
    on_the_broker = [ConfigResource("BROKER", "1", {"message.max.bytes": "2000000"})]
    admin.alter_configs(on_the_broker)
    try:
        asked = [ConfigResource("TOPIC", kept.kafka_name)]

        def is_shown_as_the_topics() -> bool:
            return "max.message.bytes" in admin.describe_configs(asked)["topic"][kept.kafka_name]

        eventually(is_shown_as_the_topics, 10, "the broker's setting applies")
        assert keeper.plan(kept).actions == ()
    finally:
        admin.reset_configs(on_the_broker)


def test_each_refusal_is_of_its_own_topic_and_in_kafkas_words(keeper: Keeper, admin: KafkaAdminClient) -> None:
    kept, _ = keeper.keep(new(partitions=2))
    name, missing = kept.kafka_name, f"missing-{kept.kafka_name}"
    outcome = act_on_topics(
        admin,
        [
            SetTopicConfigs(missing, {"retention.ms": "1"}, ()),
            GrowPartitions(name, 2),
            MoveReplicas(name, {0: (99,)}),
            DeleteTopic(f"{missing}-2", spell_id(uuid.uuid4())),
        ],
    )
    assert {topic: trouble.reason for topic, trouble in outcome.troubles.items()} == {
        missing: "ChangedMeanwhile",
        name: "ChangedMeanwhile",
    }
    assert (
        outcome.troubles[name].message == f"Could not add partitions to topic {name}: Topic already has 2 partition(s)."
    )
    moved = act_on_topics(admin, [MoveReplicas(name, {0: (99,)})]).troubles[name]
    assert (moved.reason, moved.retriable) == ("NodesAway", True)
    assert "includes broker 99, but no such broker is registered" in moved.message


# kafka-python 3.0.12 leaves it to the collector to close a socket whose connection was refused.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning")
def test_a_kafka_that_stops_answering_is_a_trouble_of_every_topic_and_not_an_exception(
    tmp_path: Path, libs: Path, java_program: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, "kafka")  # what is logged keeps the socket

    def acted_on_a_kafka_that_was_killed() -> tuple[set[str], Outcome]:
        with LocalBroker(Settings(tmp_path, libs, java_program)) as mortal, connection.admin(mortal.bootstrap) as admin:
            plans = Keeper(admin).plans([new(), new()])
            mortal.kill()
            return set(plans), act_on_topics(admin, [action for plan in plans.values() for action in plan.actions])

    names, outcome = acted_on_a_kafka_that_was_killed()
    gc.collect()
    assert outcome.troubles.keys() == names
    assert all(trouble.retriable for trouble in outcome.troubles.values())
    assert {trouble.reason for trouble in outcome.troubles.values()} == {"BrokerUnreachable"}
