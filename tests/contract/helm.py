"""Helm, and what it makes of our chart. No cluster is asked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from headrace.world.cache import Cache, default_cache_dir
from kind import products
from kind.facts import go_version
from kind.shell import capture
from kind.steps import make_all

CHART = Path(__file__).parents[2] / "charts/headrace"
RELEASE = NAMESPACE = "streams"

Manifest = dict[str, Any]


def helm_program() -> Path:
    """From the product cache, or built into it, which takes minutes."""
    cache = Cache(default_cache_dir(os.environ))
    return make_all(cache, products.client_steps(cache, go_version() or ""))["clients"].path / "helm"


@dataclass(frozen=True)
class Helm:
    program: Path
    home: Path

    def __call__(self, *args: str, values: Mapping[str, Any] | None = None) -> str:
        # Whatever Helm the developer has set up must not leak in.
        env = {"HOME": str(self.home), "KUBECONFIG": str(self.home / "none"), "HELM_NAMESPACE": NAMESPACE}
        given = ("--values", "-") if values else ()
        return capture(str(self.program), *args, *given, env=env, stdin=yaml.safe_dump(values) if values else None)

    def template(self, values: Mapping[str, Any] | None = None) -> list[Manifest]:
        """All objects of a release; raises CommandFailed with Helm's words when it refuses the values."""
        return [m for m in yaml.safe_load_all(self("template", RELEASE, str(CHART), values=values)) if m]
