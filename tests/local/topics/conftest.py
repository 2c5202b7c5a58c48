"""The keeper of topics. Each test has topics of its own."""

from __future__ import annotations

import pytest
from kafka import KafkaAdminClient
from local.topics.keeper import Keeper


@pytest.fixture(scope="session")
def keeper(admin: KafkaAdminClient) -> Keeper:
    return Keeper(admin)
