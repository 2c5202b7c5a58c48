"""Running other programs: output to a log file, a readable error when one fails."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO


class CommandFailed(Exception):
    """A program that we ran failed; the message holds the command and the end of what it said."""


class Refused(Exception):
    """Something that only the person at the keyboard can change; the message says what and how."""


def _failure(command: Sequence[str], code: int, said: str, log: Path | None) -> CommandFailed:
    tail = "\n".join("    " + line for line in said.strip().splitlines()[-15:])
    where = f"\n  all of it: {log}" if log else ""
    return CommandFailed(f"`{' '.join(command)}` ended with {code}:\n{tail}{where}")


def capture(*command: str, env: Mapping[str, str] | None = None, stdin: str | None = None, timeout: float = 120) -> str:
    """Run a short command and return what it printed."""
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **(env or {})},
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired as late:
        raise CommandFailed(f"`{' '.join(command)}` gave no answer in {timeout:g} s") from late
    except FileNotFoundError as gone:
        raise CommandFailed(f"`{command[0]}` is not installed (wanted for `{' '.join(command)}`)") from gone
    if done.returncode:
        raise _failure(command, done.returncode, done.stdout + done.stderr, None)
    return done.stdout


def answers(*command: str, timeout: float = 10) -> bool:
    """Whether a command can be run and succeeds."""
    try:
        capture(*command, timeout=timeout)
    except CommandFailed:
        return False
    return True


def run_logged(
    log: Path,
    *command: str,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdin: IO[bytes] | None = None,
    stdout: Path | None = None,
) -> None:
    """Run a long command; all it says is appended to `log` (or its output goes to the file `stdout`)."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a+") as out:
        out.write(f"$ {' '.join(command)}\n")
        out.flush()
        start = out.tell()
        target = stdout.open("wb") if stdout else out
        try:
            done = subprocess.run(
                command,
                env={**os.environ, **(env or {})},
                cwd=cwd,
                stdin=stdin or subprocess.DEVNULL,
                stdout=target,
                stderr=out,
            )
        except FileNotFoundError as gone:
            raise CommandFailed(f"`{command[0]}` is not installed (wanted for `{' '.join(command)}`)") from gone
        finally:
            if stdout:
                target.close()
        if done.returncode:
            out.seek(start)
            raise _failure(command, done.returncode, out.read(), log)
