"""The jars that a pom.xml declares, fetched by Maven once and kept in the cache.

Only the standard library is imported: the test cluster's tools use this too, without the virtual environment.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

from headrace.world.cache import Cache, digest_of

# Where operator/pyproject.toml puts broker_image/pom.xml in a wheel, and where it is in a checkout.
_PACKAGED_BROKER_POM = Path(__file__).with_name("broker.pom.xml")
_CHECKOUT_BROKER_POM = Path(__file__).resolve().parents[4] / "broker_image" / "pom.xml"


class FetchFailed(Exception):
    """The jars cannot be had; the message says why and what to do."""


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def broker_pom() -> Path:
    """The pom.xml that says which jars a broker is made of."""
    for pom in (_PACKAGED_BROKER_POM, _CHECKOUT_BROKER_POM):
        if pom.is_file():
            return pom
    raise FetchFailed(
        f"the broker's pom.xml is missing: neither {_PACKAGED_BROKER_POM} (an installed package) nor "
        f"{_CHECKOUT_BROKER_POM} (a checkout) exists; install headrace again, or run it from a complete checkout"
    )


def fetch(pom: Path, cache: Path, say: Callable[[str], None] = _say) -> Path:
    """A directory with all jars that `pom` declares and what these need at run time, and nothing else.

    What is fetched is kept below `cache` for exactly this content of the pom. It appears complete or not at all, and of
    two processes that want the same, one fetches and the other waits.
    """
    content = pom.read_bytes()
    name = _artifact(pom, content)

    def by_maven(work: Path) -> None:
        say(f"fetching the jars of {name} by Maven (once, from {pom})")
        _copy_dependencies(pom, work / "libs")

    return Cache(cache).make(f"jars-{name}", digest_of(content), by_maven).path / "libs"


def _artifact(pom: Path, content: bytes) -> str:
    try:
        found = ElementTree.fromstring(content).findtext("{*}artifactId")
    except ElementTree.ParseError as broken:
        raise FetchFailed(f"{pom} is not XML: {broken}") from broken
    if not found:
        raise FetchFailed(f"{pom} has no <artifactId>: it is not a Maven project")
    return found


def _copy_dependencies(pom: Path, target: Path) -> None:
    command = ["mvn", "--batch-mode", "--quiet", "-Dstyle.color=never", "--file", str(pom)]
    command += ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={target}"]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    except FileNotFoundError as gone:
        raise FetchFailed(
            f"Maven is not installed (no `mvn` on the PATH); it fetches what {pom} declares. "
            "Install it, e.g. `apt-get install maven` or `brew install maven`"
        ) from gone
    if done.returncode:
        tail = "\n".join("    " + line for line in done.stdout.strip().splitlines()[-15:])
        raise FetchFailed(f"Maven could not fetch what {pom} declares (it ended with {done.returncode}):\n{tail}")
    if not any(target.glob("*.jar")):
        raise FetchFailed(f"Maven fetched nothing: {pom} declares no dependency that is needed at run time")
