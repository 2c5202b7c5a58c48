from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from shown import shown

from .api_server import Kubectl, programs, running_api_server
from .helm import Helm, helm_program

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def kubectl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    """kubectl of a real API server that knows our CRDs."""
    with shown(request):
        made = programs()
    with running_api_server(made, tmp_path_factory.mktemp("api-server")) as it:
        it("apply", "--filename", str(ROOT / "crds"))
        it("wait", "--for=condition=Established", "--all", "customresourcedefinitions", "--timeout=30s")
        yield it


@pytest.fixture(scope="session")
def helm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Helm:
    with shown(request):
        program = helm_program()
    return Helm(program, tmp_path_factory.mktemp("helm"))
