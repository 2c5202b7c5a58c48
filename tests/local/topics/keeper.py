"""Observe, plan, act, status for Topics: what the operator does with them, without Kubernetes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headrace.api.topic import Topic
from headrace.plan.outcome import settled
from headrace.plan.topic.deletion import must_know_its_readers, must_know_whether_empty
from headrace.plan.topic.planning import TopicPlan, carried_out, plan_topic
from headrace.plan.topic.situation import BrokerUp, Situation
from headrace.world.kafka_topic_changes import act_on_topics
from headrace.world.kafka_topics import observe_topics, topic_settings
from kafka import KafkaAdminClient
from topic_cases import NOW


@dataclass
class Keeper:
    admin: KafkaAdminClient
    settings: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.settings = topic_settings(self.admin)

    def plans(self, topics: Sequence[Topic]) -> dict[str, TopicPlan]:
        """By the name in Kafka."""
        deleting = [topic for topic in topics if topic.metadata.deletion_timestamp]
        look = observe_topics(
            self.admin,
            [topic.kafka_name for topic in topics],
            emptiness_of={topic.kafka_name for topic in deleting if must_know_whether_empty(topic)},
            readers_of={topic.kafka_name for topic in deleting if must_know_its_readers(topic)},
        )
        broker = BrokerUp(look.live, look.live, self.settings)
        return {
            topic.kafka_name: plan_topic(
                Situation(
                    topic,
                    broker,
                    look.topics.get(topic.kafka_name),
                    NOW,
                    deleting=bool(topic.metadata.deletion_timestamp),
                )
            )
            for topic in topics
        }

    def plan(self, topic: Topic) -> TopicPlan:
        return self.plans([topic])[topic.kafka_name]

    def act(self, plans: Mapping[str, TopicPlan]) -> dict[str, TopicPlan]:
        outcome = act_on_topics(self.admin, [action for plan in plans.values() for action in plan.actions])
        return {
            name: carried_out(plan, outcome.troubles.get(name), outcome.created.get(name))
            for name, plan in plans.items()
        }

    def once(self, topic: Topic) -> tuple[Topic, TopicPlan]:
        """One pass: the resource with its new status, and the plan as it was carried out."""
        plan = self.act({topic.kafka_name: self.plan(topic)})[topic.kafka_name]
        return with_status(topic, plan), plan

    def keep(self, topic: Topic, within: float = 20.0) -> tuple[Topic, list[TopicPlan]]:
        """Pass after pass until there is nothing left to do and nothing to wait for."""
        deadline, plans = time.monotonic() + within, list[TopicPlan]()
        while time.monotonic() < deadline:
            planned = self.plan(topic)
            plans.append(self.act({topic.kafka_name: planned})[topic.kafka_name])
            topic = with_status(topic, plans[-1])
            if not planned.actions and (plans[-1].forget or ready(topic) != "False"):
                return topic, plans
        raise AssertionError(f"{topic.kafka_name} did not come to rest in {within:g} s: {plans[-1]}")


def with_status(topic: Topic, plan: TopicPlan) -> Topic:
    conditions = settled(plan.findings, topic.status.conditions, topic.metadata.generation, NOW)
    return topic.model_copy(update={"status": plan.status.model_copy(update={"conditions": conditions})})


def ready(topic: Topic) -> str:
    return next(condition.status for condition in topic.status.conditions if condition.type == "Ready")
