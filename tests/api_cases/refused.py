"""Manifests that nobody can create, and the words in which they are refused."""

from __future__ import annotations

from dataclasses import dataclass

from .accepted import BROKER, TOPIC, Manifest, broker, named, patched, topic


@dataclass(frozen=True)
class Refused:
    """A manifest that nobody can create. The API server's own checks have other words than the models'."""

    why: str
    manifest: Manifest
    says: str
    offline: str = ""  # what the models say, where that differs


A_SIZE = "must be a number of bytes above 0 and below 1Ei, such as 512Mi or 10Gi"
A_DURATION = "must be a whole number above 0 and a unit (ms, s, m, h or d), such as 30m, 12h or 7d"

REFUSED = (
    Refused(
        "no storage",
        patched(BROKER, {"spec": {"storage": None}}),
        "spec.storage: Required",
        "spec.storage: is required",
    ),
    Refused(
        "empty storage",
        patched(BROKER, {"spec": {"storage": {"persistent": None}}}),
        "exactly one of persistent and memory: set one and remove the other; found neither",
    ),
    Refused(
        "two kinds of storage",
        broker(storage={"memory": {"size": "1Gi"}}),
        "exactly one of persistent and memory: set one and remove the other; found both",
    ),
    Refused("a size with a blank", broker(storage={"persistent": {"size": "10 Gi"}}), A_SIZE),
    Refused("a size of nothing", broker(storage={"persistent": {"size": "0Gi"}}), A_SIZE),
    Refused("a negative size", broker(heap="-1Gi"), A_SIZE),
    Refused("a size that 64 bits cannot hold", broker(rebalance={"throttle": "1024Pi"}), A_SIZE),
    Refused("a size in a unit of another world", broker(heap="512MB"), A_SIZE),
    Refused(
        "a size that is no text",
        broker(heap=512),
        "spec.heap in body must be of type string",
        "spec.heap: input should be a valid string",
    ),
    Refused(
        "no nodes",
        broker(replicas=0),
        "spec.replicas in body should be greater than or equal to 1",
        "spec.replicas: input should be greater than or equal to 1; found 0",
    ),
    Refused("too many nodes", broker(replicas=101), "less than or equal to 100", "less than or equal to 100"),
    Refused(
        "a number in quotes",
        broker(replicas="3"),
        "spec.replicas in body must be of type integer",
        "spec.replicas: input should be a valid integer; found '3'",
    ),
    Refused(
        "a quorum of two",
        broker(controllers={"replicas": 2}),
        'spec.controllers.replicas: Unsupported value: 2: supported values: "1", "3", "5"',
        "spec.controllers.replicas: input should be 1, 3 or 5; found 2",
    ),
    Refused(
        "a version of two numbers",
        broker(version="4.3"),
        "must be a version of Apache Kafka, 4.0.0 or newer, with three numbers, such as 4.3.1",
    ),
    Refused("a version with ZooKeeper", broker(version="3.9.1"), "must be a version of Apache Kafka, 4.0.0 or newer"),
    Refused(
        "a setting of the operator's",
        broker(config={"node.id": "7", "a": "b"}),
        'may not hold what the operator sets itself: remove it; found ["node.id"]',
    ),
    Refused(
        "a setting with a prefix of the operator's",
        broker(config={"listener.name.internal.ssl.key": "x"}),
        'remove it; found ["listener.name.internal.ssl.key"]',
    ),
    Refused(
        "a setting's name with a line break",
        broker(config={"a\nnode.id": "7"}),
        'dots, underscores and hyphens; found ["a\\nnode.id"]',
    ),
    Refused(
        "a setting's value with a line break",
        broker(config={"a": "b\nnode.id=7"}),
        'a value may not hold a line break: write it on one line; found ["a"]',
    ),
    Refused(
        "a setting that is no text",
        broker(config={"message.max.bytes": 5}),
        "must be of type string",
        "spec.config.message.max.bytes: input should be a valid string; found 5",
    ),
    Refused(
        "too many settings",
        broker(config={f"k{n}": "v" for n in range(101)}),
        "must have at most 100 items",
        "spec.config: dictionary should have at most 100 items",
    ),
    Refused(
        "a misspelled field",
        broker(replica=3),
        'unknown field "spec.replica"',
        "spec.replica: there is no such field, check its spelling",
    ),
    Refused(
        "an amount that is none",
        broker(resources={"limits": {"memory": "much"}}),
        "must be a Kubernetes quantity, such as 500m, 2 or 1Gi",
    ),
    Refused("a negative amount", broker(resources={"limits": {"cpu": -1}}), "must be a Kubernetes quantity"),
    Refused(
        "a negative amount in words",
        broker(controllers={"resources": {"requests": {"cpu": "-1"}}}),
        "must be a Kubernetes quantity",
    ),
    Refused(
        "a label of the operator's",
        broker(template={"labels": {"headrace.dev/broker": "x"}}),
        'choose another prefix; found ["headrace.dev/broker"]',
    ),
    Refused(
        "a Broker's name that is no host name",
        named(BROKER, "main.eu"),
        "metadata.name of a Broker must begin with a letter",
    ),
    Refused(
        "a Broker's name that is too long", named(BROKER, "m" * 41), "at most 40 lowercase letters, digits and hyphens"
    ),
    Refused(
        "no Broker", patched(TOPIC, {"spec": {"broker": None}}), "spec.broker: Required", "spec.broker: is required"
    ),
    Refused(
        "no partition",
        topic(partitions=0),
        "should be greater than or equal to 1",
        "spec.partitions: input should be greater than or equal to 1; found 0",
    ),
    Refused(
        "a minimum that is never met",
        topic(replicas=2, minInSync=3),
        "lower it or raise replicas; found minInSync 3 and replicas 2",
    ),
    Refused(
        "a minimum that the default never meets",
        topic(minInSync=4),
        "found minInSync 4 and replicas unset, which means at most 3",
    ),
    Refused(
        "a topic's name with a blank",
        topic(name="my readings"),
        "must be made of letters, digits, dots, underscores and hyphens",
    ),
    Refused(
        "a topic's name that is too long",
        topic(name="r" * 250),
        "may not be more than 249 bytes",
        "at most 249 characters",
    ),
    Refused(
        "a topic's name that is a directory's",
        topic(name=".."),
        "may not be a name that Kafka keeps for itself: choose another",
    ),
    Refused(
        "a topic of Kafka's own", topic(name="__consumer_offsets"), "may not be a name that Kafka keeps for itself"
    ),
    Refused(
        "a name that only Kubernetes allows",
        named(TOPIC, "r" * 250),
        "without spec.name, metadata.name may have at most 249 characters, as in Kafka: set spec.name",
    ),
    Refused("a duration without unit", topic(retention={"time": "7"}), f"{A_DURATION}, or the word Unlimited"),
    Refused("a duration of two units", topic(retention={"time": "1h30m"}), A_DURATION),
    Refused("a retention size that is none", topic(retention={"size": "all"}), f"{A_SIZE}, or the word Unlimited"),
    Refused(
        "time for what is kept for ever",
        topic(retention={"keep": "Compact", "time": "7d"}),
        "remove them, or use keep: CompactAndTime",
    ),
    Refused(
        "a way of keeping that does not exist",
        topic(retention={"keep": "Forever"}),
        'supported values: "Time", "Compact", "CompactAndTime"',
        "input should be 'Time', 'Compact' or 'CompactAndTime'; found 'Forever'",
    ),
    Refused(
        "settings with fields of their own",
        topic(config={"retention.ms": "1", "min.insync.replicas": "2"}),
        'found ["min.insync.replicas (use spec.minInSync)", "retention.ms (use spec.retention.time)"]',
    ),
    Refused(
        "a policy that does not exist",
        topic(deletionPolicy="Orphan"),
        'supported values: "Retain", "Delete", "DeleteIfEmpty", "DeleteIfUnused"',
        "input should be 'Retain', 'Delete', 'DeleteIfEmpty' or 'DeleteIfUnused'; found 'Orphan'",
    ),
)
