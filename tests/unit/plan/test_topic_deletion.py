"""What becomes of the topic in Kafka when its resource is deleted. A resource never hangs; in doubt the topic stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from headrace.api.topic import Topic
from headrace.plan.outcome import SOON
from headrace.plan.topic.actions import DeleteTopic
from headrace.plan.topic.planning import TopicPlan, carried_out, plan_topic
from headrace.plan.topic.situation import (
    PATIENCE,
    Broker,
    BrokerAway,
    BrokerDeleting,
    BrokerMissing,
    TopicSeen,
)
from headrace.plan.trouble import Trouble
from topic_cases import AWAY, NOW, UP, seen, situation, topic

JUST_NOW = NOW - timedelta(seconds=1)
LONG_AGO = NOW - PATIENCE
REFUSED = Trouble("NotAuthorized", "Kafka refuses.", retriable=False)
DELETED = ("Normal", "Deleted")


def deleted(policy: str, since: Any = JUST_NOW, **different: Any) -> Topic:
    return topic(deleted=since, deletionPolicy=policy, **different)


def plan(
    of: Topic, what: TopicSeen | Trouble | None = None, broker: Broker = UP, siblings: Sequence[Topic] = ()
) -> TopicPlan:
    return plan_topic(situation(of, what, broker, siblings))


def said(made: TopicPlan) -> list[tuple[str, str]]:
    return [(event.type, event.reason) for event in carried_out(made).events]


GOES = {
    "Delete": (deleted("Delete"), seen()),
    "DeleteIfEmpty, and it is": (deleted("DeleteIfEmpty"), seen(empty=True)),
    "DeleteIfUnused, and it is": (deleted("DeleteIfUnused"), seen(readers=())),
}


@pytest.mark.parametrize(("of", "found"), GOES.values(), ids=GOES.keys())
def test_a_topic_is_deleted_by_its_id_and_then_the_resource_may_go(of: Topic, found: TopicSeen) -> None:
    made = plan(of, found)
    assert made.actions == (DeleteTopic("orders", "id-1"),)
    assert (said(made), carried_out(made).forget) == ([DELETED], True)


STAYS: dict[str, tuple[Topic, TopicSeen | Trouble | None, Broker, str, str]] = {
    "Retain": (deleted("Retain"), seen(), UP, "Retained", "was Retain"),
    "Retain, whatever the Broker does": (deleted("Retain"), None, BrokerAway(AWAY), "Retained", "was Retain"),
    "it is paused": (deleted("Delete", paused=True), seen(), UP, "Paused", "was paused when it was deleted"),
    "the Broker is missing": (deleted("Delete"), None, BrokerMissing(), "BrokerMissing", "nobody could look"),
    "the Broker goes too": (deleted("Delete"), None, BrokerDeleting(), "BrokerDeleting", "is being deleted too"),
    "the Broker has been away for too long": (
        deleted("Delete", LONG_AGO),
        None,
        BrokerAway(AWAY),
        "BrokerUnreachable",
        "Broker main does not answer.",
    ),
    "the Broker will not let us in": (deleted("Delete"), None, BrokerAway(REFUSED), "NotAuthorized", "Kafka refuses."),
    "Kafka does not show it": (deleted("Delete"), REFUSED, UP, "NotAuthorized", "Kafka refuses."),
    "it was made anew by somebody": (deleted("Delete"), seen(topic_id="id-2"), UP, "NotOurs", "is id-2 and was id-1"),
    "it was never taken over": (deleted("Delete", topic_id=None), seen(), UP, "NotOurs", "never got to take it over"),
    "it holds records": (deleted("DeleteIfEmpty"), seen(empty=False), UP, "NotEmpty", "it holds records"),
    "groups read it": (
        deleted("DeleteIfUnused"),
        seen(readers=("audit", "billing")),
        UP,
        "InUse",
        "consumer groups read it: audit and billing.",
    ),
    "nobody could find out whether it is empty": (
        deleted("DeleteIfEmpty", LONG_AGO),
        seen(empty=None),
        UP,
        "EmptyUnknown",
        "cannot be seen whether the topic is empty",
    ),
    "nobody could find out who reads it": (
        deleted("DeleteIfUnused", LONG_AGO),
        seen(readers=None),
        UP,
        "ReadersUnknown",
        "cannot be seen which consumer groups read it",
    ),
}


@pytest.mark.parametrize(("of", "found", "broker", "reason", "message"), STAYS.values(), ids=STAYS.keys())
def test_a_topic_stays_and_the_resource_may_go_if(
    of: Topic, found: TopicSeen | Trouble | None, broker: Broker, reason: str, message: str
) -> None:
    made = plan(of, found, broker)
    assert (made.actions, made.forget) == ((), True)
    (event,) = made.events
    assert event.reason == reason
    assert event.message.startswith("Topic orders and its records stay in Kafka of Broker main")
    assert message in event.message


def test_keeping_a_topic_is_a_warning_only_if_nobody_asked_for_it() -> None:
    assert said(plan(deleted("Retain"), seen())) == [("Normal", "Retained")]
    assert said(plan(deleted("DeleteIfEmpty"), seen(empty=False))) == [("Warning", "NotEmpty")]


def test_where_there_is_no_topic_the_resource_may_go() -> None:
    made = plan(deleted("Delete"), None)
    assert (made.actions, made.forget, said(made)) == ((), True, [("Normal", "Gone")])


@pytest.mark.parametrize("policy", ["Delete", "DeleteIfEmpty", "DeleteIfUnused"])
@pytest.mark.parametrize("age", [timedelta(days=-1), timedelta(days=1)], ids=["older", "younger"])
def test_a_topic_that_another_resource_declares_too_stays(policy: str, age: timedelta) -> None:
    rival = topic("other", made=NOW - timedelta(days=1) + age)
    rival = rival.model_copy(update={"spec": rival.spec.model_copy(update={"name": "orders"})})
    made = plan(deleted(policy), seen(empty=True, readers=()), siblings=[rival])
    assert (made.actions, made.forget, said(made)) == ((), True, [("Warning", "DeclaredTwice")])
    assert "Topic other declares it as well" in made.events[0].message


WAITS: dict[str, tuple[Topic, TopicSeen | Trouble | None, Broker, str]] = {
    "the Broker is away": (deleted("Delete"), None, BrokerAway(AWAY), "BrokerUnreachable"),
    "Kafka does not show it for now": (deleted("Delete"), AWAY, UP, "BrokerUnreachable"),
    "it is unknown whether it is empty": (deleted("DeleteIfEmpty"), seen(empty=None), UP, "EmptyUnknown"),
    "it is unknown who reads it": (deleted("DeleteIfUnused"), seen(readers=None), UP, "ReadersUnknown"),
}


@pytest.mark.parametrize(("of", "found", "broker", "reason"), WAITS.values(), ids=WAITS.keys())
def test_a_deletion_waits_and_says_how_to_end_the_wait_while(
    of: Topic, found: TopicSeen | Trouble | None, broker: Broker, reason: str
) -> None:
    made = plan(of, found, broker)
    assert (made.actions, made.events, made.forget, made.requeue_after) == ((), (), False, SOON)
    (finding,) = made.findings
    assert (finding.type, finding.status, finding.reason) == ("Ready", "False", reason)
    assert "set spec.deletionPolicy to Retain" in finding.message


@pytest.mark.parametrize(
    ("since", "trouble", "goes"),
    [(JUST_NOW, AWAY, False), (LONG_AGO, AWAY, True), (JUST_NOW, REFUSED, True)],
    ids=["tried again", "tried long enough", "refused for good"],
)
def test_a_deletion_that_fails_is(since: Any, trouble: Trouble, goes: bool) -> None:
    done = carried_out(plan(deleted("Delete", since), seen()), trouble)
    assert done.forget is goes
    assert [event.reason for event in done.events] == ([trouble.reason] if goes else [])
    assert all("left behind" in event.message for event in done.events)


def test_a_resource_without_a_time_of_deletion_can_be_deleted_too() -> None:
    """Without a finalizer it is gone at once, and all that is left is its last state."""
    gone = replace(situation(topic(), seen()), deleting=True)
    assert said(plan_topic(gone)) == [("Normal", "Retained")]
