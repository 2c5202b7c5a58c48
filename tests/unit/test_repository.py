"""What the repository itself promises."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_operator_is_a_folder_and_never_a_package() -> None:
    """An __init__.py there would shadow the standard library's `operator` for whatever runs in the root."""
    assert not (ROOT / "operator/__init__.py").exists()


@pytest.mark.parametrize(
    "name", ["requirements-dev.txt", "operator/requirements.txt", "tests/e2e/clients/requirements.txt"]
)
def test_requirement_files_pin_every_package_by_version_and_hash_and_hold_no_address(name: str) -> None:
    text = (ROOT / name).read_text()
    packages = re.findall(r"^[A-Za-z0-9](?:.*\\\n)*.*", text, re.M)
    assert packages
    assert all("==" in p and "--hash=sha256:" in p for p in packages)
    assert "://" not in text


def test_make_help_lists_every_target_with_a_line() -> None:
    listed = subprocess.run(["make", "-C", ROOT, "help"], check=True, capture_output=True, text=True).stdout
    phony = set(re.findall(r"^\.PHONY: (\S+)$", (ROOT / "Makefile").read_text(), re.M))
    shown = dict(re.findall(r"^  make (\S+)\s+(\S.*)$", listed, re.M))
    assert shown.keys() == phony


def test_ci_runs_the_test_command_of_the_readme() -> None:
    assert (ROOT / ".ci/run").read_text().rstrip().endswith("exec make test")
    assert "make test" in (ROOT / "README.md").read_text()
