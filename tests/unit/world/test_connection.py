"""An operator that cannot reach a Kafka finds out in time, and leaves nothing behind."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from headrace.world import connection
from kafka.errors import KafkaConnectionError, KafkaTimeoutError


@pytest.fixture
def deaf() -> Iterator[str]:
    """An address where somebody takes calls and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_where_nobody_listens_it_is_said_with_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
    with pytest.raises(KafkaConnectionError, match=address):
        connection.admin(address)


class Answers:
    """Stands for the client of a Broker with several nodes: what each request gets, one after the other."""

    def __init__(self, *answers: object) -> None:
        self._manager = self
        self.left = list(answers)

    def send(self) -> None:
        raise NotImplementedError

    def run(self, *_: object) -> object:
        answer = self.left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


GONE = KafkaConnectionError("reset")


def test_a_node_that_went_away_is_not_the_whole_broker() -> None:
    assert connection.ask(Answers(GONE, GONE, "answer"), "request") == "answer"


def test_where_no_node_can_be_reached_the_broker_cannot() -> None:
    with pytest.raises(KafkaConnectionError):
        connection.ask(Answers(GONE, GONE, GONE), "request")


def test_who_asks_a_certain_node_is_not_answered_by_another() -> None:
    client = Answers(GONE, "answer of another")
    with pytest.raises(KafkaConnectionError):
        connection.ask(client, "request", node=1)
    assert client.left == ["answer of another"]


def test_an_answer_that_does_not_come_in_time_is_not_waited_for_again() -> None:
    client = Answers(KafkaTimeoutError("late"), "answer")
    with pytest.raises(KafkaTimeoutError):
        connection.ask(client, "request")


def test_somebody_who_does_not_answer_is_given_up_in_time_and_leaves_no_thread(
    deaf: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "ANSWERED_WITHIN", 500)
    before = threading.active_count()
    with pytest.raises(KafkaTimeoutError, match=deaf):
        connection.admin(deaf)
    assert threading.active_count() == before
