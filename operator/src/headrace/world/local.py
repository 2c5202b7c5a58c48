"""One real Kafka broker on this machine, without Kubernetes: a child process that is its own controller."""

from __future__ import annotations

import base64
import fcntl
import re
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from headrace.objects import properties
from headrace.world import leash
from headrace.world.local_config import LOGGING, Settings, server_properties
from headrace.world.ports import HOST, free_port, is_free

POLL_SECONDS = 0.05
STOP_SECONDS = 20.0
LOCK_SECONDS = 3.0  # a broker whose starter was killed a moment ago is still closing its files
# Compiling only quickly halves what a start costs (2.5 s of CPU time instead of 5) and made no difference to the CPU
# time of a broker under load (0.41 against 0.44 s for 600,000 records).
JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.awt.headless=true")


class BrokerFailed(Exception):
    """The local broker cannot do what was asked; the message says why and what to do."""


class LocalBroker:
    """A broker process, and the ports that it keeps over its lives.

    It does not outlive this process, however this process ends. Its data do: a second start goes on where it was.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = replace(settings, directory=settings.directory.absolute(), libs=settings.libs.absolute())
        self.client_port = settings.client_port or free_port(settings.controller_port)
        self.controller_port = settings.controller_port or free_port(self.client_port)
        self._process: subprocess.Popen[bytes] | None = None
        self._log_start = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    @property
    def bootstrap(self) -> str:
        return f"{HOST}:{self.client_port}"

    @property
    def pid(self) -> int | None:
        """The broker's process, or None if it does not run."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def start(self, seconds: float = 60.0) -> None:
        """Return when the broker serves clients; BrokerFailed if it does not within `seconds`."""
        if self.pid:
            raise BrokerFailed(f"the broker in {self.settings.directory} is already running as process {self.pid}")
        self.kill()  # tidies up after a broker that ended by itself
        deadline = time.monotonic() + seconds
        self._refuse_what_cannot_work()
        self.settings.directory.mkdir(parents=True, exist_ok=True)
        with _only_one_in(self.settings.directory) as lock:
            self._write_files()
            self._format_if_new()
            self._launch(lock)
        try:
            self._wait_until_it_serves(deadline, seconds)
        except BaseException:
            self.kill()
            raise

    def stop(self, seconds: float = STOP_SECONDS) -> None:
        """Let the broker close its files; kill it if that takes longer than `seconds`."""
        if self._process:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
            self.kill()

    def kill(self) -> None:
        """SIGKILL: the broker gets no chance to close anything, as in a crash."""
        if self._process:
            self._process.kill()
            self._process.wait()
            assert self._process.stdin
            self._process.stdin.close()
            self._process = None

    def _refuse_what_cannot_work(self) -> None:
        if "," in str(self.settings.data):
            raise BrokerFailed(f"{self.settings.data}: Kafka takes a comma in a directory's name for two directories")
        for port, what in ((self.client_port, "client_port"), (self.controller_port, "controller_port")):
            if not is_free(port):
                raise BrokerFailed(
                    f"{what}: port {port} of {HOST} is in use by another program; stop that, or choose another port"
                )
        wanted, found = self.settings.cluster_id, _formatted_for(self.settings.data)
        if wanted and found and wanted != found:
            raise BrokerFailed(
                f"{self.settings.data} belongs to the cluster {found!r}, not to {wanted!r}; "
                "choose another directory, or remove this one if its records are not needed"
            )

    def _write_files(self) -> None:
        server = server_properties(self.settings, self.client_port, self.controller_port)
        (self.settings.directory / "server.properties").write_text(properties.render(server))
        (self.settings.directory / "log4j2.properties").write_text(properties.render(LOGGING))

    def _format_if_new(self) -> None:
        if _formatted_for(self.settings.data):
            return
        cluster_id = self.settings.cluster_id or _new_cluster_id()
        tool = self._java("kafka.tools.StorageTool", "format", "--standalone", f"--cluster-id={cluster_id}")
        done = subprocess.run(
            [*tool, "--config", str(self.settings.directory / "server.properties")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode:
            raise BrokerFailed(f"{self.settings.data} could not be formatted:\n{telling_lines(done.stdout)}")

    def _launch(self, lock: IO[str]) -> None:
        command = self._java("kafka.Kafka", str(self.settings.directory / "server.properties"))
        with self.settings.log.open("ab") as log:
            self._log_start = log.tell()
            self._process = subprocess.Popen(
                [sys.executable, "-IS", leash.__file__, str(STOP_SECONDS), *command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.settings.directory,
                pass_fds=(lock.fileno(),),  # so the lock is held until the broker is gone, whatever becomes of us
                start_new_session=True,  # a Ctrl-C is for us; we then stop the broker in our own way
            )

    def _java(self, *arguments: str) -> list[str]:
        logging = (self.settings.directory / "log4j2.properties").as_uri()
        heap = self.settings.heap_megabytes
        flags = (f"-Xmx{heap}m", f"-Xms{min(heap, 128)}m", *JVM, f"-Dlog4j2.configurationFile={logging}")
        return [self.settings.java, *flags, "-cp", f"{self.settings.libs}/*", *arguments]

    def _wait_until_it_serves(self, deadline: float, seconds: float) -> None:
        assert self._process
        while not serves(self.bootstrap):
            if (code := self._process.poll()) is not None:
                raise BrokerFailed(f"the broker ended with {code} instead of starting:\n{self._why()}")
            if time.monotonic() > deadline:
                raise BrokerFailed(f"no broker answers on {self.bootstrap} after {seconds:g} s:\n{self._why()}")
            time.sleep(POLL_SECONDS)

    def _why(self) -> str:
        with self.settings.log.open("rb") as log:
            log.seek(self._log_start)
            said = log.read().decode(errors="replace")
        return f"{telling_lines(said)}\n  all of it: {self.settings.log}"


def telling_lines(log: str, at_most: int = 12) -> str:
    """The end of a broker's log without what only its authors need: stack frames, and progress after the trouble."""
    lines = [line for line in log.splitlines() if line.strip() and not line.startswith(("\tat ", "\t... "))]
    trouble, level = list[str](), "none yet"
    for line in lines:
        if begins := re.match(r"\d{4}-\S+ (\w+) ", line):  # else the line continues what was said before
            level = begins[1]
        if level != "INFO":
            trouble.append(line)
    return "\n".join("    " + line[:300] for line in (trouble or lines)[-at_most:])


def serves(bootstrap: str) -> bool:
    """Whether a broker answers there and counts itself among those that serve clients."""
    host, _, port = bootstrap.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()  # much cheaper than a client, while it is not up
        with KafkaAdminClient(bootstrap_servers=bootstrap, bootstrap_timeout_ms=2000, request_timeout_ms=2000) as admin:
            return any(not broker["is_fenced"] for broker in admin.describe_cluster()["brokers"])
    except (OSError, KafkaError):
        return False


@contextmanager
def _only_one_in(directory: Path) -> Iterator[IO[str]]:
    """Hold the directory's lock. Kafka 4.3 has its own, but looks at it only when a second broker on the same data has
    already made itself the leader of the metadata log and written to it."""
    deadline = time.monotonic() + LOCK_SECONDS
    with (directory / "lock").open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise BrokerFailed(
                        f"another broker runs in {directory}; stop that one, or choose another directory"
                    ) from None
            time.sleep(POLL_SECONDS)
        yield lock


def _formatted_for(data: Path) -> str | None:
    """The cluster that a data directory was formatted for. This is written last, so without it nothing counts."""
    try:
        lines = (data / "meta.properties").read_text().splitlines()
    except FileNotFoundError:
        return None
    return next((line.removeprefix("cluster.id=") for line in lines if line.startswith("cluster.id=")), None)


def _new_cluster_id() -> str:
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")  # as Kafka's own tool spells them
