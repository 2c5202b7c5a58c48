"""Brokers that came with the installation: made once, and from then on their owner's alone."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import yaml

from headrace.api.broker import Broker
from headrace.api.manifest import InvalidManifest, parse

from .kube import Kube, KubeError, Object
from .loop import BACKOFF

log = logging.getLogger(__name__)

ALREADY_EXISTS = 409


def manifests(directory: Path, namespace: str) -> list[Object]:
    """The Brokers in the directory's *.yaml files, in `namespace` where they do not name one.

    Raises InvalidManifest for what is not a Broker, OSError and yaml.YAMLError for what cannot be read.
    """
    found = []
    for file in sorted(directory.glob("*.yaml")):
        for manifest in yaml.safe_load_all(file.read_text()):
            if not isinstance(manifest, dict):
                raise InvalidManifest(file.name, ("it must hold a Broker's manifest",))
            if not isinstance(parse(manifest), Broker):
                raise InvalidManifest(file.name, (f"kind: must be Broker; found {manifest['kind']}",))
            found.append({**manifest, "metadata": {"namespace": namespace, **manifest["metadata"]}})
    return found


async def create_missing(kube: Kube, directory: Path, namespace: str) -> None:
    """Return when every Broker in the directory is there. One that was there before is not touched.

    What stops it is logged and tried again, the files read anew: they are a mounted ConfigMap, and may be corrected.
    """
    failures = 0
    while True:
        try:
            for manifest in manifests(directory, namespace):
                await _create(kube, manifest)
            return
        except (KubeError, InvalidManifest, OSError, yaml.YAMLError) as why:
            failures += 1
            after = BACKOFF[min(failures, len(BACKOFF)) - 1]
            log.error("the first Broker of %s cannot be made: %s; again in %g s", directory, why, after)
            await asyncio.sleep(after)


async def _create(kube: Kube, manifest: Object) -> None:
    called = f"Broker {manifest['metadata']['namespace']}/{manifest['metadata']['name']}"
    try:
        await kube.create(manifest)
        log.info("made %s, which came with the installation", called)
    except KubeError as why:
        if why.status != ALREADY_EXISTS:
            raise
        log.info("%s is there already: it is left as it is", called)
