"""One broker for all tests of topics: Java is slow to start. Each test has topics of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from headrace.world import connection
from headrace.world.local import LocalBroker
from headrace.world.local_config import Settings
from kafka import KafkaAdminClient
from local.topics.keeper import Keeper


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory, libs: Path, java_program: str) -> Iterator[LocalBroker]:
    with LocalBroker(Settings(tmp_path_factory.mktemp("broker"), libs, java_program)) as running:
        yield running


@pytest.fixture(scope="session")
def admin(broker: LocalBroker) -> Iterator[KafkaAdminClient]:
    with connection.admin(broker.bootstrap) as client:
        yield client


@pytest.fixture(scope="session")
def keeper(admin: KafkaAdminClient) -> Keeper:
    return Keeper(admin)
