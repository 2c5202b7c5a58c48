"""Changes to what exists: those that may be made, and the words in which others are refused."""

from __future__ import annotations

from dataclasses import dataclass

from .accepted import BROKER, MEMORY, TOPIC, Manifest, broker, topic


@dataclass(frozen=True)
class RefusedChange:
    """A change that nobody can make to what exists."""

    why: str
    before: Manifest
    after: Manifest
    says: str


ACCEPTED_CHANGES = {
    "a Broker grows": (BROKER, broker(replicas=5, storage={"persistent": {"size": "0.5Ti"}}, version="4.3.1")),
    "a Broker shrinks": (broker(replicas=5), broker(replicas=1)),
    "controllers get more room": (broker(controllers={}), broker(controllers={"storageSize": "2Gi", "heap": "1Gi"})),
    "a size is spelled differently": (BROKER, broker(storage={"persistent": {"size": "10240Mi"}})),
    "partitions grow": (TOPIC, topic(partitions=7)),
    "a Topic changes all that may change": (
        TOPIC,
        topic(replicas=2, minInSync=1, retention={"keep": "Compact"}, config={"a": "b"}, deletionPolicy="Delete"),
    ),
    "the name that it has anyway is written down": (TOPIC, topic(name="readings")),
    "the name that it has anyway is left out": (topic(name="readings"), TOPIC),
}

REFUSED_CHANGES = (
    RefusedChange(
        "a volume shrinks",
        BROKER,
        broker(storage={"persistent": {"size": "9Gi"}}),
        "fit: keep it, or make a new Broker; found a change from 10Gi to 9Gi",
    ),
    RefusedChange(
        "memory shrinks",
        broker(storage=MEMORY),
        broker(storage={"persistent": None, "memory": {"size": "511Mi"}}),
        "found a change from 512Mi to 511Mi",
    ),
    RefusedChange(
        "a disk becomes memory", BROKER, broker(storage=MEMORY), "may not change between persistent and memory"
    ),
    RefusedChange(
        "the class changes",
        BROKER,
        broker(storage={"persistent": {"storageClass": "fast"}}),
        "storageClass may not be changed, because volumes cannot move between classes",
    ),
    RefusedChange(
        "the class goes",
        BROKER,
        broker(storage={"persistent": {"storageClass": None}}),
        "storageClass may not be changed",
    ),
    RefusedChange("controllers come", BROKER, broker(controllers={}), "controllers may not be added or removed later"),
    RefusedChange("controllers go", broker(controllers={}), BROKER, "controllers may not be added or removed later"),
    RefusedChange(
        "the quorum changes",
        broker(controllers={}),
        broker(controllers={"replicas": 5}),
        "formed once: put it back, or make a new Broker; found a change from 3 to 5",
    ),
    RefusedChange(
        "controllers get less room",
        broker(controllers={}),
        broker(controllers={"storageSize": "1023Mi"}),
        "storageSize may grow but never shrink",
    ),
    RefusedChange(
        "partitions shrink",
        TOPIC,
        topic(partitions=5),
        "take a partition away: put it back, or make a new Topic; found a change from 6 to 5",
    ),
    RefusedChange("partitions are no longer asked for", TOPIC, topic(partitions=None), "found a change from 6 to 1"),
    RefusedChange(
        "another Broker",
        TOPIC,
        topic(broker="other"),
        "between Brokers: put it back, or make a new Topic; found a change from main to other",
    ),
    RefusedChange(
        "a name comes",
        TOPIC,
        topic(name="other"),
        "rename a topic: put it back, or make a new Topic; found a change from readings to other",
    ),
    RefusedChange("a name goes", topic(name="other"), TOPIC, "found a change from other to readings"),
)
