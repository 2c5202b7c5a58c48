"""Kafka settings that are passed through as they are, and which of them may not be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, StringConstraints

from .rules import Found, Rule, no_key, quoted, quoted_list

_KEY = r"[a-zA-Z0-9._-]{1,250}"

# The names and prefixes (they end with a dot) of what the operator decides, so that nobody can decide otherwise.
# Of controller.quorum.* only who is in it: its timeouts are for people to tune.
BROKER_KEYS_OF_THE_OPERATOR = (
    "advertised.listeners",
    "broker.id",
    "broker.rack",
    "controller.listener.names",
    "controller.quorum.auto.join.enable",
    "controller.quorum.bootstrap.servers",
    "controller.quorum.voters",
    "early.start.listeners",
    "follower.replication.throttled.rate",
    "inter.broker.listener.name",
    "leader.replication.throttled.rate",
    "listener.name.",
    "listener.security.protocol.map",
    "listeners",
    "log.dir",
    "log.dirs",
    "metadata.log.dir",
    "node.id",
    "process.roles",
    "security.inter.broker.protocol",
)

# Topic settings that are made elsewhere, and where.
TOPIC_KEYS_MADE_ELSEWHERE = {
    "cleanup.policy": "use spec.retention.keep",
    "follower.replication.throttled.replicas": "the operator sets it while it moves replicas",
    "leader.replication.throttled.replicas": "the operator sets it while it moves replicas",
    "min.insync.replicas": "use spec.minInSync",
    "retention.bytes": "use spec.retention.size",
    "retention.ms": "use spec.retention.time",
}


def is_of_the_operator(key: str) -> bool:
    """Whether a broker setting is one that the operator decides."""
    return any(key == own or (own.endswith(".") and key.startswith(own)) for own in BROKER_KEYS_OF_THE_OPERATOR)


def _is_of_the_operator_in_cel() -> str:
    names = [own for own in BROKER_KEYS_OF_THE_OPERATOR if not own.endswith(".")]
    prefixes = [own for own in BROKER_KEYS_OF_THE_OPERATOR if own.endswith(".")]
    return " || ".join([f"key in {quoted_list(names)}", *(f"key.startsWith({quoted(p)})" for p in prefixes)])


_KEYS_ARE_KAFKAS = no_key(
    f"!key.matches(r'^{_KEY}$')",
    lambda key, _: re.fullmatch(_KEY, key) is None,
    "a key must be the name of a Kafka setting: 1 to 250 letters, digits, dots, underscores and hyphens",
)
# A line break would end the setting in the broker's properties file and begin another one.
_VALUES_ARE_ONE_LINE = no_key(
    r"self[key].matches('[\r\n]')",
    lambda _, value: re.search("[\r\n]", value) is not None,
    "a value may not hold a line break: write it on one line",
)

Config = Annotated[
    Mapping[str, Annotated[str, StringConstraints(max_length=1024)]],
    Field(max_length=100),
    _KEYS_ARE_KAFKAS,
    _VALUES_ARE_ONE_LINE,
]

BrokerConfig = Annotated[
    Config,
    no_key(
        _is_of_the_operator_in_cel(),
        lambda key, _: is_of_the_operator(key),
        "may not hold what the operator sets itself: remove it",
    ),
]


def where_it_is_made(key: str) -> str:
    """A topic setting, with what to do instead of writing it into `config`."""
    return f"{key} ({TOPIC_KEYS_MADE_ELSEWHERE[key]})"


_HINTS_IN_CEL = ", ".join(
    f'{quoted(key)} in self ? {quoted(where_it_is_made(key))} : ""' for key in TOPIC_KEYS_MADE_ELSEWHERE
)

TopicConfig = Annotated[
    Config,
    Rule(
        f"!{quoted_list(TOPIC_KEYS_MADE_ELSEWHERE)}.exists(key, key in self)",
        lambda config: not TOPIC_KEYS_MADE_ELSEWHERE.keys() & config.keys(),
        "may not hold settings that are made elsewhere: remove them",
        Found(
            "%s",
            (f'[{_HINTS_IN_CEL}].filter(hint, hint != "")',),
            lambda config: (quoted_list(where_it_is_made(key) for key in TOPIC_KEYS_MADE_ELSEWHERE if key in config),),
        ),
    ),
]
