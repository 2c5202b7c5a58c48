"""What `make cluster` does when there is a cluster already: nothing if it is well, a new one if it is not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kind import cluster as clusters
from kind.cluster import Cluster
from kind.making import Up, bare_cluster_up, cluster_up
from kind.shell import answers, capture
from shown import shown


def test_a_second_time_nothing_is_done_and_it_says_so(up: Up, capsys: pytest.CaptureFixture[str]) -> None:
    before = ids(up.cluster.name)
    assert cluster_up(up.cluster.cache, up.cluster.nodes) == up
    assert ids(up.cluster.name) == before
    assert f"cluster {up.cluster.name}: already up and healthy; nothing to do" in capsys.readouterr().err


@pytest.fixture
def small(request: pytest.FixtureRequest, up: Up) -> Iterator[Cluster]:
    """A cluster of one node beside the big one, for what breaks it."""
    with shown(request):
        it = bare_cluster_up(up.cluster.cache, 1)
    yield it
    clusters.down(it)


def test_a_broken_cluster_is_noticed_and_made_anew(small: Cluster, request: pytest.FixtureRequest) -> None:
    before = ids(small.name)
    (node,) = clusters.node_containers(small.name)
    assert answers("docker", "exec", node, "sh", "-c", "systemctl stop kubelet && pkill -9 kube-apiserver")
    with shown(request):
        again = bare_cluster_up(small.cache, 1)
    assert not ids(small.name) & before
    assert clusters.problems(clusters.look(again), 1) == []


def ids(name: str) -> set[str]:
    """Docker's own names for the nodes: a node that was made anew has another one."""
    nodes = clusters.node_containers(name)
    return set(capture("docker", "inspect", "--format", "{{.Id}}", *nodes).split())
