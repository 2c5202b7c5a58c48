"""A Broker and its clients, as a test speaks of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kind.shell import capture
from waiting import eventually

from e2e.kubernetes import ON_THE_CONTROL_PLANE, Kubernetes, pod

API = "headrace.dev/v1alpha1"
READY_WITHIN = 180
TOOLBOX = "toolbox"


@dataclass(frozen=True)
class Books:
    """What a ledger pod has counted."""

    acknowledged: int
    read: int
    lost: int
    doubled: int
    out_of_order: int
    refused: dict[str, int]
    longest_pause: float

    def assert_nothing_was_lost(self) -> None:
        assert self.acknowledged > 0
        assert (self.lost, self.doubled, self.out_of_order) == (0, 0, 0), self


@dataclass(frozen=True)
class Ledger:
    kubernetes: Kubernetes
    name: str

    def acknowledged(self) -> int:
        return int(self.kubernetes.run_in(self.name, "cat", "/tmp/progress") or 0)

    def until_more_are_acknowledged(self, many: int = 200, within: float = 90) -> None:
        """Service goes on, or has come back: so many more records are acknowledged."""
        before = self.acknowledged()
        eventually(lambda: self.acknowledged() >= before + many, within, f"{many} more records are acknowledged")


@dataclass
class KafkaCluster:
    """A Broker resource, in a namespace of its own."""

    kubernetes: Kubernetes
    images: dict[str, str]
    name: str = "main"
    ledgers: int = 0

    @property
    def bootstrap(self) -> str:
        return f"{self.name}-bootstrap:9092"

    def apply(self, **spec: Any) -> None:
        defaults = {"storage": {"persistent": {"size": "200Mi"}}, "heap": "256Mi"}
        self.kubernetes.apply(
            {"apiVersion": API, "kind": "Broker", "metadata": {"name": self.name}, "spec": defaults | spec}
        )

    def change(self, **spec: Any) -> None:
        """Only these fields of its spec."""
        patch = json.dumps({"spec": spec})
        self.kubernetes.kubectl("patch", "broker", self.name, "--type=merge", "--patch", patch)

    def open_toolbox(self) -> None:
        """A pod to run Kafka's tools in, on a machine that no test stops."""
        image = self.images["headrace/broker"]
        self.kubernetes.apply(pod(TOOLBOX, image, ["sleep", "infinity"], **ON_THE_CONTROL_PLANE))
        self.kubernetes.wait(f"pod/{TOOLBOX}", "condition=Ready")

    def remove(self) -> None:
        """With its namespace, and without waiting for nodes to say goodbye to each other."""
        self.kubernetes.kubectl("delete", "broker", self.name, "--wait=true")
        self.kubernetes.kubectl("delete", "statefulset,pod", "--all", "--force", "--grace-period=0", timeout=120)
        self.kubernetes.cluster.kubectl("delete", "namespace", self.kubernetes.namespace, timeout=180)

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.kubernetes.get("broker", self.name).get("status", {})
        return found

    def condition(self, type_: str = "Ready") -> dict[str, Any]:
        found = self.status().get("conditions", [])
        return next((c for c in found if c["type"] == type_), {})

    def until_ready(self, within: float = READY_WITHIN) -> None:
        def look() -> bool:
            resource = self.kubernetes.get("broker", self.name)
            status = resource.get("status", {})
            ready = [c for c in status.get("conditions", []) if c["type"] == "Ready"]
            assert ready, "no condition yet"
            assert status["observedGeneration"] == resource["metadata"]["generation"]
            assert ready[0]["status"] == "True", ready[0]["message"]
            assert not any(c["type"] == "Rolling" for c in status["conditions"]), status["conditions"]
            assert "moves" not in status, status.get("moves")
            return True

        eventually(look, within, f"Broker {self.name} is ready and at rest")

    def tool(self, command: str) -> str:
        """One of Kafka's own tools, in a pod beside the brokers."""
        return self.kubernetes.run_in(
            TOOLBOX, "bash", "-c", f"{command} --bootstrap-server {self.bootstrap}", timeout=90
        )

    def create_topic(self, name: str, partitions: int = 6, replicas: int = 3, in_sync: int = 2) -> None:
        settings = f"--partitions {partitions} --replication-factor {replicas} --config min.insync.replicas={in_sync}"
        self.tool(f"kafka-topics.sh --create --topic {name} {settings}")

    def kill_node(self, node: int) -> None:
        """kill -9 of its process, as a crash: its pod stays and starts it again."""
        pod_ = self.kubernetes.get("pod", f"{self.name}-broker-{node}")
        container = pod_["status"]["containerStatuses"][0]["containerID"].removeprefix("containerd://")
        where = pod_["spec"]["nodeName"]
        capture("docker", "exec", where, "ctr", "--namespace=k8s.io", "tasks", "kill", "--signal=SIGKILL", container)

    def active_controller(self) -> int:
        return int(self._quorum("LeaderId"))

    def voters(self) -> set[int]:
        return {voter["id"] for voter in json.loads(self._quorum("CurrentVoters"))}

    def _quorum(self, line: str) -> str:
        command = f"kafka-metadata-quorum.sh --bootstrap-server {self.bootstrap} describe --status"
        said = self.kubernetes.run_in(TOOLBOX, "bash", "-c", command, timeout=90)
        return next(told.split(":", 1)[1].strip() for told in said.splitlines() if told.startswith(line))

    def pod_uids(self) -> dict[str, str]:
        """Of the brokers' pods that there are: a pod that was made anew has another one."""
        listed = self.kubernetes.kubectl("get", "pods", "-l", f"headrace.dev/broker={self.name}", "-o", "json")
        return {p["metadata"]["name"]: p["metadata"]["uid"] for p in json.loads(listed)["items"]}

    @contextmanager
    def ledger(self, topic: str, rate: int = 200) -> Iterator[Ledger]:
        """A producer and a reader that run all through the block and keep books; see `clients/ledger.py`."""
        self.ledgers += 1
        name = f"ledger-{self.ledgers}"
        command = ["python3", "/opt/clients/ledger.py", self.bootstrap, topic, str(rate)]
        image = self.images["headrace/test-clients"]
        self.kubernetes.apply(pod(name, image, command, restartPolicy="Never", **ON_THE_CONTROL_PLANE))
        self.kubernetes.wait(f"pod/{name}", "condition=Ready")
        it = Ledger(self.kubernetes, name)
        eventually(lambda: self.kubernetes.run_in(name, "ls", "/tmp").split().count("progress"), 30, "it has begun")
        it.until_more_are_acknowledged()
        yield it

    def books(self, ledger: Ledger) -> Books:
        """End the ledger, and what it counted."""
        self.kubernetes.run_in(ledger.name, "touch", "/tmp/stop")
        self.kubernetes.wait(f"pod/{ledger.name}", "jsonpath={.status.phase}=Succeeded", within=280)
        return Books(**json.loads(self.kubernetes.kubectl("logs", ledger.name).strip().splitlines()[-1]))
