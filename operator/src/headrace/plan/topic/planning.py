"""The plan for one Topic, and what becomes of it when it is carried out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from headrace.api.base import PAUSED_ANNOTATION
from headrace.api.topic import TopicStatus

from ..outcome import LATER, SOON, Event, Finding, not_ready
from ..trouble import Trouble
from .actions import TopicAction
from .changes import changes_for
from .deletion import Kept, Waiting, what_becomes_of_it
from .obstacles import obstacle_for
from .readiness import needs_watching, readiness
from .situation import Situation
from .status import news, status_of


@dataclass(frozen=True)
class TopicPlan:
    actions: tuple[TopicAction, ...]  # in this order; one that fails ends it
    findings: tuple[Finding, ...]
    events: tuple[Event, ...]  # to be said in any case
    events_when_done: tuple[Event, ...]  # to be said if every action succeeds
    status: TopicStatus  # without conditions: these are `findings`, once it is known since when they hold
    requeue_after: float  # seconds
    finalizer: bool  # whether the resource shall carry our finalizer
    forget: bool = False  # the resource may go, if every action succeeds
    forget_anyway: bool = False  # it may go even if they do not: it has waited long enough


def plan_topic(situation: Situation) -> TopicPlan:
    """What to do, what to say, and when to look again."""
    if situation.deleting:
        return _deletion(situation)
    return _paused(situation) if situation.topic.metadata.paused else _active(situation)


def carried_out(plan: TopicPlan, trouble: Trouble | None = None, topic_id: str | None = None) -> TopicPlan:
    """The plan once its actions, if it has any, were tried: what to say, to write and to do next.

    `trouble` is what stopped them; `topic_id` is the one that Kafka gave to a topic that they made. Both may be of
    another Topic for the same topic in Kafka, so a plan without actions has no part in them.
    """
    if not plan.actions:
        trouble = topic_id = None
    if trouble is None:
        return replace(
            plan,
            actions=(),
            events=plan.events + plan.events_when_done,
            events_when_done=(),
            status=plan.status.model_copy(update={"topic_id": topic_id}) if topic_id else plan.status,
        )
    let_go = plan.forget and (plan.forget_anyway or not trouble.retriable)
    left_behind = Event("Warning", trouble.reason, f"{trouble.message} The topic was left behind in Kafka.")
    return replace(
        plan,
        actions=(),
        findings=(not_ready(trouble.reason, trouble.message), *(f for f in plan.findings if f.type != "Ready")),
        events=(*plan.events, left_behind) if let_go else plan.events,
        events_when_done=(),
        requeue_after=SOON if trouble.retriable else LATER,
        forget=let_go,
    )


def _active(situation: Situation) -> TopicPlan:
    obstacle = obstacle_for(situation)
    changes = () if obstacle else changes_for(situation)
    soon = obstacle.may_end_by_itself if obstacle else bool(changes) or needs_watching(situation)
    return TopicPlan(
        actions=tuple(change.action for change in changes),
        findings=(obstacle.finding if obstacle else readiness(situation, changes),),
        events=() if obstacle else news(situation),
        events_when_done=tuple(change.event for change in changes),
        status=status_of(situation, adopt=obstacle is None),
        requeue_after=SOON if soon else LATER,
        finalizer=_finalizer(situation),
    )


def _paused(situation: Situation) -> TopicPlan:
    """What is found is said, but nothing is done, neither is a topic in Kafka made ours."""
    plan = _active(situation)
    paused = Finding(
        "Paused",
        "True",
        "Asked",
        f"{situation.called} has the annotation {PAUSED_ANNOTATION}: nothing is changed in Kafka until it is removed.",
    )
    wanting = " ".join(change.message for change in changes_for(situation)) if plan.actions else ""
    return replace(
        plan,
        actions=(),
        findings=(
            *((not_ready("Paused", f"{wanting} Not now, while it is paused."),) if wanting else plan.findings),
            paused,
        ),
        events=(),
        events_when_done=(),
        status=status_of(situation, adopt=False),
        requeue_after=LATER,
    )


def _deletion(situation: Situation) -> TopicPlan:
    plan = TopicPlan(
        actions=(),
        findings=(),
        events=(),
        events_when_done=(),
        status=status_of(situation, adopt=False),
        requeue_after=SOON,
        finalizer=_finalizer(situation),
    )
    match what_becomes_of_it(situation):
        case Kept(event):
            return replace(plan, findings=(not_ready(event.reason, event.message),), events=(event,), forget=True)
        case Waiting(finding):
            return replace(plan, findings=(finding,))
        case change:
            return replace(
                plan,
                actions=(change.action,),
                findings=(not_ready(change.reason, change.message),),
                events_when_done=(change.event,),
                forget=True,
                forget_anyway=situation.has_waited_long_enough,
            )


def _finalizer(situation: Situation) -> bool:
    return situation.topic.spec.deletion_policy != "Retain"
