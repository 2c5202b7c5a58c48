"""What things are called, and how they are found again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.api.base import API_VERSION, GROUP
from headrace.api.broker import Broker

Object = Mapping[str, Any]

FIELD_MANAGER = "headrace"
BROKER_LABEL = f"{GROUP}/broker"
ROLE_LABEL = f"{GROUP}/role"
CLUSTER_ID_ANNOTATION = f"{GROUP}/cluster-id"
CONFIG_ANNOTATION = f"{GROUP}/config-digest"

CLIENTS_PORT = 9092
INTERNAL_PORT = 9091
CONTROLLER_PORT = 9093
# Node ids of dedicated controllers start here, so that brokers can be added without end below.
CONTROLLER_IDS = 1000

BROKERS = "broker"
CONTROLLERS = "controller"


def set_name(broker: str, role: str) -> str:
    """The StatefulSet of a Broker's nodes with this role; its pods are called so too, with a number."""
    return f"{broker}-{role}"


def nodes_service(broker: str) -> str:
    """The headless Service that gives each pod its name."""
    return f"{broker}-nodes"


def bootstrap_service(broker: str) -> str:
    return f"{broker}-bootstrap"


def config_map(broker: str) -> str:
    return f"{broker}-config"


def node_host(broker: Broker, pod: str) -> str:
    """Where other pods, in any namespace, reach a node."""
    return f"{pod}.{nodes_service(broker.metadata.name)}.{broker.metadata.namespace}.svc"


def bootstrap_address(broker: Broker) -> str:
    return f"{bootstrap_service(broker.metadata.name)}.{broker.metadata.namespace}.svc:{CLIENTS_PORT}"


def selector(broker: str, role: str | None = None) -> dict[str, str]:
    return {BROKER_LABEL: broker, **({ROLE_LABEL: role} if role else {})}


def labels(broker: str, role: str | None = None) -> dict[str, str]:
    return {"app.kubernetes.io/name": "headrace-broker", "app.kubernetes.io/managed-by": "headrace"} | selector(
        broker, role
    )


def metadata(broker: Broker, name: str, role: str | None = None) -> dict[str, Any]:
    """Owned by the Broker, so that Kubernetes takes it away with it. (Claims are not: they outlive it.)"""
    return {
        "name": name,
        "namespace": broker.metadata.namespace,
        "labels": labels(broker.metadata.name, role),
        "ownerReferences": [
            {
                "apiVersion": API_VERSION,
                "kind": "Broker",
                "name": broker.metadata.name,
                "uid": broker.metadata.uid,
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }
