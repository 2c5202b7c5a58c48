"""What should happen to a Broker, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from headrace.api.broker import Broker, BrokerStatus, MovesStatus, RollStatus
from headrace.api.quantity import amount, parse_size
from headrace.objects import broker as objects
from headrace.objects import names
from headrace.objects.names import BROKERS
from headrace.objects.node import dynamic
from headrace.objects.statefulset import role_sizes, stateful_set, storage_size

from . import moves, rolling
from .actions import (
    Apply,
    BrokerAction,
    DeletePod,
    EndThrottle,
    GrowClaim,
    MoveReplicas,
    RaiseMetadataVersion,
    SetClusterConfigs,
    UnregisterBroker,
)
from .broker_status import readiness, status
from .look import Defaults, Look
from .outcome import LATER, SOON, Event, Finding, not_ready
from .refusals import REFUSALS
from .seen import BrokerSeen

# Dynamic settings that slow moves down while there are any; not part of what a Broker's spec says.
THROTTLES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")

# What does not change until somebody changes it.
AFTER_A_FAILURE = 10.0  # seconds
FOR_A_PERSON = frozenset({"ScaleInRefused", "ClassCannotGrow"})


@dataclass(frozen=True)
class BrokerPlan:
    actions: tuple[BrokerAction, ...] = ()
    findings: tuple[Finding, ...] = ()
    events: tuple[Event, ...] = ()
    status: BrokerStatus = field(default_factory=BrokerStatus)
    requeue_after: float = LATER


def needs_partitions(broker: Broker, seen: BrokerSeen) -> bool:
    """Whether a plan will ask about every partition: only for moves and restarts, because looking is dear."""
    look = Look(broker, seen, Defaults("", ""))
    known = {n.id for n in broker.status.nodes if n.ready}
    came = look.serving - known  # a node that was not there a while ago may hold nothing yet
    if look.outdated or look.leaving or came or broker.status.moves:
        return True
    kafka = seen.kafka
    if kafka is None:
        return False
    gone = any(n >= broker.spec.replicas for n in kafka.fenced)
    return bool(kafka.moving or gone or kafka.dynamic.keys() & set(THROTTLES))


def plan(broker: Broker, seen: BrokerSeen, defaults: Defaults) -> BrokerPlan:
    look = Look(broker, seen, defaults)
    if broker.metadata.paused:
        said = Finding(
            "Paused", "True", "Annotation", "Nothing is changed: the annotation headrace.dev/paused says so."
        )
        return BrokerPlan(findings=(readiness(look), said), status=status(look))
    for refuse in REFUSALS:
        if said_no := refuse(look):
            event = Event("Warning", said_no.reason, said_no.message)
            return BrokerPlan(findings=(said_no,), events=(event,), status=status(look))
    steps = [step(look) for step in STEPS]
    merged = _merged(steps)
    found = merged.findings if any(f.type == "Ready" for f in merged.findings) else (*merged.findings, readiness(look))
    waiting = any(f.status == "False" and f.reason not in FOR_A_PERSON for f in found)
    busy = merged.actions or waiting or merged.status.roll or merged.status.moves
    return replace(merged, findings=found, requeue_after=SOON if busy else LATER)


def after(planned: BrokerPlan, failures: Sequence[tuple[BrokerAction, str]]) -> BrokerPlan:
    """The plan once it was tried: what failed is said in place of what would have been."""
    if not failures:
        return planned
    told = "; ".join(f"{_in_words(action)}: {why}" for action, why in failures[:3])
    said = not_ready("ActionFailed", f"This could not be done and is tried again: {told}")
    findings = (said, *(f for f in planned.findings if f.type != "Ready"))
    events = (Event("Warning", said.reason, said.message),)
    return replace(planned, findings=findings, events=events, requeue_after=AFTER_A_FAILURE)


def _in_words(action: BrokerAction) -> str:
    match action:
        case Apply():
            return f"apply {action.key}"
        case SetClusterConfigs(wanted, unwanted):
            return f"set {', '.join([*wanted, *unwanted])}"
        case _:
            return type(action).__name__


def _merged(steps: list[BrokerPlan]) -> BrokerPlan:
    """All that the steps want. The status is what the look says, with what each step adds to it."""
    whole = steps[0]
    for step in steps[1:]:
        added = {name: getattr(step.status, name) for name in step.status.model_fields_set}
        whole = BrokerPlan(
            whole.actions + step.actions,
            whole.findings + step.findings,
            whole.events + step.events,
            whole.status.model_copy(update=added),
        )
    return whole


def _objects(look: Look) -> BrokerPlan:
    """The Kubernetes objects, in the order in which they need each other."""
    wanted = _pods_wanted(look)
    actions = tuple(Apply(m) for m in manifests(look))
    stale = tuple(a for a in actions if a.key not in look.seen.up_to_date)
    events = []
    if BROKERS not in look.seen.sets:
        taken_up = bool(look.seen.claims)
        said = "takes up the data that its claims hold" if taken_up else f"{wanted} nodes are made"
        events.append(
            Event("Normal", "TakenUp" if taken_up else "Creating", f"Broker {look.broker.metadata.name}: {said}.")
        )
    elif wanted != look.pods_now:
        grows = wanted > look.pods_now
        events.append(Event("Normal", "ScaledOut" if grows else "ScaledIn", f"From {look.pods_now} nodes to {wanted}."))
    return BrokerPlan(stale, events=tuple(events), status=status(look))


def _pods_wanted(look: Look) -> int:
    """New nodes at once; old ones go when they hold nothing any more."""
    if look.leaving and not _is_empty(look):
        return look.pods_now
    return look.broker.spec.replicas


def manifests(look: Look) -> list[dict[str, Any]]:
    """All Kubernetes objects of a Broker, in the order in which they need each other."""
    broker, image, brokers = look.broker, look.broker.spec.image or look.defaults.image, _pods_wanted(look)
    sets = [
        stateful_set(broker, role, replicas, image, look.cluster_id, held.claim_size if held else None)
        for role, replicas in role_sizes(broker, brokers).items()
        for held in [look.seen.sets.get(role)]
    ]
    return [
        objects.config_map(broker, look.cluster_id, look.founded, max(brokers, look.pods_now)),
        objects.nodes_service(broker),
        objects.bootstrap_service(broker),
        *objects.disruption_budgets(broker),
        *sets,
    ]


def _claims(look: Look) -> BrokerPlan:
    """Volumes grow when the spec asks for it and their class can."""
    grown = list[GrowClaim]()
    stuck = list[GrowClaim]()
    for role in role_sizes(look.broker, 0):
        wanted = storage_size(look.broker, role)
        prefix = f"data-{names.set_name(look.broker.metadata.name, role)}-"
        for claim in look.seen.claims:
            if claim.name.startswith(prefix) and amount(claim.size) < amount(wanted):
                (grown if claim.can_grow else stuck).append(GrowClaim(claim.name, wanted))
    if not stuck:
        return BrokerPlan(tuple(grown))
    message = (
        f"Broker {look.broker.metadata.name}: spec.storage asks for volumes of {stuck[0].size}, but the class "
        f"of {stuck[0].name} does not allow volumes to grow (allowVolumeExpansion). The nodes keep what they have."
    )
    return BrokerPlan(tuple(grown), (Finding("StorageGrown", "False", "ClassCannotGrow", message),))


def _configs(look: Look) -> BrokerPlan:
    """Settings that a running cluster takes up without a restart."""
    kafka = look.seen.kafka
    if kafka is None:
        return BrokerPlan()
    wanted = dynamic(look.broker.spec)
    changed = {k: v for k, v in wanted.items() if kafka.dynamic.get(k) != v}
    stray = frozenset(kafka.dynamic.keys() - wanted.keys() - set(THROTTLES))
    if not changed and not stray:
        return BrokerPlan()
    what = ", ".join(sorted([*changed, *stray]))
    event = Event("Normal", "ConfigChanged", f"Without a restart: {what}.")
    return BrokerPlan((SetClusterConfigs(changed, stray),), events=(event,))


def _moves(look: Look) -> BrokerPlan:
    """Replicas off nodes that leave, and onto nodes that came."""
    kafka = look.seen.kafka
    if kafka is None or kafka.partitions is None:
        return BrokerPlan()
    staying = sorted(n for n in kafka.live if n < look.broker.spec.replicas)
    under_way = look.broker.status.moves
    if kafka.moving:
        total = max(kafka.moving, under_way.partitions if under_way else 0)
        reason = under_way.reason if under_way else "Unknown"
        progress = MovesStatus(reason=reason, partitions=total, remaining=kafka.moving)
        return BrokerPlan(status=BrokerStatus(moves=progress))
    throttled = any(k in kafka.dynamic for k in THROTTLES)
    ended: tuple[BrokerAction, ...] = (EndThrottle(),) if throttled else ()
    try:
        # Not only off those that still run: a replica may have been put on one while it went.
        beyond = frozenset(r for p in kafka.partitions for r in p.replicas if r >= look.broker.spec.replicas)
        wanted = moves.off(kafka.partitions, beyond, staying) or moves.onto_empty(kafka.partitions, staying)
    except moves.TooFewNodes as why:
        said = f"Broker {look.broker.metadata.name} cannot shrink to {look.broker.spec.replicas} nodes: {why}. "
        advice = "Set spec.replicas back, or lower the replicas of that Topic first."
        return BrokerPlan(
            ended, (not_ready("ScaleInRefused", said + advice),), (Event("Warning", "ScaleInRefused", said + advice),)
        )
    if not wanted:
        done = (Event("Normal", "MovesDone", "All replicas are where they belong."),) if throttled else ()
        return BrokerPlan(ended, events=done)
    reason = "ScaleIn" if beyond else "ScaleOut"
    count = len(wanted)
    throttle = parse_size(look.broker.spec.rebalance.throttle)
    event = Event(
        "Normal", "MovesStarted", f"{reason}: replicas of {count} partitions move, throttled to {throttle} B/s."
    )
    progress = MovesStatus(reason=reason, partitions=count, remaining=count)
    return BrokerPlan((MoveReplicas(wanted, throttle),), events=(event,), status=BrokerStatus(moves=progress))


def _is_empty(look: Look) -> bool:
    """Whether the nodes that leave hold nothing any more, and nothing is on its way."""
    kafka = look.seen.kafka
    if kafka is None or kafka.partitions is None or kafka.moving:
        return False
    return not any(set(p.replicas) & look.leaving for p in kafka.partitions)


def _gone(look: Look) -> BrokerPlan:
    """Brokers whose pods are gone for good are forgotten by Kafka too."""
    kafka = look.seen.kafka
    if kafka is None or kafka.partitions is None or look.leaving or not look.pods_now:
        return BrokerPlan()
    held = {r for p in kafka.partitions for r in p.replicas}
    beyond = sorted(n for n in kafka.fenced - held if look.pods_now <= n < names.CONTROLLER_IDS)
    name = names.set_name(look.broker.metadata.name, BROKERS)
    return BrokerPlan(tuple(UnregisterBroker(n) for n in beyond if f"{name}-{n}" not in look.seen.pods))


def _sets_are_current(look: Look) -> bool:
    """If not, they are written in this pass, and which pods are outdated shows in the next."""
    written = {f"StatefulSet/{names.set_name(look.broker.metadata.name, r)}" for r in role_sizes(look.broker, 0)}
    return written <= look.seen.up_to_date


def _roll(look: Look) -> BrokerPlan:
    """Restart what runs with an older template, one node at a time."""
    if look.leaving or not _sets_are_current(look):
        return BrokerPlan()
    pods = dict(look.seen.pods)
    now = rolling.Situation(look.nodes, pods, look.outdated, look.seen.kafka, look.seen.kafka_error)
    match rolling.next_restart(now):
        case None:
            return BrokerPlan()
        case rolling.Hold(reason, message, remaining):
            held = Finding(
                "Rolling", "True", reason, f"{message} {remaining} of {len(look.nodes)} nodes are to restart."
            )
            known = look.broker.status.roll
            progress = RollStatus(node=known.node if known else look.outdated[0].id, reason=reason, remaining=remaining)
            return BrokerPlan(findings=(held,), status=BrokerStatus(roll=progress))
        case rolling.Restart(node, pod, remaining):
            why = "its configuration, image or resources changed"
            event = Event(
                "Normal", "RestartingNode", f"Node {node.id} restarts, because {why}; {remaining - 1} after it."
            )
            found = Finding("Rolling", "True", "RestartingNode", f"Node {node.id} restarts, {remaining - 1} after it.")
            progress = RollStatus(node=node.id, reason=why, remaining=remaining)
            return BrokerPlan((DeletePod(pod.name, pod.uid),), (found,), (event,), BrokerStatus(roll=progress))


def _metadata(look: Look) -> BrokerPlan:
    """The cluster's metadata is raised when all nodes run the new version: from then on there is no way back."""
    kafka = look.seen.kafka
    if (
        kafka is None
        or not _sets_are_current(look)
        or look.outdated
        or not look.serving.issuperset(n.id for n in look.nodes)
    ):
        return BrokerPlan()
    if kafka.metadata_version >= kafka.metadata_version_supported:
        return BrokerPlan()
    said = (
        f"metadata.version from {kafka.metadata_version} to {kafka.metadata_version_supported}: all nodes support it."
    )
    return BrokerPlan(
        (RaiseMetadataVersion(kafka.metadata_version_supported),), events=(Event("Normal", "MetadataRaised", said),)
    )


STEPS: tuple[Callable[[Look], BrokerPlan], ...] = (_objects, _claims, _configs, _moves, _gone, _roll, _metadata)
