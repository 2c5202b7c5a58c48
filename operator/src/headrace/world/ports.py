"""Ports of this machine, for programs that only this machine talks to."""

from __future__ import annotations

import random
import socket

HOST = "127.0.0.1"
# Below the ports that systems give to outgoing connections. A client that keeps trying to reach a stopped broker on one
# of those can be given that very port, connect to itself, and keep the broker from ever binding to it again.
PORTS = range(20_000, 30_000)


class NoFreePort(Exception):
    """Every port that could be taken is in use."""


def free_port(*taken: int | None) -> int:
    """One that nobody uses now, and none of `taken`."""
    for port in random.sample(PORTS, len(PORTS)):
        if port not in taken and is_free(port):
            return port
    raise NoFreePort(f"no port of {HOST} from {PORTS.start} to {PORTS.stop - 1} is free")


def is_free(port: int) -> bool:
    """Whether a program could listen there now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the broker does: a closing connection is fine
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
