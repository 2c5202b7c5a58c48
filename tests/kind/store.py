"""Images in the engine: the base image and the node image, put there from the cache when they are missing."""

from __future__ import annotations

from pathlib import Path

from headrace.world.cache import Product

from . import pins
from .shell import CommandFailed, answers, capture, run_logged

ASSEMBLED = "headrace/kind-node:assembled"
ROOT_LABEL = "dev.headrace.base-root"  # which root an imported base image was made from


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


def root_of(image: str) -> str | None:
    """The digest of the root that a base image was imported from; "" when it was pulled, None when there is none."""
    try:
        label = f'{{{{index .Config.Labels "{ROOT_LABEL}"}}}}'
        return capture("docker", "image", "inspect", "--format", label, image).strip().removeprefix("<no value>")
    except CommandFailed:
        return None


def ensure_base_image(root: Product, log: Path) -> None:
    """`debian:…-slim` in the engine, imported from the root that we made; one that was pulled is left alone."""
    if root_of(pins.BASE_IMAGE) in ("", root.digest):
        return
    what = f"LABEL {ROOT_LABEL}={root.digest}"
    command = ["docker", "import", "--change", 'CMD ["bash"]', "--change", what]
    run_logged(log, *command, str(root.path / "root.tar"), pins.BASE_IMAGE)


def ensure_node_image(product: Product, tag: str, log: Path) -> None:
    """The assembled node image in the engine under a tag that names its key."""
    if has(tag):
        return
    run_logged(log, "docker", "load", "--input", str(product.path / "image.tar"))
    capture("docker", "tag", ASSEMBLED, tag)
    forget_others(tag.split(":", maxsplit=1)[0], tag)


def forget_others(name: str, kept: str) -> None:
    """Remove other tags of an image, which nothing names any more; what a container still uses stays."""
    for old in capture("docker", "image", "ls", "--format", "{{.Repository}}:{{.Tag}}", name).split():
        if old != kept:
            answers("docker", "image", "rm", old)
