"""What happens to a Broker, driven through a model of its world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from headrace.plan import actions as do
from headrace.plan.broker import after, plan
from headrace.plan.outcome import LATER, SOON
from headrace.plan.seen import ClaimSeen

from unit.plan.broker_world import DEFAULTS, Modelled, broker, running


def condition(world: Modelled, type_: str = "Ready") -> tuple[str, str, str]:
    found = next(c for c in world.broker.status.conditions if c.type == type_)
    return found.status, found.reason, found.message


def test_a_new_broker_gets_its_objects_in_the_order_in_which_they_need_each_other() -> None:
    planned = Modelled(broker()).plan()
    assert [a.key for a in planned.actions if isinstance(a, do.Apply)] == [
        "ConfigMap/main-config",
        "Service/main-nodes",
        "Service/main-bootstrap",
        "PodDisruptionBudget/main-broker",
        "StatefulSet/main-broker",
    ]
    assert [e.reason for e in planned.events] == ["Creating"]
    assert planned.requeue_after == SOON


def test_a_broker_becomes_ready_and_then_nothing_is_done_any_more() -> None:
    world = Modelled(broker())
    assert world.one_pass().findings[0].reason == "NodesStarting"
    world.settle()
    planned = world.until_quiet()
    assert condition(world) == ("True", "Ready", "Broker main: all 3 nodes serve.")
    assert (planned.actions, planned.events, planned.requeue_after) == ((), (), LATER)
    status = world.broker.status
    assert (status.ready_nodes, status.replicas, status.ready, status.version) == ("3/3", 3, 3, "4.3.1")
    assert status.bootstrap == "main-bootstrap.here.svc:9092"
    assert [n.role for n in status.nodes] == ["Combined"] * 3


def test_who_founds_the_cluster_is_told_only_until_it_is_founded() -> None:
    world = Modelled(broker())
    world.one_pass()
    founders = world.objects["ConfigMap/main-config"]["data"]["initial-controllers"]
    assert founders.count("@") == 3
    world.settle()
    world.until_quiet()
    assert world.objects["ConfigMap/main-config"]["data"]["initial-controllers"] == ""


def test_dedicated_controllers_are_a_set_of_their_own() -> None:
    world = Modelled(broker(controllers={}, replicas=2))
    world.one_pass()
    assert {"StatefulSet/main-controller", "PodDisruptionBudget/main-controller"} <= world.objects.keys()
    files = world.objects["ConfigMap/main-config"]["data"]
    assert "process.roles=controller\n" in files["main-controller-0.properties"]
    assert "process.roles=broker\n" in files["main-broker-0.properties"]


def test_a_changed_image_restarts_every_node_once_with_the_active_controller_last() -> None:
    world = running()
    world.change(image="headrace/broker:2")
    world.until_quiet()
    assert world.deleted == ["main-broker-1", "main-broker-2", "main-broker-0"]
    assert {p.image for p in world.pods.values()} == {"headrace/broker:2"}


def test_a_dynamic_setting_changes_without_a_restart() -> None:
    world = running()
    world.change(config={"log.retention.ms": "1000"})
    world.until_quiet()
    assert world.dynamic["log.retention.ms"] == "1000"
    assert world.deleted == []
    world.change(config={})
    world.until_quiet()
    assert "log.retention.ms" not in world.dynamic
    assert world.deleted == []


def test_a_static_setting_restarts_the_nodes() -> None:
    world = running()
    world.change(config={"num.partitions": "7"})
    world.until_quiet()
    assert sorted(world.deleted) == ["main-broker-0", "main-broker-1", "main-broker-2"]


def test_a_new_node_restarts_nobody_and_gets_its_share_of_replicas() -> None:
    world = running()
    world.change(replicas=4)
    planned = world.until_quiet()
    assert world.deleted == []
    held = sum(3 in p.replicas for p in world.partitions.values())
    assert held == 9
    assert planned.findings[0].reason == "Ready"
    assert not any("throttled" in key for key in world.dynamic)


def test_moves_are_throttled_and_their_progress_is_shown() -> None:
    world = running()
    world.change(replicas=4)
    started = None
    for _ in range(9):
        planned = world.one_pass()
        if world.target:
            started = world.broker.status.moves
            break
        world.settle()
    assert started is not None
    assert (started.reason, started.partitions, started.remaining) == ("ScaleOut", 9, 9)
    assert "MovesStarted" in [e.reason for e in planned.events]
    assert world.dynamic["leader.replication.throttled.rate"] == str(50 * 2**20)
    world.target.popitem()
    world.one_pass()
    moves = world.broker.status.moves
    assert moves is not None
    assert (moves.partitions, moves.remaining) == (9, 8)


def test_a_node_leaves_only_when_it_is_empty_and_is_forgotten_then() -> None:
    world = running(replicas=4)
    world.change(replicas=3)
    while "main-broker-3" in world.pods:
        held = any(3 in p.replicas for p in world.partitions.values()) or bool(world.target)
        world.one_pass()
        assert world.objects["StatefulSet/main-broker"]["spec"]["replicas"] == (4 if held else 3)
        world.settle()
    world.until_quiet()
    assert 3 not in world.registered
    assert condition(world)[:2] == ("True", "Ready")


def test_a_broker_does_not_shrink_below_what_a_topic_needs() -> None:
    world = running(replicas=4)
    at, first = next(iter(world.partitions.items()))
    world.partitions[at] = replace(first, replicas=(0, 1, 2, 3), in_sync=(0, 1, 2, 3))
    world.change(replicas=3)
    world.until_quiet()
    status, reason, message = condition(world)
    assert (status, reason) == ("False", "ScaleInRefused")
    assert "partition readings-0 has 4 replicas, but only 3 nodes would stay" in message
    assert len(world.pods) == 4


def test_the_quorum_does_not_shrink() -> None:
    world = running()
    world.change(replicas=2)
    for _ in range(3):  # a refusal that forgot its reason would give way the second time
        planned = world.one_pass()
        assert planned.actions == ()
        assert condition(world)[1] == "InvalidSpec"
        assert "Set replicas to 3 or more" in condition(world)[2]
        assert [n.role for n in world.broker.status.nodes] == ["Combined"] * 3
        world.settle()


def test_a_version_that_the_operators_own_image_does_not_hold_needs_an_image() -> None:
    world = Modelled(broker(version="4.9.9"))
    assert world.one_pass().actions == ()
    assert "the operator's own image holds Kafka 4.3.1. Set spec.image" in condition(world)[2]
    world.change(image="elsewhere/kafka:4.9.9")
    assert world.one_pass().actions != ()


def test_data_that_an_earlier_broker_left_is_taken_up_with_its_cluster_id() -> None:
    world = Modelled(broker())
    for i in range(3):
        name = f"data-main-broker-{i}"
        world.claims[name] = ClaimSeen(name, "1Gi", "kept-id", can_grow=False)
    planned = world.one_pass()
    assert [e.reason for e in planned.events] == ["TakenUp"]
    assert world.objects["ConfigMap/main-config"]["data"]["cluster-id"] == "kept-id"


def test_data_of_more_nodes_than_are_asked_for_is_not_left_lying() -> None:
    world = Modelled(broker(replicas=1))
    for i in range(3):
        name = f"data-main-broker-{i}"
        world.claims[name] = ClaimSeen(name, "1Gi", "kept-id", can_grow=False)
    planned = world.one_pass()
    assert planned.actions == ()
    assert "data-main-broker-1, data-main-broker-2. Set replicas to 3" in condition(world)[2]


def test_nodes_that_take_up_old_data_join_its_cluster_and_found_none() -> None:
    world = Modelled(broker())
    world.claims["data-main-broker-0"] = ClaimSeen("data-main-broker-0", "1Gi", "kept-id", can_grow=False)
    world.one_pass()
    assert world.objects["ConfigMap/main-config"]["data"]["initial-controllers"] == ""


def test_data_of_a_broker_with_another_kind_of_quorum_is_not_taken_up() -> None:
    world = Modelled(broker(controllers={}))
    world.claims["data-main-broker-0"] = ClaimSeen("data-main-broker-0", "1Gi", "kept-id", can_grow=False)
    assert world.one_pass().actions == ()
    assert "which had no dedicated controllers" in condition(world)[2]


def test_a_lone_node_in_memory_founds_its_cluster_anew_when_it_lost_it() -> None:
    world = running(replicas=1, storage={"memory": {"size": "64Mi"}})
    assert world.objects["ConfigMap/main-config"]["data"]["initial-controllers"].startswith("0@")


def test_a_replica_that_was_put_on_a_node_while_it_went_is_fetched_back() -> None:
    world = running(replicas=4)
    world.change(replicas=3)
    while "main-broker-3" in world.pods:
        world.one_pass()
        world.settle()
    at, first = next(iter(world.partitions.items()))
    world.partitions[at] = replace(first, replicas=(0, 1, 3), in_sync=(0, 1))
    world.until_quiet()
    assert 3 not in world.partitions[at].replicas
    assert 3 not in world.registered


def test_while_kubernetes_has_not_named_the_newest_template_no_node_restarts() -> None:
    world = running()
    seen = world.seen()
    unnamed = replace(seen, sets={role: replace(s, revision="") for role, s in seen.sets.items()})
    assert plan(world.broker, unnamed, DEFAULTS).actions == ()


def test_a_held_restart_is_looked_at_again_soon_and_stays_in_the_status() -> None:
    world = running()
    at, first = next(iter(world.partitions.items()))
    world.change(image="headrace/broker:2")
    world.one_pass()
    world.partitions[at] = replace(first, in_sync=first.replicas[:1])
    planned = world.plan()
    assert [f.reason for f in planned.findings if f.type == "Rolling"] == ["RestartUnsafe"]
    assert planned.requeue_after == SOON
    assert planned.status.roll is not None
    assert planned.status.roll.remaining == 3


def test_what_only_a_person_can_change_is_not_looked_at_every_other_second() -> None:
    world = running()
    world.claims = {n: replace(c, can_grow=False) for n, c in world.claims.items()}
    world.change(storage={"persistent": {"size": "2Gi"}})
    assert world.until_quiet().requeue_after == LATER


def test_volumes_grow_where_their_class_lets_them() -> None:
    world = running()
    world.change(storage={"persistent": {"size": "2Gi"}})
    world.until_quiet()
    assert {c.size for c in world.claims.values()} == {"2Gi"}
    assert world.deleted == []


def test_volumes_that_cannot_grow_are_said_and_the_nodes_go_on() -> None:
    world = running()
    world.claims = {n: replace(c, can_grow=False) for n, c in world.claims.items()}
    world.change(storage={"persistent": {"size": "2Gi"}})
    world.until_quiet()
    assert condition(world, "StorageGrown")[:2] == ("False", "ClassCannotGrow")
    assert condition(world)[0] == "True"


def test_metadata_is_raised_only_when_all_nodes_run_the_new_version() -> None:
    world = running()
    world.supported = 31
    world.change(image="headrace/broker:2")
    while len({p.image for p in world.pods.values()}) > 1 or "headrace/broker:1" in str(world.pods):
        world.one_pass()
        assert world.metadata_version == 30
        world.settle()
    world.until_quiet()
    assert world.metadata_version == 31


def test_a_paused_broker_is_reported_and_left_alone() -> None:
    world = running()
    annotated = world.broker.metadata.model_copy(update={"annotations": {"headrace.dev/paused": "true"}})
    world.broker = world.broker.model_copy(update={"metadata": annotated})
    world.change(replicas=4)
    planned = world.one_pass()
    assert planned.actions == ()
    assert condition(world, "Paused")[0] == "True"


def test_a_node_that_cannot_start_is_said_with_kubernetes_own_words() -> None:
    world = running()
    world.pods["main-broker-1"] = replace(
        world.pods["main-broker-1"], ready=False, trouble="ImagePullBackOff: no such image"
    )
    world.one_pass()
    status, reason, message = condition(world)
    assert (status, reason) == ("False", "NodesDown")
    assert "2 of 3 nodes serve (main-broker-1: ImagePullBackOff: no such image)" in message


def test_while_kafka_does_not_answer_no_node_restarts() -> None:
    world = running()
    world.change(image="headrace/broker:2")
    world.answering = False
    for _ in range(5):
        world.one_pass()
        world.settle()
    assert world.deleted == []
    assert condition(world, "Rolling")[1] == "WaitingForKafka"
    assert condition(world)[1] == "KafkaUnreachable"


def test_what_could_not_be_done_is_said_in_place_of_what_would_have_been() -> None:
    world = running()
    world.change(config={"log.retention.ms": "banana"})
    planned = world.plan()
    tried = after(planned, [(planned.actions[0], "InvalidConfigurationError: not a number")])
    assert [(f.status, f.reason) for f in tried.findings if f.type == "Ready"] == [("False", "ActionFailed")]
    assert "set log.retention.ms: InvalidConfigurationError: not a number" in tried.findings[0].message
    assert [e.reason for e in tried.events] == ["ActionFailed"]
    assert after(planned, []) == planned


SCENARIOS: dict[str, Callable[[Modelled], None]] = {
    "image": lambda w: w.change(image="headrace/broker:2"),
    "static setting": lambda w: w.change(config={"num.partitions": "7"}),
    "dynamic setting": lambda w: w.change(config={"log.retention.ms": "1000"}),
    "scale out": lambda w: w.change(replicas=6),
    "scale in": lambda w: w.change(replicas=4),
    "storage": lambda w: w.change(storage={"persistent": {"size": "2Gi"}}),
    "version": lambda w: setattr(w, "supported", 31),
}


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("settles", [True, False], ids=["after the world settled", "at once"])
def test_an_operator_that_is_killed_between_any_two_actions_and_starts_again_ends_in_the_same_place(
    name: str, settles: bool
) -> None:
    whole = running(replicas=5)
    SCENARIOS[name](whole)
    whole.until_quiet()

    broken = running(replicas=5)
    SCENARIOS[name](broken)
    for _ in range(200):
        todo = len(broken.plan().actions)
        for done in range(todo):  # killed after none, one, two, … of them
            broken.one_pass(at_most=done)
        if settles:
            broken.settle()
        if not broken.one_pass().actions:
            break
        broken.settle()
    broken.until_quiet()
    assert broken.objects == whole.objects
    assert broken.partitions == whole.partitions
    assert (broken.dynamic, broken.registered) == (whole.dynamic, whole.registered)
    assert sorted(broken.deleted) == sorted(whole.deleted), "a node restarted twice, or not at all"


@pytest.mark.parametrize("name", SCENARIOS)
def test_no_more_than_one_node_is_ever_down_by_our_hand(name: str) -> None:
    world = running(replicas=5)
    SCENARIOS[name](world)
    for _ in range(60):
        before = len(world.deleted)
        world.one_pass()
        assert len(world.deleted) - before <= 1
        world.settle()
