"""What the pages for people name is there: files, headings, reasons, metrics, targets of make."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from headrace.world.health import Metrics

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = sorted((ROOT / "operator/src/headrace").rglob("*.py"))

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CAMEL_CASE = re.compile(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)*)`")
# Words of Kubernetes that we show as it says them.
NOT_OURS = {"CrashLoopBackOff", "ImagePullBackOff", "ReadWriteMany"}

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def anchors(page: Path) -> set[str]:
    """What GitHub makes of headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pages
def test_every_link_within_the_repository_leads_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        if "://" in link:
            continue
        path, _, heading = link.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{link}: there is no such file"
        assert not heading or heading in anchors(there), f"{link}: there is no such heading"


def texts_of_the_source() -> set[str]:
    """Every text in the operator's code."""
    nodes = (node for file in SOURCES for node in ast.walk(ast.parse(file.read_text())))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pages
def test_every_reason_that_is_named_exists(page: Path) -> None:
    """Reasons, condition types, policies and kinds: whatever is in CamelCase between backticks is said by the code."""
    assert set(CAMEL_CASE.findall(page.read_text())) - texts_of_the_source() - NOT_OURS == set()


@pages
def test_every_metric_that_is_named_exists(page: Path) -> None:
    families = [(family.name, family.type) for family in Metrics().registry.collect()]
    exposed = {f"{name}_total" if type == "counter" else name for name, type in families}
    assert set(re.findall(r"\bheadrace_[a-z_]+\b", page.read_text())) <= exposed


@pages
def test_every_target_of_make_that_is_named_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(re.findall(r"(?:`|^    )make ([a-z0-9-]+)", page.read_text(), re.M)) <= targets


def test_every_page_is_reached_from_the_first() -> None:
    reached, todo = set[Path](), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page not in reached:
            reached.add(page)
            links = (link.partition("#")[0] for link in LINK.findall(page.read_text()))
            todo += [(page.parent / link).resolve() for link in links if link.endswith(".md") and "://" not in link]
    assert set(PAGES) <= reached
