"""The pods of a Broker's nodes, as a StatefulSet per role.

Kubernetes only makes them and keeps them alive: a changed template reaches a pod when the operator deletes it
(`OnDelete`), because only the operator knows when a node may go.
"""

from __future__ import annotations

from typing import Any

from headrace.api.base import to_manifest
from headrace.api.broker import Broker
from headrace.api.pod import Resources
from headrace.api.quantity import parse_size

from . import names
from .broker import CLUSTER_ID_KEY, FOUNDERS_KEY
from .names import BROKERS, CONTROLLERS
from .node import DATA, quorum_size, restart_digest

USER = 1001  # of the image
CONFIG = "/etc/headrace"
# A broker hands its leaderships over one by one before it stops; ten thousand take a minute.
GRACE = 120  # seconds


def claim_name(role: str, broker: str, ordinal: int) -> str:
    return f"data-{names.set_name(broker, role)}-{ordinal}"


def storage_size(broker: Broker, role: str) -> str:
    if role == CONTROLLERS and broker.spec.controllers:
        return broker.spec.controllers.storage_size
    storage = broker.spec.storage
    return storage.persistent.size if storage.persistent else storage.memory.size if storage.memory else "0"


def stateful_set(
    broker: Broker, role: str, replicas: int, image: str, cluster_id: str, claim_size: str | None = None
) -> dict[str, Any]:
    """`claim_size` is what the set's claims were first asked with, which Kubernetes does not let us change there."""
    name = names.set_name(broker.metadata.name, role)
    template = {
        "metadata": {
            "labels": {**broker.spec.template.labels, **names.labels(broker.metadata.name, role)},
            "annotations": {**broker.spec.template.annotations, names.CONFIG_ANNOTATION: restart_digest(broker)},
        },
        "spec": _pod(broker, role, image),
    }
    spec: dict[str, Any] = {
        "replicas": replicas,
        "serviceName": names.nodes_service(broker.metadata.name),
        "podManagementPolicy": "Parallel",  # a quorum forms of several nodes at once, or not at all
        "updateStrategy": {"type": "OnDelete"},
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
        "selector": {"matchLabels": names.selector(broker.metadata.name, role)},
        "template": template,
    }
    if persistent := broker.spec.storage.persistent:
        spec["volumeClaimTemplates"] = [
            {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": {
                    "name": "data",
                    "labels": names.labels(broker.metadata.name, role),
                    "annotations": {names.CLUSTER_ID_ANNOTATION: cluster_id},
                },
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "volumeMode": "Filesystem",
                    "resources": {"requests": {"storage": claim_size or storage_size(broker, role)}},
                    **({"storageClassName": persistent.storage_class} if persistent.storage_class else {}),
                },
            }
        ]
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": names.metadata(broker, name, role),
        "spec": spec,
    }


def _pod(broker: Broker, role: str, image: str) -> dict[str, Any]:
    overlay = to_manifest(broker.spec.template)
    for ours in ("labels", "annotations"):
        overlay.pop(ours, None)
    volumes: list[dict[str, Any]] = [
        {"name": "config", "configMap": {"name": names.config_map(broker.metadata.name)}},
        {"name": "tmp", "emptyDir": {}},
    ]
    if broker.spec.storage.memory:
        volumes.append({"name": "data", "emptyDir": {"medium": "Memory", "sizeLimit": storage_size(broker, role)}})
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": GRACE,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": USER,
            "runAsGroup": USER,
            "fsGroup": USER,
            "fsGroupChangePolicy": "OnRootMismatch",
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "topologySpreadConstraints": _spread(broker, role),
        "containers": [_container(broker, role, image)],
        "volumes": volumes,
        **{k: v for k, v in overlay.items() if v},
    }


def _container(broker: Broker, role: str, image: str) -> dict[str, Any]:
    dedicated = broker.spec.controllers if role == CONTROLLERS else None
    resources: Resources = dedicated.resources if dedicated else broker.spec.resources
    heap = parse_size(dedicated.heap if dedicated else broker.spec.heap)
    config = names.config_map(broker.metadata.name)
    port = names.CONTROLLER_PORT if role == CONTROLLERS else names.CLIENTS_PORT

    def from_config(key: str) -> dict[str, Any]:
        return {"configMapKeyRef": {"name": config, "key": key}}

    return {
        "name": "kafka",
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "env": [
            {"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
            {"name": "CONFIG", "value": f"{CONFIG}/$(POD_NAME).properties"},
            {"name": "CLUSTER_ID", "valueFrom": from_config(CLUSTER_ID_KEY)},
            {"name": "INITIAL_CONTROLLERS", "valueFrom": from_config(FOUNDERS_KEY)},
            {"name": "HEAP", "value": str(heap)},
        ],
        "ports": [{"name": "kafka", "containerPort": port, "protocol": "TCP"}],
        # The port opens when the node has caught up with the cluster's metadata. There is no liveness probe: a node
        # that recovers its log is slow, not dead, and one that is out of memory exits by itself.
        "readinessProbe": {"tcpSocket": {"port": port}, "periodSeconds": 2, "failureThreshold": 2, "timeoutSeconds": 2},
        "resources": to_manifest(resources),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [
            {"name": "config", "mountPath": CONFIG, "readOnly": True},
            {"name": "data", "mountPath": DATA},
            {"name": "tmp", "mountPath": "/tmp"},
        ],
    }


def _spread(broker: Broker, role: str) -> list[dict[str, Any]]:
    """Over machines as evenly as there are machines that would take them; over zones as well as can be."""
    chosen = {"labelSelector": {"matchLabels": names.selector(broker.metadata.name, role)}, "maxSkew": 1}
    return [
        {
            **chosen,
            "topologyKey": "kubernetes.io/hostname",
            "whenUnsatisfiable": "DoNotSchedule",
            "nodeTaintsPolicy": "Honor",
        },
        {**chosen, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"},
    ]


def role_sizes(broker: Broker, brokers: int) -> dict[str, int]:
    """How many pods each role has."""
    return {BROKERS: brokers, **({CONTROLLERS: quorum_size(broker.spec)} if broker.spec.controllers else {})}
