"""Broker: a cluster of Kafka nodes."""

from __future__ import annotations

import re
from operator import attrgetter
from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from .base import API_VERSION, ApiModel, Conditions, Int, Metadata, ObservedGeneration, StatusModel
from .kafka_config import BROKER_KEYS_OF_THE_OPERATOR, BrokerConfig
from .kind import AGE, READY, REASON, Column, Kind, Scale
from .pod import PodTemplate, Resources
from .quantity import Size, not_smaller, not_smaller_in_cel
from .rules import AnyRule, ChangeRule, Found, Rule, changed

_NAME = r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?"
_KAFKA_VERSION = r"([4-9]|[1-9][0-9])\.[0-9]{1,3}\.[0-9]{1,3}"

KafkaVersion = Annotated[
    str,
    StringConstraints(max_length=16),
    Rule(
        f"self.matches(r'^{_KAFKA_VERSION}$')",
        lambda text: re.fullmatch(_KAFKA_VERSION, text) is not None,
        "must be a version of Apache Kafka, 4.0.0 or newer, with three numbers, such as 4.3.1",
    ),
]


def _may_not_shrink(field: str, name: str) -> ChangeRule:
    return ChangeRule(
        not_smaller_in_cel(name),
        lambda new, old: not_smaller(getattr(new, field), getattr(old, field)),
        f"{name} may grow but never shrink, because what is stored might no longer fit: keep it, or make a new Broker",
        changed(name, attrgetter(field)),
        field=f".{name}",
    )


class PersistentStorage(ApiModel):
    """A volume per node that outlives pods, and the Broker too."""

    rules: ClassVar[tuple[AnyRule, ...]] = (
        _may_not_shrink("size", "size"),
        ChangeRule(
            "has(self.storageClass) == has(oldSelf.storageClass) && "
            "(!has(self.storageClass) || self.storageClass == oldSelf.storageClass)",
            lambda new, old: new.storage_class == old.storage_class,
            "storageClass may not be changed, because volumes cannot move between classes: "
            "put it back, or make a new Broker",
            field=".storageClass",
        ),
    )

    size: Size = Field(description="Size of each node's volume, such as `10Gi`. May grow if the class allows it.")
    storage_class: str | None = Field(
        default=None,
        max_length=253,
        description="The volumes' StorageClass. Immutable. Default: the cluster's default class.",
    )


class MemoryStorage(ApiModel):
    """A RAM-backed volume per node: fast, and empty again after each restart of the node."""

    rules: ClassVar[tuple[AnyRule, ...]] = (_may_not_shrink("size", "size"),)

    size: Size = Field(
        description="Size of each node's volume, such as `512Mi`. What is stored counts as memory of the pod, so "
        "`resources.limits.memory` must leave room for it."
    )


class Storage(ApiModel):
    """Where the logs are: exactly one of `persistent` and `memory`."""

    rules: ClassVar[tuple[AnyRule, ...]] = (
        Rule(
            "has(self.persistent) != has(self.memory)",
            lambda storage: (storage.persistent is None) != (storage.memory is None),
            "must have exactly one of persistent and memory: set one and remove the other",
            Found(
                "%s",
                ("has(self.persistent) ? 'both' : 'neither'",),
                lambda storage: ("both" if storage.persistent else "neither",),
            ),
        ),
        ChangeRule(
            "has(self.persistent) == has(oldSelf.persistent)",
            lambda new, old: (new.persistent is None) == (old.persistent is None),
            "may not change between persistent and memory, because logs do not move between them: "
            "put it back, or make a new Broker",
        ),
    )

    persistent: PersistentStorage | None = Field(
        default=None, description="A volume per node that outlives pods. It is kept when the Broker is deleted."
    )
    memory: MemoryStorage | None = Field(
        default=None,
        description="A RAM-backed volume per node. A node that restarts fetches its logs from the other replicas; "
        "what has no other replica is lost.",
    )


class Controllers(ApiModel):
    """Nodes that only keep the cluster's metadata."""

    rules: ClassVar[tuple[AnyRule, ...]] = (
        ChangeRule(
            "self.replicas == oldSelf.replicas",
            lambda new, old: new.replicas == old.replicas,
            "replicas of controllers may not be changed, because the quorum is formed once: "
            "put it back, or make a new Broker",
            changed("replicas", attrgetter("replicas")),
            field=".replicas",
        ),
        _may_not_shrink("storage_size", "storageSize"),
    )

    replicas: Literal[1, 3, 5] = Field(
        default=3, description="How many: 3 survive the loss of one, 5 of two, 1 of none. Immutable."
    )
    storage_size: Size = Field(
        default="1Gi",
        description="Size of each controller's volume, which is of the same kind and class as the brokers'. May grow.",
    )
    heap: Size = Field(default="256Mi", description="Java heap of each controller.")
    resources: Resources = Field(
        default_factory=Resources, description="CPU and memory of each controller's container. Default: none set."
    )


class Rebalance(ApiModel):
    """How replicas move between nodes when the Broker grows or shrinks."""

    throttle: Size = Field(
        default="50Mi", description="The most that moving replicas may send or receive, in bytes per second and node."
    )


