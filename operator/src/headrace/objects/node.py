"""The nodes of a Broker: which there are, what each one does, and what each one is configured with."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from headrace.api.broker import Broker, BrokerSpec

from .kafka_settings import DYNAMIC
from .names import (
    BROKERS,
    CLIENTS_PORT,
    CONTROLLER_IDS,
    CONTROLLER_PORT,
    CONTROLLERS,
    INTERNAL_PORT,
    node_host,
    set_name,
)

DATA = "/var/lib/kafka"
LOGS = f"{DATA}/log"

QUORUM = 3  # of the brokers, where there are no dedicated controllers

Role = Literal["Broker", "Controller", "Combined"]


@dataclass(frozen=True)
class Node:
    id: int
    pod: str
    role: Role

    @property
    def serves_clients(self) -> bool:
        return self.role != "Controller"

    @property
    def is_voter(self) -> bool:
        return self.role != "Broker"


def quorum_size(spec: BrokerSpec) -> int:
    """How many controllers there are. An even number would survive no more than the odd one below it."""
    if spec.controllers:
        return int(spec.controllers.replicas)
    return QUORUM if spec.replicas >= QUORUM else 1


def broker_nodes(broker: Broker, count: int | None = None) -> list[Node]:
    """The nodes that store topics; `count` of them where it is not as many as the spec asks for."""
    voters = 0 if broker.spec.controllers else quorum_size(broker.spec)
    name = set_name(broker.metadata.name, BROKERS)
    many = broker.spec.replicas if count is None else count
    return [Node(i, f"{name}-{i}", "Combined" if i < voters else "Broker") for i in range(many)]


def controller_nodes(broker: Broker) -> list[Node]:
    """The dedicated controllers."""
    many = quorum_size(broker.spec) if broker.spec.controllers else 0
    name = set_name(broker.metadata.name, CONTROLLERS)
    return [Node(CONTROLLER_IDS + i, f"{name}-{i}", "Controller") for i in range(many)]


def voters(broker: Broker) -> list[Node]:
    return controller_nodes(broker) or [n for n in broker_nodes(broker) if n.is_voter]


def cluster_id_for(uid: str) -> str:
    """Kafka's id for a new cluster, the same each time it is asked for."""
    return _kafka_uuid(UUID(uid).bytes)


def initial_controllers(broker: Broker, cluster_id: str) -> str:
    """Who founds the cluster, as `kafka-storage format` wants it: the same for every node."""
    return ",".join(
        f"{v.id}@{node_host(broker, v.pod)}:{CONTROLLER_PORT}:{_directory_id(cluster_id, v)}" for v in voters(broker)
    )


def _directory_id(cluster_id: str, node: Node) -> str:
    return _kafka_uuid(hashlib.sha256(f"{cluster_id}/{node.id}".encode()).digest()[:16])


def _kafka_uuid(value: bytes) -> str:
    # An id that began with a hyphen would be taken for an option on a command line; without its top bit none does.
    return urlsafe_b64encode(bytes([value[0] & 0x7F]) + value[1:]).decode().rstrip("=")


def defaults(spec: BrokerSpec) -> dict[str, str]:
    """What we choose and `spec.config` may change."""
    copies = str(min(3, spec.replicas))
    in_sync = "2" if spec.replicas >= 3 else "1"
    return {
        "auto.create.topics.enable": "false",  # topics are declared
        "default.replication.factor": copies,
        "min.insync.replicas": in_sync,
        "offsets.topic.replication.factor": copies,
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": in_sync,
        "share.coordinator.state.topic.replication.factor": copies,
        "share.coordinator.state.topic.min.isr": in_sync,
        # A lost node is noticed in 3 s instead of 9, a lost controller in 1.5 s instead of 2: producers stall for 5 s
        # instead of 14 (measured).
        "broker.session.timeout.ms": "3000",
        "broker.heartbeat.interval.ms": "500",
        "controller.quorum.fetch.timeout.ms": "1500",
        "controller.quorum.election.timeout.ms": "500",
    }


def static(spec: BrokerSpec) -> dict[str, str]:
    """Of these, what a node reads from its file when it starts."""
    return {k: v for k, v in (defaults(spec) | dict(spec.config)).items() if k not in DYNAMIC}


def dynamic(spec: BrokerSpec) -> dict[str, str]:
    """Of these, what the running cluster is told."""
    return {k: v for k, v in (defaults(spec) | dict(spec.config)).items() if k in DYNAMIC}


def settings(broker: Broker, node: Node) -> dict[str, str]:
    """All that a node reads when it starts."""
    host = node_host(broker, node.pod)
    ports = {"CLIENTS": CLIENTS_PORT, "INTERNAL": INTERNAL_PORT} if node.serves_clients else {}
    if node.is_voter:
        ports["CONTROLLER"] = CONTROLLER_PORT
    roles = {"Broker": "broker", "Controller": "controller", "Combined": "broker,controller"}
    return {
        **static(broker.spec),
        "process.roles": roles[node.role],
        "node.id": str(node.id),
        "listeners": ",".join(f"{name}://:{port}" for name, port in ports.items()),
        "advertised.listeners": ",".join(f"{name}://{host}:{port}" for name, port in ports.items()),
        "listener.security.protocol.map": "CLIENTS:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "INTERNAL",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.bootstrap.servers": ",".join(
            f"{node_host(broker, v.pod)}:{CONTROLLER_PORT}" for v in voters(broker)
        ),
        # A controller that lost its disk, or that was added, becomes a voter again by itself (KIP-853, KIP-1186).
        **({"controller.quorum.auto.join.enable": "true"} if node.is_voter else {}),
        "log.dirs": LOGS,
    }


def restart_digest(broker: Broker) -> str:
    """Changes when running nodes must restart to take up their settings. New nodes are no reason to restart others."""
    told = [*(f"{k}={v}" for k, v in sorted(static(broker.spec).items())), *(str(v.id) for v in voters(broker))]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]
