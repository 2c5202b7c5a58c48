"""Topics are made in Kafka, and kept as they are declared."""

from __future__ import annotations

import pytest
from headrace.world.local import LocalBroker
from kafka import KafkaAdminClient
from kafka.admin import ConfigResource
from local.topics.hands import (
    changed,
    in_kafka,
    new,
    produce,
    reasons,
    there,
)
from local.topics.keeper import Keeper, ready
from topic_cases import topic
from waiting import eventually


def test_a_topic_is_made_with_the_settings_that_its_spec_means(keeper: Keeper, admin: KafkaAdminClient) -> None:
    asked = new(
        partitions=3,
        retention={"time": "1h", "size": "10Mi", "keep": "CompactAndTime"},
        config={"compression.type": "lz4", "max.message.bytes": "2000000"},
    )
    kept, plans = keeper.keep(asked)
    seen = there(admin, asked.kafka_name)
    assert len(seen.partitions) == 3
    assert seen.configs == {
        "cleanup.policy": "compact,delete",
        "compression.type": "lz4",
        "max.message.bytes": "2000000",
        "min.insync.replicas": "1",
        "retention.bytes": "10485760",
        "retention.ms": "3600000",
    }
    assert (ready(kept), kept.status.topic_id, kept.status.partitions) == ("True", seen.topic_id, 3)
    assert reasons(plans) == ["Created"]
    assert keeper.plan(kept).actions == ()


def test_a_topic_grows_and_keeps_its_records(keeper: Keeper, broker: LocalBroker, admin: KafkaAdminClient) -> None:
    kept, _ = keeper.keep(new(partitions=1))
    produce(broker, kept.kafka_name)
    grown, plans = keeper.keep(changed(kept, partitions=4))
    assert (len(there(admin, kept.kafka_name).partitions), ready(grown)) == (4, "True")
    assert reasons(plans) == ["Grown"]
    assert there(admin, kept.kafka_name).size_bytes


def test_settings_that_somebody_changed_in_kafka_are_changed_back(keeper: Keeper, admin: KafkaAdminClient) -> None:
    kept, _ = keeper.keep(new(retention={"time": "1h"}))
    by_hand = {"retention.ms": "1", "segment.bytes": "2000000", "cleanup.policy": "compact"}
    admin.alter_configs([ConfigResource("TOPIC", kept.kafka_name, by_hand)])
    eventually(lambda: there(admin, kept.kafka_name).configs["retention.ms"] == "1", 10, "the change is seen")
    kept, plans = keeper.keep(kept)
    assert there(admin, kept.kafka_name).configs == {
        "cleanup.policy": "delete",
        "min.insync.replicas": "1",
        "retention.ms": "3600000",
    }
    assert (reasons(plans), ready(kept)) == (["Configured"], "True")


@pytest.mark.parametrize(
    "config",
    [
        {"preallocate": "TRUE"},
        {"segment.bytes": "  2000000 "},
        {"min.cleanable.dirty.ratio": "0.50"},
        {"min.cleanable.dirty.ratio": "5e-1"},
        {"segment.ms": "+60000"},
        {"compression.type": " lz4"},
    ],
    ids=lambda config: "=".join(next(iter(config.items()))),
)
def test_a_setting_that_kafka_spells_in_its_own_way_is_set_only_once(keeper: Keeper, config: dict[str, str]) -> None:
    kept, _ = keeper.keep(new(config=config))
    assert keeper.plan(kept).actions == ()


def test_an_unknown_setting_is_refused_before_anything_is_changed(keeper: Keeper, admin: KafkaAdminClient) -> None:
    refused, plan = keeper.once(new(config={"compression.typo": "lz4"}))
    assert refused.status.conditions[0].reason == "UnknownConfig"
    assert "compression.typo (did you mean compression.type?)" in refused.status.conditions[0].message
    assert in_kafka(admin, refused.kafka_name) is None
    kept, _ = keeper.keep(new(partitions=1))
    _, plan = keeper.once(changed(kept, partitions=2, config={"compression.typo": "lz4"}))
    assert plan.findings[0].reason == "UnknownConfig"
    assert len(there(admin, kept.kafka_name).partitions) == 1


def test_a_value_that_kafka_refuses_is_told_in_kafkas_words_and_other_topics_are_made(
    keeper: Keeper, admin: KafkaAdminClient
) -> None:
    wrong, right = new(config={"compression.type": "rar"}), new()
    done = keeper.act(keeper.plans([wrong, right]))
    finding = done[wrong.kafka_name].findings[0]
    assert (finding.reason, done[wrong.kafka_name].requeue_after) == ("InvalidConfig", 60.0)
    assert "String must be one of: uncompressed, zstd, lz4" in finding.message
    assert wrong.kafka_name in finding.message
    assert there(admin, right.kafka_name)
    assert in_kafka(admin, wrong.kafka_name) is None


def test_after_a_refused_setting_nothing_more_is_done_to_that_topic(keeper: Keeper, admin: KafkaAdminClient) -> None:
    kept, _ = keeper.keep(new())
    _, plan = keeper.once(changed(kept, partitions=3, config={"compression.type": "rar"}))
    assert plan.findings[0].reason == "InvalidConfig"
    assert len(there(admin, kept.kafka_name).partitions) == 1


def test_more_replicas_than_nodes_change_nothing(keeper: Keeper, admin: KafkaAdminClient) -> None:
    refused, _ = keeper.once(new(replicas=2))
    assert refused.status.conditions[0].reason == "TooFewNodes"
    assert in_kafka(admin, refused.kafka_name) is None


def test_a_name_that_kafka_refuses_is_told(keeper: Keeper) -> None:
    """Kafka takes dots and underscores for the same in the names of its metrics."""
    kept, _ = keeper.keep(new())
    twin = topic(kept.kafka_name.replace("-", "."), topic_id=None)
    other = topic(kept.kafka_name.replace("-", "_"), topic_id=None)
    keeper.keep(twin)
    refused, _ = keeper.once(other)
    assert refused.status.conditions[0].reason == "InvalidName"
    assert twin.kafka_name in refused.status.conditions[0].message
