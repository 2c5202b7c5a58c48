"""One pass over a Broker."""

from __future__ import annotations

import dataclasses
import logging

from headrace.api.broker import Broker
from headrace.plan import broker as plans
from headrace.plan.actions import Apply, BrokerAction, DeletePod, GrowClaim
from headrace.plan.look import Look
from headrace.plan.outcome import settled
from headrace.plan.seen import BrokerSeen
from headrace.world import events, kafka_cluster, observe, status
from headrace.world.kafka_cluster import Unanswered
from headrace.world.same import stamped

from .world import World

log = logging.getLogger(__name__)


async def reconcile_broker(world: World, namespace: str, name: str) -> float | None:
    """Seconds until the next look; None when there is nothing to look at."""
    found = await world.kube.get("Broker", namespace, name)
    if found is None or found["metadata"].get("deletionTimestamp"):
        # Its objects go with it, by their owner references; its claims stay.
        world.kafka.forget(namespace, name)
        return None
    world.hearing.listed(found["metadata"]["uid"], found["metadata"]["resourceVersion"])
    broker = Broker.model_validate(found)
    seen = await observe_broker(world, broker)
    plan = plans.plan(broker, seen, world.defaults)
    for action in plan.actions:
        log.info("%s", describe(action), extra={"object": f"Broker/{namespace}/{name}"})
        await act(world, broker, action)
    for event in plan.events:
        await events.record(world.kube, broker, event, world.clock())
    await write_status(world, broker, plan)
    return plan.requeue_after


async def observe_broker(world: World, broker: Broker) -> BrokerSeen:
    seen, objects = await observe.broker_objects(world.kube, broker)
    try:
        kafka = await world.kafka.run(
            broker,
            lambda admin: kafka_cluster.look(
                admin, lambda so_far: plans.needs_partitions(broker, dataclasses.replace(seen, kafka=so_far))
            ),
        )
        seen = dataclasses.replace(seen, kafka=kafka)
    except Unanswered as why:
        seen = dataclasses.replace(seen, kafka_error=str(why))
    wanted = plans.manifests(Look(broker, seen, world.defaults))
    return dataclasses.replace(seen, up_to_date=observe.up_to_date(wanted, objects))


async def act(world: World, broker: Broker, action: BrokerAction) -> None:
    namespace = broker.metadata.namespace
    match action:
        case Apply(manifest):
            await world.kube.apply(stamped(manifest))
        case DeletePod(name, uid):
            await world.kube.delete("Pod", namespace, name, uid)
        case GrowClaim(name, size):
            patch = {"spec": {"resources": {"requests": {"storage": size}}}}
            await world.kube.merge("PersistentVolumeClaim", namespace, name, patch)
        case _:
            await world.kafka.run(broker, lambda admin: kafka_cluster.act(admin, action))


async def write_status(world: World, broker: Broker, plan: plans.BrokerPlan) -> None:
    generation = broker.metadata.generation
    conditions = settled(plan.findings, broker.status.conditions, generation, world.clock())
    await status.write(
        world.kube,
        broker,
        plan.status.model_copy(update={"conditions": conditions, "observed_generation": generation}),
    )


def describe(action: BrokerAction) -> str:
    return f"apply {action.key}" if isinstance(action, Apply) else str(action)
