"""`make cluster DRY_RUN=1` says what would be done and why, and changes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_a_dry_run_prints_every_decision_with_its_reason_and_changes_nothing(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    env = {**os.environ, "HEADRACE_CACHE": str(cache), "PYTHONPATH": f"{ROOT}/tests:{ROOT}/operator/src"}
    command = [sys.executable, "-m", "kind", "up", "--nodes", "4", "--dry-run"]
    said = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout
    for decision in ("engine: ", "inotify: ", "kind, kubectl, helm: ", "node image, if it cannot be pulled: "):
        (line,) = [line for line in said.splitlines() if line.startswith(decision)]
        assert "(" in line, "no reason is given"
    assert f"cluster: 4 node(s), kubeconfig {cache}/clusters/headrace-4/kubeconfig" in said
    assert "would be built" in said
    assert not cache.exists()
