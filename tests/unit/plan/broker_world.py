"""A small model of Kubernetes and Kafka: what each action of a Broker's plan does to what is seen next.

Not a mock of either: it only says what the real ones promise, so that plans can be driven through every order of
events and interruptions. The real ones are in tests/e2e.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from headrace.api.broker import Broker
from headrace.objects import names
from headrace.objects.names import BROKERS, ROLE_LABEL
from headrace.plan import actions as do
from headrace.plan.broker import BrokerPlan, manifests, needs_partitions, plan
from headrace.plan.look import Defaults, Look
from headrace.plan.outcome import settled
from headrace.plan.seen import (
    BrokerSeen,
    ClaimSeen,
    KafkaSeen,
    PartitionSeen,
    PodSeen,
    SetSeen,
    TopicPartition,
    VoterSeen,
)
from headrace.world.same import holds, stamped

DEFAULTS = Defaults(image="headrace/broker:1", version="4.3.1")
UID = "7f8d8d3c-0d0c-4c33-9a52-6f6c4a6f3f10"


def broker(name: str = "main", **spec: Any) -> Broker:
    spec.setdefault("storage", {"persistent": {"size": "1Gi"}})
    metadata = {"name": name, "namespace": "here", "uid": UID, "generation": 1}
    return Broker.model_validate({"metadata": metadata, "spec": spec})


class Modelled:
    """A Broker and its world. `settle` lets Kubernetes and Kafka do what they do by themselves."""

    def __init__(self, resource: Broker) -> None:
        self.broker = resource
        self.objects: dict[str, dict[str, Any]] = {}
        self.pods: dict[str, PodSeen] = {}
        self.claims: dict[str, ClaimSeen] = {}
        self.partitions: dict[TopicPartition, PartitionSeen] = {}
        self.target: dict[TopicPartition, tuple[int, ...]] = {}
        self.dynamic: dict[str, str] = {}
        self.registered: set[int] = set()
        self.metadata_version, self.supported = 30, 30
        self.deleted: list[str] = []  # pods, in order
        self.answering = True
        self.voters: set[int] = set()
        self.births = 0

    # What Kubernetes and Kafka do by themselves.

    def settle(self) -> None:
        for manifest in list(self.objects.values()):
            if manifest["kind"] == "StatefulSet":
                self._run_pods(manifest)
        for at, replicas in self.target.items():
            self.partitions[at] = replace(self.partitions[at], replicas=replicas, in_sync=replicas, leader=replicas[0])
        self.target.clear()
        up = self._serving()
        self.registered |= up
        for at, p in self.partitions.items():
            alive = tuple(r for r in p.replicas if r in up)
            self.partitions[at] = replace(p, in_sync=alive, leader=alive[0] if alive else -1)

    def _run_pods(self, manifest: dict[str, Any]) -> None:
        name, spec = manifest["metadata"]["name"], manifest["spec"]
        for ordinal in range(spec["replicas"]):
            pod = f"{name}-{ordinal}"
            if pod not in self.pods:
                self.births += 1
                image = spec["template"]["spec"]["containers"][0]["image"]
                self.pods[pod] = PodSeen(pod, f"uid-{self.births}", True, revision(manifest), image)
            for template in spec.get("volumeClaimTemplates", []):
                size = template["spec"]["resources"]["requests"]["storage"]
                cluster = template["metadata"]["annotations"][names.CLUSTER_ID_ANNOTATION]
                self.claims.setdefault(f"data-{pod}", ClaimSeen(f"data-{pod}", size, cluster, can_grow=True))
        for pod in list(self.pods):
            if pod.rpartition("-")[0] == name and int(pod.rpartition("-")[2]) >= spec["replicas"]:
                del self.pods[pod]

    def _serving(self) -> set[int]:
        prefix = names.set_name(self.broker.metadata.name, BROKERS)
        return {int(p.rpartition("-")[2]) for p in self.pods if p.rpartition("-")[0] == prefix}

    # A look at it, and one pass.

    def seen(self) -> BrokerSeen:
        sets = [o for o in self.objects.values() if o["kind"] == "StatefulSet"]
        seen = BrokerSeen(
            sets={s["metadata"]["labels"][ROLE_LABEL]: _set(s) for s in sets},
            pods=dict(self.pods),
            claims=tuple(self.claims.values()),
            kafka_error="connection refused",
        )
        if self.answering and self._serving():
            kafka = self._kafka()
            if needs_partitions(self.broker, replace(seen, kafka=kafka)):
                kafka = replace(kafka, partitions=tuple(self.partitions.values()))
            seen = replace(seen, kafka=kafka, kafka_error="")
        wanted = {do.key_of(m): m for m in manifests(Look(self.broker, seen, DEFAULTS))}
        current = {k for k, m in wanted.items() if k in self.objects and holds(self.objects[k], m)}
        return replace(seen, up_to_date=frozenset(current))

    def _kafka(self) -> KafkaSeen:
        up = self._serving()
        return KafkaSeen(
            cluster_id=self.objects["ConfigMap/main-config"]["data"]["cluster-id"],
            live=frozenset(up),
            fenced=frozenset(self.registered - up),
            controller=0,
            voters=tuple(VoterSeen(i, i in up) for i in sorted(self._voters())),
            metadata_version=self.metadata_version,
            metadata_version_supported=self.supported,
            dynamic=dict(self.dynamic),
            moving=len(self.target),
        )

    def _voters(self) -> set[int]:
        """Who voted once votes for ever; a node that is configured as a controller joins by itself."""
        files = self.objects["ConfigMap/main-config"]["data"]
        roles = {i: files.get(f"main-broker-{i}.properties", "") for i in self._serving()}
        self.voters |= {i for i, file in roles.items() if "process.roles=broker,controller" in file}
        return self.voters

    def plan(self) -> BrokerPlan:
        return plan(self.broker, self.seen(), DEFAULTS)

    def one_pass(self, at_most: int | None = None) -> BrokerPlan:
        """Plan and act; with `at_most`, the operator dies after so many actions and writes no status."""
        planned = self.plan()
        for action in planned.actions[:at_most]:
            self.act(action)
        if at_most is None or at_most >= len(planned.actions):
            self.write_status(planned)
        return planned

    def write_status(self, planned: BrokerPlan) -> None:

        conditions = settled(planned.findings, self.broker.status.conditions, 1, datetime(2026, 1, 1, tzinfo=UTC))
        status = planned.status.model_copy(update={"conditions": conditions})
        self.broker = self.broker.model_copy(update={"status": status})

    def until_quiet(self, passes: int = 60) -> BrokerPlan:
        for _ in range(passes):
            planned = self.one_pass()
            self.settle()
            if not planned.actions and not self.plan().actions:
                return self.one_pass()
        raise AssertionError(f"never quiet: {self.plan().actions}")

    def change(self, **spec: Any) -> None:
        whole = self.broker.spec.model_dump(by_alias=True, exclude_none=True) | spec
        self.broker = self.broker.model_copy(update={"spec": type(self.broker.spec).model_validate(whole)})

    # What each action does.

    def act(self, action: do.BrokerAction) -> None:
        match action:
            case do.Apply(manifest):
                self.objects[action.key] = stamped(manifest)
            case do.DeletePod(name, uid):
                if name in self.pods and self.pods[name].uid == uid:
                    del self.pods[name]
                    self.deleted.append(name)
            case do.GrowClaim(name, size):
                self.claims[name] = replace(self.claims[name], size=size)
            case do.SetClusterConfigs(wanted, unwanted):
                self.dynamic |= wanted
                self.dynamic = {k: v for k, v in self.dynamic.items() if k not in unwanted}
            case do.MoveReplicas(moves, throttle):
                self.dynamic |= dict.fromkeys(
                    ("leader.replication.throttled.rate", "follower.replication.throttled.rate"), str(throttle)
                )
                self.target |= moves
            case do.EndThrottle():
                self.dynamic = {k: v for k, v in self.dynamic.items() if "throttled" not in k}
            case do.RaiseMetadataVersion(to):
                self.metadata_version = to
            case do.UnregisterBroker(node):
                self.registered.discard(node)


def revision(manifest: dict[str, Any]) -> str:
    """As Kubernetes does: a name for the content of the template."""
    return str(hash(str(manifest["spec"]["template"])))


def _set(manifest: dict[str, Any]) -> SetSeen:
    templates = manifest["spec"].get("volumeClaimTemplates", [])
    size = templates[0]["spec"]["resources"]["requests"]["storage"] if templates else None
    return SetSeen(manifest["spec"]["replicas"], revision(manifest), size)


def running(**spec: Any) -> Modelled:
    """A Broker that is up, with a topic of twelve partitions on it."""
    world = Modelled(broker(**spec))
    world.until_quiet()
    many = world.broker.spec.replicas
    copies = min(3, many)
    for number in range(12):
        replicas = tuple((number + i) % many for i in range(copies))
        at = TopicPartition("readings", number)
        world.partitions[at] = PartitionSeen(at, replicas[0], replicas, replicas, max(1, copies - 1))
    world.until_quiet()
    return world
