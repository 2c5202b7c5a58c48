"""What a plan may ask for. Each is done whole or not at all, and doing it twice does no harm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .moves import Moves


@dataclass(frozen=True)
class Apply:
    """Make this Kubernetes object be as it says (server-side apply)."""

    manifest: Mapping[str, Any]

    @property
    def key(self) -> str:
        return key_of(self.manifest)


@dataclass(frozen=True)
class DeletePod:
    """Restart a node: its StatefulSet makes the pod anew. Only this very pod, not one that came after it."""

    name: str
    uid: str


@dataclass(frozen=True)
class GrowClaim:
    name: str
    size: str


@dataclass(frozen=True)
class SetClusterConfigs:
    """Kafka's cluster-wide dynamic settings."""

    set: Mapping[str, str]
    unset: frozenset[str] = frozenset()


@dataclass(frozen=True)
class MoveReplicas:
    """Move replicas between nodes, at most so many bytes per second and node."""

    moves: Moves
    throttle: int


@dataclass(frozen=True)
class EndThrottle:
    """Nothing moves any more: take away what slowed it down."""


@dataclass(frozen=True)
class RaiseMetadataVersion:
    to: int


@dataclass(frozen=True)
class UnregisterBroker:
    """Kafka forgets a broker that is gone for good."""

    id: int


BrokerAction = (
    Apply
    | DeletePod
    | GrowClaim
    | SetClusterConfigs
    | MoveReplicas
    | EndThrottle
    | RaiseMetadataVersion
    | UnregisterBroker
)


def key_of(manifest: Mapping[str, Any]) -> str:
    return f"{manifest['kind']}/{manifest['metadata']['name']}"
