from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from headrace.world import leash
from local.processes import group_is_there
from waiting import eventually

PATIENT = "import time; print('up', flush=True); time.sleep(600)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {PATIENT}"


@contextmanager
def on_a_leash(program: str, seconds: str = "20") -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-IS", leash.__file__, seconds, sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()  # a leash that does not work must not keep this test from ending


def wait_for_its_first_line(process: subprocess.Popen[str]) -> None:
    assert process.stdout
    assert process.stdout.readline() == "up\n"


def test_signals_and_exit_code_are_the_programs_own() -> None:
    with on_a_leash("raise SystemExit(7)") as process:
        assert process.wait(20) == 7
    with on_a_leash(PATIENT) as process:
        wait_for_its_first_line(process)
        process.kill()
        assert process.wait(20) == -signal.SIGKILL


def test_a_program_whose_leash_is_let_go_ends_and_leaves_nobody_behind() -> None:
    with on_a_leash(PATIENT) as process:
        wait_for_its_first_line(process)
        assert process.stdin
        process.stdin.close()
        assert process.wait(20) == -signal.SIGTERM
        eventually(lambda: not group_is_there(process.pid), 20, "the watcher is gone too", every=0.02)


def test_a_program_that_does_not_listen_is_killed() -> None:
    with on_a_leash(STUBBORN, seconds="0.2") as process:
        wait_for_its_first_line(process)
        assert process.stdin
        process.stdin.close()
        assert process.wait(20) == -signal.SIGKILL


def test_a_program_that_ended_leaves_no_watcher_once_its_starter_lets_go() -> None:
    with on_a_leash("pass") as process:
        assert process.wait(20) == 0
        assert group_is_there(process.pid)
        assert process.stdin
        process.stdin.close()
        eventually(lambda: not group_is_there(process.pid), 20, "the watcher is gone", every=0.02)
