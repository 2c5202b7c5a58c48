"""What keeps a Topic from being acted on at all. The first that applies is what its condition says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from ..outcome import Finding, not_ready
from ..trouble import Trouble
from ..words import counted, listed
from .situation import BrokerAway, BrokerDeleting, BrokerMissing, Situation, seniority


@dataclass(frozen=True)
class Obstacle:
    finding: Finding
    may_end_by_itself: bool  # and nobody will tell us


def obstacle_for(situation: Situation) -> Obstacle | None:
    return next((obstacle for check in OBSTACLES if (obstacle := check(situation))), None)


def another_topic_was_first(it: Situation) -> Obstacle | None:
    older = [rival for rival in it.rivals if seniority(rival) < seniority(it.topic)]
    if not older:
        return None
    return _a_person_must_act(
        "Conflict",
        f"{it.called} is for the same topic of Broker {it.topic.spec.broker} as Topic {older[0].metadata.name}, which "
        "is older and decides about it. Delete one of them, or make this one anew with another spec.name.",
    )


def the_broker_is_missing(it: Situation) -> Obstacle | None:
    if not isinstance(it.broker, BrokerMissing):
        return None
    return _a_person_must_act(
        "BrokerMissing",
        f"{it.called}: spec.broker is {it.topic.spec.broker}, and namespace {it.topic.metadata.namespace} has no such "
        "Broker. Make it, or make this Topic anew for another one.",
    )


def the_broker_is_being_deleted(it: Situation) -> Obstacle | None:
    if not isinstance(it.broker, BrokerDeleting):
        return None
    return _a_person_must_act(
        "BrokerDeleting",
        f"{it.called}: Broker {it.topic.spec.broker} is being deleted, so nothing is done on it any more. "
        "Delete this Topic too, or wait and make the Broker anew.",
    )


def the_broker_is_away(it: Situation) -> Obstacle | None:
    return _from(it, it.broker.trouble) if isinstance(it.broker, BrokerAway) else None


def kafka_does_not_show_it(it: Situation) -> Obstacle | None:
    return _from(it, it.seen) if isinstance(it.seen, Trouble) else None


def a_setting_is_unknown(it: Situation) -> Obstacle | None:
    unknown = sorted(it.topic.spec.config.keys() - it.up.topic_settings)
    if not unknown:
        return None
    known = sorted(it.up.topic_settings)
    near = {key: get_close_matches(key, known, n=1) for key in unknown}
    return _a_person_must_act(
        "UnknownConfig",
        f"{it.called}: spec.config has "
        + listed(f"{key} (did you mean {near[key][0]}?)" if near[key] else key for key in unknown)
        + f", which Kafka on Broker {it.topic.spec.broker} does not know as a topic's setting. "
        "Correct or remove it; until then nothing is changed.",
    )


def there_are_fewer_nodes_than_replicas(it: Situation) -> Obstacle | None:
    if it.replicas <= len(it.up.members):
        return None
    return _a_person_must_act(
        "TooFewNodes",
        f"{it.called}: spec.replicas is {it.replicas}, and Broker {it.topic.spec.broker} has "
        f"{counted(len(it.up.members), 'node')}. Lower it, or raise spec.replicas of the Broker; until then "
        "nothing is changed.",
    )


def more_must_be_in_sync_than_there_are(it: Situation) -> Obstacle | None:
    if it.min_in_sync <= it.replicas:
        return None
    return _a_person_must_act(
        "MinInSyncTooHigh",
        f"{it.called}: spec.minInSync is {it.min_in_sync}, and it is to have {counted(it.replicas, 'replica')}, "
        f"because spec.replicas is not set and Broker {it.topic.spec.broker} has so many nodes. Nothing could be "
        "written: lower it; until then nothing is changed.",
    )


def too_few_nodes_serve_to_make_it(it: Situation) -> Obstacle | None:
    serving = len(it.up.live & it.up.members)
    if it.seen is not None or it.replicas <= serving:
        return None
    return Obstacle(
        not_ready(
            "NodesAway",
            f"{it.called} is to have {counted(it.replicas, 'replica')}, and {serving} of "
            f"{counted(len(it.up.members), 'node')} of Broker {it.topic.spec.broker} serve now. "
            "It is made when there are enough.",
        ),
        may_end_by_itself=True,
    )


OBSTACLES: tuple[Callable[[Situation], Obstacle | None], ...] = (
    another_topic_was_first,
    the_broker_is_missing,
    the_broker_is_being_deleted,
    the_broker_is_away,
    kafka_does_not_show_it,
    # From here on the Broker is up.
    a_setting_is_unknown,
    there_are_fewer_nodes_than_replicas,
    more_must_be_in_sync_than_there_are,
    too_few_nodes_serve_to_make_it,
)


def _a_person_must_act(reason: str, message: str) -> Obstacle:
    return Obstacle(not_ready(reason, message), may_end_by_itself=False)


def _from(it: Situation, trouble: Trouble) -> Obstacle:
    return Obstacle(not_ready(trouble.reason, f"{it.called}: {trouble.message}"), trouble.retriable)
