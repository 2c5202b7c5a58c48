"""The broker image runs as an ordinary user, on a read-only root, and is a whole Kafka."""

from __future__ import annotations

from waiting import eventually

from e2e.kubernetes import Kubernetes, pod, succeeds

LOCKED_DOWN = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


def test_a_broker_without_privileges_takes_and_gives_back_records(
    kubernetes: Kubernetes, images: dict[str, str]
) -> None:
    env = {"CLUSTER_ID": "MkU3OEVBNTcwNTJENDM2Qk", "INITIAL_CONTROLLERS": "alone", "HEAP": "256m"}
    container = {
        "env": [{"name": name, "value": value} for name, value in env.items()],
        "securityContext": LOCKED_DOWN,
        "readinessProbe": {"tcpSocket": {"port": 9092}, "periodSeconds": 1},
        "volumeMounts": [{"name": "data", "mountPath": "/var/lib/kafka"}, {"name": "tmp", "mountPath": "/tmp"}],
    }
    kubernetes.apply(
        pod(
            "broker",
            images["headrace/broker"],
            ["start-node"],
            container=container,
            securityContext={"fsGroup": 1001},
            volumes=[{"name": "data", "emptyDir": {}}, {"name": "tmp", "emptyDir": {}}],
        )
    )
    kubernetes.wait("pod/broker", "condition=Ready")

    def tool(command: str) -> str:
        return kubernetes.run_in("broker", "bash", "-c", f"{command} --bootstrap-server localhost:9092", timeout=60)

    make = "kafka-topics.sh --create --topic readings --partitions 3"
    eventually(lambda: succeeds(tool, make), 60, "a topic can be made")
    tool("printf '%s\\n' one two three | kafka-console-producer.sh --topic readings")
    read = tool("kafka-console-consumer.sh --topic readings --from-beginning --max-messages 3 --timeout-ms 30000")
    assert sorted(read.split()) == ["one", "three", "two"]
    assert kubernetes.run_in("broker", "id", "-u").strip() == "1001"
