"""A real API server without a cluster: etcd and kube-apiserver on loopback, up in seconds.

Nothing runs pods here. It answers what only an API server can: is a CRD accepted, which defaults are filled in,
what is refused, and in which words.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from headrace.world.cache import Cache, default_cache_dir
from kind import products
from kind.facts import go_version
from kind.shell import CommandFailed, capture
from kind.steps import make_all

READY_WITHIN = 90.0  # seconds; 5 on an idle machine
STOPPED_WITHIN = 20.0  # seconds, before a process is killed
AUDIT_LOG = "audit.log"  # what service accounts asked for, one JSON object per line
AUDIT_POLICY = """
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Metadata, userGroups: ["system:serviceaccounts"]}
- {level: None}
"""


@dataclass(frozen=True)
class Kubectl:
    """kubectl, bound to one server and to a home of its own."""

    program: Path
    server: str
    token: str
    home: Path

    def __call__(self, *args: str, stdin: str | None = None) -> str:
        where = ("--server", self.server, "--token", self.token, "--insecure-skip-tls-verify")
        # Whatever kubeconfig the developer has must not leak in, nor our discovery cache out.
        env = {"HOME": str(self.home), "KUBECONFIG": str(self.home / "none")}
        return capture(str(self.program), *where, *args, env=env, stdin=stdin)

    def kubeconfig(self, work: Path, token: str) -> Path:
        """A file for clients of our own, that log in with this token."""
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "it",
            "clusters": [{"name": "it", "cluster": {"server": self.server, "insecure-skip-tls-verify": True}}],
            "users": [{"name": "it", "user": {"token": token}}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
        }
        file = work / "kubeconfig"
        file.write_text(json.dumps(config))
        return file


@dataclass(frozen=True)
class Programs:
    kubernetes: Path  # a directory
    etcd: Path


def programs() -> Programs:
    """From the product cache, or built into it, which takes minutes."""
    cache = Cache(default_cache_dir(os.environ))
    made = make_all(cache, products.api_server_steps(cache, go_version() or ""))
    return Programs(made["kubernetes"].path, made["runtime"].path / "etcd")


@contextmanager
def running_api_server(made: Programs, work: Path) -> Iterator[Kubectl]:
    """A fresh, empty API server; we may do everything, others what their roles say. `work` holds its data and logs."""
    kubernetes, etcd = made.kubernetes, made.etcd
    port = _free_port()
    kubectl = Kubectl(kubernetes / "kubectl", f"https://127.0.0.1:{port}", secrets.token_hex(16), work)
    with ExitStack() as processes:
        etcd_address = f"http://127.0.0.1:{_free_port()}"
        _start(processes, work, "etcd", *_etcd_command(etcd, work, etcd_address))
        server = _start(
            processes,
            work,
            "kube-apiserver",
            *_server_command(kubernetes / "kube-apiserver", work, etcd_address, port, kubectl.token),
        )
        _wait_until_ready(kubectl, server, work / "kube-apiserver.log")
        yield kubectl


def _etcd_command(program: Path, work: Path, listen: str) -> list[str]:
    return [
        str(program),
        f"--data-dir={work / 'etcd'}",
        f"--listen-client-urls={listen}",
        f"--advertise-client-urls={listen}",
        f"--listen-peer-urls=http://127.0.0.1:{_free_port()}",
        "--unsafe-no-fsync",  # the data does not outlive the process
        "--log-level=warn",
    ]


def _server_command(program: Path, work: Path, etcd: str, port: int, token: str) -> list[str]:
    tokens = work / "tokens.csv"
    tokens.write_text(f"{token},tester,tester,system:masters\n")
    key = work / "service-account.key"
    capture("openssl", "genrsa", "-out", str(key), "2048")
    policy = work / "audit-policy.yaml"
    policy.write_text(AUDIT_POLICY)
    return [
        str(program),
        f"--etcd-servers={etcd}",
        f"--secure-port={port}",
        "--bind-address=127.0.0.1",
        f"--cert-dir={work / 'certificates'}",
        f"--token-auth-file={tokens}",
        "--authorization-mode=RBAC",
        # As some clusters do: to own an object so that it blocks its owner's deletion takes a right of its own.
        "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
        f"--audit-policy-file={policy}",
        f"--audit-log-path={work / AUDIT_LOG}",
        "--service-account-issuer=https://headrace.test",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        "--service-cluster-ip-range=10.0.0.0/24",
    ]


def _start(processes: ExitStack, work: Path, name: str, *command: str) -> subprocess.Popen[bytes]:
    log = processes.enter_context((work / f"{name}.log").open("wb"))
    process = subprocess.Popen(command, cwd=work, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    processes.callback(_stop, process)
    return process


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOPPED_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait_until_ready(kubectl: Kubectl, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_WITHIN
    while True:
        try:
            # The default namespace is made after the server calls itself ready, and every test needs it.
            kubectl("get", "namespace", "default", "--request-timeout=2s")
            return
        except CommandFailed as why:
            if server.poll() is not None or time.monotonic() > deadline:
                tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
                raise CommandFailed(f"kube-apiserver did not become ready: {why}\n  its last words:\n{tail}") from why
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
