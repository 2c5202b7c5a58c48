"""The Java that this machine has."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping

OLDEST = 17  # what Kafka 4's brokers need (KIP-1013)


class NoJava(Exception):
    """There is no Java that a broker can run on; the message says what was found and what to do."""


def find(env: Mapping[str, str]) -> str:
    """The `java` of JAVA_HOME, else of the PATH, once it has shown that it is new enough."""
    home = env.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else shutil.which("java", path=env.get("PATH"))
    where = f"JAVA_HOME is {home}" if home else "java is on the PATH"
    advice = f"install Java {OLDEST} or newer (e.g. `apt-get install openjdk-17-jre-headless`), or set JAVA_HOME to one"
    if java is None:
        raise NoJava(f"Java is not installed (no `java` on the PATH, JAVA_HOME is not set): {advice}")
    try:
        said = subprocess.run([java, "-version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    except OSError as error:
        raise NoJava(f"{java} cannot be run ({where}): {error.strerror}; {advice}") from error
    version = major(said.stderr + said.stdout)
    if said.returncode or version is None:  # macOS has a `java` that only says that there is none
        raise NoJava(f"{java} did not tell its version ({where}), it said: {said.stderr.strip()[:300]!r}; {advice}")
    if version < OLDEST:
        raise NoJava(f"{java} is Java {version} ({where}), a broker needs {OLDEST} or newer: {advice}")
    return java


def major(said: str) -> int | None:
    """The feature release in what `java -version` printed, or None if it names none."""
    # Until Java 8 it was the second number: "1.8.0_392". Lines before it may tell of picked up options.
    found = re.search(r'^\S+ version "(?:1\.)?(\d+)', said, re.M)
    return int(found[1]) if found else None
