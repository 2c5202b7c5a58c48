"""The small objects of a Broker: its configuration, its names in DNS, its disruption budgets."""

from __future__ import annotations

from typing import Any

from headrace.api.broker import Broker

from . import names, properties
from .names import BROKERS, CONTROLLERS
from .node import broker_nodes, controller_nodes, initial_controllers, settings

CLUSTER_ID_KEY = "cluster-id"
FOUNDERS_KEY = "initial-controllers"


def config_map(broker: Broker, cluster_id: str, founded: bool, nodes: int) -> dict[str, Any]:
    """A file for each node. Who founds the cluster is only told until it is founded: later nodes join it."""
    files = {
        f"{node.pod}.properties": properties.render(settings(broker, node))
        for node in [*broker_nodes(broker, nodes), *controller_nodes(broker)]
    }
    founders = "" if founded else initial_controllers(broker, cluster_id)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": names.metadata(broker, names.config_map(broker.metadata.name)),
        "data": {CLUSTER_ID_KEY: cluster_id, FOUNDERS_KEY: founders, **files},
    }


def nodes_service(broker: Broker) -> dict[str, Any]:
    """Gives each pod a name, ready or not: nodes need each other to become ready."""
    ports = (names.CLIENTS_PORT, names.INTERNAL_PORT, names.CONTROLLER_PORT)
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": names.metadata(broker, names.nodes_service(broker.metadata.name)),
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": True,
            "selector": names.selector(broker.metadata.name),
            "ports": [
                {"name": name, "port": port, "targetPort": port, "protocol": "TCP"}
                for name, port in zip(("clients", "internal", "controller"), ports, strict=True)
            ],
        },
    }


def bootstrap_service(broker: Broker) -> dict[str, Any]:
    """Where clients start; from there on they speak to each node by its name."""
    port = names.CLIENTS_PORT
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": names.metadata(broker, names.bootstrap_service(broker.metadata.name)),
        "spec": {
            "type": "ClusterIP",
            "selector": names.selector(broker.metadata.name, BROKERS),
            "ports": [{"name": "clients", "port": port, "targetPort": port, "protocol": "TCP"}],
        },
    }


def disruption_budgets(broker: Broker) -> list[dict[str, Any]]:
    """One node at a time, of each role, may be evicted: two replicas and two votes stay."""
    roles = [BROKERS, *([CONTROLLERS] if broker.spec.controllers else [])]
    return [
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": names.metadata(broker, names.set_name(broker.metadata.name, role), role),
            "spec": {
                "maxUnavailable": 1,
                "selector": {"matchLabels": names.selector(broker.metadata.name, role)},
            },
        }
        for role in roles
    ]
