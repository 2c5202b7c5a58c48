"""`headrace operator`: the operator itself, as it runs in its pod."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
from collections.abc import Awaitable
from datetime import UTC, datetime

import kopf
from aiohttp import web

from headrace import handlers
from headrace.handlers import Key, Memo
from headrace.plan.look import Defaults
from headrace.reconcile.broker import reconcile_broker
from headrace.reconcile.topics import reconcile_topics
from headrace.reconcile.world import World
from headrace.world.first import create_missing
from headrace.world.health import Metrics, application
from headrace.world.hearing import Hearing
from headrace.world.kafka_pool import KafkaPool
from headrace.world.kube import Kube
from headrace.world.lease import Leadership, LeaseLost
from headrace.world.loop import Loop

log = logging.getLogger(__name__)


def run(args: argparse.Namespace) -> int:
    if not args.broker_image:
        log.error("--broker-image (or HEADRACE_BROKER_IMAGE) must name the image of Kafka nodes")
        return 2
    json_logs = args.log_format == "json"
    kopf.configure(verbose=False, log_format=kopf.LogFormat.JSON if json_logs else kopf.LogFormat.PLAIN)
    logging.getLogger("kopf.objects").setLevel(logging.WARNING)  # that a handler woke somebody is no news
    logging.getLogger("kafka").setLevel(logging.ERROR)  # a Broker that does not answer is said in its condition
    code = 0
    try:
        asyncio.run(_run(args))
    except* LeaseLost as lost:
        log.error("stopping: %s", lost.exceptions[0])
        code = 1
    return code


async def _run(args: argparse.Namespace) -> None:
    metrics, clock = Metrics(), asyncio.get_running_loop().time
    hearing = Hearing(clock)
    async with Kube(lambda writes: (metrics.api_writes if writes else metrics.api_reads).inc()) as kube:
        defaults = Defaults(args.broker_image, args.kafka_version)
        world = World(kube, KafkaPool(metrics.kafka_requests.inc), hearing, defaults, lambda: datetime.now(UTC))
        loop: Loop[Key] = Loop(lambda key: _timed(metrics, key, _look(world, key)))
        leadership = Leadership(kube, args.namespace, args.lease, args.identity)
        ready = asyncio.Event()
        app = application(
            metrics,
            alive=lambda: "a watch no longer hears what happens" if hearing.deaf() else "",
            ready=lambda: "" if ready.is_set() else "starting",
        )
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, port=args.port).start()
        ready.set()  # standing by is ready too: a rollout must not wait for the lease that it is to hand over
        try:
            await _active(args, leadership, loop, hearing, metrics)
        finally:
            world.kafka.close()
            await runner.cleanup()


async def _active(
    args: argparse.Namespace, leadership: Leadership, loop: Loop[Key], hearing: Hearing, metrics: Metrics
) -> None:
    """Wait for the lease, work until told to stop or until it is lost, and hand it over."""
    stop = asyncio.Event()
    for told in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(told, stop.set)
    if not await _first(stop, leadership.acquire()):
        return
    metrics.active.set(1)
    try:
        async with asyncio.TaskGroup() as tasks:
            working = [
                tasks.create_task(leadership.keep()),
                tasks.create_task(loop.run()),
                tasks.create_task(_watch(args, Memo(loop, hearing), stop)),
            ]
            if args.first:
                working.append(tasks.create_task(create_missing(leadership.kube, args.first, args.namespace)))
            await stop.wait()
            log.info("stopping: asked to")
            for task in working:
                task.cancel()
    finally:
        metrics.active.set(0)
        await leadership.release()


async def _watch(args: argparse.Namespace, memo: Memo, stop: asyncio.Event) -> None:
    """kopf takes over the signals, and returns when it was sent one."""
    namespaces = [n for n in args.watch.split(",") if n]
    await kopf.operator(
        registry=handlers.registry,
        standalone=True,  # who is active is decided by our Lease, not by kopf's peering
        clusterwide=not namespaces,
        namespaces=namespaces,
        memo=memo,
        identity=args.identity,  # its own guess asks for a user name, which a pod may not have
    )
    stop.set()


async def _first(stop: asyncio.Event, work: Awaitable[None]) -> bool:
    """Whether the work was done before we were told to stop."""
    doing, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    await asyncio.wait([doing, stopping], return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if doing.done():
        doing.result()
        return True
    doing.cancel()
    return False


async def _look(world: World, key: Key) -> float | None:
    match key.kind:
        case "Broker":
            return await reconcile_broker(world, key.namespace, key.broker)
        case "Topics":
            return await reconcile_topics(world, key.namespace, key.broker)


async def _timed(metrics: Metrics, key: Key, work: Awaitable[float | None]) -> float | None:
    metrics.passes.labels(key.kind).inc()
    with metrics.seconds.labels(key.kind).time(), metrics.errors.labels(key.kind).count_exceptions():
        return await work
