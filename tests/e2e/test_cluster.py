"""The cluster is a real one: names, volumes, several nodes, and nodes that go away and come back."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

from kind.shell import capture
from waiting import eventually

from e2e.kubernetes import Kubernetes, ask, on_node, pod, serve, succeeds

PEERS = ("peer-0", "peer-1", "peer-2")


def stateful_set(image: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Three pods on three nodes, each with a volume; each tells whoever asks what its volume holds."""
    labels = {"app": "peer"}
    apart = {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "peers"},
        "spec": {"clusterIP": "None", "selector": labels, "ports": [{"port": 8080}]},
    }
    container = {
        "name": "peer",
        "image": image,
        "command": serve("/data/kept"),
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Mi"}}}
    return service, {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "peer"},
        "spec": {
            "serviceName": "peers",
            "replicas": 3,
            "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "terminationGracePeriodSeconds": 0,
                    "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}},
                    "containers": [container],
                },
            },
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": claim}],
        },
    }


def test_peers_on_three_nodes_find_each_other_by_name_and_keep_their_data(
    kubernetes: Kubernetes, images: dict[str, str]
) -> None:
    kubernetes.apply(*stateful_set(images["headrace/broker"]))
    kubernetes.kubectl("rollout", "status", "statefulset/peer", "--timeout=120s", timeout=130)
    assert len({kubernetes.node_of(peer) for peer in PEERS}) == 3
    for peer in PEERS:
        kubernetes.run_in(peer, "bash", "-c", f"echo kept by {peer} > /data/kept")

    def tells(asking: str, asked: str) -> str:
        return kubernetes.run_in(asking, *ask(f"{asked}.peers"))

    for asking in PEERS:
        for asked in PEERS:
            name = f"{asked} answers {asking} by its name"
            look = lambda asking=asking, asked=asked: succeeds(tells, asking, asked)  # noqa: E731
            eventually(look, 60, name)
            assert tells(asking, asked) == f"kept by {asked}\n"

    born = kubernetes.get("pod", "peer-1")["metadata"]["uid"]
    kubernetes.kubectl("delete", "pod", "peer-1")
    eventually(
        lambda: (
            succeeds(kubernetes.get, "pod", "peer-1")
            and kubernetes.get("pod", "peer-1")["metadata"]["uid"] != born
            and kubernetes.ready("pod", "peer-1")
        ),
        60,
        "peer-1 is back",
    )
    eventually(lambda: succeeds(tells, "peer-0", "peer-1"), 60, "the new peer-1 answers by its name")
    assert tells("peer-0", "peer-1") == "kept by peer-1\n"


def test_a_shared_volume_is_written_on_one_node_and_read_on_another(
    kubernetes: Kubernetes, images: dict[str, str]
) -> None:
    writer_node, reader_node, *_ = kubernetes.workers()
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "both"},
        "spec": {
            "storageClassName": "shared",
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "10Mi"}},
        },
    }
    mounted: dict[str, Any] = {
        "volumes": [{"name": "both", "persistentVolumeClaim": {"claimName": "both"}}],
        "container": {"volumeMounts": [{"name": "both", "mountPath": "/both"}]},
    }
    sleep = ["sleep", "infinity"]
    image = images["headrace/broker"]
    kubernetes.apply(
        claim,
        pod("writer", image, sleep, **on_node(writer_node), **mounted),
        pod("reader", image, sleep, **on_node(reader_node), **mounted),
    )
    kubernetes.wait("pod/writer", "condition=Ready")
    kubernetes.wait("pod/reader", "condition=Ready")
    kubernetes.run_in("writer", "bash", "-c", "echo from afar > /both/note")
    assert kubernetes.run_in("reader", "cat", "/both/note") == "from afar\n"
    assert kubernetes.node_of("writer") != kubernetes.node_of("reader")


def pair_of_pods(kubernetes: Kubernetes, image: str, asking: str, telling: str) -> None:
    """`teller` on one node tells its host's name; `asker` on another one asks."""
    kubernetes.apply(
        pod("asker", image, ["sleep", "infinity"], **on_node(asking)),
        pod("teller", image, serve("/etc/hostname"), **on_node(telling)),
    )
    kubernetes.wait("pod/asker", "condition=Ready")
    kubernetes.wait("pod/teller", "condition=Ready")


def teller_answers(kubernetes: Kubernetes) -> bool:
    """At the address that it has now: a pod whose node was restarted has none for a while, and then another."""
    address = kubernetes.get("pod", "teller")["status"].get("podIP")
    return address is not None and succeeds(kubernetes.run_in, "asker", *ask(address))


def test_a_stopped_worker_makes_its_pods_unreachable_and_comes_back(
    kubernetes: Kubernetes, images: dict[str, str]
) -> None:
    asking, _, telling = kubernetes.workers()
    pair_of_pods(kubernetes, images["headrace/broker"], asking, telling)
    eventually(lambda: teller_answers(kubernetes), 30, "the teller answers from another node")
    kubernetes.stop_node(telling)
    try:
        assert not teller_answers(kubernetes)
        kubernetes.wait_until_node(telling, ready=False)
    finally:
        kubernetes.start_node(telling)
    kubernetes.wait_until_node(telling, ready=True)
    eventually(lambda: teller_answers(kubernetes), 90, "the teller answers again")


def test_workers_that_come_back_with_each_others_addresses_are_routed_to_again(
    kubernetes: Kubernetes, images: dict[str, str]
) -> None:
    asking, *rest = kubernetes.workers()
    one, other = sorted(rest, key=lambda node: ip_address(docker_address(node)))
    pair_of_pods(kubernetes, images["headrace/broker"], asking, other)
    before = {node: docker_address(node) for node in (one, other)}
    for node in (one, other):
        kubernetes.stop_node(node)
    # Docker gives the lowest free address to whoever starts first: the one that had the higher one.
    for node in (other, one):
        kubernetes.start_node(node)
    after = {node: docker_address(node) for node in (one, other)}
    assert after == {one: before[other], other: before[one]}, "Docker did not swap the addresses: nothing is tested"
    for node in (one, other):
        look = lambda node=node: kubernetes_address(kubernetes, node) == after[node]  # noqa: E731
        eventually(look, 60, f"Kubernetes knows the new address of {node}")
        kubernetes.wait_until_node(node, ready=True)
    eventually(lambda: teller_answers(kubernetes), 90, "the teller answers again")


def docker_address(node: str) -> str:
    return capture("docker", "inspect", "--format", "{{.NetworkSettings.Networks.kind.IPAddress}}", node).strip()


def kubernetes_address(kubernetes: Kubernetes, node: str) -> str:
    addresses = kubernetes.get("node", node)["status"]["addresses"]
    return str(next(a["address"] for a in addresses if a["type"] == "InternalIP"))
