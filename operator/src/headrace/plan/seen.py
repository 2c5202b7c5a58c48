"""What a look at a Broker's world showed. Plain values, made by world/ and read by plan/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PodSeen:
    name: str
    uid: str
    ready: bool
    revision: str  # of the StatefulSet's template that it was made from
    image: str = ""
    deleting: bool = False
    trouble: str = ""  # what its container waits for or failed with, in Kubernetes' words


@dataclass(frozen=True)
class SetSeen:
    """A StatefulSet of nodes."""

    replicas: int
    revision: str  # that its pods should have
    claim_size: str | None = None


@dataclass(frozen=True)
class ClaimSeen:
    name: str
    size: str  # asked for
    cluster_id: str | None
    can_grow: bool  # its class allows it


@dataclass(frozen=True, order=True)
class TopicPartition:
    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True)
class PartitionSeen:
    at: TopicPartition
    leader: int  # -1: none
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]
    min_in_sync: int = 1
    moving: bool = False


@dataclass(frozen=True)
class VoterSeen:
    id: int
    caught_up: bool


@dataclass(frozen=True)
class KafkaSeen:
    """What the cluster says of itself."""

    cluster_id: str
    live: frozenset[int]  # brokers that serve
    fenced: frozenset[int]  # brokers that are registered but do not serve
    controller: int  # the active one, -1: none
    voters: tuple[VoterSeen, ...]
    metadata_version: int
    metadata_version_supported: int  # by all brokers that serve
    dynamic: Mapping[str, str] = field(default_factory=dict)  # cluster-wide dynamic settings
    moving: int = 0  # partitions whose replicas are on their way
    partitions: tuple[PartitionSeen, ...] | None = None  # None: nobody needed to know


@dataclass(frozen=True)
class BrokerSeen:
    sets: Mapping[str, SetSeen] = field(default_factory=dict)  # by role
    pods: Mapping[str, PodSeen] = field(default_factory=dict)  # by name
    claims: tuple[ClaimSeen, ...] = ()
    kafka: KafkaSeen | None = None
    kafka_error: str = ""  # why there is no `kafka`
    up_to_date: frozenset[str] = frozenset()  # objects that are as they should be, by kind/name
