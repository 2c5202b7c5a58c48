"""What real brokers on this machine are made of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from headrace.world import connection, jars, java
from headrace.world.cache import default_cache_dir
from headrace.world.local import LocalBroker
from headrace.world.local_config import Settings
from kafka import KafkaAdminClient


@pytest.fixture(scope="session")
def libs() -> Path:
    return jars.fetch(jars.broker_pom(), default_cache_dir(os.environ))


@pytest.fixture(scope="session")
def java_program() -> str:
    return java.find(os.environ)


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory, libs: Path, java_program: str) -> Iterator[LocalBroker]:
    """One for all tests that do not kill it: Java is slow to start."""
    with LocalBroker(Settings(tmp_path_factory.mktemp("broker"), libs, java_program)) as running:
        yield running


@pytest.fixture(scope="session")
def admin(broker: LocalBroker) -> Iterator[KafkaAdminClient]:
    with connection.admin(broker.bootstrap) as client:
        yield client
