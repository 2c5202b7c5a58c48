"""What becomes of a topic in Kafka when its resource is deleted.

A resource never hangs: whatever is in the way of deleting the topic, it is waited for only so long, and then the topic
is left in Kafka and an Event says so. In doubt the topic stays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headrace.api.topic import Topic

from ..outcome import Event, Finding, not_ready
from ..trouble import Trouble
from ..words import listed
from .actions import DeleteTopic
from .changes import Change
from .situation import BrokerAway, BrokerDeleting, BrokerMissing, Situation


@dataclass(frozen=True)
class Kept:
    """The topic stays in Kafka, or there is none, and the resource may go."""

    event: Event


@dataclass(frozen=True)
class Waiting:
    finding: Finding


Fate = Kept | Waiting | Change


def must_know_whether_empty(topic: Topic) -> bool:
    """Whether a topic that is being deleted has to be looked into first, which costs requests of its own."""
    return topic.spec.deletion_policy == "DeleteIfEmpty"


def must_know_its_readers(topic: Topic) -> bool:
    return topic.spec.deletion_policy == "DeleteIfUnused"


def what_becomes_of_it(situation: Situation) -> Fate:
    return next((fate for check in FATES if (fate := check(situation))), None) or it_is_deleted(situation)


def it_is_retained(it: Situation) -> Fate | None:
    if it.topic.spec.deletion_policy != "Retain":
        return None
    return Kept(Event("Normal", "Retained", f"{_stays(it)}, because spec.deletionPolicy of {it.called} was Retain."))


def it_is_paused(it: Situation) -> Fate | None:
    if not it.topic.metadata.paused:
        return None
    return _kept("Paused", f"{_stays(it)}, because {it.called} was paused when it was deleted.")


def its_broker_is_gone(it: Situation) -> Fate | None:
    if not isinstance(it.broker, BrokerMissing):
        return None
    return _kept("BrokerMissing", f"{_stays(it)}, if there is still one: the Broker is gone, so nobody could look.")


def its_broker_is_going(it: Situation) -> Fate | None:
    if not isinstance(it.broker, BrokerDeleting):
        return None
    return _kept("BrokerDeleting", f"{_stays(it)}, because the Broker is being deleted too.")


def another_topic_declares_it_too(it: Situation) -> Fate | None:
    if not it.rivals:
        return None
    return _kept("DeclaredTwice", f"{_stays(it)}, because Topic {it.rivals[0].metadata.name} declares it as well.")


def its_broker_is_away(it: Situation) -> Fate | None:
    return _patiently(it, it.broker.trouble) if isinstance(it.broker, BrokerAway) else None


def kafka_does_not_show_it(it: Situation) -> Fate | None:
    return _patiently(it, it.seen) if isinstance(it.seen, Trouble) else None


def there_is_none(it: Situation) -> Fate | None:
    if it.seen is not None:
        return None
    return Kept(Event("Normal", "Gone", f"Kafka of Broker {it.topic.spec.broker} has no topic {it.name} to delete."))


def it_is_not_the_one_we_knew(it: Situation) -> Fate | None:
    """Neither made nor taken over by the operator, so its records are not ours to delete."""
    seen, known = it.found, it.topic.status.topic_id
    if seen.topic_id == known:
        return None
    what = f"its id is {seen.topic_id} and was {known}" if known else "the operator never got to take it over"
    return _kept("NotOurs", f"{_stays(it)}, because it is not the one that {it.called} was about: {what}.")


def it_may_hold_records(it: Situation) -> Fate | None:
    if not must_know_whether_empty(it.topic):
        return None
    if it.found.empty is None:
        return _patiently(it, Trouble("EmptyUnknown", "it cannot be seen whether the topic is empty.", True))
    if it.found.empty:
        return None
    return _kept("NotEmpty", f"{_stays(it)}, because it holds records and spec.deletionPolicy was DeleteIfEmpty.")


def somebody_may_read_it(it: Situation) -> Fate | None:
    if not must_know_its_readers(it.topic):
        return None
    readers = it.found.readers
    if readers is None:
        return _patiently(it, Trouble("ReadersUnknown", "it cannot be seen which consumer groups read it.", True))
    if not readers:
        return None
    return _kept(
        "InUse",
        f"{_stays(it)}, because spec.deletionPolicy was DeleteIfUnused and consumer groups read it: {listed(readers)}.",
    )


def it_is_deleted(it: Situation) -> Change:
    return Change(
        DeleteTopic(it.name, it.found.topic_id),
        "Deleting",
        f"{it.called}: the topic in Kafka and its records are being deleted.",
        Event("Normal", "Deleted", f"Deleted topic {it.name} and its records from Broker {it.topic.spec.broker}."),
    )


FATES: tuple[Callable[[Situation], Fate | None], ...] = (
    it_is_retained,
    it_is_paused,
    its_broker_is_gone,
    its_broker_is_going,
    another_topic_declares_it_too,
    its_broker_is_away,
    kafka_does_not_show_it,
    there_is_none,
    # From here on there is a topic to be seen.
    it_is_not_the_one_we_knew,
    it_may_hold_records,
    somebody_may_read_it,
)


def _stays(it: Situation) -> str:
    return f"Topic {it.name} and its records stay in Kafka of Broker {it.topic.spec.broker}"


def _kept(reason: str, message: str) -> Kept:
    return Kept(Event("Warning", reason, message))


def _patiently(it: Situation, trouble: Trouble) -> Fate:
    """Wait for the end of the trouble, but not for ever."""
    if it.has_waited_long_enough or not trouble.retriable:
        return _kept(trouble.reason, f"{_stays(it)}, because {it.called} could not be looked after: {trouble.message}")
    return Waiting(
        not_ready(
            trouble.reason,
            f"{it.called} is being deleted and waits, because spec.deletionPolicy is {it.topic.spec.deletion_policy}: "
            f"{trouble.message} To let the resource go and keep the topic, set spec.deletionPolicy to Retain.",
        )
    )
