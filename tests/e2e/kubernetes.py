"""The test cluster as a test speaks of it: apply, wait, run something in a pod, stop a node."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kind.cluster import Cluster
from kind.shell import CommandFailed, capture
from waiting import eventually

Object = Mapping[str, Any]

NODE_NOTICED_WITHIN = 90.0  # seconds until a lost or returned node shows


@dataclass(frozen=True)
class Kubernetes:
    cluster: Cluster
    namespace: str

    def kubectl(self, *args: str, stdin: str | None = None, timeout: float = 60) -> str:
        return self.cluster.kubectl("--namespace", self.namespace, *args, stdin=stdin, timeout=timeout)

    def apply(self, *objects: Object) -> None:
        self.kubectl("apply", "-f", "-", stdin="\n---\n".join(json.dumps(o) for o in objects))

    def get(self, kind: str, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.kubectl("get", kind, name, "-o", "json"))
        return found

    def wait(self, what: str, condition: str, within: int = 90) -> None:
        self.kubectl("wait", what, f"--for={condition}", f"--timeout={within}s", timeout=within + 10)

    def run_in(self, pod: str, *command: str, timeout: float = 30) -> str:
        return self.kubectl("exec", pod, "--", *command, timeout=timeout)

    def node_of(self, pod: str) -> str:
        return str(self.get("pod", pod)["spec"]["nodeName"])

    def ready(self, kind: str, name: str) -> bool:
        """Whether a node or pod is Ready, and not because nobody has looked since."""
        conditions = self.get(kind, name)["status"].get("conditions", [])
        return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)

    def workers(self) -> list[str]:
        listed = self.kubectl("get", "nodes", "-l", "!node-role.kubernetes.io/control-plane", "-o", "name")
        return sorted(line.removeprefix("node/") for line in listed.split())

    def stop_node(self, node: str) -> None:
        capture("docker", "stop", "--time", "5", node)

    def start_node(self, node: str) -> None:
        capture("docker", "start", node)

    def wait_until_node(self, node: str, ready: bool) -> None:
        word = "Ready" if ready else "not Ready"
        eventually(lambda: self.ready("node", node) is ready, NODE_NOTICED_WITHIN, f"{node} is {word}")


def succeeds(look: Any, *args: str) -> bool:
    """Whether a command in the cluster succeeds."""
    try:
        look(*args)
    except CommandFailed:
        return False
    return True


def pod(name: str, image: str, command: list[str], **spec: Any) -> Object:
    """A pod with one container that stops at once when asked to."""
    container = {"name": "main", "image": image, "command": command, **spec.pop("container", {})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {"terminationGracePeriodSeconds": 0, "containers": [container], **spec},
    }


def on_node(name: str) -> dict[str, Any]:
    return {"nodeSelector": {"kubernetes.io/hostname": name}}


# The machine that no test stops; ordinary pods do not run there.
ON_THE_CONTROL_PLANE: dict[str, Any] = {
    "nodeSelector": {"node-role.kubernetes.io/control-plane": ""},
    "tolerations": [{"operator": "Exists"}],
}

# A server in a few words of Perl, which every Debian has: whoever connects is told what the file holds.
PORT = 8080
TELL = f"""
use IO::Socket::INET;
my $s = IO::Socket::INET->new(LocalPort => {PORT}, Listen => 9, ReuseAddr => 1) or die $@;
while (my $c = $s->accept) {{ open(my $f, "<", $ARGV[0]); print $c (<$f>); close $c }}
"""


def serve(file: str) -> list[str]:
    return ["perl", "-e", TELL, file]


def ask(host: str) -> list[str]:
    """A command that prints what the server at `host` tells, or fails within seconds."""
    return ["timeout", "5", "bash", "-c", f"cat < /dev/tcp/{host}/{PORT}"]
