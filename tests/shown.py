"""Progress of what a fixture makes, shown while it is made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from kind.shell import CommandFailed, Refused


@contextmanager
def shown(request: pytest.FixtureRequest) -> Iterator[None]:
    """What is printed is seen at once; if it cannot be made, the test fails with the reason and nothing else."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    assert capture is not None
    reason = None
    with capture.global_and_fixture_disabled():
        print(flush=True)
        try:
            yield
        except (Refused, CommandFailed) as why:
            reason = str(why)
    if reason:
        pytest.fail(f"there is nothing to test on: {reason}", pytrace=False)
