from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import PIPE

from local.processes import group_is_there
from waiting import eventually

HEADRACE = str(Path(sys.executable).with_name("headrace"))


def headrace(*arguments: str, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [HEADRACE, *arguments], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
    )


def test_the_demo_kills_its_broker_and_counts_every_record(libs: Path, tmp_path: Path) -> None:
    done = headrace("demo", "--records", "2000", env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the broker is killed (SIGKILL)" in done.stdout
    rows = dict(
        line.rsplit(maxsplit=1) for line in done.stdout.splitlines() if line.startswith("  ") and " s  " not in line
    )
    assert {name.strip(): value for name, value in rows.items() if "pause" not in name} == {
        "acknowledged": "2,000",
        "read back": "2,000",
        "missing": "0",
        "doubled": "0",
        "never sent": "0",
        "order kept per sensor": "yes",
    }
    assert not done.stderr
    assert not list(tmp_path.iterdir()), "the demo cleans up after itself"


def test_a_ctrl_c_ends_the_demo_and_leaves_nothing(libs: Path, tmp_path: Path) -> None:
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([HEADRACE, "demo"], env=env, stdout=PIPE, stderr=PIPE, text=True) as demo:
        assert demo.stdout
        assert demo.stderr
        found = re.search(r"a Kafka broker is up on \S+, as process (\d+)", demo.stdout.readline())
        assert found
        broker = int(found[1])
        assert group_is_there(broker)
        demo.send_signal(signal.SIGINT)
        try:
            assert demo.wait(30) == 130
        finally:
            demo.kill()
        assert not demo.stderr.read()
    eventually(lambda: not group_is_there(broker), 20, "the broker is gone", every=0.02)
    assert not list(tmp_path.iterdir())


def test_the_demo_says_what_it_lacks(tmp_path: Path) -> None:
    done = headrace("demo", env={"HEADRACE_CACHE": str(tmp_path), "PATH": str(tmp_path)})
    assert done.returncode == 1
    assert "headrace demo: Maven is not installed" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_version_is_told() -> None:
    done = headrace("--version", env=os.environ)
    assert (done.returncode, done.stdout) == (0, "headrace 0.1.0\n")
