"""What is said of a Broker, whatever is being done about it."""

from __future__ import annotations

from headrace.api.broker import BrokerStatus, NodeStatus
from headrace.objects import names
from headrace.objects.names import BROKERS, ROLE_LABEL

from .look import Look
from .outcome import Finding, not_ready, ready


def readiness(look: Look) -> Finding:
    name, serving = look.broker.metadata.name, look.serving
    wanted = look.staying
    waiting = [n for n in wanted if n.id not in serving]
    if not waiting:
        return ready(f"Broker {name}: all {len(wanted)} nodes serve.")
    troubles = [
        f"{n.pod}: {look.seen.pods[n.pod].trouble}"
        for n in waiting
        if n.pod in look.seen.pods and look.seen.pods[n.pod].trouble
    ]
    why = (
        f" ({'; '.join(troubles[:3])})" if troubles else f" ({look.seen.kafka_error})" if look.seen.kafka_error else ""
    )
    said = f"Broker {name}: {len(wanted) - len(waiting)} of {len(wanted)} nodes serve{why}."
    if look.broker.status.cluster_id is None:
        return not_ready("NodesStarting", said)
    return not_ready("NodesDown" if look.seen.kafka else "KafkaUnreachable", said)


def status(look: Look) -> BrokerStatus:
    broker, kafka = look.broker, look.seen.kafka
    serving = look.serving
    brokers = [n for n in look.nodes if n.serves_clients]
    ready_brokers = sum(n.id in serving for n in brokers)
    known = {n.id: n.role for n in broker.status.nodes}
    voters = {v.id for v in kafka.voters} if kafka else set()
    images = {p.image for p in look.seen.pods.values()}
    return BrokerStatus(
        bootstrap=names.bootstrap_address(broker),
        cluster_id=kafka.cluster_id if kafka else broker.status.cluster_id,
        ready_nodes=f"{len(serving)}/{len(look.nodes)}",
        replicas=look.pods_now,
        ready=ready_brokers,
        label_selector=f"{names.BROKER_LABEL}={broker.metadata.name},{ROLE_LABEL}={BROKERS}",
        # Until all nodes run one image, none is the version of the whole.
        version=(broker.spec.version or look.defaults.version) if len(images) == 1 else broker.status.version,
        metadata_version=str(kafka.metadata_version) if kafka else broker.status.metadata_version,
        nodes=tuple(
            NodeStatus(
                id=n.id,
                pod=n.pod,
                # Once a voter, always a voter, whatever the spec says by now: the quorum does not shrink.
                role="Combined" if n.serves_clients and (n.id in voters or known.get(n.id) == "Combined") else n.role,
                ready=n.id in serving,
                image=look.seen.pods[n.pod].image if n.pod in look.seen.pods else None,
            )
            for n in sorted(look.nodes, key=lambda n: n.id)
        ),
    )
