"""One active operator at a time: the one that holds a Lease and renews it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import UTC, datetime

from .kube import Kube, KubeError, Object

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Terms:
    """A holder that cannot renew gives up before anybody else may take over."""

    valid: float = 15.0  # seconds after the last renewal
    renew_every: float = 3.0
    give_up_after: float = 10.0


class LeaseLost(Exception):
    """Another one may be active now: this one must stop at once."""


def may_take(lease: Object | None, me: str, seen_unchanged_for: float, valid: float) -> bool:
    """Whether nobody holds the lease, or its holder has not renewed it for as long as it is valid.

    How long is measured by our own clock, from when we saw it change last: clocks of two machines are not compared.
    """
    if lease is None:
        return True
    holder = lease["spec"].get("holderIdentity")
    return not holder or holder == me or seen_unchanged_for > valid


class Leadership:
    def __init__(self, kube: Kube, namespace: str, name: str, me: str, terms: Terms = Terms()) -> None:
        self.kube, self.namespace, self.name, self.me, self.terms = kube, namespace, name, me, terms

    async def acquire(self) -> None:
        """Return when we hold the lease."""
        version, since, told = None, _seconds(), False
        while True:
            try:
                lease = await self.kube.get("Lease", self.namespace, self.name)
                current = lease["metadata"]["resourceVersion"] if lease else None
                if current != version:
                    version, since = current, _seconds()
                if may_take(lease, self.me, _seconds() - since, self.terms.valid):
                    await self._write(lease)
                    log.info("active: %s holds the lease %s/%s", self.me, self.namespace, self.name)
                    return
                if not told and lease:
                    log.info("standing by: %s is active", lease["spec"].get("holderIdentity"))
                    told = True
            except KubeError as why:
                log.warning("the lease cannot be had: %s", why)
            await asyncio.sleep(1)

    async def keep(self) -> None:
        """Renew for ever; raises LeaseLost when it is not ours any more or cannot be renewed in time."""
        renewed = _seconds()
        while True:
            await asyncio.sleep(self.terms.renew_every)
            try:
                # A request that hangs must not outlast what we may go without a renewal.
                async with asyncio.timeout_at(renewed + self.terms.give_up_after):
                    lease = await self.kube.get("Lease", self.namespace, self.name)
                    if lease is None or lease["spec"].get("holderIdentity") != self.me:
                        raise LeaseLost(f"the lease {self.namespace}/{self.name} is held by another")
                    await self._write(lease)
                renewed = _seconds()
            except TimeoutError as why:
                raise LeaseLost(f"the lease could not be renewed for {self.terms.give_up_after:g} s") from why
            except KubeError as why:
                if _seconds() - renewed > self.terms.give_up_after:
                    raise LeaseLost(
                        f"the lease could not be renewed for {self.terms.give_up_after:g} s: {why}"
                    ) from why

    async def release(self) -> None:
        """Let a successor take over at once instead of waiting for the lease to run out."""
        try:
            lease = await self.kube.get("Lease", self.namespace, self.name)
            if lease and lease["spec"].get("holderIdentity") == self.me:
                lease["spec"]["holderIdentity"] = ""
                await self.kube.replace(lease)
        except KubeError as why:
            log.warning("the lease could not be released, it runs out in %g s: %s", self.terms.valid, why)

    async def _write(self, lease: Object | None) -> None:
        """Refused by the API server if anybody else wrote it since we read it."""
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        spec = {**(lease["spec"] if lease else {}), "renewTime": now, "leaseDurationSeconds": int(self.terms.valid)}
        if spec.get("holderIdentity") != self.me:
            spec |= {
                "holderIdentity": self.me,
                "acquireTime": now,
                "leaseTransitions": spec.get("leaseTransitions", -1) + 1,
            }
        if lease:
            await self.kube.replace({**lease, "kind": "Lease", "spec": spec})
        else:
            meta = {"name": self.name, "namespace": self.namespace}
            await self.kube.create(
                {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": meta, "spec": spec}
            )


def _seconds() -> float:
    return asyncio.get_running_loop().time()
