"""What Kubernetes and Prometheus ask the operator: /healthz, /readyz, /metrics."""

from __future__ import annotations

from collections.abc import Callable

from aiohttp import web
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)


class Metrics:
    """Named as Prometheus' conventions ask for; `kind` is Broker or Topics (all topics of a Broker in one pass)."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("kind",)
        self.passes = Counter("headrace_reconciles", "Passes over a resource.", labels, registry=self.registry)
        self.errors = Counter("headrace_reconcile_errors", "Passes that failed.", labels, registry=self.registry)
        self.seconds = Histogram("headrace_reconcile_seconds", "Time of one pass.", labels, registry=self.registry)
        self.api_reads = Counter("headrace_api_reads", "Requests to Kubernetes that read.", registry=self.registry)
        self.api_writes = Counter("headrace_api_writes", "Requests to Kubernetes that write.", registry=self.registry)
        self.kafka_requests = Counter("headrace_kafka_requests", "Requests to Kafka.", registry=self.registry)
        ProcessCollector(registry=self.registry)
        self.active = Gauge("headrace_active", "1 while this operator is the active one.", registry=self.registry)


def application(metrics: Metrics, alive: Callable[[], str], ready: Callable[[], str]) -> web.Application:
    """`alive` and `ready` return what is wrong, or nothing."""

    async def healthz(_: web.Request) -> web.Response:
        return _answer(alive())

    async def readyz(_: web.Request) -> web.Response:
        return _answer(ready())

    async def prometheus(_: web.Request) -> web.Response:
        return web.Response(body=generate_latest(metrics.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    app = web.Application()
    app.add_routes([web.get("/healthz", healthz), web.get("/readyz", readyz), web.get("/metrics", prometheus)])
    return app


def _answer(wrong: str) -> web.Response:
    return web.Response(text=wrong or "ok", status=503 if wrong else 200)
