"""Run a program that cannot outlive the one who started it: `python leash.py SECONDS PROGRAM ARGUMENT…`.

Standard input is the leash: a pipe of which only the starter holds the other end. However the starter ends (a SIGKILL
included) the pipe closes, and the program gets a SIGTERM, and a SIGKILL if it is still there SECONDS later.

The program replaces this process, so its id, signals and exit code are the ones that the starter sees; a forked child
stays behind to watch. Linux has PR_SET_PDEATHSIG for this, but only Linux, and it acts when the starting *thread* ends.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable

POLL_SECONDS = 0.05


def watch(program: int, seconds: float) -> None:
    """Wait for the end of the leash, then end the program, which is this process's parent as long as it lives."""

    def gone() -> bool:
        return os.getppid() != program

    while os.read(0, 1024):
        pass
    _end(program, signal.SIGTERM, gone)
    patience = time.monotonic() + seconds
    while not gone() and time.monotonic() < patience:
        time.sleep(POLL_SECONDS)
    _end(program, signal.SIGKILL, gone)


def _end(program: int, sign: signal.Signals, gone: Callable[[], bool]) -> None:
    # An id is given away again when its process is gone, so never signal one that is no longer our parent.
    if not gone():
        os.kill(program, sign)


def main(seconds: str, *command: str) -> None:
    program = os.getpid()
    if os.fork() == 0:
        watch(program, float(seconds))
        os._exit(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.execv(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
