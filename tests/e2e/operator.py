"""The operator in the test cluster: installed, watched, killed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kind.cluster import Cluster
from kind.shell import capture
from waiting import eventually

CHART = Path(__file__).resolve().parents[2] / "charts/headrace"
NAMESPACE = "headrace"
POD = "app.kubernetes.io/name=headrace"


@dataclass(frozen=True)
class Operator:
    cluster: Cluster

    def helm(self, *args: str, timeout: float = 180) -> str:
        where = ("--kubeconfig", str(self.cluster.kubeconfig), "--namespace", NAMESPACE)
        return capture(str(self.cluster.clients / "helm"), *args, *where, timeout=timeout)

    def install(self, values: Mapping[str, str]) -> None:
        given = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
        self.helm("upgrade", "--install", "headrace", str(CHART), "--create-namespace", *given)
        self.kubectl("rollout", "status", "deployment/headrace-operator", "--timeout=120s", timeout=130)

    def kubectl(self, *args: str, timeout: float = 60) -> str:
        return self.cluster.kubectl("--namespace", NAMESPACE, *args, timeout=timeout)

    def pods(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = json.loads(self.kubectl("get", "pods", "-l", POD, "-o", "json"))["items"]
        return items

    def metric(self, name: str) -> float:
        """One of its own figures, such as `headrace_reconciles_total{kind="Broker"}`."""
        ask = "import urllib.request as r; print(r.urlopen('http://127.0.0.1:8080/metrics').read().decode())"
        said = self.kubectl("exec", "deployment/headrace-operator", "--", "python3", "-c", ask)
        return float(next((line.split()[-1] for line in said.splitlines() if line.startswith(f"{name} ")), 0))

    def kill(self) -> None:
        """As a crash does it: no chance to say goodbye. Returns when a successor runs."""
        (before,) = [p["metadata"]["name"] for p in self.pods()]
        restarts = self._restarts()
        node = self.pods()[0]["spec"]["nodeName"]
        container = self.pods()[0]["status"]["containerStatuses"][0]["containerID"].removeprefix("containerd://")
        capture("docker", "exec", node, "ctr", "--namespace=k8s.io", "tasks", "kill", "--signal=SIGKILL", container)
        eventually(lambda: self._restarts() > restarts, 90, f"{before} is started again")

    def _restarts(self) -> int:
        found = self.pods()
        return int(found[0]["status"]["containerStatuses"][0]["restartCount"]) if found else -1
