"""The whole way from a bare machine to a cluster with our images in it, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headrace.world.cache import Cache

from . import cluster, decide, engine, images, pins, products, store
from .cluster import Cluster
from .facts import INOTIFY_INSTANCES, Facts, gather
from .shell import Refused
from .steps import Step, make_all, missing, say


@dataclass(frozen=True)
class Up:
    """A cluster that is up, and our images in it: name to name with tag."""

    cluster: Cluster
    images: Mapping[str, str]


def cluster_up(cache: Cache, nodes: int, asked: decide.Way | None = None) -> Up:
    """A healthy cluster with our images in it."""
    it = bare_cluster_up(cache, nodes, asked)
    ours = images.build_and_load(cache)
    say(f"use it with: export KUBECONFIG={it.kubeconfig} PATH={it.clients}:$PATH")
    return Up(it, ours)


def bare_cluster_up(cache: Cache, nodes: int, asked: decide.Way | None = None) -> Cluster:
    facts = gather()
    _or_refuse(decide.client_tools(facts))
    facts = engine.up(cache, facts)
    pull_error = None if asked == "assembled" else store.try_pull(pins.PUBLISHED_NODE_IMAGE)
    way = _or_refuse(decide.node_image(facts, asked, pull_error))
    say(f"node image: {way}")
    steps = _steps(cache, facts, way.action == "assembled")
    if wanted := missing(cache, steps):
        say(f"building {len(wanted)} of {len(steps)} products into {cache.root}")
    made = make_all(cache, steps)
    image = pins.PUBLISHED_NODE_IMAGE
    if way.action == "assembled":
        image = products.node_tag(made["node-image"].key)
        store.ensure_node_image(made["node-image"], image, cache.root / "logs" / "node-image.log")
    it = Cluster(cache, nodes, made["clients"].path)
    _mind_inotify(facts)
    cluster.up(it, facts, image)
    return it


def dry_run(cache: Cache, nodes: int, asked: decide.Way | None) -> None:
    facts = gather()
    print(f"facts: {facts}")
    print(f"engine: {decide.engine(facts)}")
    if decide.engine(facts).action.endswith("start") and not facts.systemd:
        print(f"runtime: {decide.runtime_wrapper(facts)}")
    print(f"inotify: {decide.inotify(facts)}")
    print(f"kind, kubectl, helm: {decide.client_tools(facts)}")
    if asked != "assembled":
        print(f"node image, if it can be pulled: {decide.node_image(facts, asked, None)}")
    print(f"node image, if it cannot be pulled: {decide.node_image(facts, asked, 'no registry')}")
    if facts.go:
        steps = _steps(cache, facts, asked != "published")
        wanted = missing(cache, steps)
        for step in steps:
            print(f"product: {step.what}: {'would be built' if step.name in wanted else 'in the cache'}")
    print(f"cluster: {nodes} node(s), kubeconfig {Cluster(cache, nodes, Path()).kubeconfig}")


def clusters_down(cache: Cache, nodes: int | None) -> None:
    facts = gather()
    if not facts.engine:
        say("no container engine answers, so no cluster is running; nothing to do")
        return
    clients = make_all(cache, products.client_steps(cache, facts.go or ""))["clients"].path
    sizes = [nodes] if nodes else [int(n.removeprefix("headrace").strip("-") or 1) for n in cluster.our_cluster_names()]
    if not sizes:
        say("none of the project's clusters is there; nothing to do")
    for size in sizes:
        cluster.down(Cluster(cache, size, clients))


def _mind_inotify(facts: Facts) -> None:
    decision = decide.inotify(facts)
    if decision.action != "leave":
        say(f"inotify: {decision}")
    if decision.action == "raise":
        INOTIFY_INSTANCES.write_text(str(decide.ENOUGH_INOTIFY_INSTANCES))


def _steps(cache: Cache, facts: Facts, assembled: bool) -> list[Step]:
    go_version = facts.go or ""
    return products.client_steps(cache, go_version) + (products.node_steps(cache, go_version) if assembled else [])


def _or_refuse(decision: decide.Decision) -> decide.Decision:
    if not decision.possible:
        raise Refused(decision.why)
    return decision
