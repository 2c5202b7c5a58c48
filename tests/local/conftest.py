"""What real brokers on this machine are made of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from headrace.world import jars, java
from headrace.world.cache import default_cache_dir


@pytest.fixture(scope="session")
def libs() -> Path:
    return jars.fetch(jars.broker_pom(), default_cache_dir(os.environ))


@pytest.fixture(scope="session")
def java_program() -> str:
    return java.find(os.environ)
