"""`python -m kind …`: what the Makefile's cluster targets run."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from headrace.world.cache import Cache, default_cache_dir

from . import engine, images
from .facts import gather
from .making import cluster_up, clusters_down, dry_run
from .shell import CommandFailed, Refused
from .steps import say


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
                engine.up(cache, gather())
                images.build_and_load(cache)
            case "engine":
                engine.up(cache, gather())
            case "engine-down":
                engine.down(cache)
    except (Refused, CommandFailed) as why:
        say(f"error: {why}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
