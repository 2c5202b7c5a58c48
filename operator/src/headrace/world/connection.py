"""Every client's connection settings come from here: where, how secured, how patient."""

from __future__ import annotations

import socket

from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaConnectionError

# An operator must not hang on one Broker: it looks again soon anyway.
REACHED_WITHIN = 3.0  # seconds
ANSWERED_WITHIN = 10_000  # milliseconds


def admin(bootstrap: str) -> KafkaAdminClient:
    """An admin client, or KafkaConnectionError at once where nobody listens."""
    host, _, port = bootstrap.rpartition(":")
    try:
        # kafka-python's client leaves a thread behind when it cannot connect while it is made.
        socket.create_connection((host, int(port)), REACHED_WITHIN).close()
    except OSError as why:
        raise KafkaConnectionError(f"{bootstrap}: {why}") from why
    return KafkaAdminClient(
        bootstrap_servers=bootstrap,
        client_id="headrace-operator",
        request_timeout_ms=ANSWERED_WITHIN,
        reconnect_backoff_max_ms=1000,
    )
