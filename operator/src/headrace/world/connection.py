"""Every client's connection settings come from here: where, how secured, how patient."""

from __future__ import annotations

import socket
from typing import Any

from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaConnectionError, NodeNotReadyError
from kafka.net.compat import KafkaNetClient

# An operator must not hang on one Broker: it looks again soon anyway.
REACHED_WITHIN = 3.0  # seconds
ANSWERED_WITHIN = 10_000  # milliseconds
OTHERS_TRIED = 2  # nodes, if one that may be any cannot be reached
DONE_WITHIN = 8_000  # milliseconds that Kafka may take for a change, so that its own answer comes before we give up


def admin(bootstrap: str) -> KafkaAdminClient:
    """An admin client, or KafkaConnectionError at once where nobody listens."""
    _refuse_where_nobody_listens(bootstrap)
    made: list[KafkaNetClient] = []

    def client(**configs: Any) -> KafkaNetClient:
        # Not among the admin client's settings. By default each failure doubles them, up to half a minute.
        patience = dict.fromkeys(
            ("socket_connection_setup_timeout_ms", "socket_connection_setup_timeout_max_ms"), ANSWERED_WITHIN
        )
        made.append(KafkaNetClient(**configs, **patience))
        return made[-1]

    try:
        return KafkaAdminClient(
            bootstrap_servers=bootstrap,
            client_id="headrace-operator",
            bootstrap_timeout_ms=ANSWERED_WITHIN,
            request_timeout_ms=ANSWERED_WITHIN,
            reconnect_backoff_max_ms=1000,
            kafka_client=client,
        )
    except BaseException:
        # kafka-python 3.0.12 leaves a thread and its sockets behind when it cannot connect while it is made.
        for left_behind in made:
            left_behind.close()
        raise


def ask(admin: KafkaAdminClient, request: Any, node: int | None = None) -> Any:
    """Send one request as it is, to a node or to any, and return the answer. In KRaft every broker forwards to the
    controller what is for it.

    The admin client's own methods lose what we need: describe_configs drops errors, so that a topic which may not be
    seen looks like one without settings; alter_configs returns errors as texts; alter_partition_reassignments drops
    the reasons; create_topics and others first ask for every topic there is.
    """
    for _ in range(OTHERS_TRIED if node is None else 0):
        try:
            return admin._manager.run(admin._manager.send, request)
        except (KafkaConnectionError, NodeNotReadyError):
            continue  # a node that just went away is not the whole Broker
    return admin._manager.run(admin._manager.send, request, node)


def _refuse_where_nobody_listens(bootstrap: str) -> None:
    host, _, port = bootstrap.rpartition(":")
    try:
        socket.create_connection((host, int(port)), REACHED_WITHIN).close()
    except OSError as why:
        raise KafkaConnectionError(f"{bootstrap}: {why}") from why
