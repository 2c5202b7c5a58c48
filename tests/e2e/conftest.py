"""One cluster for all tests on kind: brought up or reused, left up for the next run, taken down in CI."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count

import pytest
from headrace.world.cache import Cache, default_cache_dir
from kind import cluster as clusters
from kind import engine
from kind.facts import engine_answers
from kind.making import Up, cluster_up
from shown import shown

from e2e.kubernetes import Kubernetes
from e2e.operator import Operator

NODES = 4
RUN = f"{os.getpid():x}"  # tells the namespaces of this run from those of an earlier one
NUMBERS = count(1)


def to_be_taken_down() -> bool:
    return bool(os.environ.get("CI")) and not os.environ.get("HEADRACE_KEEP_CLUSTER")


@pytest.fixture(scope="session")
def up(request: pytest.FixtureRequest) -> Iterator[Up]:
    cache = Cache(default_cache_dir(os.environ))
    engine_was_there = engine_answers()
    try:
        with shown(request):
            it = cluster_up(cache, NODES)
        yield it
        if to_be_taken_down():
            clusters.down(it.cluster)
    finally:
        if to_be_taken_down() and not engine_was_there:
            engine.down(cache)


@pytest.fixture(scope="session")
def images(up: Up) -> dict[str, str]:
    """Our images in the cluster: name to name with tag."""
    return dict(up.images)


@pytest.fixture(scope="session")
def operator(up: Up) -> Operator:
    """The operator, installed by its chart; what it needs to know of images are values."""
    values = {"images.operator": up.images["headrace/operator"], "images.broker": up.images["headrace/broker"]}
    it = Operator(up.cluster)
    it.install(values)
    return it


@pytest.fixture
def kubernetes(up: Up) -> Iterator[Kubernetes]:
    """The cluster, through a namespace of the test's own."""
    namespace = f"test-{RUN}-{next(NUMBERS)}"
    up.cluster.kubectl("create", "namespace", namespace)
    yield Kubernetes(up.cluster, namespace)
    up.cluster.kubectl("delete", "namespace", namespace, "--wait=false")
