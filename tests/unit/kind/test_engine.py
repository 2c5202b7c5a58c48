"""The runtime wrapper takes one capability away and leaves everything else as it came."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kind.engine import WRAPPER

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
