"""The rights that the chart grants are those that the operator uses: no fewer, and no more.

The real operator runs, with the chart's own arguments and as its service account, against a real API server with RBAC.
Kafka is out of its reach, and nobody runs pods; what it does in Kubernetes is brought about by hand. The server's audit
log then says what was asked for, and what was refused.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from api_cases.accepted import TOPIC
from kind.shell import CommandFailed
from waiting import eventually

from .api_server import AUDIT_LOG, Kubectl
from .helm import NAMESPACE, Helm, Manifest

VALUES = {"broker": {"create": True, "spec": {"storage": {"persistent": {"size": "10Gi", "storageClass": "grows"}}}}}
ACCOUNT = f"system:serviceaccount:{NAMESPACE}:streams-operator"
WITHIN = 60  # seconds; all of it takes 8 on an idle machine

LOG = "operator.log"

Right = tuple[str, str, str]  # API group, resource, verb

# A node that cannot run: its pod is deleted, because it was made from an older template.
LABELS = {"headrace.dev/broker": "main", "headrace.dev/role": "broker"}
POD: Manifest = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "main-broker-0", "labels": {**LABELS, "controller-revision-hash": "older"}},
    "spec": {"containers": [{"name": "kafka", "image": "none"}]},
}
NOT_SCHEDULED = {"status": {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}}
# A volume that is smaller than it should be, of a class that can grow.
CLASS: Manifest = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "grows"},
    "provisioner": "headrace.dev/none",
    "allowVolumeExpansion": True,
}
CLAIM: Manifest = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data-main-broker-0", "labels": LABELS},
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "grows",
        "volumeName": "none",
        "resources": {"requests": {"storage": "5Gi"}},
    },
}
# What the controller of StatefulSets would say, if one ran: the pod below is of an older template than this.
NEWEST_TEMPLATE = {"status": {"replicas": 0, "observedGeneration": 1, "updateRevision": "newest"}}
BOUND = {"status": {"phase": "Bound", "capacity": {"storage": "5Gi"}}}


def test_the_operator_has_every_right_that_it_needs_and_none_that_it_does_not(
    helm: Helm, kubectl: Kubectl, tmp_path: Path
) -> None:
    rendered = helm.template(VALUES)
    installed(kubectl, rendered)

    def ask(*args: str, stdin: str | None = None) -> str:
        return kubectl("--namespace", NAMESPACE, *args, stdin=stdin)

    def until(look: Callable[[], bool], what: str) -> None:
        def look_and_see_what_is_refused() -> bool:
            assert refused(kubectl) == []
            return look()

        eventually(look_and_see_what_is_refused, WITHIN, f"{what} (see {tmp_path / LOG})")

    create(ask, CLASS)
    create(ask, CLAIM)
    ask("patch", "pvc", "data-main-broker-0", "--subresource=status", "--patch", json.dumps(BOUND))
    with running_operator(kubectl, rendered, tmp_path):
        until(lambda: succeeds(ask, "get", "broker", "main"), "the first Broker is made")
        create(ask, TOPIC | {"spec": {"broker": "main", "deletionPolicy": "Delete"}})
        until(lambda: succeeds(ask, "get", "statefulset", "main-broker"), "the set of nodes is made")
        ask("patch", "statefulset", "main-broker", "--subresource=status", "--patch", json.dumps(NEWEST_TEMPLATE))
        for _ in range(2):  # the second time the same event is counted up
            create(ask, POD)
            ask("patch", "pod", "main-broker-0", "--subresource=status", "--patch", json.dumps(NOT_SCHEDULED))
            until(lambda: not succeeds(ask, "get", "pod", "main-broker-0"), "the pod is deleted")
        until(lambda: requested(ask) == "10Gi", "the volume is asked to grow")
        until(lambda: reason(ask, "topic/readings") == "BrokerAway", "the Topic is reported on")
        assert reason(ask, "broker/main") == "NodesStarting"
        assert "headrace.dev/topic" in ask("get", "topic", "readings", "-o", "jsonpath={.metadata.finalizers}")
    holder = ask("get", "lease", "streams-operator", "-o", "jsonpath={.spec.holderIdentity}")
    assert holder == "", "it has let go of its Lease"

    assert refused(kubectl) == []
    # An admission plugin asks for it, which is not in the audit log; the server here has that plugin.
    used = {right for right, _, _ in audit(kubectl)} | {("headrace.dev", "brokers/finalizers", "update")}
    assert granted(rendered) == used


def installed(kubectl: Kubectl, rendered: list[Manifest]) -> None:
    """What the chart renders, except for what is there already and what nobody here would run."""
    kubectl("create", "namespace", NAMESPACE)
    kubectl("--namespace", NAMESPACE, "create", "serviceaccount", "default")
    chosen = [m for m in rendered if m["kind"] not in ("CustomResourceDefinition", "Deployment", "ConfigMap")]
    kubectl("apply", "--filename", "-", stdin=yaml.safe_dump_all(chosen))


@contextmanager
def running_operator(kubectl: Kubectl, rendered: list[Manifest], work: Path) -> Iterator[None]:
    """As the Deployment says it, in a process; stopped as Kubernetes stops a pod."""
    (deployment,) = [m for m in rendered if m["kind"] == "Deployment"]
    (first,) = [m for m in rendered if m["kind"] == "ConfigMap"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    mounted = work / "first"
    mounted.mkdir()
    for name, text in first["data"].items():
        (mounted / name).write_text(text)
    args = [arg.replace("/etc/headrace/first", str(mounted)) for arg in container["args"]]
    env = {
        **os.environ,
        **{e["name"]: e["value"] for e in container["env"] if "value" in e},
        "POD_NAME": "streams-operator-0",
        "POD_NAMESPACE": NAMESPACE,
        "KUBECONFIG": str(kubectl.kubeconfig(work, token(kubectl))),
    }
    log = work / LOG
    command = [sys.executable, "-m", "headrace.cli.main", *args, f"--port={free_port()}"]
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=env, cwd=work, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    try:
        yield
        process.terminate()
        assert process.wait(30) == 0, log.read_text()
    finally:
        process.kill()
        process.wait()


def token(kubectl: Kubectl) -> str:
    return kubectl("--namespace", NAMESPACE, "create", "token", "streams-operator").strip()


def refused(kubectl: Kubectl) -> list[str]:
    return [said for _, code, said in audit(kubectl) if code == 403]


def audit(kubectl: Kubectl) -> Iterator[tuple[Right, int, str]]:
    """Every right that the operator asked for, the server's answer, and its words."""
    for line in (kubectl.home / AUDIT_LOG).read_text().splitlines():
        entry = json.loads(line)
        if entry["user"]["username"] != ACCOUNT or "objectRef" not in entry:
            continue
        ref, status = entry["objectRef"], entry.get("responseStatus", {})
        resource = "/".join(part for part in (ref["resource"], ref.get("subresource")) if part)
        said = status.get("message", "")
        yield (ref.get("apiGroup", ""), resource, entry["verb"]), status.get("code", 0), said
        if entry["verb"] == "patch" and status.get("code") == 201:  # applied, and was not there: that takes both
            yield (ref.get("apiGroup", ""), resource, "create"), 201, said


def granted(rendered: list[Manifest]) -> set[Right]:
    rules = [rule for m in rendered if m["kind"] in ("ClusterRole", "Role") for rule in m["rules"]]
    return {(g, r, v) for rule in rules for g in rule["apiGroups"] for r in rule["resources"] for v in rule["verbs"]}


def create(ask: Callable[..., str], manifest: Mapping[str, Any]) -> None:
    ask("create", "--filename", "-", stdin=json.dumps(manifest))


def succeeds(ask: Callable[..., str], *args: str) -> bool:
    try:
        ask(*args)
    except CommandFailed:
        return False
    return True


def requested(ask: Callable[..., str]) -> str:
    return ask("get", "pvc", "data-main-broker-0", "-o", "jsonpath={.spec.resources.requests.storage}")


def reason(ask: Callable[..., str], what: str) -> str:
    return ask("get", what, "-o", 'jsonpath={.status.conditions[?(@.type=="Ready")].reason}')


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
