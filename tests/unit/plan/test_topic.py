"""What happens to a Topic that is there to stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from headrace.api.topic import Topic
from headrace.plan.outcome import LATER, SOON, Finding
from headrace.plan.topic.actions import CreateTopic, GrowPartitions, MoveReplicas, SetTopicConfigs
from headrace.plan.topic.planning import TopicPlan, carried_out, plan_topic
from headrace.plan.topic.situation import Broker, BrokerAway, BrokerDeleting, BrokerMissing, TopicSeen
from headrace.plan.trouble import Trouble
from topic_cases import AWAY, NOW, PLAIN, UP, partition, seen, situation, topic

ONE_NODE = replace(UP, members=frozenset({0}), live=frozenset({0}))
NODE_2_AWAY = replace(UP, live=frozenset({0, 1}))
EARLIER = NOW - timedelta(days=30)


def plan(
    of: Topic, what: TopicSeen | Trouble | None = None, broker: Broker = UP, siblings: Sequence[Topic] = ()
) -> TopicPlan:
    return plan_topic(situation(of, what, broker, siblings))


def ready(made: TopicPlan) -> Finding:
    (finding,) = [finding for finding in made.findings if finding.type == "Ready"]
    return finding


def said(made: TopicPlan) -> list[tuple[str, str]]:
    """The Events, if all goes well."""
    return [(event.type, event.reason) for event in carried_out(made).events]


def named(name: str, **different: object) -> Topic:
    """A Topic for the name `orders` in Kafka, whatever it is called itself."""
    made = topic(name, **different)  # type: ignore[arg-type]
    return made.model_copy(update={"spec": made.spec.model_copy(update={"name": "orders"})})


def test_a_topic_that_kafka_does_not_have_is_made_with_all_its_settings() -> None:
    asked = topic(
        topic_id=None,
        partitions=6,
        retention={"time": "1h", "size": "1Gi", "keep": "CompactAndTime"},
        config={"compression.type": "lz4"},
    )
    made = plan(asked)
    assert made.actions == (
        CreateTopic(
            "orders",
            partitions=6,
            replicas=3,
            configs={
                "cleanup.policy": "compact,delete",
                "compression.type": "lz4",
                "min.insync.replicas": "2",
                "retention.bytes": "1073741824",
                "retention.ms": "3600000",
            },
        ),
    )
    assert (ready(made).status, ready(made).reason, made.requeue_after) == ("False", "Creating", SOON)
    assert said(made) == [("Normal", "Created")]


def test_a_topic_is_made_under_its_own_name_in_kafka() -> None:
    (action,) = plan(named("orders-v1", topic_id=None)).actions
    assert action.name == "orders"


def test_on_a_broker_with_one_node_a_topic_has_one_replica_unless_it_says_otherwise() -> None:
    (action,) = plan(topic(topic_id=None), broker=ONE_NODE).actions
    assert isinstance(action, CreateTopic)
    assert (action.replicas, action.configs["min.insync.replicas"]) == (1, "1")


def test_the_id_that_kafka_gave_to_a_new_topic_is_kept_so_that_it_is_not_taken_for_a_stranger() -> None:
    done = carried_out(plan(topic(topic_id=None)), topic_id="id-new")
    assert done.status.topic_id == "id-new"
    assert said(plan(topic(topic_id="id-new"), seen(topic_id="id-new"))) == []


def test_a_topic_that_is_as_asked_is_ready_and_left_alone() -> None:
    made = plan(topic(), seen())
    assert (made.actions, ready(made).status, ready(made).reason) == ((), "True", "Ready")
    assert ready(made).message == "Topic orders has 1 partition and 3 replicas of each, all in sync."
    assert (said(made), made.requeue_after) == ([], LATER)


def test_the_status_shows_what_was_found() -> None:
    behind = partition(0, (0, 1, 2), in_sync=(0, 1))
    status = plan(topic(partitions=2), seen(behind, partition(1, (1, 2, 0)))).status
    assert status.model_dump(exclude_none=True, exclude={"conditions"}) == {
        "observed_generation": 3,
        "topic_id": "id-1",
        "topic_name": "orders",
        "partitions": 2,
        "replicas": 3,
        "min_in_sync": 2,
        "under_replicated": 1,
        "offline": 0,
        "moving": 0,
        "size_bytes": 2048,
        "size": "2Ki",
    }


def test_a_size_that_could_not_be_found_out_stays_as_it_was() -> None:
    status = plan(topic(status={"sizeBytes": 1024}), seen(size_bytes=None)).status
    assert (status.size_bytes, status.size) == (1024, "1Ki")


def test_missing_partitions_are_added_and_the_event_says_what_that_means_for_keys() -> None:
    made = plan(topic(partitions=6), seen())
    assert made.actions == (GrowPartitions("orders", 6),)
    assert (ready(made).reason, said(made)) == ("Growing", [("Normal", "Grown")])
    assert "same key may go to another partition" in made.events_when_done[0].message


def test_more_partitions_than_asked_for_stay_and_the_condition_says_what_to_do() -> None:
    made = plan(topic(partitions=1), seen(partition(0, (0, 1, 2)), partition(1, (1, 2, 0))))
    assert (made.actions, ready(made).status, ready(made).reason) == ((), "False", "MorePartitions")
    assert "spec.partitions is 1, and the topic in Kafka has 2" in ready(made).message
    assert "set spec.partitions to 2" in ready(made).message


def test_settings_that_differ_are_set_and_those_that_nobody_asked_for_are_unset() -> None:
    found = {**PLAIN, "retention.ms": "5", "segment.bytes": "1048576"}
    made = plan(topic(retention={"time": "1h"}), seen(configs=found))
    assert made.actions == (SetTopicConfigs("orders", {"retention.ms": "3600000"}, ("segment.bytes",)),)
    assert (ready(made).reason, said(made)) == ("Configuring", [("Normal", "Configured")])
    assert "retention.ms to 3600000 (was 5)" in ready(made).message
    assert "segment.bytes to the Broker's (was 1048576)" in ready(made).message


@pytest.mark.parametrize(
    ("asked", "shown"), [(" 1000", "1000"), ("TRUE", "true"), ("0.50", "0.5"), ("+7", "7"), ("5e-1", "0.5")]
)
def test_a_setting_that_kafka_spells_in_its_own_way_is_no_difference(asked: str, shown: str) -> None:
    assert plan(topic(config={"segment.bytes": asked}), seen(configs={**PLAIN, "segment.bytes": shown})).actions == ()


@pytest.mark.parametrize(
    ("asked", "shown"), [("1000", "1001"), ("true", "false"), ("lz4", "LZ4"), ("9007199254740993", "9007199254740992")]
)
def test_a_setting_with_another_meaning_is_a_difference(asked: str, shown: str) -> None:
    made = plan(topic(config={"segment.bytes": asked}), seen(configs={**PLAIN, "segment.bytes": shown}))
    assert made.actions == (SetTopicConfigs("orders", {"segment.bytes": asked}, ()),)


THROTTLE = "leader.replication.throttled.replicas"


@pytest.mark.parametrize(
    ("broker", "found", "unset"),
    [
        (UP, seen(configs={**PLAIN, THROTTLE: "*"}), True),
        (replace(UP, moves_under_way=True), seen(configs={**PLAIN, THROTTLE: "*"}), False),
        (UP, seen(partition(0, (0, 1, 2), removing=frozenset({2})), configs={**PLAIN, THROTTLE: "*"}), False),
    ],
    ids=["nothing moves", "the Broker moves replicas", "this topic moves"],
)
def test_a_throttle_is_lifted_only_when_nothing_moves(broker: Broker, found: TopicSeen, unset: bool) -> None:
    asked = topic(replicas=2, minInSync=2) if found.moving else topic()
    assert plan(asked, found, broker).actions == ((SetTopicConfigs("orders", {}, (THROTTLE,)),) if unset else ())


def test_more_replicas_are_asked_for_by_moving_to_nodes_that_serve() -> None:
    made = plan(topic(), seen(partition(0, (1,)), configs={**PLAIN, "min.insync.replicas": "1"}))
    assert made.actions == (MoveReplicas("orders", {0: (1, 2, 0)}),)
    assert (ready(made).reason, said(made)) == ("MovingReplicas", [("Normal", "MovingReplicas")])


def test_min_insync_replicas_is_not_raised_before_the_replicas_are_there_or_nothing_could_be_written() -> None:
    arriving = partition(0, (1, 2, 0), in_sync=(1,), adding=frozenset({2, 0}))
    made = plan(topic(), seen(arriving, configs={**PLAIN, "min.insync.replicas": "1"}))
    assert (made.actions, ready(made).status, ready(made).reason) == ((), "False", "MovingReplicas")
    assert (made.requeue_after, made.status.moving, made.status.replicas) == (SOON, 1, 1)
    arrived = plan(topic(), seen(partition(0, (1, 2, 0)), configs={**PLAIN, "min.insync.replicas": "1"}))
    assert arrived.actions == (SetTopicConfigs("orders", {"min.insync.replicas": "2"}, ()),)


def test_min_insync_replicas_is_raised_back_at_once_where_the_replicas_are_there_though_one_is_behind() -> None:
    made = plan(topic(), seen(partition(0, (0, 1, 2), in_sync=(0,)), configs={**PLAIN, "min.insync.replicas": "1"}))
    assert made.actions == (SetTopicConfigs("orders", {"min.insync.replicas": "2"}, ()),)


def test_min_insync_replicas_is_lowered_before_replicas_are_taken_away() -> None:
    made = plan(topic(replicas=1), seen())
    assert made.actions == (
        SetTopicConfigs("orders", {"min.insync.replicas": "1"}, ()),
        MoveReplicas("orders", {0: (0,)}),
    )


def test_a_move_for_the_brokers_sake_does_not_make_a_topic_unready() -> None:
    leaving = partition(0, (0, 1, 3, 2), in_sync=(0, 1, 3), adding=frozenset({2}), removing=frozenset({3}))
    made = plan(topic(), seen(leaving))
    assert (made.actions, ready(made).reason, made.status.moving, made.requeue_after) == ((), "Ready", 1, SOON)


def test_replicas_are_not_moved_by_two_at_the_same_time() -> None:
    found = seen(partition(0, (0, 1)))
    made = plan(topic(), found, replace(UP, own_moves=True))
    assert (made.actions, ready(made).status, ready(made).reason) == ((), "False", "BrokerMovesReplicas")
    assert made.requeue_after == SOON


def test_a_move_that_cannot_end_can_be_taken_back() -> None:
    stuck = partition(0, (0, 1, 2), in_sync=(0, 1), adding=frozenset({2}))
    made = plan(topic(replicas=2, minInSync=2), seen(stuck), replace(NODE_2_AWAY, own_moves=True))
    assert made.actions == (MoveReplicas("orders", {0: (0, 1)}),)


def test_a_node_that_restarts_does_not_change_how_many_replicas_are_asked_for() -> None:
    made = plan(topic(), seen(partition(0, (0, 1, 2), in_sync=(0, 1))), NODE_2_AWAY)
    assert (made.actions, ready(made).status, ready(made).reason) == ((), "True", "UnderReplicated")
    assert "Missing are replicas on node 2 of Broker main." in ready(made).message


def test_replicas_that_no_serving_node_can_take_are_waited_for() -> None:
    made = plan(topic(), seen(partition(0, (0, 1))), NODE_2_AWAY)
    assert (made.actions, ready(made).status, ready(made).reason) == ((), "False", "NodesAway")
    assert made.requeue_after == SOON


def test_a_topic_without_enough_replicas_in_sync_for_writes_is_not_ready() -> None:
    made = plan(topic(), seen(partition(0, (0, 1, 2), in_sync=(0,))))
    assert (made.actions, ready(made).status, ready(made).reason) == ((), "False", "TooFewInSync")
    assert "refused for 1 of 1 partition (0), because fewer than 2 replicas are in sync" in ready(made).message
    assert "nodes 1 and 2" in ready(made).message


def test_a_topic_with_a_partition_that_nobody_leads_is_not_ready() -> None:
    lost = partition(1, (2, 1, 0), leader=None, in_sync=(2,))
    made = plan(topic(partitions=2), seen(partition(0, (0, 1, 2)), lost))
    assert (ready(made).status, ready(made).reason, made.requeue_after) == ("False", "Offline", SOON)
    assert "nobody can read or write 1 of 2 partitions (1)" in ready(made).message
    assert made.status.offline == 1


def test_a_topic_that_was_there_before_is_adopted_and_made_as_asked() -> None:
    made = plan(topic(topic_id=None, partitions=2), seen(topic_id="id-9", configs={}))
    assert [type(action) for action in made.actions] == [SetTopicConfigs, GrowPartitions]
    assert made.status.topic_id == "id-9"
    assert said(made)[0] == ("Normal", "Adopted")
    assert "with 1 partition and the id id-9" in made.events[0].message


def test_a_topic_that_somebody_deleted_is_made_again_and_the_loss_is_said() -> None:
    made = plan(topic(), None)
    assert [type(action) for action in made.actions] == [CreateTopic]
    assert said(made) == [("Warning", "Vanished")]
    assert "id id-1. Its records are gone" in made.events_when_done[0].message


def test_a_topic_that_seemed_deleted_but_is_there_after_all_is_no_loss() -> None:
    """A node that is behind does not know a topic that was just made; creating it then fails."""
    race = Trouble("NotVisibleYet", "Topic orders already exists.", retriable=True)
    done = carried_out(plan(topic(), None), race)
    assert (done.events, done.status.topic_id, done.requeue_after) == ((), "id-1", SOON)
    assert ready(done).reason == "NotVisibleYet"


def test_a_topic_that_somebody_made_anew_is_noticed_and_its_id_kept() -> None:
    made = plan(topic(), seen(topic_id="id-2"))
    assert (said(made), made.status.topic_id) == ([("Warning", "Recreated")], "id-2")
    assert "its id is id-2 and was id-1" in ready(made).message
    assert ready(made).status == "True"


OBSTACLES: dict[str, tuple[Broker, Topic, str, str]] = {
    "a missing Broker": (
        BrokerMissing(),
        topic(),
        "BrokerMissing",
        "spec.broker is main, and namespace shop has no such",
    ),
    "a Broker being deleted": (BrokerDeleting(), topic(), "BrokerDeleting", "Broker main is being deleted"),
    "a Broker that does not answer": (BrokerAway(AWAY), topic(), "BrokerUnreachable", "Broker main does not answer."),
    "a setting that Kafka does not know": (
        UP,
        topic(config={"compresion.type": "lz4", "zzz": "1"}),
        "UnknownConfig",
        "spec.config has compresion.type (did you mean compression.type?) and zzz, which Kafka",
    ),
    "more replicas than nodes": (
        UP,
        topic(replicas=4),
        "TooFewNodes",
        "spec.replicas is 4, and Broker main has 3 nodes",
    ),
    "more in sync than replicas": (
        ONE_NODE,
        topic(minInSync=2),
        "MinInSyncTooHigh",
        "spec.minInSync is 2, and it is to have 1 replica",
    ),
}


@pytest.mark.parametrize("there", [True, False], ids=["there", "not there"])
@pytest.mark.parametrize(("broker", "of", "reason", "message"), OBSTACLES.values(), ids=OBSTACLES.keys())
def test_nothing_is_changed_while_there_is(broker: Broker, of: Topic, reason: str, message: str, there: bool) -> None:
    found = seen(partition(0, (0,)), configs={}) if there and broker in (UP, ONE_NODE) else None
    made = plan(of, found, broker)
    assert (made.actions, said(made)) == ((), [])
    assert (ready(made).status, ready(made).reason) == ("False", reason)
    assert message in ready(made).message
    assert "Topic orders" in ready(made).message


def test_a_mistake_is_looked_at_again_later_and_an_absence_soon() -> None:
    assert plan(topic(replicas=9)).requeue_after == LATER
    assert plan(topic(), None, BrokerAway(AWAY)).requeue_after == SOON


def test_what_was_known_of_a_topic_stays_in_the_status_while_its_broker_is_away() -> None:
    known = topic(status={"partitions": 6, "sizeBytes": 7, "size": "7"})
    status = plan(known, None, BrokerAway(AWAY)).status
    assert (status.topic_id, status.partitions, status.size, status.observed_generation) == ("id-1", 6, "7", 3)


def test_a_topic_that_kafka_does_not_show_to_us_is_not_taken_for_missing() -> None:
    made = plan(topic(), Trouble("NotAuthorized", "Kafka refuses to describe it.", retriable=False))
    assert (made.actions, ready(made).reason, made.requeue_after) == ((), "NotAuthorized", LATER)


def test_a_topic_is_not_made_while_too_few_nodes_serve() -> None:
    made = plan(topic(topic_id=None), None, NODE_2_AWAY)
    assert (made.actions, ready(made).reason, made.requeue_after) == ((), "NodesAway", SOON)
    assert "2 of 3 nodes of Broker main serve now" in ready(made).message


def test_a_topic_that_was_never_ours_does_not_become_so_while_there_is_an_obstacle() -> None:
    assert plan(topic(topic_id=None, replicas=9), seen()).status.topic_id is None


def test_of_two_topics_for_one_name_the_older_decides_and_the_younger_says_so() -> None:
    older, younger = named("first", made=EARLIER), named("second")
    lost = plan(younger, seen(), siblings=[older])
    assert (lost.actions, ready(lost).reason, lost.status.topic_id) == ((), "Conflict", "id-1")
    assert "Topic second (orders in Kafka) is for the same topic of Broker main as Topic first" in ready(lost).message
    assert ready(plan(older, seen(), siblings=[younger])).reason == "Ready"


def test_of_two_topics_of_the_same_age_the_name_decides() -> None:
    assert ready(plan(named("b"), seen(), siblings=[named("a")])).reason == "Conflict"
    assert ready(plan(named("a"), seen(), siblings=[named("b")])).reason == "Ready"


@pytest.mark.parametrize(
    "other",
    [
        named("other", made=EARLIER, deleted=NOW),
        topic("other", made=EARLIER),
        topic("orders", made=EARLIER, broker="second"),
        named("orders", made=EARLIER),
    ],
    ids=["being deleted", "of another name", "of another Broker", "itself"],
)
def test_a_topic_is_no_rival_if_it_is(other: Topic) -> None:
    assert ready(plan(topic(), seen(), siblings=[other])).reason == "Ready"


def test_a_paused_topic_is_reported_on_and_left_alone() -> None:
    made = plan(topic(paused=True, partitions=6), seen(size_bytes=4096))
    assert (made.actions, said(made), made.requeue_after) == ((), [], LATER)
    assert made.status.size == "4Ki"
    assert (ready(made).status, ready(made).reason) == ("False", "Paused")
    assert "it grows from 1 to 6 partitions" in ready(made).message
    (paused,) = [finding for finding in made.findings if finding.type == "Paused"]
    assert (paused.status, paused.reason) == ("True", "Asked")
    assert "headrace.dev/paused" in paused.message


def test_a_paused_topic_that_is_as_asked_is_ready() -> None:
    assert ready(plan(topic(paused=True), seen())).reason == "Ready"


def test_a_paused_topic_is_not_adopted_yet() -> None:
    made = plan(topic(paused=True, topic_id=None), seen())
    assert (made.status.topic_id, said(made)) == (None, [])


@pytest.mark.parametrize(
    ("policy", "wanted"), [("Retain", False), ("Delete", True), ("DeleteIfEmpty", True), ("DeleteIfUnused", True)]
)
def test_a_finalizer_is_only_wanted_where_something_is_to_be_done_at_the_end(policy: str, wanted: bool) -> None:
    assert plan(topic(deletionPolicy=policy), seen()).finalizer is wanted


@pytest.mark.parametrize(("retriable", "again"), [(True, SOON), (False, LATER)])
def test_what_kafka_refused_is_said_in_its_words(retriable: bool, again: float) -> None:
    trouble = Trouble("InvalidConfig", "Topic orders: Kafka refused it: bad value.", retriable)
    done = carried_out(plan(topic(partitions=6), seen()), trouble)
    assert (ready(done).status, ready(done).reason, ready(done).message) == ("False", "InvalidConfig", trouble.message)
    assert (done.events, done.requeue_after, done.forget) == ((), again, False)


def test_who_had_nothing_done_has_no_part_in_what_came_of_it() -> None:
    """A rival's trouble, and the id of the topic that the rival made, are found under the same name in Kafka."""
    lost = plan(named("second", topic_id=None), None, siblings=[named("first", made=EARLIER)])
    assert carried_out(lost, AWAY, "id-of-the-rival") == lost


def test_an_adoption_is_said_even_if_what_follows_fails() -> None:
    failed = carried_out(plan(topic(topic_id=None, partitions=6), seen()), AWAY)
    assert [event.reason for event in failed.events] == ["Adopted"]
    assert failed.status.topic_id == "id-1"
