"""The one place that writes status: once per pass, and only when it differs."""

from __future__ import annotations

from typing import Any

from headrace.api.base import API_VERSION, ApiModel, to_manifest

from .kube import Kube

MANAGER = "headrace-status"


async def write(kube: Kube, about: Any, status: ApiModel) -> bool:
    """Whether it had to be written."""
    if to_manifest(status) == to_manifest(about.status):
        return False
    meta = about.metadata
    manifest = {
        "apiVersion": API_VERSION,
        "kind": about.kind,
        "metadata": {"name": meta.name, "namespace": meta.namespace},
        "status": to_manifest(status),
    }
    await kube.apply(manifest, "status", MANAGER)
    return True
