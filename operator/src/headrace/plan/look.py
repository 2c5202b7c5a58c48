"""A Broker and all that was seen of it, with what follows from both."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.api.broker import Broker
from headrace.objects.names import BROKERS, CONTROLLER_IDS, CONTROLLERS
from headrace.objects.node import Node, broker_nodes, cluster_id_for, controller_nodes, quorum_size

from .seen import BrokerSeen


@dataclass(frozen=True)
class Defaults:
    """What the operator was released with."""

    image: str
    version: str


@dataclass(frozen=True)
class Look:
    broker: Broker
    seen: BrokerSeen
    defaults: Defaults

    @property
    def pods_now(self) -> int:
        """How many broker pods there are meant to be at present; 0 before there is anything."""
        return self.seen.sets[BROKERS].replicas if BROKERS in self.seen.sets else 0

    @property
    def cluster_id(self) -> str:
        """That of the data which an earlier Broker of this name left behind, if there is any."""
        kept = [c.cluster_id for c in self.seen.claims if c.cluster_id]
        return self.broker.status.cluster_id or (kept[0] if kept else cluster_id_for(self.broker.metadata.uid))

    @property
    def founded(self) -> bool:
        """Whether the cluster is there already, so that a node with an empty disk must join it and not found another.

        A lone controller in memory is the exception: with its disk the cluster is gone, and is founded anew.
        """
        if self.broker.spec.storage.memory and quorum_size(self.broker.spec) == 1:
            return False
        taken_up = self.cluster_id != cluster_id_for(self.broker.metadata.uid)
        return self.broker.status.cluster_id is not None or taken_up

    @property
    def formed_voters(self) -> int:
        """How many of the brokers are controllers too, by what Kafka says, or else said last."""
        kafka = self.seen.kafka
        known = {n.id for n in self.broker.status.nodes if n.role == "Combined"}
        return len(known | ({v.id for v in kafka.voters if v.id < CONTROLLER_IDS} if kafka else set()))

    @property
    def leaving(self) -> frozenset[int]:
        """Nodes that are there and not wanted any more."""
        return frozenset(range(self.broker.spec.replicas, self.pods_now))

    @property
    def nodes(self) -> list[Node]:
        """All nodes there are meant to be at present, those that leave too."""
        return [
            *broker_nodes(self.broker, max(self.pods_now, self.broker.spec.replicas)),
            *controller_nodes(self.broker),
        ]

    @property
    def outdated(self) -> list[Node]:
        """Nodes whose pod was made from an older template."""
        # While Kubernetes has not yet named the newest template (""), nobody can tell.
        wanted = {role: s.revision for role, s in self.seen.sets.items() if s.revision}
        return [
            n
            for n in self.nodes
            for role in [BROKERS if n.serves_clients else CONTROLLERS]
            if n.pod in self.seen.pods and role in wanted and self.seen.pods[n.pod].revision != wanted[role]
        ]

    @property
    def serving(self) -> frozenset[int]:
        """Ids of nodes whose pod is ready and, if they are brokers, whom Kafka lets serve."""
        kafka = self.seen.kafka
        up = {n for n in self.nodes if n.pod in self.seen.pods and self.seen.pods[n.pod].ready}
        return frozenset(n.id for n in up if not n.serves_clients or (kafka is not None and n.id in kafka.live))

    @property
    def staying(self) -> list[Node]:
        """The nodes that the spec asks for."""
        return [n for n in self.nodes if n.id not in self.leaving]
