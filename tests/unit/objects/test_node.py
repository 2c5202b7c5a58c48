"""Which nodes a Broker has, what each does, and what each is told."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from headrace.objects.kafka_settings import DYNAMIC
from headrace.objects.node import (
    broker_nodes,
    cluster_id_for,
    controller_nodes,
    dynamic,
    initial_controllers,
    restart_digest,
    settings,
    voters,
)
from hypothesis import given
from hypothesis import strategies as st

from unit.plan.broker_world import broker


@pytest.mark.parametrize(
    ("spec", "roles", "voting"),
    [
        ({"replicas": 1}, ["Combined"], [0]),
        ({"replicas": 2}, ["Combined", "Broker"], [0]),
        ({"replicas": 4}, ["Combined", "Combined", "Combined", "Broker"], [0, 1, 2]),
        ({"replicas": 2, "controllers": {}}, ["Broker", "Broker"], [1000, 1001, 1002]),
    ],
)
def test_odd_numbers_of_nodes_up_to_three_are_the_quorum_unless_there_are_dedicated_controllers(
    spec: dict[str, Any], roles: list[str], voting: list[int]
) -> None:
    it = broker(**spec)
    assert [n.role for n in broker_nodes(it)] == roles
    assert [v.id for v in voters(it)] == voting


@given(st.uuids())
def test_a_cluster_id_is_what_kafka_takes_and_never_looks_like_an_option(uid: UUID) -> None:
    made = cluster_id_for(str(uid))
    assert len(made) == 22
    assert not made.startswith("-")
    assert made == cluster_id_for(str(uid))


def test_founders_are_named_the_same_by_every_node_and_each_has_a_directory_of_its_own() -> None:
    told = initial_controllers(broker(), "cluster").split(",")
    assert [t.split("@")[0] for t in told] == ["0", "1", "2"]
    assert len({t.rsplit(":", 1)[1] for t in told}) == 3
    assert told[1].startswith("1@main-broker-1.main-nodes.here.svc:9093:")


def test_each_role_listens_where_its_peers_expect_it() -> None:
    combined, *_, plain = (settings(broker(replicas=4), n)["listeners"] for n in broker_nodes(broker(replicas=4)))
    (controller, *_) = (
        settings(broker(controllers={}), n)["listeners"] for n in controller_nodes(broker(controllers={}))
    )
    assert combined == "CLIENTS://:9092,INTERNAL://:9091,CONTROLLER://:9093"
    assert plain == "CLIENTS://:9092,INTERNAL://:9091"
    assert controller == "CONTROLLER://:9093"


def test_what_a_person_sets_goes_before_what_we_choose_and_never_before_what_we_own() -> None:
    it = broker(config={"broker.session.timeout.ms": "9000", "log.retention.ms": "5"})
    node = broker_nodes(it)[0]
    assert settings(it, node)["broker.session.timeout.ms"] == "9000"
    assert "log.retention.ms" not in settings(it, node), "a dynamic setting in a file would come back at a restart"
    assert dynamic(it.spec)["log.retention.ms"] == "5"
    assert not settings(it, node).keys() & DYNAMIC


@pytest.mark.parametrize(
    ("changed", "restarts"),
    [
        ({"replicas": 5}, False),
        ({"config": {"log.retention.ms": "5"}}, False),
        ({"config": {"num.partitions": "5"}}, True),
        ({"replicas": 1}, True),
    ],
)
def test_nodes_restart_for_what_only_a_restart_takes_up(changed: dict[str, Any], restarts: bool) -> None:
    assert (restart_digest(broker(**changed)) != restart_digest(broker())) is restarts
