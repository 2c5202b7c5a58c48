"""Requests of Kafka's protocol that kafka-python does not know, by Kafka's own schemas."""

from __future__ import annotations

from kafka.protocol.api_message import ApiMessage


class UnregisterBrokerRequest(ApiMessage, load_json=__name__):  # type: ignore[misc, call-arg]  # kafka-python is untyped
    pass


class UnregisterBrokerResponse(ApiMessage, load_json=__name__):  # type: ignore[misc, call-arg]
    pass


class DescribeShareGroupOffsetsRequest(ApiMessage, load_json=__name__):  # type: ignore[misc, call-arg]
    pass


class DescribeShareGroupOffsetsResponse(ApiMessage, load_json=__name__):  # type: ignore[misc, call-arg]
    pass
