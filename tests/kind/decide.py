"""What to do on a machine with these facts: pure, so that a dry run and the tests see the same decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from . import pins
from .facts import Facts

Way = Literal["published", "assembled"]


@dataclass(frozen=True)
class Decision:
    """One thing that will be done and why; or, if it cannot be, what is missing and what to do."""

    action: str
    why: str
    possible: bool = True

    def __str__(self) -> str:
        return f"{self.action} ({self.why})"


def engine(facts: Facts) -> Decision:
    if facts.engine:
        return Decision("use", f"engine {facts.engine} answers")
    if not facts.root:
        how = "start it" if facts.docker_client else "install Docker and start it"
        return Decision(
            "stop",
            f"no container engine answers ({facts.engine_error}) and you are not root, so none can be started "
            f"for you: {how}, make sure that `docker version` works for you, and run this again",
            possible=False,
        )
    if facts.docker_daemon:
        return Decision("start", f"dockerd is installed but does not answer: {facts.engine_error}")
    if facts.debian:
        return Decision("install and start", "no container engine is here, and we are root on Debian")
    return Decision(
        "stop",
        "no container engine is here, and only on Debian and its relatives do we know how to install one: "
        "install Docker, make sure that `docker version` works, and run this again",
        possible=False,
    )


def runtime_wrapper(facts: Facts) -> Decision:
    """Whether an engine that we start needs a runtime that asks for fewer capabilities."""
    if facts.sys_resource:
        return Decision("plain runc", "no capability is missing")
    return Decision(
        "wrapped runc",
        "CAP_SYS_RESOURCE is missing from the bounding set, so privileged containers must not ask for it",
    )


def client_tools(facts: Facts) -> Decision:
    """kind, kubectl and helm are built by Go from their pinned modules, on every machine alike."""
    wanted = pins.minimum_go()
    if facts.go is None:
        return Decision("stop", f"Go {wanted} or newer is needed to build kind, kubectl and helm: install it", False)
    if _numbers(facts.go) < _numbers(wanted):
        return Decision(
            "stop", f"Go {facts.go} is too old for kind, kubectl and helm: install {wanted} or newer", False
        )
    return Decision("build", f"Go {facts.go}, versions of go.mod")


def node_image(facts: Facts, asked: Way | None, pull_error: str | None) -> Decision:
    """`pull_error` is why the published image cannot be had; None when it is here or was pulled."""
    if asked == "published" and pull_error:
        return Decision("stop", f"the published node image was asked for but cannot be had: {pull_error}", False)
    if asked != "assembled" and pull_error is None:
        return Decision("published", f"the engine has {pins.PUBLISHED_NODE_IMAGE.split('@')[0]}")
    why = "asked for" if asked else f"the published image cannot be pulled: {pull_error}"
    lacking = [
        what
        for what, there in (
            ("root", facts.root),
            ("Debian or a relative of it", facts.debian),
            ("an x86_64 machine", facts.machine == "x86_64"),
        )
        if not there
    ]
    if lacking:
        return Decision(
            "stop",
            f"{why}; and a node image can be assembled here only with {', '.join(lacking)}. "
            f"Give the engine access to a registry that has {pins.PUBLISHED_NODE_IMAGE.split('@')[0]}, "
            "or run this as root on Debian",
            possible=False,
        )
    return Decision("assembled", why)


def inotify(facts: Facts) -> Decision:
    """Every node has dozens of inotify instances, all of one user; when they run out, kube-proxy does not start."""
    found = facts.inotify_instances
    if found is None or found >= ENOUGH_INOTIFY_INSTANCES:
        return Decision("leave", "the limit is high enough, or this is not Linux")
    what = f"fs.inotify.max_user_instances is {found}, and several nodes need up to {ENOUGH_INOTIFY_INSTANCES}"
    if facts.root:
        return Decision("raise", what)
    advice = f"should pods fail with 'too many open files', have it raised (sysctl -w …={ENOUGH_INOTIFY_INSTANCES})"
    return Decision("warn", f"{what}; {advice}")


def kind_config(facts: Facts, nodes: int, shared_dir: str) -> dict[str, Any]:
    """The kind configuration of a cluster with one control plane and `nodes - 1` workers."""
    mounts = [{"hostPath": shared_dir, "containerPath": SHARED_IN_NODE}]
    roles = ["control-plane"] + ["worker"] * (nodes - 1)
    kubelet = ["kind: KubeletConfiguration", "nodeStatusUpdateFrequency: 4s", "nodeLeaseDurationSeconds: 20"]
    if facts.cgroup_v1:
        kubelet.append("failCgroupV1: false")
    config: dict[str, Any] = {
        "kind": "Cluster",
        "apiVersion": "kind.x-k8s.io/v1alpha4",
        "nodes": [{"role": role, "extraMounts": mounts} for role in roles],
        # A lost node is noticed in about 15 s instead of 50: tests of faults wait for it.
        "kubeadmConfigPatches": ["\n".join(kubelet) + "\n"],
        "kubeadmConfigPatchesJSON6902": [
            {
                "group": "kubeadm.k8s.io",
                "version": "v1beta4",
                "kind": "ClusterConfiguration",
                "patch": "- op: add\n"
                "  path: /controllerManager/extraArgs/-\n"
                "  value: {name: node-monitor-grace-period, value: 16s}\n",
            }
        ],
    }
    if not facts.sys_resource:
        # Neither the kubelet nor the container runtime may lower an oom_score_adj here.
        config["featureGates"] = {"KubeletInUserNamespace": True}
        config["containerdConfigPatches"] = ['[plugins."io.containerd.grpc.v1.cri"]\n  restrict_oom_score_adj = true\n']
    return config


ENOUGH_INOTIFY_INSTANCES = 1024
SHARED_IN_NODE = "/var/headrace-shared"


def _numbers(version: str) -> tuple[int, ...]:
    numeric = version.split("-", maxsplit=1)[0].split("rc", maxsplit=1)[0].split("beta", maxsplit=1)[0]
    return tuple(int(part) for part in numeric.split(".") if part.isdigit())
