"""Images in the engine: the base image and the node image, put there from the cache when they are missing."""

from __future__ import annotations

from pathlib import Path

from headrace.world.cache import Product

from . import pins
from .shell import CommandFailed, answers, capture, run_logged

ASSEMBLED = "headrace/kind-node:assembled"


def has(image: str) -> bool:
    return answers("docker", "image", "inspect", image, timeout=30)


def try_pull(image: str) -> str | None:
    """None when the engine has the image, else why it cannot be pulled."""
    if has(image):
        return None
    try:
        capture("docker", "pull", "--quiet", image, timeout=1800)
    except CommandFailed as why:
        return str(why).splitlines()[-1].strip()
    return None


def ensure_base_image(root: Product, log: Path) -> None:
    """`debian:…-slim` in the engine: pulled, or imported from the root that we made."""
    if has(pins.BASE_IMAGE):
        return
    what = f"LABEL dev.headrace.base-root={root.digest}"
    command = ["docker", "import", "--change", 'CMD ["bash"]', "--change", what]
    run_logged(log, *command, str(root.path / "root.tar"), pins.BASE_IMAGE)


def ensure_node_image(product: Product, tag: str, log: Path) -> None:
    """The assembled node image in the engine under a tag that names its key."""
    if has(tag):
        return
    run_logged(log, "docker", "load", "--input", str(product.path / "image.tar"))
    capture("docker", "tag", ASSEMBLED, tag)
