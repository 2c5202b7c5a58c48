"""What Kafka's errors mean to a person: one reason for each cause, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from kafka import errors
from kafka.errors import KafkaError

from headrace.plan.trouble import Trouble


@dataclass(frozen=True)
class Meaning:
    reason: str
    retriable: bool
    advice: str = ""


_UNREACHABLE = Meaning("BrokerUnreachable", True)
_TIMEOUT = Meaning("Timeout", True)
_FORBIDDEN = Meaning("NotAuthorized", False, "Allow it to the operator's user.")
_CHANGED = Meaning("ChangedMeanwhile", True)

# Those not named here are told by what kafka-python knows of them: whether they are worth another try.
MEANINGS: dict[type[Exception], Meaning] = {
    errors.KafkaTimeoutError: _TIMEOUT,
    errors.RequestTimedOutError: _TIMEOUT,
    errors.KafkaConnectionError: _UNREACHABLE,
    errors.NodeNotReadyError: _UNREACHABLE,
    errors.NetworkExceptionError: _UNREACHABLE,
    errors.UnknownBrokerIdError: _UNREACHABLE,
    errors.BrokerNotAvailableError: _UNREACHABLE,
    errors.SaslAuthenticationFailedError: Meaning("NotAuthenticated", False, "Check the operator's user and password."),
    errors.TopicAuthorizationFailedError: _FORBIDDEN,
    errors.GroupAuthorizationFailedError: _FORBIDDEN,
    errors.ClusterAuthorizationFailedError: _FORBIDDEN,
    # Each of these is decided from what was seen a moment ago, so what was seen was old: look again.
    errors.TopicAlreadyExistsError: Meaning("NotVisibleYet", True),
    errors.UnknownTopicOrPartitionError: _CHANGED,
    errors.UnknownTopicIdError: _CHANGED,
    errors.InvalidPartitionsError: _CHANGED,
    errors.ReassignmentInProgressError: _CHANGED,
    errors.InvalidReplicationFactorError: Meaning("TooFewNodes", True),
    errors.InvalidReplicationAssignmentError: Meaning("NodesAway", True),
    errors.InvalidTopicError: Meaning("InvalidName", False, "Make a Topic with another spec.name."),
    errors.InvalidConfigurationError: Meaning("InvalidConfig", False, "Correct spec.config or spec.retention."),
    errors.PolicyViolationError: Meaning("PolicyViolation", False, "Change the spec, or the policy of the Broker."),
    errors.TopicDeletionDisabledError: Meaning(
        "DeletionDisabled", False, "Remove delete.topic.enable from the Broker's config, or use Retain."
    ),
    errors.ThrottlingQuotaExceededError: Meaning("Throttled", True),
}


def refused(code: int, said: str | None, doing: str) -> Trouble:
    """What an error code in an answer means; `said` is Kafka's own message, `doing` what was being tried."""
    kind = errors.for_code(code)
    return _trouble(kind, said or kind.description or kind.__name__, doing)


def failed(error: Exception, doing: str) -> Trouble:
    """What it means that a request got no answer."""
    kind = type(error) if isinstance(error, KafkaError) else errors.KafkaConnectionError
    return _trouble(kind, str(error), doing)


def _trouble(kind: type[Exception], said: str, doing: str) -> Trouble:
    meaning = MEANINGS.get(kind) or Meaning("KafkaError", bool(getattr(kind, "retriable", False)))
    ending = "" if said.endswith((".", "!", "?")) else "."
    return Trouble(meaning.reason, f"Could not {doing}: {said}{ending} {meaning.advice}".rstrip(), meaning.retriable)
