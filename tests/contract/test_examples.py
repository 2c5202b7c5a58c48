"""The examples are valid, and what they name is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from headrace.api.broker import Broker
from headrace.api.manifest import Resource, parse
from headrace.api.topic import Topic

from .api_server import Kubectl

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "examples").rglob("*.yaml"))


def resources(file: Path) -> list[Resource]:
    return [parse(manifest) for manifest in yaml.safe_load_all(file.read_text())]


def test_there_are_examples() -> None:
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_the_models_accept(file: Path) -> None:
    assert resources(file)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_the_api_server_accepts(file: Path, kubectl: Kubectl) -> None:
    for manifest in yaml.safe_load_all(file.read_text()):
        kubectl("create", "--dry-run=server", "--filename", "-", stdin=json.dumps(manifest))


@pytest.mark.parametrize("folder", sorted({file.parent for file in FILES}), ids=lambda folder: folder.name)
def test_every_topic_finds_its_broker_and_fits_on_it(folder: Path) -> None:
    there = [resource for file in FILES if file.parent == folder for resource in resources(file)]
    brokers = {b.metadata.name: b for b in there if isinstance(b, Broker)}
    for topic in there:
        if isinstance(topic, Topic):
            nodes = brokers[topic.spec.broker].spec.replicas
            assert topic.spec.replicas_on(nodes) <= nodes
