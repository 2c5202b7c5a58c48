"""What people do: declare, edit and delete Topics, and meddle with Kafka directly."""

from __future__ import annotations

import uuid
from typing import Any

from headrace.api.topic import Topic
from headrace.plan.topic.planning import TopicPlan
from headrace.plan.topic.situation import TopicSeen
from headrace.world.kafka_topics import observe_topics
from headrace.world.local import LocalBroker
from kafka import KafkaAdminClient, KafkaProducer
from topic_cases import NOW, topic
from waiting import eventually


def new(**spec: Any) -> Topic:
    """A Topic that nobody has acted on, with a name that no other test has."""
    return topic(f"t-{uuid.uuid4().hex[:12]}", topic_id=None, **spec)


def changed(of: Topic, **spec: Any) -> Topic:
    """The same Topic after a person has edited it."""
    return of.model_copy(update={"spec": type(of.spec).model_validate({**of.spec.model_dump(by_alias=True), **spec})})


def deleted(of: Topic) -> Topic:
    return of.model_copy(update={"metadata": of.metadata.model_copy(update={"deletion_timestamp": NOW})})


def in_kafka(admin: KafkaAdminClient, name: str) -> TopicSeen | None:
    seen = observe_topics(admin, [name]).topics.get(name)
    assert seen is None or isinstance(seen, TopicSeen)
    return seen


def there(admin: KafkaAdminClient, name: str) -> TopicSeen:
    """Waits, because a topic that was just made is not known at once."""

    def look() -> TopicSeen:
        seen = in_kafka(admin, name)
        assert seen
        return seen

    return eventually(look, 10, f"topic {name} is in Kafka", every=0.05)


def gone(admin: KafkaAdminClient, name: str) -> bool:
    return eventually(lambda: in_kafka(admin, name) is None, 10, f"topic {name} is gone from Kafka", every=0.05)


def made_by_somebody(admin: KafkaAdminClient, name: str, partitions: int = 1, **configs: str) -> TopicSeen:
    admin.create_topics({name: {"num_partitions": partitions, "replication_factor": 1, "configs": configs}})
    return there(admin, name)


def deleted_by_somebody(admin: KafkaAdminClient, name: str) -> None:
    admin.delete_topics([name])
    assert gone(admin, name)


def produce(broker: LocalBroker, name: str) -> None:
    with KafkaProducer(bootstrap_servers=broker.bootstrap) as producer:
        producer.send(name, b"a record").get(20)


def reasons(plans: list[TopicPlan]) -> list[str]:
    return [event.reason for plan in plans for event in plan.events]
