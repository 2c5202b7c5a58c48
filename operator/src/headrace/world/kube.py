"""The Kubernetes API: a few verbs over HTTP, logged in as kopf is.

Not a client library: server-side apply, which is all the writing we do, is one request, and a library's typed models of
every resource would be most of the operator's memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import aiohttp
import kopf

from headrace.objects.names import FIELD_MANAGER

Object = dict[str, Any]

# kind -> (path of its API, plural)
RESOURCES = {
    "Broker": ("apis/headrace.dev/v1alpha1", "brokers"),
    "ConfigMap": ("api/v1", "configmaps"),
    "Event": ("api/v1", "events"),
    "Lease": ("apis/coordination.k8s.io/v1", "leases"),
    "PersistentVolumeClaim": ("api/v1", "persistentvolumeclaims"),
    "Pod": ("api/v1", "pods"),
    "PodDisruptionBudget": ("apis/policy/v1", "poddisruptionbudgets"),
    "Service": ("api/v1", "services"),
    "StatefulSet": ("apis/apps/v1", "statefulsets"),
    "StorageClass": ("apis/storage.k8s.io/v1", "storageclasses"),
    "Topic": ("apis/headrace.dev/v1alpha1", "topics"),
}
APPLY = "application/apply-patch+yaml"  # JSON is YAML
MERGE = "application/merge-patch+json"
TIMEOUT = aiohttp.ClientTimeout(total=30)


class KubeError(Exception):
    """The API server refused or did not answer; the message is its own."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def login() -> kopf.ConnectionInfo:
    settings = kopf.OperatorSettings()
    found = kopf.login_with_service_account(settings=settings) or kopf.login_with_kubeconfig(settings=settings)
    if found is None:
        raise KubeError(
            0,
            "There is no way to log in to Kubernetes: neither a service account's token nor a kubeconfig (KUBECONFIG).",
        )
    return found


@dataclass
class Kube:
    """Use as an async context manager."""

    on_request: Callable[[bool], None] = lambda writes: None  # told of every request, and whether it writes

    async def __aenter__(self) -> Self:
        info = login()
        self._server = info.server.rstrip("/")
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=info.as_ssl_context(), limit=20), timeout=TIMEOUT
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def get(self, kind: str, namespace: str | None, name: str) -> Object | None:
        try:
            return await self._ask("GET", _path(kind, namespace, name))
        except KubeError as why:
            if why.status == 404:
                return None
            raise

    async def list(
        self, kind: str, namespace: str | None = None, labels: Mapping[str, str] | None = None
    ) -> list[Object]:
        query = {"labelSelector": ",".join(f"{k}={v}" for k, v in labels.items())} if labels else {}
        found = await self._ask("GET", _path(kind, namespace), query)
        # Items of a list do not say what they are.
        return [{**item, "apiVersion": found["apiVersion"], "kind": kind} for item in found["items"]]

    async def apply(self, manifest: Mapping[str, Any], subresource: str = "", manager: str = FIELD_MANAGER) -> Object:
        """Make the object have these fields and, of those that we gave it before, no others."""
        meta = manifest["metadata"]
        path = _path(manifest["kind"], meta.get("namespace"), meta["name"], subresource)
        return await self._ask("PATCH", path, {"fieldManager": manager, "force": "true"}, manifest, APPLY)

    async def merge(self, kind: str, namespace: str | None, name: str, patch: Mapping[str, Any]) -> Object:
        path = _path(kind, namespace, name)
        return await self._ask("PATCH", path, {"fieldManager": FIELD_MANAGER}, patch, MERGE)

    async def create(self, manifest: Mapping[str, Any]) -> Object:
        path = _path(manifest["kind"], manifest["metadata"].get("namespace"))
        return await self._ask("POST", path, {"fieldManager": FIELD_MANAGER}, manifest)

    async def replace(self, manifest: Mapping[str, Any]) -> Object:
        """Only if nobody changed it since it was read (its resourceVersion says so)."""
        meta = manifest["metadata"]
        path = _path(manifest["kind"], meta.get("namespace"), meta["name"])
        return await self._ask("PUT", path, {"fieldManager": FIELD_MANAGER}, manifest)

    async def delete(self, kind: str, namespace: str | None, name: str, uid: str) -> bool:
        """Whether this very object was there to be deleted."""
        body = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": uid}}
        try:
            await self._ask("DELETE", _path(kind, namespace, name), {}, body)
        except KubeError as why:
            if why.status in (404, 409):
                return False
            raise
        return True

    async def _ask(
        self,
        verb: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        content: str = "application/json",
    ) -> Object:
        self.on_request(verb != "GET")
        # Tokens of service accounts are renewed in their file every hour or so.
        headers = {**login().as_http_headers(), "Content-Type": content, "Accept": "application/json"}
        data = None if body is None else json.dumps(body)
        try:
            async with self._session.request(
                verb, f"{self._server}/{path}", params=query, data=data, headers=headers
            ) as answer:
                text = await answer.text()
        except (aiohttp.ClientError, TimeoutError) as why:
            raise KubeError(0, f"the API server does not answer: {why or type(why).__name__}") from why
        try:
            said = json.loads(text)
        except ValueError as why:  # too many requests are answered in plain text, and proxies answer in HTML
            raise KubeError(answer.status, text[:200]) from why
        if answer.status >= 400:
            raise KubeError(answer.status, str(said.get("message", said)))
        return dict(said)


def _path(kind: str, namespace: str | None, name: str = "", subresource: str = "") -> str:
    api, plural = RESOURCES[kind]
    within = f"namespaces/{namespace}/" if namespace else ""
    return "/".join(part for part in (f"{api}/{within}{plural}", name, subresource) if part)
