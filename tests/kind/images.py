"""The project's own images: built from ordinary Dockerfiles, loaded into the nodes that lack them.

An image's tag is a digest of all that goes into it, so an image that exists is up to date, a node that has the
tag has the content, and pods that name it roll when it changes.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from headrace.world import jars
from headrace.world.cache import MANIFEST, Cache, digest_of, digest_of_tree

from . import cluster, pins, products, store
from .shell import CommandFailed, capture, run_logged
from .steps import make_all, say, spell, stopwatch

IMAGE_PYTHON = "3.11"  # of Debian bookworm
REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Recipe:
    """An image of ours: `fill` puts all that its Dockerfile copies into an empty directory."""

    name: str
    fill: Callable[[Path, Cache], None]


def _broker(context: Path, cache: Cache) -> None:
    shutil.copytree(REPOSITORY / "broker_image", context, dirs_exist_ok=True, ignore=shutil.ignore_patterns("libs"))
    try:
        libs = jars.fetch(REPOSITORY / "broker_image/pom.xml", cache.root)
    except jars.FetchFailed as why:
        raise CommandFailed(str(why)) from why
    shutil.copytree(libs, context / "libs")


def _operator(context: Path, cache: Cache) -> None:
    """Dependencies and the package in two directories, so that a change of ours is a small layer."""
    source = REPOSITORY / "operator"
    shutil.copy(source / "Dockerfile", context)
    _copy_site(context, cache, source / "requirements.txt")
    shutil.copytree(source / "src/headrace", context / "package/headrace", ignore=shutil.ignore_patterns("__pycache__"))


def _clients(context: Path, cache: Cache) -> None:
    """For tests only: other people's clients."""
    source = REPOSITORY / "tests/e2e/clients"
    shutil.copytree(source, context, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    _copy_site(context, cache, source / "requirements.txt")


def _copy_site(context: Path, cache: Cache, locked: Path) -> None:
    machine = capture("docker", "version", "--format", "{{.Server.Arch}}").strip()
    key = digest_of(locked.read_text(), machine)
    site = cache.make(f"site-{locked.parent.name}", key, lambda out: _pip_install(out, cache, locked, machine))
    shutil.copytree(site.path, context / "site", ignore=shutil.ignore_patterns(MANIFEST))


def _pip_install(out: Path, cache: Cache, locked: Path, machine: str) -> None:
    """For the image's Python and machine, whatever ours are."""
    say(f"images: fetching what {locked.relative_to(REPOSITORY)} names, by pip")
    arch = {"amd64": "x86_64", "arm64": "aarch64"}[machine]
    glibc = [f"--platform=manylinux_2_{n}_{arch}" for n in (17, 28, 34, 36)]
    flags = ("--only-binary=:all:", "--implementation=cp", f"--python-version={IMAGE_PYTHON}", "--no-compile")
    command = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes")
    log = cache.root / "logs" / "site.log"
    where = ("--platform=any", f"--platform=manylinux2014_{arch}", *glibc, "--target", str(out))
    run_logged(log, *command, *flags, *where, "--requirement", str(locked))


RECIPES = (
    Recipe("headrace/broker", _broker),
    Recipe("headrace/operator", _operator),
    Recipe("headrace/test-clients", _clients),
)


def build(cache: Cache, recipes: Sequence[Recipe] = RECIPES) -> dict[str, str]:
    """Every image of ours in the engine; returns name to full name with its tag."""
    _ensure_base(cache)
    return {recipe.name: _build_one(cache, recipe) for recipe in recipes}


def load(names: Sequence[str], nodes: Sequence[str], log: Path) -> None:
    """Put images of the engine into the container runtime of the nodes that lack them."""
    lacking = {node: [n for n in names if n not in _held_by(node)] for node in nodes}
    lacking = {node: missing for node, missing in lacking.items() if missing}
    if not lacking:
        return
    took = stopwatch()
    with TemporaryDirectory(prefix="headrace-images-") as scratch:
        archives = {name: Path(scratch) / name.replace("/", "-").replace(":", "-") for name in names}
        for name in {n for missing in lacking.values() for n in missing}:
            capture("docker", "save", "--output", str(archives[name]), name, timeout=600)
        with ThreadPoolExecutor(len(lacking)) as pool:
            one_by_one = [pool.submit(_load_into, node, [archives[n] for n in m], log) for node, m in lacking.items()]
            for each in one_by_one:
                each.result()
    say(f"images: loaded into {', '.join(sorted(lacking))} in {spell(took())}")


def build_and_load(cache: Cache) -> dict[str, str]:
    """Build what changed and load it into every cluster of ours that is up."""
    images = build(cache)
    for name in cluster.our_cluster_names():
        running = [node for node, state in cluster.node_containers(name).items() if state == "running"]
        load(list(images.values()), running, cache.root / "logs" / "images.log")
    for image in images.values():
        say(f"image: {image}")
    return images


def _build_one(cache: Cache, recipe: Recipe) -> str:
    took = stopwatch()
    with TemporaryDirectory(prefix="headrace-context-") as scratch:
        context = Path(scratch)
        recipe.fill(context, cache)
        base = capture("docker", "image", "inspect", "--format", "{{.Id}}", pins.BASE_IMAGE).strip()
        image = f"{recipe.name}:{digest_of(base, digest_of_tree(context))[:16]}"
        if store.has(image):
            return image
        say(f"images: building {image}")
        log = cache.root / "logs" / f"image-{recipe.name.replace('/', '-')}.log"
        log.unlink(missing_ok=True)
        # The host's network: package registries may only be reachable from there.
        run_logged(log, "docker", "build", "--network=host", "--tag", image, str(context))
    say(f"images: built {image} in {spell(took())}")
    store.forget_others(recipe.name, image)
    return image


def _ensure_base(cache: Cache) -> None:
    """The base image: the published one where it can be had, else one made from packages and kept up to date."""
    if store.root_of(pins.BASE_IMAGE) is None:
        why = store.try_pull(pins.BASE_IMAGE)
        if why is None:
            return
        say(f"images: {pins.BASE_IMAGE} is made from packages, because it cannot be pulled: {why}")
    if store.root_of(pins.BASE_IMAGE) != "":
        root = make_all(cache, [products.base_root_step(cache)])["base-root"]
        store.ensure_base_image(root, cache.root / "logs" / "base-image.log")


def _held_by(node: str) -> Mapping[str, str]:
    """Short name to full name of every image that a node's runtime has."""
    rows = capture("docker", "exec", node, "ctr", "--namespace=k8s.io", "images", "ls", "--quiet").split()
    return {row.removeprefix("docker.io/"): row for row in rows}


def _load_into(node: str, archives: Sequence[Path], log: Path) -> None:
    for archive in archives:
        with archive.open("rb") as stream:
            command = ("ctr", "--namespace=k8s.io", "images", "import", "--local", "--digests", "-")
            run_logged(log, "docker", "exec", "--interactive", node, *command, stdin=stream)
