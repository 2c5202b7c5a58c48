"""The project's own images: built from ordinary Dockerfiles, loaded into the nodes that lack them."""

from __future__ import annotations

from headrace.world.cache import Cache

from .facts import Facts


def build_and_load(cache: Cache, facts: Facts) -> None:
    pass
