"""Manifests that everyone may create."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Manifest = dict[str, Any]

BROKER: Manifest = {
    "apiVersion": "headrace.dev/v1alpha1",
    "kind": "Broker",
    "metadata": {"name": "main"},
    "spec": {"storage": {"persistent": {"size": "10Gi", "storageClass": "standard"}}},
}
TOPIC: Manifest = {
    "apiVersion": "headrace.dev/v1alpha1",
    "kind": "Topic",
    "metadata": {"name": "readings"},
    "spec": {"broker": "main", "partitions": 6},
}


def patched(manifest: Mapping[str, Any], patch: Mapping[str, Any]) -> Manifest:
    """The manifest after a JSON merge patch: a None removes."""
    made = dict(manifest)
    for name, value in patch.items():
        if value is None:
            made.pop(name, None)
        elif isinstance(value, Mapping):
            made[name] = patched(made.get(name) or {}, value)
        else:
            made[name] = value
    return made


def broker(**spec: Any) -> Manifest:
    return patched(BROKER, {"spec": spec})


def topic(**spec: Any) -> Manifest:
    return patched(TOPIC, {"spec": spec})


def named(manifest: Manifest, name: str) -> Manifest:
    return patched(manifest, {"metadata": {"name": name}})


MEMORY = {"persistent": None, "memory": {"size": "512Mi"}}

ACCEPTED = {
    "a Broker that says the least": BROKER,
    "a Broker with fields left empty": {
        **BROKER,
        "spec": {**BROKER["spec"], "replicas": None, "version": None, "resources": None, "config": None},
    },
    "a Broker in memory": broker(replicas=1, storage=MEMORY),
    "a Broker with dedicated controllers": broker(controllers={}),
    "a Broker that says everything": broker(
        replicas=5,
        controllers={"replicas": 5, "storageSize": "2Gi", "heap": "300M", "resources": {"limits": {"memory": "1Gi"}}},
        version="4.3.1",
        image="registry.example/kafka:4.3.1",
        config={"message.max.bytes": "2097152", "controller.quorum.election.timeout.ms": "500", "log.dir.x": ""},
        heap="1.5Gi",
        resources={"requests": {"cpu": 1, "memory": "1Gi"}, "limits": {"cpu": "1500m", "memory": "2e9"}},
        template={
            "labels": {"team": "streams"},
            "annotations": {"example.org/note": "x"},
            "nodeSelector": {"disk": "fast"},
            "tolerations": [{"key": "dedicated", "operator": "Exists"}],
            "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}},
            "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
            "priorityClassName": "high",
        },
        rebalance={"throttle": "200Mi"},
    ),
    "a Topic that says the least": patched(TOPIC, {"spec": {"partitions": None}}),
    "a Topic that keeps the last of each key": topic(retention={"keep": "Compact"}),
    "a Topic that says everything": topic(
        name="Readings_v1.raw",
        replicas=3,
        minInSync=2,
        retention={"time": "7d", "size": "1Gi", "keep": "CompactAndTime"},
        config={"compression.type": "lz4"},
        deletionPolicy="DeleteIfUnused",
    ),
    "a Topic that is kept for ever": topic(retention={"time": "Unlimited", "size": "Unlimited"}),
    "a Topic whose defaults allow minInSync": topic(minInSync=3),
}
