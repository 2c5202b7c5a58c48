"""The first Broker is made once; from then on it is its owner's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from api_cases.accepted import BROKER, broker
from headrace.world.first import create_missing
from headrace.world.kube import Kube

from .api_server import Kubectl

Install = Callable[[dict[str, Any]], None]


@pytest.fixture
def install(kubectl: Kubectl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """What an operator does about a Broker that it was installed with."""
    monkeypatch.setenv("KUBECONFIG", str(kubectl.kubeconfig(tmp_path, kubectl.token)))
    mounted = tmp_path / "first"
    mounted.mkdir()

    async def make() -> None:
        async with Kube() as kube:
            await asyncio.wait_for(create_missing(kube, mounted, "default"), 30)

    def write_and_make(manifest: dict[str, Any]) -> None:
        (mounted / "broker.yaml").write_text(json.dumps(manifest))
        asyncio.run(make())

    yield write_and_make
    kubectl("delete", "brokers", "--all", "--wait")


def replicas(kubectl: Kubectl) -> str:
    return kubectl("get", "broker", "main", "-o", "jsonpath={.spec.replicas}")


def test_is_made_if_there_is_none(kubectl: Kubectl, install: Install) -> None:
    install(broker(replicas=5))
    assert replicas(kubectl) == "5"


def test_one_that_is_there_is_not_touched(kubectl: Kubectl, install: Install) -> None:
    install(BROKER)
    kubectl("scale", "broker/main", "--replicas=4")
    install(broker(replicas=5))
    assert replicas(kubectl) == "4"
