"""The container engine: installed and started where there is none, and stopped again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from headrace.world.cache import Cache

from . import decide
from .facts import Facts, engine_answers, gather
from .shell import CommandFailed, Refused, capture, run_logged
from .steps import say

STARTS_WITHIN = 60.0  # seconds
STOPS_WITHIN = 90.0

# Only what names capabilities is touched: the container's configuration on create and run, and the
# process file that exec is given. Everything else goes to runc as it came.
WRAPPER = """\
#!{python} -ISB
import json, os, sys
def strip(path, where):
    with open(path) as f: whole = json.load(f)
    caps = where(whole).get("capabilities") or {{}}
    for names in caps.values():
        while names and "CAP_SYS_RESOURCE" in names: names.remove("CAP_SYS_RESOURCE")
    with open(path, "w") as f: json.dump(whole, f)
args = sys.argv[1:]
def after(*flags):
    for i, a in enumerate(args):
        if a in flags: return args[i + 1]
        for f in flags:
            if a.startswith(f + "="): return a.split("=", 1)[1]
if "create" in args or "run" in args:
    strip(os.path.join(after("--bundle", "-b") or ".", "config.json"), lambda c: c["process"])
elif "exec" in args and after("--process", "-p"):
    strip(after("--process", "-p"), lambda p: p)
os.execv("{runc}", ["{runc}", *args])
"""


def up(cache: Cache, facts: Facts) -> Facts:
    """Make sure that an engine answers; returns the facts as they are then."""
    decision = decide.engine(facts)
    say(f"engine: {decision}")
    if not decision.possible:
        raise Refused(decision.why)
    if decision.action == "use":
        return facts
    if decision.action == "install and start":
        install_packages(cache, "docker.io")
    started = time.monotonic()
    if facts.systemd:
        capture("systemctl", "start", "docker")
    else:
        _start_by_hand(cache, facts)
    _wait_until_it_answers(cache)
    say(f"engine: answers after {time.monotonic() - started:.0f} s; `make engine-down` stops it")
    return gather()


def down(cache: Cache) -> None:
    """Stop the engine if it is ours. One that was running before us is left alone."""
    pid = _our_pid(cache)
    if pid is None:
        say("engine: none of ours is running; nothing to stop")
        return
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOPS_WITHIN
    while _alive(pid):
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            raise CommandFailed(f"dockerd (process {pid}) did not stop in {STOPS_WITHIN:g} s and was killed")
        time.sleep(0.2)
    _pid_file(cache).unlink(missing_ok=True)
    say("engine: stopped")


def is_ours(cache: Cache) -> bool:
    return _our_pid(cache) is not None


def install_packages(cache: Cache, *packages: str) -> None:
    """Install Debian packages that are not there yet."""
    status = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *packages], capture_output=True, text=True
    )
    there = {line.split()[0] for line in status.stdout.splitlines() if line.endswith(" installed")}
    if lacking := [p for p in packages if p not in there]:
        say(f"packages: installing {', '.join(lacking)}")
        log = cache.root / "logs" / "apt.log"
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        run_logged(log, "apt-get", "update", env=quiet)
        run_logged(log, "apt-get", "install", "--yes", "--no-install-recommends", *lacking, env=quiet)


def _start_by_hand(cache: Cache, facts: Facts) -> None:
    command = ["dockerd"]
    wrapper = decide.runtime_wrapper(facts)
    say(f"engine: {wrapper}")
    if wrapper.action == "wrapped runc":
        # On the command line, not in /etc/docker/daemon.json: that file is the machine owner's.
        command += ["--add-runtime", f"fewer-caps={_write_wrapper(cache)}", "--default-runtime", "fewer-caps"]
    log = cache.root / "logs" / "dockerd.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    _remove_stale_pid_file(Path("/var/run/docker.pid"))
    # By way of a shell that ends at once: the daemon outlives us, so it must not be a child that we would have to mind.
    detach = '"$@" > "$0" 2>&1 < /dev/null & echo $!'
    words = ["sh", "-c", detach, str(log), *command]
    pid = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, start_new_session=True).stdout.strip()
    _pid_file(cache).parent.mkdir(parents=True, exist_ok=True)
    _pid_file(cache).write_text(pid)


def _remove_stale_pid_file(path: Path) -> None:
    """A dockerd that was killed leaves its pid file, and the next one refuses to start if that number lives."""
    try:
        pid = int(path.read_text())
    except (FileNotFoundError, ValueError):
        return
    if _alive(pid):  # two of them on the same data would ruin it
        raise Refused(f"dockerd runs (process {pid}) but does not answer: look why, or stop it, and run this again")
    path.unlink(missing_ok=True)


def _write_wrapper(cache: Cache) -> Path:
    runc = shutil.which("runc")
    if runc is None:
        raise Refused("runc is not installed beside dockerd: install it (Debian's package is called runc)")
    path = cache.root / "engine" / "runc-with-fewer-capabilities"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(WRAPPER.format(python=os.path.realpath(sys.executable), runc=runc))
    path.chmod(0o755)
    return path


def _wait_until_it_answers(cache: Cache) -> None:
    deadline = time.monotonic() + STARTS_WITHIN
    while not engine_answers():
        pid = _our_pid(cache)
        if time.monotonic() > deadline or (_pid_file(cache).exists() and pid is None):
            log = cache.root / "logs" / "dockerd.log"
            tail = "\n".join(log.read_text().splitlines()[-8:]) if log.exists() else ""
            raise CommandFailed(f"the container engine did not start:\n{tail}\n  all of it: {log}")
        time.sleep(0.3)


def _pid_file(cache: Cache) -> Path:
    return cache.root / "engine" / "dockerd.pid"


def _our_pid(cache: Cache) -> int | None:
    try:
        pid = int(_pid_file(cache).read_text())
    except (FileNotFoundError, ValueError):
        return None
    return pid if _alive(pid) else None


def _alive(pid: int) -> bool:
    """Whether `pid` is a running dockerd: the number may have been given to another program since."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return b"dockerd" in words and state != "Z"
