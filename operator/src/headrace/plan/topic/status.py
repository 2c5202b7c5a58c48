"""What is shown of a topic in the status of its resource, and said once."""

from __future__ import annotations

from headrace.api.quantity import spell_size
from headrace.api.topic import TopicStatus

from ..outcome import Event
from ..words import counted
from .config import MIN_IN_SYNC
from .situation import BrokerUp, Situation, TopicSeen


def status_of(situation: Situation, adopt: bool) -> TopicStatus:
    """Without conditions. What could not be seen stays as it was; `adopt` makes the topic that was seen ours."""
    before = situation.topic.status
    generation = situation.topic.metadata.generation
    match situation.seen:
        case TopicSeen() as seen:
            size = before.size_bytes if seen.size_bytes is None else seen.size_bytes
            return TopicStatus(
                observed_generation=generation,
                topic_id=seen.topic_id if adopt else before.topic_id,
                topic_name=situation.name,
                partitions=len(seen.partitions),
                replicas=min((len(p.settled) for p in seen.partitions), default=None),
                min_in_sync=int(seen.configs[MIN_IN_SYNC]) if MIN_IN_SYNC in seen.configs else None,
                under_replicated=len(seen.under_replicated),
                offline=len(seen.offline),
                moving=len(seen.moving),
                size_bytes=size,
                size=None if size is None else spell_size(size),
            )
        case None if isinstance(situation.broker, BrokerUp):
            return TopicStatus(observed_generation=generation, topic_id=before.topic_id, topic_name=situation.name)
        case _:
            seen_last = {"observed_generation": generation, "topic_name": situation.name, "conditions": ()}
            return before.model_copy(update=seen_last)


def news(situation: Situation) -> tuple[Event, ...]:
    """What a person would want to know about the topic that was seen, when it is seen first."""
    seen, known = situation.seen, situation.topic.status.topic_id
    if not isinstance(seen, TopicSeen) or seen.topic_id == known:
        return ()
    if known is None:
        return (
            Event(
                "Normal",
                "Adopted",
                f"Kafka already had a topic {seen.name}, with {counted(len(seen.partitions), 'partition')} and the id "
                f"{seen.topic_id}. From now on {situation.called} decides about it.",
            ),
        )
    return (Event("Warning", "Recreated", recreated(seen, known)),)


def recreated(seen: TopicSeen, known: str) -> str:
    return (
        f"Somebody deleted topic {seen.name} in Kafka and made it anew: its id is {seen.topic_id} and was {known}. "
        "Records from before are gone, and offsets that consumers committed may point nowhere."
    )
