"""Every kopf decorator. A handler only wakes: what there is to do is found by looking, not by what happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import kopf

from headrace.api.base import GROUP, VERSION
from headrace.objects.names import BROKER_LABEL
from headrace.world.hearing import Hearing
from headrace.world.kube import login
from headrace.world.loop import Loop

# Events come in bursts; those of one burst are looked at together.
SETTLE = 0.1  # seconds


@dataclass(frozen=True)
class Key:
    kind: Literal["Broker", "Topics"]  # Topics: all of one Broker's, in one pass
    namespace: str
    broker: str


@dataclass
class Memo:
    """What handlers need; kopf hands it to them."""

    loop: Loop[Key]
    hearing: Hearing
    known: dict[str, str] = field(default_factory=dict)  # uid -> all that was told last, but for the status


registry = kopf.OperatorRegistry()


def _is_news(memo: Memo, event: kopf.RawEvent) -> bool:
    """Whether more than the status changed, which is our own doing: it must not make us look again for ever."""
    meta = event["object"]["metadata"]
    uid, gone = meta["uid"], event["type"] == "DELETED"
    memo.hearing.heard(uid, meta["resourceVersion"], gone)
    told = str([meta.get(k) for k in ("generation", "labels", "annotations", "finalizers", "deletionTimestamp")])
    known = memo.known.pop(uid, None)
    if not gone:
        memo.known[uid] = told
    return gone or told != known


@kopf.on.event(GROUP, VERSION, "brokers", registry=registry)
async def a_broker_changed(event: kopf.RawEvent, name: str, meta: kopf.Meta, memo: Memo, **_: Any) -> None:
    if _is_news(memo, event):
        memo.loop.wake(Key("Broker", meta["namespace"], name), SETTLE)
        memo.loop.wake(Key("Topics", meta["namespace"], name), SETTLE)


@kopf.on.event(GROUP, VERSION, "topics", registry=registry)
async def a_topic_changed(event: kopf.RawEvent, spec: kopf.Spec, meta: kopf.Meta, memo: Memo, **_: Any) -> None:
    if _is_news(memo, event):
        memo.loop.wake(Key("Topics", meta["namespace"], spec.get("broker", "")), SETTLE)


@kopf.on.event("apps", "v1", "statefulsets", labels={BROKER_LABEL: kopf.PRESENT}, registry=registry)
async def a_set_of_nodes_changed(labels: kopf.Labels, meta: kopf.Meta, memo: Memo, **_: Any) -> None:
    memo.loop.wake(Key("Broker", meta["namespace"], labels[BROKER_LABEL]), SETTLE)


@kopf.on.login(registry=registry)
async def log_in(**_: Any) -> kopf.ConnectionInfo:
    return login()


@kopf.on.startup(registry=registry)
async def configure(settings: kopf.OperatorSettings, **_: Any) -> None:
    settings.posting.enabled = False  # Events of ours are written by world/events.py
    settings.persistence.finalizer = f"{GROUP}/kopf"
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix=GROUP)
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(prefix=GROUP, key="last-handled")
    settings.scanning.disabled = True  # our kinds are there before us, and namespaces are none of our business
    # A connection that died without a word is noticed by the server's own bookmarks ending.
    settings.watching.server_timeout = 300
    settings.watching.client_timeout = 330
    settings.watching.connect_timeout = 10
