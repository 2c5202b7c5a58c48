from __future__ import annotations

from pathlib import Path

import pytest
from headrace.world import java


@pytest.mark.parametrize(
    ("said", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment (build 17.0.15+6-Debian-1deb12u1)\n', 17),
        ('openjdk version "21" 2023-09-19\n', 21),
        ('openjdk version "25-ea" 2025-09-16\n', 25),
        ('java version "1.8.0_392"\nJava(TM) SE Runtime Environment (build 1.8.0_392-b08)\n', 8),
        ('Picked up JAVA_TOOL_OPTIONS: -Dx="1"\nopenjdk version "11.0.2" 2019-01-15\n', 11),
        ("The operation couldn't be completed. Unable to locate a Java Runtime.\n", None),
        ("", None),
    ],
)
def test_the_version_is_read_from_what_java_says(said: str, major: int | None) -> None:
    assert java.major(said) == major


def pretend_java(home: Path, script: str) -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def test_java_home_comes_before_the_path(tmp_path: Path) -> None:
    program = pretend_java(tmp_path / "home", "echo 'openjdk version \"21.0.1\"' >&2")
    pretend_java(tmp_path / "path", "exit 1")
    env = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(tmp_path / "path" / "bin")}
    assert java.find(env) == str(program)


def test_a_missing_java_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(java.NoJava, match=r"not installed .* install Java 17 or newer"):
        java.find({"PATH": str(tmp_path)})


def test_a_java_home_without_java_is_named(tmp_path: Path) -> None:
    with pytest.raises(java.NoJava, match=rf"cannot be run \(JAVA_HOME is {tmp_path}\)"):
        java.find({"JAVA_HOME": str(tmp_path)})


def test_an_old_java_is_refused(tmp_path: Path) -> None:
    pretend_java(tmp_path, "echo 'openjdk version \"11.0.2\"' >&2")
    with pytest.raises(java.NoJava, match=r"is Java 11 .* needs 17 or newer"):
        java.find({"PATH": str(tmp_path / "bin")})


def test_the_stub_that_macos_has_instead_of_a_java_is_not_taken_for_one(tmp_path: Path) -> None:
    pretend_java(tmp_path, "echo 'Unable to locate a Java Runtime.' >&2; exit 1")
    with pytest.raises(java.NoJava, match="Unable to locate a Java Runtime"):
        java.find({"PATH": str(tmp_path / "bin")})
