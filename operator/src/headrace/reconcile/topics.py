"""One pass over all Topics of a Broker: however many there are, Kafka is asked a few times and told a few times."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from kafka.admin import KafkaAdminClient
from pydantic import ValidationError

from headrace.api.base import GROUP
from headrace.api.broker import Broker
from headrace.api.topic import Topic
from headrace.plan.outcome import settled
from headrace.plan.topic.deletion import must_know_its_readers, must_know_whether_empty
from headrace.plan.topic.planning import TopicPlan, carried_out, plan_topic
from headrace.plan.topic.situation import Broker as BrokerState
from headrace.plan.topic.situation import BrokerAway, BrokerDeleting, BrokerMissing, BrokerUp, Situation
from headrace.plan.trouble import Trouble
from headrace.world import events, kafka_topic_changes, kafka_topics, status
from headrace.world.kafka_cluster import Unanswered
from headrace.world.kafka_topics import Look
from headrace.world.kube import KubeError

from .world import World

log = logging.getLogger(__name__)

FINALIZER = f"{GROUP}/topic"
NOT_FOUND, CONFLICT, INVALID = 404, 409, 422


async def reconcile_topics(world: World, namespace: str, broker_name: str) -> float | None:
    """Seconds until the next look; None when the Broker has no Topics."""
    ours = [t for t in await _topics(world, namespace) if t.spec.broker == broker_name]
    if not ours:
        return None
    found = await world.kube.get("Broker", namespace, broker_name)
    broker = Broker.model_validate(found) if found else None
    state, look = await _look(world, broker, ours)
    namesakes: dict[str, list[Topic]] = {}
    for topic in ours:
        namesakes.setdefault(topic.kafka_name, []).append(topic)
    plans = [(t, plan_topic(_situation(world, t, state, look, namesakes[t.kafka_name]))) for t in ours]
    done = await _act(world, broker, plans)
    await asyncio.gather(*(_conclude(world, topic, plan) for topic, plan in done))
    return min(plan.requeue_after for _, plan in done)


async def _topics(world: World, namespace: str) -> list[Topic]:
    found, listed = [], await world.kube.list("Topic", namespace)
    world.hearing.there_are_only((m["metadata"]["uid"] for m in listed), f"Topic/{namespace}")
    for manifest in listed:
        world.hearing.listed(manifest["metadata"]["uid"], manifest["metadata"]["resourceVersion"])
        try:
            found.append(Topic.model_validate(manifest))
        except ValidationError as why:  # of a newer version of the API than ours, or the CRD is not ours
            log.error("Topic %s/%s is not understood: %s", namespace, manifest["metadata"]["name"], why)
    return found


async def _look(world: World, broker: Broker | None, topics: list[Topic]) -> tuple[BrokerState, Look | None]:
    if broker is None:
        return BrokerMissing(), None
    if broker.metadata.deletion_timestamp:
        return BrokerDeleting(), None
    going = [t for t in topics if t.metadata.deletion_timestamp]

    def ask(admin: KafkaAdminClient) -> tuple[Look, frozenset[str]]:
        look = kafka_topics.observe_topics(
            admin,
            [t.kafka_name for t in topics],
            emptiness_of=[t.kafka_name for t in going if must_know_whether_empty(t)],
            readers_of=[t.kafka_name for t in going if must_know_its_readers(t)],
        )
        return look, kafka_topics.topic_settings(admin)

    try:
        look, settings = await world.kafka.run(broker, ask)
    except Unanswered as why:
        said = f"Broker {broker.metadata.name} does not answer: {why}"
        return BrokerAway(Trouble("BrokerAway", said, retriable=True)), None
    leaving = (broker.status.replicas or 0) > broker.spec.replicas
    moves = look.moving or broker.status.moves is not None or leaving
    members = frozenset(range(broker.spec.replicas))
    return BrokerUp(members, look.live, settings, moves, own_moves=broker.status.moves is not None), look


def _situation(world: World, topic: Topic, state: BrokerState, look: Look | None, namesakes: list[Topic]) -> Situation:
    return Situation(
        topic=topic,
        broker=state,
        seen=look.topics.get(topic.kafka_name) if look else None,
        now=world.clock(),
        deleting=topic.metadata.deletion_timestamp is not None,
        siblings=tuple(namesakes),
    )


async def _act(
    world: World, broker: Broker | None, plans: Iterable[tuple[Topic, TopicPlan]]
) -> list[tuple[Topic, TopicPlan]]:
    """What is to be owned is marked first: a topic that must be deleted with its resource is not made without that."""
    for topic, plan in plans:
        going = topic.metadata.deletion_timestamp is not None  # then the API server takes no new finalizer
        if plan.finalizer and not going and FINALIZER not in topic.metadata.finalizers:
            await _set_finalizers(world, topic, (*topic.metadata.finalizers, FINALIZER))
    actions = [action for _, plan in plans for action in plan.actions]
    if not actions or broker is None:
        return [(topic, carried_out(plan)) for topic, plan in plans]
    log.info("%d changes to topics", len(actions), extra={"object": f"Broker/{broker.metadata.name}"})
    try:
        outcome = await world.kafka.run(broker, lambda admin: kafka_topic_changes.act_on_topics(admin, actions))
    except Unanswered as why:
        trouble = Trouble("BrokerAway", f"Broker {broker.metadata.name} does not answer: {why}", retriable=True)
        return [(topic, carried_out(plan, trouble if plan.actions else None)) for topic, plan in plans]
    return [
        (topic, carried_out(plan, outcome.troubles.get(topic.kafka_name), outcome.created.get(topic.kafka_name)))
        for topic, plan in plans
    ]


async def _conclude(world: World, topic: Topic, plan: TopicPlan) -> None:
    for event in plan.events:
        await events.record(world.kube, topic, event, world.clock())
    try:
        if plan.forget or (topic.metadata.deletion_timestamp and not plan.finalizer):
            if FINALIZER in topic.metadata.finalizers:
                await _set_finalizers(world, topic, tuple(f for f in topic.metadata.finalizers if f != FINALIZER))
            return
        generation = topic.metadata.generation
        conditions = settled(plan.findings, topic.status.conditions, generation, world.clock())
        update = {"conditions": conditions, "observed_generation": generation}
        await status.write(world.kube, topic, plan.status.model_copy(update=update))
    except KubeError as why:
        if why.status != NOT_FOUND:  # deleted while we looked at it
            raise


async def _set_finalizers(world: World, topic: Topic, finalizers: tuple[str, ...]) -> None:
    """One Topic that was changed or deleted while we looked at it is no reason to stop for the others."""
    meta = topic.metadata
    try:
        await world.kube.merge("Topic", meta.namespace, meta.name, {"metadata": {"finalizers": list(finalizers)}})
    except KubeError as why:
        if why.status not in (NOT_FOUND, CONFLICT, INVALID):
            raise
