"""The cluster itself: made, checked, revived, remade, taken down."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from headrace.world.cache import Cache, digest_of

from . import decide
from .facts import Facts
from .shell import CommandFailed, answers, capture, run_logged
from .steps import say, spell

HEALTHY_WITHIN = 180.0  # seconds from kind's own end, or from starting stopped nodes
KNOWN_TO_BE_UP_WITHIN = 20.0  # a cluster that nobody touched only has to answer


@dataclass(frozen=True)
class Cluster:
    """A cluster by its number of nodes; clusters of different sizes can stand side by side."""

    cache: Cache
    nodes: int
    clients: Path  # where kind, kubectl and helm are

    @property
    def name(self) -> str:
        return "headrace" if self.nodes == 1 else f"headrace-{self.nodes}"

    @property
    def kubeconfig(self) -> Path:
        return self.cache.root / "clusters" / self.name / "kubeconfig"

    @property
    def shared_dir(self) -> Path:
        return self.cache.root / "clusters" / self.name / "shared"

    @property
    def fingerprint_file(self) -> Path:
        return self.cache.root / "clusters" / self.name / "fingerprint"

    @property
    def log(self) -> Path:
        return self.cache.root / "logs" / f"cluster-{self.name}.log"

    def kubectl(self, *args: str, stdin: str | None = None, timeout: float = 60) -> str:
        return capture(
            str(self.clients / "kubectl"), "--kubeconfig", str(self.kubeconfig), *args, stdin=stdin, timeout=timeout
        )

    def kind(self, *args: str) -> None:
        env = {"KIND_EXPERIMENTAL_PROVIDER": "docker"}
        run_logged(self.log, str(self.clients / "kind"), *args, "--name", self.name, env=env)


@dataclass(frozen=True)
class Seen:
    """What a look at a cluster showed. `api` is what kubectl said when it could not be asked."""

    containers: dict[str, str]  # node container -> docker's word for its state
    api: str | None = None
    ready_nodes: frozenset[str] = frozenset()
    unready_pods: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()


def problems(seen: Seen, nodes: int) -> list[str]:
    """Everything that keeps a cluster from being usable, in the order in which one would look."""
    if len(seen.containers) != nodes:
        return [f"{len(seen.containers)} of {nodes} node containers exist"]
    if stopped := sorted(n for n, state in seen.containers.items() if state != "running"):
        return [f"{n} is {seen.containers[n]}" for n in stopped]
    if seen.api is not None:
        return [f"the API server does not answer: {seen.api}"]
    found = [f"node {n} is not Ready" for n in sorted(seen.containers.keys() - seen.ready_nodes)]
    found += [f"pod {p} is not ready" for p in sorted(seen.unready_pods)]
    found += [f"StorageClass {c} is missing" for c in sorted({"standard", "shared"} - seen.classes)]
    return found


def look(cluster: Cluster) -> Seen:
    containers = node_containers(cluster.name)
    try:
        found = cluster.kubectl(
            "get", "nodes,pods,storageclasses", "-A", "-o", "json", "--request-timeout=5s", timeout=15
        )
    except CommandFailed as why:
        return Seen(containers, api=str(why).splitlines()[-1].strip())
    items: list[dict[str, Any]] = json.loads(found)["items"]
    system = [p for p in _of(items, "Pod") if p["metadata"]["namespace"] in ("kube-system", "local-path-storage")]
    return Seen(
        containers,
        ready_nodes=frozenset(n["metadata"]["name"] for n in _of(items, "Node") if _is_ready(n)),
        unready_pods=frozenset(
            p["metadata"]["name"]
            for p in system
            if not _is_ready(p) and p["status"].get("phase") not in ("Succeeded", "Failed")
        ),
        classes=frozenset(c["metadata"]["name"] for c in _of(items, "StorageClass")),
    )


def up(cluster: Cluster, facts: Facts, image: str) -> None:
    """A healthy cluster: the one that is there, the one that is there with its nodes started, or a new one."""
    config = json.dumps(decide.kind_config(facts, cluster.nodes, str(cluster.shared_dir)), indent=1)
    fingerprint = digest_of(image, config)
    with cluster.cache.locked(f"cluster-{cluster.name}"):
        containers = node_containers(cluster.name)
        if containers:
            why = _broken_beyond_repair(cluster, containers, fingerprint)
            if why is None:
                return
            say(f"cluster {cluster.name}: {why}; it is made anew")
            _delete(cluster)
        _create(cluster, config, image, fingerprint)


def down(cluster: Cluster) -> None:
    with cluster.cache.locked(f"cluster-{cluster.name}"):
        if not node_containers(cluster.name):
            say(f"cluster {cluster.name}: there is none; nothing to do")
            return
        _delete(cluster)
    say(f"cluster {cluster.name}: gone")


def node_containers(name: str) -> dict[str, str]:
    """Container name to state, of every node of a kind cluster, stopped ones too."""
    label = f"label=io.x-k8s.kind.cluster={name}"
    rows = capture("docker", "ps", "--all", "--filter", label, "--format", "{{.Names}} {{.State}}").splitlines()
    return dict(sorted(row.split(" ", 1) for row in rows))


def our_cluster_names() -> list[str]:
    """Every cluster of ours that the engine knows."""
    rows = capture(
        "docker",
        "ps",
        "--all",
        "--filter",
        "label=io.x-k8s.kind.cluster",
        "--format",
        '{{.Label "io.x-k8s.kind.cluster"}}',
    ).splitlines()
    return sorted({r for r in rows if r == "headrace" or r.removeprefix("headrace-").isdigit()})


def _broken_beyond_repair(cluster: Cluster, containers: dict[str, str], fingerprint: str) -> str | None:
    try:
        known = cluster.fingerprint_file.read_text()
    except FileNotFoundError:
        return "its making was interrupted"
    if known != fingerprint:
        return "its node image or its settings have changed"
    if len(containers) != cluster.nodes:
        return f"{len(containers)} of {cluster.nodes} node containers exist"
    if stopped := [n for n, state in containers.items() if state != "running"]:
        say(f"cluster {cluster.name}: starting the stopped {', '.join(stopped)}")
        for node in stopped:
            try:
                capture("docker", "start", node)
            except CommandFailed as why:
                return f"{node} cannot be started: {str(why).splitlines()[-1].strip()}"
    # Nodes that were started after the cluster was last seen well may still be on their way.
    started = _last_start(containers)
    seen_well = datetime.fromtimestamp(cluster.fingerprint_file.stat().st_mtime, UTC)
    just_started = started > seen_well and (datetime.now(UTC) - started).total_seconds() < HEALTHY_WITHIN
    left = _wait_until_healthy(cluster, HEALTHY_WITHIN if just_started else KNOWN_TO_BE_UP_WITHIN)
    if not left:
        cluster.fingerprint_file.touch()
        say(f"cluster {cluster.name}: already up and healthy; nothing to do")
        return None
    return "it is broken (" + "; ".join(left) + ")"


def _last_start(containers: Iterable[str]) -> datetime:
    """When the last of the nodes was started, by us or by an engine that was restarted."""
    times = capture("docker", "inspect", "--format", "{{.State.StartedAt}}", *containers).split()
    # Docker writes nanoseconds, Python reads microseconds.
    return max(datetime.fromisoformat(t[:26].rstrip("Z") + "+00:00") for t in times)


def _create(cluster: Cluster, config: str, image: str, fingerprint: str) -> None:
    started = time.monotonic()
    say(f"cluster {cluster.name}: creating {cluster.nodes} node{'s' * (cluster.nodes > 1)} from {image}")
    cluster.log.unlink(missing_ok=True)
    cluster.shared_dir.mkdir(parents=True, exist_ok=True)
    config_file = cluster.kubeconfig.parent / "kind.json"
    config_file.write_text(config)
    where = ("--kubeconfig", str(cluster.kubeconfig))
    cluster.kind("create", "cluster", "--image", image, "--config", str(config_file), *where)
    say(f"cluster {cluster.name}: control plane up after {spell(time.monotonic() - started)}")
    _add_shared_class(cluster)
    if left := _wait_until_healthy(cluster, HEALTHY_WITHIN):
        raise CommandFailed(
            f"cluster {cluster.name} did not become healthy in {HEALTHY_WITHIN:g} s: {'; '.join(left)}\n"
            f"  look at it with: {cluster.clients}/kubectl --kubeconfig {cluster.kubeconfig} get pods -A"
        )
    cluster.fingerprint_file.write_text(fingerprint)
    say(f"cluster {cluster.name}: healthy after {spell(time.monotonic() - started)}")


def _delete(cluster: Cluster) -> None:
    cluster.fingerprint_file.unlink(missing_ok=True)
    # From inside a node, where the files' owner is: outside we may not be root.
    for node, state in node_containers(cluster.name).items():
        if state == "running":
            wipe = f"find {decide.SHARED_IN_NODE} -mindepth 1 -delete"
            answers("docker", "exec", node, "sh", "-c", wipe, timeout=60)  # a node that is stuck cannot be asked
            break
    cluster.kind("delete", "cluster", "--kubeconfig", str(cluster.kubeconfig))
    shutil.rmtree(cluster.kubeconfig.parent, ignore_errors=True)


def _add_shared_class(cluster: Cluster) -> None:
    """Class `shared`: the same directory of the host, mounted into every node, served by kind's own provisioner."""
    classes = {
        "standard": {
            "nodePathMap": [{"node": "DEFAULT_PATH_FOR_NON_LISTED_NODES", "paths": ["/var/local-path-provisioner"]}]
        },
        "shared": {"sharedFileSystemPath": decide.SHARED_IN_NODE},
    }
    patch = {"data": {"config.json": json.dumps({"storageClassConfigs": classes})}}
    here = ("--namespace", "local-path-storage")
    cluster.kubectl("patch", "configmap", "local-path-config", *here, "--type=merge", "--patch", json.dumps(patch))
    shared = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "shared"},
        "provisioner": "rancher.io/local-path",
        "volumeBindingMode": "Immediate",
        "reclaimPolicy": "Delete",
    }
    cluster.kubectl("apply", "-f", "-", stdin=json.dumps(shared))
    # It reads its configuration when it starts.
    cluster.kubectl("rollout", "restart", "deployment/local-path-provisioner", *here)
    cluster.kubectl("rollout", "status", "deployment/local-path-provisioner", *here, "--timeout=120s", timeout=130)


def _wait_until_healthy(cluster: Cluster, seconds: float) -> list[str]:
    """Empty when it became healthy, else what was still wrong at the end."""
    deadline = time.monotonic() + seconds
    reported = time.monotonic()
    while found := problems(look(cluster), cluster.nodes):
        if time.monotonic() > deadline:
            return found
        if time.monotonic() - reported > 10:
            reported = time.monotonic()
            say(f"cluster {cluster.name}: waiting, {'; '.join(found[:3])}")
        time.sleep(1)
    return []


def _of(items: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [i for i in items if i["kind"] == kind]


def _is_ready(item: dict[str, Any]) -> bool:
    conditions = item.get("status", {}).get("conditions", [])
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
