"""A Broker on a real cluster: declared, used, changed, broken; nothing acknowledged is ever lost."""

from __future__ import annotations

from waiting import eventually

from e2e.kafka import KafkaCluster
from e2e.kubernetes import pod
from e2e.operator import Operator


def test_a_declared_broker_says_where_it_is_and_what_it_runs(kafka: KafkaCluster) -> None:
    status = kafka.status()
    assert status["bootstrap"] == "main-bootstrap.brokers.svc:9092"
    assert (status["readyNodes"], status["version"]) == ("3/3", "4.3.1")
    shown = kafka.kubernetes.kubectl("get", "br", "main")
    assert shown.split("\n")[1].split()[:5] == ["main", "True", "3/3", "4.3.1", "Ready"]
    nodes = {kafka.kubernetes.node_of(f"main-broker-{i}") for i in range(3)}
    assert len(nodes) == 3, "brokers share a machine though there are enough of them"


def test_at_rest_a_look_writes_nothing(kafka: KafkaCluster, operator: Operator) -> None:
    def versions() -> list[str]:
        kinds = ("broker/main", "configmap/main-config", "service/main-nodes", "service/main-bootstrap")
        return [kafka.kubernetes.get(*k.split("/"))["metadata"]["resourceVersion"] for k in kinds]

    def look_again(number: int) -> None:
        looked = operator.metric(passes)
        kafka.kubernetes.kubectl("annotate", "--overwrite", "statefulset", "main-broker", f"a-test/number={number}")
        eventually(lambda: operator.metric(passes) > looked, 90, "the operator has looked again")

    passes = 'headrace_reconciles_total{kind="Broker"}'
    look_again(1)
    before = versions()
    for number in (2, 3):
        look_again(number)
    assert versions() == before


def test_clients_from_elsewhere_work_unchanged(kafka: KafkaCluster) -> None:
    kafka.create_topic("clients", partitions=1)
    image = kafka.images["headrace/test-clients"]
    kafka.kubernetes.apply(pod("client", image, ["sleep", "infinity"]))
    kafka.kubernetes.wait("pod/client", "condition=Ready")

    def run(command: str) -> str:
        return kafka.kubernetes.run_in("client", "bash", "-c", command, timeout=90)

    run(f"echo from-kcat | kcat -b {kafka.bootstrap} -t clients -P -X acks=all")
    run(
        "python3 -c \"import kafka; p = kafka.KafkaProducer(bootstrap_servers='"
        + kafka.bootstrap
        + "', acks='all'); p.send('clients', b'from-kafka-python').get(30); p.close()\""
    )
    kafka.tool("echo from-the-console | kafka-console-producer.sh --topic clients")
    read = run(f"kcat -b {kafka.bootstrap} -t clients -C -o beginning -e -q")
    assert read.split() == ["from-kcat", "from-kafka-python", "from-the-console"]


def test_a_dynamic_setting_is_taken_up_without_a_restart(kafka: KafkaCluster) -> None:
    before = kafka.pod_uids()
    kafka.change(config={"log.retention.ms": "123456789"})
    kafka.until_ready()
    told = kafka.tool("kafka-configs.sh --describe --entity-type brokers --entity-default")
    assert "log.retention.ms=123456789" in told
    assert kafka.pod_uids() == before


def test_a_quorum_that_would_shrink_is_refused_and_nothing_happens(kafka: KafkaCluster) -> None:
    before = kafka.pod_uids()
    kafka.kubernetes.kubectl("scale", "br/main", "--replicas=1")
    eventually(lambda: kafka.condition()["reason"] == "InvalidSpec", 60, "it is refused")
    assert "Set replicas to 3 or more" in kafka.condition()["message"]
    assert kafka.pod_uids() == before
    kafka.kubernetes.kubectl("scale", "br/main", "--replicas=3")
    kafka.until_ready()


def test_a_setting_that_kafka_refuses_is_said_and_the_nodes_go_on(kafka: KafkaCluster) -> None:
    kafka.change(config={"log.retention.ms": "banana"})
    eventually(lambda: kafka.condition()["reason"] == "ActionFailed", 60, "it is said")
    assert "log.retention.ms" in kafka.condition()["message"]
    kafka.change(config={"log.retention.ms": None})
    kafka.until_ready()


def test_volumes_that_cannot_grow_are_said_and_the_nodes_go_on(kafka: KafkaCluster) -> None:
    kafka.change(storage={"persistent": {"size": "300Mi"}})
    eventually(lambda: kafka.condition("StorageGrown").get("status") == "False", 60, "it is said")
    assert "allowVolumeExpansion" in kafka.condition("StorageGrown")["message"]
    assert kafka.condition()["status"] == "True"


def test_a_broker_that_is_deleted_and_made_again_has_its_records(kafka: KafkaCluster) -> None:
    kafka.create_topic("kept", partitions=1)
    kafka.tool("printf '%s\\n' one two three | kafka-console-producer.sh --topic kept")
    cluster_id = kafka.status()["clusterId"]
    kafka.kubernetes.kubectl("delete", "br", "main", "--wait=true")
    kafka.kubernetes.kubectl(
        "wait", "pod", "-l", "headrace.dev/broker=main", "--for=delete", "--timeout=150s", timeout=160
    )
    kafka.apply(storage={"persistent": {"size": "300Mi"}})
    kafka.until_ready()
    read = kafka.tool("kafka-console-consumer.sh --topic kept --from-beginning --max-messages 3 --timeout-ms 30000")
    assert read.split() == ["one", "two", "three"]
    assert kafka.status()["clusterId"] == cluster_id
