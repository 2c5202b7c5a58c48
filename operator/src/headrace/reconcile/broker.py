"""One pass over a Broker."""

from __future__ import annotations

import dataclasses
import logging

from headrace.api.broker import Broker
from headrace.plan import broker as plans
from headrace.plan.actions import Apply, BrokerAction, DeletePod, GrowClaim, key_of
from headrace.plan.look import Look
from headrace.plan.outcome import not_ready, settled
from headrace.plan.seen import BrokerSeen
from headrace.world import events, kafka_cluster, observe, status
from headrace.world.kafka_cluster import Unanswered
from headrace.world.kube import KubeError
from headrace.world.same import stamped

from .world import World

log = logging.getLogger(__name__)


async def reconcile_broker(world: World, namespace: str, name: str) -> float | None:
    """Seconds until the next look; None when there is nothing to look at."""
    found = await world.kube.get("Broker", namespace, name)
    if found is None or found["metadata"].get("deletionTimestamp"):
        # Its objects go with it, by their owner references; its claims stay.
        await world.kafka.forget(namespace, name)
        return None
    world.hearing.listed(found["metadata"]["uid"], found["metadata"]["resourceVersion"])
    broker = Broker.model_validate(found)
    try:
        seen, there = await observe_broker(world, broker)
        plan = plans.plan(broker, seen, world.defaults)
        failures = await act_all(world, broker, plan, there)
    except KubeError:  # the API server is away: there is nobody to write a status to
        raise
    except Exception as bug:
        said = f"{type(bug).__name__}: {bug}. This is a defect of the operator; its log has the rest."
        await write_status(world, broker, plans.BrokerPlan((), (not_ready("InternalError", said),), (), broker.status))
        raise
    plan = plans.after(plan, failures)
    for event in plan.events:
        if not any((c.reason, c.message) == (event.reason, event.message) for c in broker.status.conditions):
            await events.record(world.kube, broker, event, world.clock())
    await write_status(world, broker, plan)
    return plan.requeue_after


async def observe_broker(world: World, broker: Broker) -> tuple[BrokerSeen, frozenset[str]]:
    """What is there, and which of the Broker's objects that is, by kind and name."""
    seen, objects = await observe.broker_objects(world.kube, broker)
    try:
        kafka = await world.kafka.run(
            broker,
            lambda admin: kafka_cluster.look(
                admin, lambda so_far: plans.needs_partitions(broker, dataclasses.replace(seen, kafka=so_far))
            ),
        )
        expected = Look(broker, seen, world.defaults).cluster_id
        if kafka.cluster_id != expected:  # nodes of an earlier Broker of this name, on their way out
            raise Unanswered(f"another cluster answers: its id is {kafka.cluster_id}, not {expected}")
        seen = dataclasses.replace(seen, kafka=kafka)
    except Unanswered as why:
        seen = dataclasses.replace(seen, kafka_error=str(why))
    wanted = plans.manifests(Look(broker, seen, world.defaults))
    current = observe.up_to_date(wanted, objects)
    return dataclasses.replace(seen, up_to_date=current), frozenset(key_of(o) for o in objects)


async def act_all(
    world: World, broker: Broker, plan: plans.BrokerPlan, there: frozenset[str]
) -> list[tuple[BrokerAction, str]]:
    """What could not be done, and why. One that fails does not keep the others from being tried."""
    failures = []
    for action in plan.actions:
        log.info("%s", describe(action), extra={"object": f"Broker/{broker.metadata.namespace}/{broker.metadata.name}"})
        try:
            if isinstance(action, Apply) and action.key not in there:
                await _refuse_what_is_not_ours(world, broker, action)
            await act(world, broker, action)
        except (KubeError, Unanswered) as why:
            log.warning("%s failed: %s", describe(action), why)
            failures.append((action, str(why)))
    return failures


async def _refuse_what_is_not_ours(world: World, broker: Broker, action: Apply) -> None:
    """What somebody else made under a name that we need would become ours, and be deleted with the Broker."""
    kind, name = action.key.split("/")
    taken = await world.kube.get(kind, broker.metadata.namespace, name)
    if taken and broker.metadata.uid not in [o["uid"] for o in taken["metadata"].get("ownerReferences", [])]:
        raise KubeError(409, f"a {kind} {name} is there that is not of this Broker: delete it, or rename the Broker")


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
    return f"Apply({action.key})" if isinstance(action, Apply) else str(action)
