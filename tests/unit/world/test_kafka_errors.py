"""Each error of Kafka has one reason, and says whether to try again."""

from __future__ import annotations

import pytest
from headrace.plan.trouble import Trouble
from headrace.world.kafka_errors import failed, refused
from kafka import errors


@pytest.mark.parametrize(
    ("code", "reason", "retriable"),
    [
        (3, "ChangedMeanwhile", True),
        (7, "Timeout", True),
        (17, "InvalidName", False),
        (29, "NotAuthorized", False),
        (31, "NotAuthorized", False),
        (36, "NotVisibleYet", True),
        (37, "ChangedMeanwhile", True),
        (38, "TooFewNodes", True),
        (39, "NodesAway", True),
        (40, "InvalidConfig", False),
        (44, "PolicyViolation", False),
        (73, "DeletionDisabled", False),
        (89, "Throttled", True),
        (100, "ChangedMeanwhile", True),
        (41, "KafkaError", True),
        (42, "KafkaError", False),
    ],
)
def test_an_error_code_has_a_reason(code: int, reason: str, retriable: bool) -> None:
    trouble = refused(code, "Kafka's words", "make topic orders")
    assert (trouble.reason, trouble.retriable) == (reason, retriable)
    assert trouble.message.startswith("Could not make topic orders: Kafka's words.")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (errors.KafkaTimeoutError("late"), "Timeout"),
        (errors.RequestTimedOutError("late"), "Timeout"),
        (errors.KafkaConnectionError("refused"), "BrokerUnreachable"),
        (errors.NodeNotReadyError(1), "BrokerUnreachable"),
        (ConnectionResetError("reset"), "BrokerUnreachable"),
    ],
)
def test_a_request_without_an_answer_is_tried_again(error: Exception, reason: str) -> None:
    trouble = failed(error, "make topic orders")
    assert (trouble.reason, trouble.retriable) == (reason, True)
    assert str(error) in trouble.message


def test_what_kafka_does_not_explain_is_explained_by_what_is_known_of_the_error() -> None:
    assert refused(44, None, "make topic orders") == Trouble(
        "PolicyViolation",
        "Could not make topic orders: Request parameters do not satisfy the configured policy. "
        "Change the spec, or the policy of the Broker.",
        retriable=False,
    )
