"""An operator that cannot reach a Kafka finds out in time, and leaves nothing behind."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest
from headrace.world import connection
from kafka.errors import KafkaConnectionError, KafkaTimeoutError


@pytest.fixture
def deaf() -> Iterator[str]:
    """An address where somebody takes calls and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_where_nobody_listens_the_answer_comes_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
    began = time.monotonic()
    with pytest.raises(KafkaConnectionError, match=address):
        connection.admin(address)
    assert time.monotonic() - began < connection.REACHED_WITHIN


def test_somebody_who_does_not_answer_is_given_up_in_time_and_leaves_no_thread(
    deaf: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "ANSWERED_WITHIN", 500)
    before, began = threading.active_count(), time.monotonic()
    with pytest.raises(KafkaTimeoutError, match=deaf):
        connection.admin(deaf)
    assert time.monotonic() - began < 5
    assert threading.active_count() == before
