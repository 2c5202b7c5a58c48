"""Hundreds of topics take few requests."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from headrace.world.local import LocalBroker
from kafka.net.connection import KafkaConnection
from local.topics.hands import (
    changed,
    deleted,
    new,
    reasons,
)
from local.topics.keeper import Keeper, with_status
from waiting import eventually


class Requests:
    """Counts what is sent to Kafka, by kind."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sent = Counter[str]()
        send = KafkaConnection.send_request

        def counting(connection: KafkaConnection, request: Any, *args: Any, **kwargs: Any) -> Any:
            self.sent[type(request).__name__] += 1
            return send(connection, request, *args, **kwargs)

        monkeypatch.setattr(KafkaConnection, "send_request", counting)


def test_hundreds_of_topics_take_few_requests(
    broker: LocalBroker, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = [new(config={"compression.type": "lz4"}) for _ in range(300)]
    requests = Requests(monkeypatch)
    plans = keeper.plans(topics)
    assert requests.sent == {"MetadataRequest": 1, "ListPartitionReassignmentsRequest": 2}
    requests.sent.clear()
    done = keeper.act(plans)
    assert requests.sent == {"CreateTopicsRequest": 3}
    topics = [with_status(each, done[each.kafka_name]) for each in topics]
    eventually(lambda: not any(plan.actions for plan in keeper.plans(topics).values()), 60, "all are as asked")
    requests.sent.clear()
    assert all(plan.findings[0].status == "True" for plan in keeper.plans(topics).values())
    assert requests.sent == {
        "MetadataRequest": 1,
        "ListPartitionReassignmentsRequest": 2,
        "DescribeConfigsRequest": 3,
        "DescribeLogDirsRequest": 1,
    }
    requests.sent.clear()
    edited = [changed(each, partitions=2, config={"compression.type": "gzip"}) for each in topics]
    done = keeper.act(keeper.plans(edited))
    assert {tuple(reasons([plan])) for plan in done.values()} == {("Configured", "Grown")}
    assert (requests.sent["IncrementalAlterConfigsRequest"], requests.sent["CreatePartitionsRequest"]) == (3, 3)
    eventually(lambda: not any(plan.actions for plan in keeper.plans(edited).values()), 60, "all have grown")
    ending = [deleted(changed(each, deletionPolicy="DeleteIfEmpty")) for each in topics]
    eventually(lambda: all(plan.actions for plan in keeper.plans(ending).values()), 60, "all are known to be empty")
    requests.sent.clear()
    done = keeper.act(keeper.plans(ending))
    assert {tuple(reasons([plan])) for plan in done.values()} == {("Deleted",)}
    assert (requests.sent["ListOffsetsRequest"], requests.sent["DeleteTopicsRequest"]) == (2, 3)
