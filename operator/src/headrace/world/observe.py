"""A look at a Broker's objects in Kubernetes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from headrace.api.broker import Broker
from headrace.objects import names
from headrace.objects.names import CLUSTER_ID_ANNOTATION, ROLE_LABEL
from headrace.plan.actions import key_of
from headrace.plan.seen import BrokerSeen, ClaimSeen, PodSeen, SetSeen

from .kube import Kube, Object
from .same import holds

REVISION_LABEL = "controller-revision-hash"
OWNED = ("ConfigMap", "Service", "PodDisruptionBudget", "StatefulSet")


async def broker_objects(kube: Kube, broker: Broker) -> tuple[BrokerSeen, list[Object]]:
    """What was seen, and the objects that it was seen in."""
    namespace, labels = broker.metadata.namespace, names.selector(broker.metadata.name)
    owned = [o for kind in OWNED for o in await kube.list(kind, namespace, labels)]
    # By their StatefulSets: one that is being deleted with an earlier Broker is not ours.
    ours = [o for o in owned if _owner(o) == broker.metadata.uid]
    sets = [o for o in ours if o["kind"] == "StatefulSet"]
    pods = await kube.list("Pod", namespace, labels)
    found = await kube.list("PersistentVolumeClaim", namespace, labels)
    claims = [c for c in found if "deletionTimestamp" not in c["metadata"]]
    growing = await _classes_that_grow(kube, claims)
    seen = BrokerSeen(
        sets={s["metadata"]["labels"][ROLE_LABEL]: _set(s) for s in sets},
        pods={p["metadata"]["name"]: _pod(p) for p in pods},
        claims=tuple(_claim(c, growing) for c in claims),
    )
    return seen, ours


def up_to_date(wanted: Iterable[Mapping[str, Any]], found: Iterable[Object]) -> frozenset[str]:
    """Which of the wanted objects are there and need no writing."""
    by_key = {key_of(o): o for o in found}
    return frozenset(k for w in wanted if (k := key_of(w)) in by_key and holds(by_key[k], w))


async def _classes_that_grow(kube: Kube, claims: Iterable[Object]) -> frozenset[str]:
    wanted = {c["spec"].get("storageClassName") for c in claims} - {None}
    found = [await kube.get("StorageClass", None, name) for name in sorted(wanted)]
    return frozenset(c["metadata"]["name"] for c in found if c and c.get("allowVolumeExpansion"))


def _owner(o: Object) -> str:
    owners = o["metadata"].get("ownerReferences", [])
    return next((w["uid"] for w in owners if w.get("controller")), "")


def _set(o: Object) -> SetSeen:
    templates = o["spec"].get("volumeClaimTemplates") or []
    size = templates[0]["spec"]["resources"]["requests"]["storage"] if templates else None
    status = o.get("status", {})
    # Until its controller has seen the last change, the revision is not that of the template.
    current = status.get("observedGeneration") == o["metadata"]["generation"]
    return SetSeen(o["spec"]["replicas"], status.get("updateRevision", "") if current else "", size)


def _pod(o: Object) -> PodSeen:
    meta, status = o["metadata"], o.get("status", {})
    conditions = {c["type"]: c for c in status.get("conditions", [])}
    return PodSeen(
        name=meta["name"],
        uid=meta["uid"],
        ready=conditions.get("Ready", {}).get("status") == "True",
        revision=meta["labels"].get(REVISION_LABEL, ""),
        image=o["spec"]["containers"][0]["image"],
        deleting="deletionTimestamp" in meta,
        trouble=_trouble(status, conditions),
    )


def _trouble(status: Mapping[str, Any], conditions: Mapping[str, Mapping[str, Any]]) -> str:
    """Why a pod does not run, if it does not and something is wrong with it."""
    scheduled = conditions.get("PodScheduled", {})
    if scheduled.get("status") == "False":
        return f"{scheduled.get('reason', 'Unschedulable')}: {scheduled.get('message', '')}".strip(": ")
    for container in status.get("containerStatuses", []):
        waiting = container["state"].get("waiting")
        if waiting and waiting.get("reason") not in ("ContainerCreating", "PodInitializing"):
            return f"{waiting.get('reason', 'Waiting')}: {waiting.get('message', '')}".strip(": ")
    return ""


def _claim(o: Object, growing: frozenset[str]) -> ClaimSeen:
    return ClaimSeen(
        name=o["metadata"]["name"],
        size=o["spec"]["resources"]["requests"]["storage"],
        cluster_id=o["metadata"].get("annotations", {}).get(CLUSTER_ID_ANNOTATION),
        can_grow=o["spec"].get("storageClassName") in growing,
    )
