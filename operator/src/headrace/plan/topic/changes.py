"""What must be done in Kafka so that a topic becomes what its resource asks for. In this order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..outcome import Event
from ..placement import moves
from ..words import counted, listed
from .actions import CreateTopic, GrowPartitions, MoveReplicas, SetTopicConfigs, TopicAction
from .config import MIN_IN_SYNC, THROTTLES, Difference, difference, wanted_configs
from .situation import Situation, TopicSeen


@dataclass(frozen=True)
class Change:
    """One thing to do, why the topic is not ready until it is done, and what to say then."""

    action: TopicAction
    reason: str
    message: str
    event: Event


def changes_for(situation: Situation) -> tuple[Change, ...]:
    """Presumes that nothing is in the way: that the Broker is up, and the spec can be met on it."""
    if situation.seen is None:
        return (it_must_be_made(situation),)
    return tuple(change for look in CHANGES if (change := look(situation)))


def it_must_be_made(it: Situation) -> Change:
    spec, known = it.topic.spec, it.topic.status.topic_id
    made = f"{counted(spec.partitions, 'partition')} and {counted(it.replicas, 'replica')} of each"
    return Change(
        CreateTopic(it.name, spec.partitions, it.replicas, wanted_configs(spec, len(it.up.members))),
        "Creating",
        f"{it.called} is being made, with {made}.",
        Event(
            "Warning",
            "Vanished",
            f"Somebody deleted topic {it.name} in Kafka, which had the id {known}. Its records are gone; "
            f"an empty one was made in its place, with {made}.",
        )
        if known
        else Event("Normal", "Created", f"Made topic {it.name} in Kafka, with {made}."),
    )


def settings_differ(it: Situation) -> Change | None:
    """Before replicas are moved: fewer replicas than min.insync.replicas could take no writes."""
    found = it.found.configs
    wanted = wanted_configs(it.topic.spec, len(it.up.members))
    differing = difference(wanted, found, leave=_settings_to_leave(it, wanted))
    if not differing:
        return None
    said = _said(differing, it.found)
    return Change(
        SetTopicConfigs(it.name, differing.set, differing.unset),
        "Configuring",
        f"{it.called}: settings in Kafka differ from the spec: {said}.",
        Event("Normal", "Configured", f"Settings of topic {it.name} in Kafka are as the spec says again: {said}."),
    )


def partitions_are_missing(it: Situation) -> Change | None:
    found, asked = len(it.found.partitions), it.topic.spec.partitions
    if found >= asked:
        return None
    return Change(
        GrowPartitions(it.name, asked),
        "Growing",
        f"{it.called}: it grows from {found} to {counted(asked, 'partition')}.",
        Event(
            "Normal",
            "Grown",
            f"Topic {it.name} has grown from {found} to {counted(asked, 'partition')}. Records that are already there "
            "stay where they are; new ones of the same key may go to another partition.",
        ),
    )


def replicas_are_too_many_or_too_few(it: Situation) -> Change | None:
    replicas = moves(it.found.partitions, it.replicas, it.up.members, it.up.live)
    if it.up.own_moves:
        # Two who begin to move the same replicas would undo each other's work. A move that is under way can be turned,
        # or one that cannot end, because its target is away, could not be taken back.
        replicas = {p.id: replicas[p.id] for p in it.found.moving if p.id in replicas}
    if not replicas:
        return None
    what = f"to {counted(it.replicas, 'replica')}: {len(replicas)} of {counted(len(it.found.partitions), 'partition')}"
    return Change(
        MoveReplicas(it.name, replicas),
        "MovingReplicas",
        f"{it.called} is to be moved {what}.",
        Event("Normal", "MovingReplicas", f"Began to move topic {it.name} {what}."),
    )


CHANGES: tuple[Callable[[Situation], Change | None], ...] = (
    settings_differ,
    partitions_are_missing,
    replicas_are_too_many_or_too_few,
)


def _settings_to_leave(it: Situation, wanted: dict[str, str]) -> tuple[str, ...]:
    throttled = THROTTLES if it.found.moving or it.up.moves_under_way else ()
    # Raised only when every partition has so many replicas: until they have been copied, nothing could be written.
    must, may = int(wanted[MIN_IN_SYNC]), min((len(p.settled) for p in it.found.partitions), default=0)
    too_early = must > may and must > int(it.found.configs.get(MIN_IN_SYNC, 0))
    return (*throttled, *((MIN_IN_SYNC,) if too_early else ()))


def _said(differing: Difference, seen: TopicSeen) -> str:
    return listed(
        (
            *(f"{key} to {value}" + _was(key, seen) for key, value in differing.set.items()),
            *(f"{key} to the Broker's" + _was(key, seen) for key in differing.unset),
        ),
        at_most=10,
    )


def _was(key: str, seen: TopicSeen) -> str:
    return f" (was {seen.configs[key]})" if key in seen.configs else ""
