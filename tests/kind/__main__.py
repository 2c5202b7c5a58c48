"""`python -m kind …`: what the Makefile's cluster targets run."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from headrace.world.cache import Cache, default_cache_dir

from . import cluster, decide, engine, images, pins, products, store
from .cluster import Cluster
from .facts import Facts, gather
from .shell import CommandFailed, Refused
from .steps import Step, make_all, missing, say


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="kind", description="The project's test cluster, on any machine.")
    parser.add_argument(
        "--cache", type=Path, help="where products are kept (default: HEADRACE_CACHE or ~/.cache/headrace)"
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    up = verbs.add_parser("up", help="bring the cluster up, with the project's images in it")
    up.add_argument("--dry-run", action="store_true", help="print what would be done and why; change nothing")
    down = verbs.add_parser("down", help="take clusters down: the one of --nodes, or all of the project's")
    for verb in (up, down):
        verb.add_argument("--nodes", type=int, help="1 (default), or one control plane and n - 1 workers")
    up.add_argument("--node-image", choices=["published", "assembled"], help="instead of finding out which can be had")
    verbs.add_parser("images", help="build the project's images, and load them into the clusters that are up")
    verbs.add_parser("engine", help="make sure that a container engine answers")
    verbs.add_parser("engine-down", help="stop the container engine, if it is ours")
    args = parser.parse_args(argv)
    cache = Cache(args.cache or default_cache_dir(os.environ))
    try:
        match args.verb:
            case "up" if args.dry_run:
                dry_run(cache, args.nodes or 1, args.node_image)
            case "up":
                cluster_up(cache, args.nodes or 1, args.node_image)
            case "down":
                clusters_down(cache, args.nodes)
            case "images":
                images.build_and_load(cache, engine.up(cache, gather()))
            case "engine":
                engine.up(cache, gather())
            case "engine-down":
                engine.down(cache)
    except (Refused, CommandFailed) as why:
        say(f"error: {why}")
        return 1
    return 0


def cluster_up(cache: Cache, nodes: int, asked: decide.Way | None) -> Cluster:
    facts = gather()
    tools = _or_refuse(decide.client_tools(facts))
    say(f"kind, kubectl, helm: {tools}")
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
    cluster.up(it, facts, image)
    images.build_and_load(cache, facts)
    say(f"use it with: export KUBECONFIG={it.kubeconfig} PATH={it.clients}:$PATH")
    return it


def dry_run(cache: Cache, nodes: int, asked: decide.Way | None) -> None:
    facts = gather()
    print(f"facts: {facts}")
    print(f"engine: {decide.engine(facts)}")
    if decide.engine(facts).action.endswith("start") and not facts.systemd:
        print(f"runtime: {decide.runtime_wrapper(facts)}")
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


def _steps(cache: Cache, facts: Facts, assembled: bool) -> list[Step]:
    go_version = facts.go or ""
    return products.client_steps(cache, go_version) + (products.node_steps(cache, go_version) if assembled else [])


def _or_refuse(decision: decide.Decision) -> decide.Decision:
    if not decision.possible:
        raise Refused(decision.why)
    return decision


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
