"""Three nodes that all tests of this folder share; each has a topic of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from kind.making import Up

from e2e.kafka import KafkaCluster
from e2e.kubernetes import Kubernetes
from e2e.operator import Operator

NAMESPACE = "brokers"


@pytest.fixture(scope="package")
def kafka(up: Up, operator: Operator, images: dict[str, str]) -> Iterator[KafkaCluster]:
    up.cluster.kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found", timeout=180)  # of a run that was stopped
    up.cluster.kubectl("create", "namespace", NAMESPACE)
    it = KafkaCluster(Kubernetes(up.cluster, NAMESPACE), images)
    began = time.monotonic()
    it.apply()
    it.until_ready()
    it.open_toolbox()
    print(f"three brokers, from apply to Ready: {time.monotonic() - began:.0f} s")
    yield it
    it.remove()


@pytest.fixture(autouse=True)
def _at_rest(kafka: KafkaCluster) -> None:
    """A test begins when what the one before it did is over."""
    kafka.until_ready()
