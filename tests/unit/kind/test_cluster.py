"""When a cluster counts as broken, and how that is said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kind.cluster import Seen, problems

HEALTHY = Seen(
    containers={"c": "running", "w": "running"},
    ready_nodes=frozenset({"c", "w"}),
    classes=frozenset({"standard", "shared"}),
)


def test_a_healthy_cluster_has_no_problems() -> None:
    assert problems(HEALTHY, 2) == []


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (replace(HEALTHY, containers={"c": "running"}), ["1 of 2 node containers exist"]),
        (replace(HEALTHY, containers={"c": "running", "w": "exited"}), ["w is exited"]),
        (replace(HEALTHY, api="connection refused"), ["the API server does not answer: connection refused"]),
        (replace(HEALTHY, ready_nodes=frozenset({"c"})), ["node w is not Ready"]),
        (replace(HEALTHY, unready_pods=frozenset({"coredns"})), ["pod coredns is not ready"]),
        (replace(HEALTHY, classes=frozenset({"standard"})), ["StorageClass shared is missing"]),
    ],
)
def test_each_way_to_be_broken_is_named(seen: Seen, said: list[str]) -> None:
    assert problems(seen, 2) == said
