from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from headrace.world import jars
from waiting import eventually

POM = "<project xmlns='http://maven.apache.org/POM/4.0.0'><artifactId>{name}</artifactId>{more}</project>"

FETCHES_TWO = 'mkdir -p "$out"; echo 1 > "$out/one.jar"; echo 2 > "$out/two.jar"'
HANGS_HALF_WAY = 'mkdir -p "$out"; echo 1 > "$out/half.jar"; exec sleep 600'


@pytest.fixture
def pom(tmp_path: Path) -> Path:
    path = tmp_path / "pom.xml"
    path.write_text(POM.format(name="broker", more=""))
    return path


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """A file with one line for every time that the pretended Maven ran."""
    return tmp_path / "calls"


@pytest.fixture
def maven(tmp_path: Path, calls: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `mvn` that does as its script says, before the real one on the PATH; `write_maven` fills it."""
    program = tmp_path / "bin" / "mvn"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    write_maven(program, calls, FETCHES_TWO)
    return program


def write_maven(program: Path, calls: Path, script: str) -> None:
    find_out = 'for a in "$@"; do case "$a" in -DoutputDirectory=*) out="${a#*=}";; esac; done'
    program.write_text(f'#!/bin/sh\necho "$@" >> {calls}\n{find_out}\n{script}\n')
    program.chmod(0o755)


def names(libs: Path) -> list[str]:
    return sorted(path.name for path in libs.iterdir())


@pytest.mark.usefixtures("maven")
def test_the_jars_are_fetched_once_and_nothing_else_lies_beside_them(pom: Path, cache: Path, calls: Path) -> None:
    said: list[str] = []
    libs = jars.fetch(pom, cache, said.append)
    assert jars.fetch(pom, cache, said.append) == libs
    assert names(libs) == ["one.jar", "two.jar"]
    assert len(calls.read_text().splitlines()) == 1
    assert said == [f"fetching the jars of broker by Maven (once, from {pom})"]


@pytest.mark.usefixtures("maven")
def test_another_pom_gives_another_directory_and_the_first_stays(pom: Path, cache: Path) -> None:
    before = jars.fetch(pom, cache)
    pom.write_text(POM.format(name="broker", more="<!-- newer -->"))
    after = jars.fetch(pom, cache)
    assert before != after
    assert names(before) == names(after)


@pytest.mark.usefixtures("maven")
def test_of_two_that_want_the_same_jars_only_one_fetches(pom: Path, cache: Path, calls: Path) -> None:
    found: list[Path] = []
    both = [threading.Thread(target=lambda: found.append(jars.fetch(pom, cache))) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join(20)
    assert len(found) == 2
    assert len(set(found)) == 1
    assert len(calls.read_text().splitlines()) == 1


def test_a_fetch_that_is_killed_leaves_nothing_that_could_be_taken_for_the_jars(
    pom: Path, cache: Path, calls: Path, maven: Path
) -> None:
    write_maven(maven, calls, HANGS_HALF_WAY)
    program = "import sys, pathlib; from headrace.world import jars; jars.fetch(*map(pathlib.Path, sys.argv[1:]))"
    command = [sys.executable, "-c", program, str(pom), str(cache)]
    killed = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: list(cache.rglob("half.jar")), 20, "half of the jars are there", every=0.02)
    finally:
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
    assert not list(cache.glob("products/*/*"))

    write_maven(maven, calls, FETCHES_TWO)
    assert names(jars.fetch(pom, cache)) == ["one.jar", "two.jar"]


def test_what_maven_said_at_the_end_is_shown(pom: Path, cache: Path, calls: Path, maven: Path) -> None:
    write_maven(maven, calls, "seq 1 50; echo '[ERROR] could not resolve org.example:nothing'; exit 3")
    with pytest.raises(jars.FetchFailed) as why:
        jars.fetch(pom, cache)
    assert f"{pom} declares (it ended with 3)" in str(why.value)
    assert str(why.value).endswith("    50\n    [ERROR] could not resolve org.example:nothing")
    assert "\n    30\n" not in str(why.value)
    assert not list(cache.glob("products/*/*"))


def test_maven_that_fetches_nothing_is_an_error(pom: Path, cache: Path, calls: Path, maven: Path) -> None:
    write_maven(maven, calls, "exit 0")
    with pytest.raises(jars.FetchFailed, match="fetched nothing"):
        jars.fetch(pom, cache)


def test_a_missing_maven_is_named_with_what_to_do(
    pom: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(jars.FetchFailed, match=r"Maven is not installed .*`apt-get install maven`"):
        jars.fetch(pom, cache)


@pytest.mark.parametrize(
    ("content", "why"), [("<project>", "is not XML"), ("<project/>", "has no <artifactId>")], ids=["broken", "empty"]
)
def test_a_file_that_is_no_pom_is_named(tmp_path: Path, cache: Path, content: str, why: str) -> None:
    (tmp_path / "pom.xml").write_text(content)
    with pytest.raises(jars.FetchFailed, match=why):
        jars.fetch(tmp_path / "pom.xml", cache)


def test_the_brokers_pom_is_found_in_a_checkout() -> None:
    assert jars.broker_pom().read_text().count("<artifactId>kafka_2.13</artifactId>") == 1


def test_jars_are_fetched_with_the_standard_library_alone() -> None:
    """The test cluster's tools fetch them before there is a virtual environment."""
    source = Path(jars.__file__).parents[2]
    env = {"PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-S", "-c", "import headrace.world.jars"], env=env, capture_output=True, text=True
    )
    assert not done.stderr
