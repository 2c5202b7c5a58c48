"""What this machine is. Looks, changes nothing."""

from __future__ import annotations

import os
import platform
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from .shell import CommandFailed, answers, capture

CAP_SYS_RESOURCE = 24
INOTIFY_INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")


@dataclass(frozen=True)
class Facts:
    root: bool
    debian: bool  # apt-get installs packages here
    systemd: bool  # systemd is running, so services are its business
    docker_client: bool
    docker_daemon: bool  # dockerd is installed, running or not
    engine: str | None  # the version of the engine that answers
    engine_error: str  # why none does
    sys_resource: bool  # CAP_SYS_RESOURCE is in the bounding set
    cgroup_v1: bool
    inotify_instances: int | None  # that one user may have; None: not Linux, or not known
    go: str | None  # version
    machine: str  # x86_64, aarch64, …


def gather() -> Facts:
    engine, error = _engine()
    return Facts(
        root=os.geteuid() == 0,
        debian=_is_debian(),
        systemd=Path("/run/systemd/system").is_dir(),
        docker_client=shutil.which("docker") is not None,
        docker_daemon=shutil.which("dockerd") is not None,
        engine=engine,
        engine_error=error,
        sys_resource=_has_capability(CAP_SYS_RESOURCE),
        cgroup_v1=Path("/sys/fs/cgroup").is_dir() and not Path("/sys/fs/cgroup/cgroup.controllers").exists(),
        inotify_instances=_inotify_instances(),
        go=go_version(),
        machine=platform.machine(),
    )


def _inotify_instances() -> int | None:
    try:
        return int(INOTIFY_INSTANCES.read_text())
    except OSError:
        return None


def engine_answers() -> bool:
    return answers("docker", "version", "--format", "{{.Server.Version}}")


def _engine() -> tuple[str | None, str]:
    try:
        return capture("docker", "version", "--format", "{{.Server.Version}}", timeout=20).strip(), ""
    except CommandFailed as why:
        return None, str(why).splitlines()[-1].strip()


def _is_debian() -> bool:
    try:
        about = Path("/etc/os-release").read_text()
    except FileNotFoundError:
        return False
    family = " ".join(re.findall(r'^ID(?:_LIKE)?="?([^"\n]*)"?$', about, re.M)).split()
    return "debian" in family and shutil.which("apt-get") is not None


def _has_capability(bit: int) -> bool:
    try:
        status = Path("/proc/self/status").read_text()
    except FileNotFoundError:  # not Linux: the engine lives in a virtual machine of its own
        return True
    found = re.search(r"^CapBnd:\s*([0-9a-f]+)$", status, re.M)
    return not found or bool(int(found[1], 16) >> bit & 1)


def go_version() -> str | None:
    try:
        return capture("go", "env", "GOVERSION").strip().removeprefix("go")
    except CommandFailed:
        return None
