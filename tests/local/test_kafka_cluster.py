"""A Kafka cluster as a whole, on a real one: what is seen of it, and what is done to it."""

from __future__ import annotations

import pytest
from headrace.objects.kafka_settings import DYNAMIC
from headrace.plan.actions import EndThrottle, MoveReplicas, SetClusterConfigs, UnregisterBroker
from headrace.plan.broker import THROTTLES
from headrace.plan.seen import KafkaSeen, TopicPartition
from headrace.world import kafka_cluster
from headrace.world.connection import ask
from headrace.world.kafka_cluster import CLUSTER_WIDE, SET, Unanswered
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient
from kafka.protocol.admin.configs import IncrementalAlterConfigsRequest
from waiting import eventually

ANYTHING = "1000"  # where a setting has no value of its own to be set to again


def look(admin: KafkaAdminClient) -> KafkaSeen:
    return kafka_cluster.look(admin, lambda so_far: True)


def test_the_settings_that_we_take_for_dynamic_are_those_that_this_kafka_takes_up_cluster_wide(
    admin: KafkaAdminClient,
) -> None:
    node = next(iter(look(admin).live))
    asked = [ConfigResource(ConfigResourceType.BROKER, str(node))]
    known = admin.describe_configs(asked, config_filter="all")["broker"][str(node)]
    free = {name: config["value"] for name, config in known.items() if not config["read_only"]}
    changes = {name: ANYTHING if value is None else value for name, value in free.items()}

    def accepted(name: str, value: str) -> bool:
        resource = (ConfigResourceType.BROKER, CLUSTER_WIDE, [(name, SET, value)])
        (answer,) = ask(admin, IncrementalAlterConfigsRequest(resources=[resource], validate_only=True)).responses
        return not answer.error_code

    assert {name for name, value in changes.items() if accepted(name, value)} == DYNAMIC


def test_a_cluster_says_who_serves_who_votes_and_what_it_runs(admin: KafkaAdminClient) -> None:
    seen = look(admin)
    (node,) = seen.live
    assert (seen.fenced, seen.moving) == (frozenset(), 0)
    assert [(v.id, v.caught_up) for v in seen.voters] == [(node, True)]
    assert seen.controller == node
    assert seen.metadata_version == seen.metadata_version_supported


def test_partitions_are_only_looked_at_when_somebody_wants_to_know(admin: KafkaAdminClient) -> None:
    assert kafka_cluster.look(admin, lambda so_far: False).partitions is None
    assert look(admin).partitions is not None


def test_dynamic_settings_are_set_and_taken_back(admin: KafkaAdminClient) -> None:
    kafka_cluster.act(admin, SetClusterConfigs({"log.retention.ms": "12345678"}))
    eventually(lambda: look(admin).dynamic.get("log.retention.ms") == "12345678", 20, "it is set")
    kafka_cluster.act(admin, SetClusterConfigs({}, frozenset({"log.retention.ms"})))
    eventually(lambda: "log.retention.ms" not in look(admin).dynamic, 20, "it is taken back")


def test_a_setting_that_kafka_refuses_is_told_in_its_own_words(admin: KafkaAdminClient) -> None:
    with pytest.raises(Unanswered, match=r"log\.retention\.ms"):
        kafka_cluster.act(admin, SetClusterConfigs({"log.retention.ms": "banana"}))


def test_moves_are_throttled_and_the_throttle_is_taken_away(admin: KafkaAdminClient) -> None:
    admin.create_topics({"moved": {"num_partitions": 1, "replication_factor": 1}})
    at = TopicPartition("moved", 0)
    eventually(lambda: at in {p.at for p in look(admin).partitions or ()}, 20, "the topic is seen")
    (node,) = look(admin).live
    kafka_cluster.act(admin, MoveReplicas({at: (node,)}, 1024))  # to where it is: all but the copying happens
    eventually(lambda: look(admin).dynamic.keys() >= set(THROTTLES), 20, "the throttle is set")
    kafka_cluster.act(admin, EndThrottle())
    eventually(lambda: not look(admin).dynamic.keys() & set(THROTTLES), 20, "the throttle is gone")
    left = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, "moved")])["topic"].get("moved", {})
    assert not [name for name in left if "throttled" in name]


def test_a_broker_that_kafka_does_not_know_cannot_be_forgotten(admin: KafkaAdminClient) -> None:
    with pytest.raises(Unanswered, match="77"):
        kafka_cluster.act(admin, UnregisterBroker(77))
