"""The broker image's tools are those of the Kafka that it holds."""

from __future__ import annotations

import os
from pathlib import Path
from zipfile import ZipFile

from headrace.world import jars
from headrace.world.cache import default_cache_dir

TOOLS = Path(__file__).resolve().parents[2] / "broker_image/config/tools"


def test_every_tool_names_a_class_that_is_there() -> None:
    libs = jars.fetch(jars.broker_pom(), default_cache_dir(os.environ))
    there: set[str] = set()
    for jar in libs.glob("kafka*.jar"):
        with ZipFile(jar) as content:
            there |= {n.removesuffix(".class").replace("/", ".") for n in content.namelist() if n.endswith(".class")}
    named = dict(line.split() for line in TOOLS.read_text().splitlines())
    assert len(named) > 10
    assert {name: wanted for name, wanted in named.items() if wanted not in there} == {}
