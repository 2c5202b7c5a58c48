"""The runtime wrapper takes one capability away and leaves everything else as it came."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kind.engine import WRAPPER, _remove_stale_pid_file
from kind.shell import Refused
from waiting import eventually

CAPABILITIES = {"bounding": ["CAP_CHOWN", "CAP_SYS_RESOURCE", "CAP_KILL"], "effective": ["CAP_SYS_RESOURCE"]}
FEWER = {"bounding": ["CAP_CHOWN", "CAP_KILL"], "effective": []}


@pytest.fixture
def wrapped(tmp_path: Path) -> Path:
    """The wrapper around a `runc` that only prints the words it was given."""
    runc = tmp_path / "runc"
    runc.write_text('#!/bin/sh\necho "$@"\n')
    wrapper = tmp_path / "wrapper"
    wrapper.write_text(WRAPPER.format(python=sys.executable, runc=runc))
    for program in (runc, wrapper):
        program.chmod(0o755)
    return wrapper


def run(wrapper: Path, *args: str) -> str:
    return subprocess.run([wrapper, *args], check=True, capture_output=True, text=True, cwd=wrapper.parent).stdout


@pytest.mark.parametrize(
    "verb", [["create", "--bundle", "BUNDLE"], ["run", "-b", "BUNDLE"], ["create", "--bundle=BUNDLE"]]
)
def test_a_container_is_made_without_the_missing_capability(wrapped: Path, verb: list[str]) -> None:
    bundle = wrapped.parent / "bundle"
    bundle.mkdir()
    config: dict[str, Any] = {"process": {"args": ["sleep"], "capabilities": CAPABILITIES}, "hostname": "h"}
    (bundle / "config.json").write_text(json.dumps(config))
    args = ["--root", "/r", *(word.replace("BUNDLE", str(bundle)) for word in verb), "name"]
    assert run(wrapped, *args).split() == args
    written = json.loads((bundle / "config.json").read_text())
    assert written == {"process": {"args": ["sleep"], "capabilities": FEWER}, "hostname": "h"}


def test_a_process_joins_a_container_without_the_missing_capability(wrapped: Path) -> None:
    process = wrapped.parent / "process.json"
    process.write_text(json.dumps({"args": ["sh"], "capabilities": CAPABILITIES}))
    run(wrapped, "exec", "--process", str(process), "name")
    assert json.loads(process.read_text()) == {"args": ["sh"], "capabilities": FEWER}


def test_other_verbs_pass_untouched(wrapped: Path) -> None:
    assert run(wrapped, "kill", "name", "TERM").split() == ["kill", "name", "TERM"]


def test_a_pid_file_that_a_killed_engine_left_is_removed(tmp_path: Path) -> None:
    left = tmp_path / "docker.pid"
    left.write_text(str(os.getpid()))  # a number that lives, but is no dockerd
    _remove_stale_pid_file(left)
    assert not left.exists()


def test_a_second_engine_is_never_started_beside_one_that_runs_but_does_not_answer(tmp_path: Path) -> None:
    program = tmp_path / "dockerd"
    program.write_text("#!/bin/sh\nread line\n")
    program.chmod(0o755)
    with subprocess.Popen([program], stdin=subprocess.PIPE) as running:
        pid_file = tmp_path / "docker.pid"
        pid_file.write_text(str(running.pid))
        eventually(lambda: b"dockerd" in Path(f"/proc/{running.pid}/cmdline").read_bytes(), 10, "it runs")
        with pytest.raises(Refused, match=r"runs .* but does not answer"):
            _remove_stale_pid_file(pid_file)
        running.communicate(b"\n")
