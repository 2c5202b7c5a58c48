"""When a Topic is deleted, the topic in Kafka goes or stays as the policy says."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from headrace.world.local import LocalBroker
from kafka import KafkaAdminClient, TopicPartition
from kafka.structs import OffsetAndMetadata
from local.topics.hands import (
    deleted,
    deleted_by_somebody,
    gone,
    made_by_somebody,
    new,
    produce,
    reasons,
    there,
)
from local.topics.keeper import Keeper
from waiting import eventually


def commit_offsets(admin: KafkaAdminClient, name: str) -> None:
    group = {TopicPartition(name, 0): OffsetAndMetadata(0, "", -1)}

    def committed() -> bool:
        try:  # the first group of a Kafka has to wait until its coordinator is there
            answers = admin.alter_group_offsets(f"readers-of-{name}", group).values()
        except Exception as why:
            raise AssertionError(why) from why
        return all(answer.errno == 0 for answer in answers)

    eventually(committed, 20, "offsets are committed", every=0.1)


def delete_records(admin: KafkaAdminClient, name: str) -> None:
    admin.delete_records({TopicPartition(name, 0): -1})


def nothing(admin: KafkaAdminClient, name: str) -> None:
    pass


@pytest.mark.parametrize(
    ("policy", "records", "use", "said"),
    [
        ("Retain", False, nothing, "Retained"),
        ("Delete", True, commit_offsets, "Deleted"),
        ("DeleteIfEmpty", False, nothing, "Deleted"),
        ("DeleteIfEmpty", True, nothing, "NotEmpty"),
        ("DeleteIfEmpty", True, delete_records, "Deleted"),
        ("DeleteIfUnused", True, nothing, "Deleted"),
        ("DeleteIfUnused", False, commit_offsets, "InUse"),
    ],
    ids=[
        "Retain",
        "Delete",
        "DeleteIfEmpty, never written",
        "DeleteIfEmpty, written",
        "DeleteIfEmpty, written and emptied",
        "DeleteIfUnused, written and never read",
        "DeleteIfUnused, read",
    ],
)
def test_when_its_resource_is_deleted_a_topic_goes_or_stays_as_the_policy_says(
    keeper: Keeper,
    admin: KafkaAdminClient,
    broker: LocalBroker,
    policy: str,
    records: bool,
    use: Callable[[KafkaAdminClient, str], None],
    said: str,
) -> None:
    kept, _ = keeper.keep(new(deletionPolicy=policy))
    if records:
        produce(broker, kept.kafka_name)
    use(admin, kept.kafka_name)
    _, plan = keeper.once(deleted(kept))
    assert (plan.forget, reasons([plan])) == (True, [said])
    if said == "Deleted":
        assert gone(admin, kept.kafka_name)
    else:
        assert there(admin, kept.kafka_name).topic_id == kept.status.topic_id


def test_a_topic_that_a_share_group_reads_is_in_use(
    keeper: Keeper, admin: KafkaAdminClient, broker: LocalBroker, libs: Path, java_program: str
) -> None:
    kept, _ = keeper.keep(new(deletionPolicy="DeleteIfUnused"))
    consumer = [java_program, "-XX:TieredStopAtLevel=1", "-cp", f"{libs}/*"]
    consumer += ["org.apache.kafka.tools.consumer.ConsoleShareConsumer", "--bootstrap-server", broker.bootstrap]
    consumer += ["--topic", kept.kafka_name, "--group", f"sharers-of-{kept.kafka_name}"]
    with subprocess.Popen(consumer, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            eventually(
                lambda: reasons([keeper.plan(deleted(kept))]) == ["InUse"], 30, "the share group is seen", every=0.2
            )
        finally:
            process.terminate()
    assert f"sharers-of-{kept.kafka_name}" in keeper.plan(deleted(kept)).events[0].message


def test_a_topic_is_not_deleted_in_place_of_one_that_had_its_name(keeper: Keeper, admin: KafkaAdminClient) -> None:
    kept, _ = keeper.keep(new(deletionPolicy="Delete"))
    plan = keeper.plan(deleted(kept))
    deleted_by_somebody(admin, kept.kafka_name)
    anew = made_by_somebody(admin, kept.kafka_name)
    done = keeper.act({kept.kafka_name: plan})[kept.kafka_name]
    assert (done.forget, there(admin, kept.kafka_name).topic_id) == (True, anew.topic_id)