class BrokerSpec(ApiModel):
    """What is asked for."""

    rules: ClassVar[tuple[AnyRule, ...]] = (
        ChangeRule(
            "has(self.controllers) == has(oldSelf.controllers)",
            lambda new, old: (new.controllers is None) == (old.controllers is None),
            "controllers may not be added or removed later, because the quorum is formed once: "
            "put it back, or make a new Broker",
            field=".controllers",
        ),
    )

    replicas: Int = Field(
        default=3,
        ge=1,
        le=100,
        description="How many nodes store and serve topics. Without `controllers`, the first three of them (the first "
        "one, if there are fewer) are the controller quorum too. Nodes that are taken away are emptied first.",
    )
    controllers: Controllers | None = Field(
        default=None,
        description="Dedicated controllers; `{}` is enough to ask for three. May not be added or removed later. "
        "Default: none, the nodes themselves are controllers.",
    )
    storage: Storage = Field(description="Where the logs are: exactly one of `persistent` and `memory`, for good.")
    version: KafkaVersion | None = Field(
        default=None,
        description="Version of Apache Kafka, such as `4.3.1`. Default: the one that the operator was released with.",
    )
    image: str | None = Field(
        default=None,
        min_length=1,
        max_length=512,
        description="Image of the nodes, in place of the operator's own. It must hold what `version` says.",
    )
    config: BrokerConfig = Field(
        default_factory=dict,
        description='Kafka settings of every node, name to value, such as `{message.max.bytes: "2097152"}`. '
        f"Default: none. Refused, because the operator sets them: {', '.join(BROKER_KEYS_OF_THE_OPERATOR)}.",
    )
    heap: Size = Field(
        default="512Mi", description="Java heap of each node. Kafka lives mostly from the page cache beside it."
    )
    resources: Resources = Field(
        default_factory=Resources, description="CPU and memory of each node's container. Default: none set."
    )
    template: PodTemplate = Field(
        default_factory=PodTemplate, description="Laid over the nodes' pods. Default: nothing is."
    )
    rebalance: Rebalance = Field(default=Rebalance(), description="How replicas move between nodes.")


class NodeStatus(StatusModel):
    """One Kafka node."""

    id: int = Field(description="Kafka's node id.")
    pod: str | None = Field(default=None, description="Name of the pod.")
    role: Literal["Broker", "Controller", "Combined"] = Field(description="What the node does; Combined is both.")
    ready: bool = Field(description="Whether the node serves.")
    image: str | None = Field(default=None, description="The image that it runs.")


class RollStatus(StatusModel):
    """A rolling restart under way."""

    node: int = Field(description="Id of the node that restarts now.")
    reason: str = Field(description="Why the nodes restart.")
    remaining: int = Field(description="How many nodes are still to restart, this one included.")


class MovesStatus(StatusModel):
    """Replicas on their way between nodes."""

    reason: str = Field(description="Why they move.")
    partitions: int = Field(description="How many partitions are part of this move.")
    remaining: int = Field(description="How many of them are not there yet.")


class BrokerStatus(StatusModel):
    """What was found."""

    observed_generation: ObservedGeneration = None
    conditions: Conditions = Field(default_factory=tuple)
    bootstrap: str | None = Field(default=None, description="Address that clients start from, host:port.")
    cluster_id: str | None = Field(default=None, description="Kafka's id of the cluster.")
    ready_nodes: str | None = Field(default=None, description="Nodes that serve, of those asked for, such as `2/3`.")
    replicas: int | None = Field(default=None, description="Nodes that exist, dedicated controllers not counted.")
    ready: int | None = Field(default=None, description="Nodes that serve, dedicated controllers not counted.")
    label_selector: str | None = Field(default=None, description="Selects the nodes' pods, for `kubectl scale`.")
    version: str | None = Field(default=None, description="Version of Apache Kafka that all nodes run.")
    metadata_version: str | None = Field(
        default=None, description="Kafka's metadata.version that the cluster has been raised to."
    )
    roll: RollStatus | None = Field(default=None, description="The rolling restart under way, if there is one.")
    moves: MovesStatus | None = Field(default=None, description="The replicas that move now, if any do.")
    nodes: tuple[NodeStatus, ...] = Field(
        default_factory=tuple,
        description="Every node, dedicated controllers too.",
        json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"]},
    )


class Broker(ApiModel):
    """A cluster of Apache Kafka nodes in KRaft mode, on disk or in memory."""

    rules: ClassVar[tuple[AnyRule, ...]] = (
        Rule(
            f"self.metadata.name.matches(r'^{_NAME}$')",
            lambda broker: re.fullmatch(_NAME, broker.metadata.name) is not None,
            "metadata.name of a Broker must begin with a letter and have at most 40 lowercase letters, digits and "
            "hyphens, because the names of Services and pods are made from it",
        ),
    )

    api_version: Literal["headrace.dev/v1alpha1"] = API_VERSION
    kind: Literal["Broker"] = "Broker"
    metadata: Metadata
    spec: BrokerSpec
    status: BrokerStatus = Field(default_factory=BrokerStatus)


BROKER = Kind(
    Broker,
    plural="brokers",
    short="br",
    columns=(
        READY,
        Column("Nodes", ".status.readyNodes", "Nodes that serve, of those asked for."),
        Column("Version", ".status.version", "Version of Apache Kafka that runs."),
        REASON,
        Column("Bootstrap", ".status.bootstrap", "Address that clients start from.", priority=1),
        AGE,
    ),
    scale=Scale(".spec.replicas", ".status.replicas", ".status.labelSelector"),
)
