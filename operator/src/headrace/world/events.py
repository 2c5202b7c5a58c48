"""Kubernetes Events: what a person sees under `kubectl describe`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from headrace.api.base import ApiModel
from headrace.plan.outcome import Event

from .kube import Kube, KubeError

REPORTER = "headrace-operator"
FORBIDDEN, NOT_FOUND, CONFLICT = 403, 404, 409


async def record(kube: Kube, about: ApiModel, event: Event, now: datetime) -> None:
    """Say it once; said again, the same event counts up."""
    about_it = _reference(about)
    time = now.replace(microsecond=0).isoformat().replace("+00:00", "Z")
    manifest = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": _name(about_it, event), "namespace": about_it["namespace"]},
        "involvedObject": about_it,
        "type": event.type,
        "reason": event.reason,
        "message": event.message[:1024],
        "firstTimestamp": time,
        "lastTimestamp": time,
        "count": 1,
        "source": {"component": REPORTER},
        "reportingComponent": REPORTER,
        "reportingInstance": REPORTER,
    }
    try:
        await kube.create(manifest)
    except KubeError as why:
        if why.status == CONFLICT:
            await _count_up(kube, about_it["namespace"], _name(about_it, event), time)
        # A namespace that is going away takes no events; nobody is left to read them.
        elif why.status not in (FORBIDDEN, NOT_FOUND):
            raise


async def _count_up(kube: Kube, namespace: str, name: str, time: str) -> None:
    known = await kube.get("Event", namespace, name)
    if known:
        await kube.merge("Event", namespace, name, {"count": known.get("count", 1) + 1, "lastTimestamp": time})


def _name(about: Mapping[str, str], event: Event) -> str:
    told = "/".join((about["uid"], event.type, event.reason, event.message))
    return f"{about['name'][:200]}.{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def _reference(about: Any) -> dict[str, str]:
    meta = about.metadata
    return {
        "apiVersion": about.api_version,
        "kind": about.kind,
        "name": meta.name,
        "namespace": meta.namespace,
        "uid": meta.uid,
    }
