"""A product is whole or not there, and is made again only when what it is made of has changed."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
from headrace.world.cache import Cache, digest_of, digest_of_tree
from hypothesis import given
from hypothesis import strategies as st


def test_a_product_is_built_once(tmp_path: Path) -> None:
    cache, builds = Cache(tmp_path), list[Path]()

    def build(out: Path) -> None:
        builds.append(out)
        (out / "file").write_text("content")

    first = cache.make("thing", "key", build)
    again = cache.make("thing", "key", build)
    assert first == again == cache.find("thing", "key")
    assert len(builds) == 1
    assert (first.path / "file").read_text() == "content"


def test_an_interrupted_build_leaves_no_product_and_the_next_one_starts_clean(tmp_path: Path) -> None:
    cache = Cache(tmp_path)

    def interrupted(out: Path) -> None:
        (out / "half").write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.make("thing", "key", interrupted)
    assert cache.find("thing", "key") is None
    made = cache.make("thing", "key", lambda out: (out / "whole").touch())
    assert sorted(p.name for p in made.path.iterdir()) == ["product.json", "whole"]


def test_another_key_is_another_product(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.make("thing", "old", lambda out: None)
    assert cache.find("thing", "new") is None


def _build_slowly(root: Path, tally: Path) -> None:
    def build(out: Path) -> None:
        with tally.open("a") as lines:
            lines.write("built\n")
        (out / "file").write_text("content")

    Cache(root).make("thing", "key", build)


def test_two_processes_that_want_one_product_build_it_once(tmp_path: Path) -> None:
    tally = tmp_path / "tally"
    fork = multiprocessing.get_context("fork")
    both = [fork.Process(target=_build_slowly, args=(tmp_path / "cache", tally)) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join(60)
    assert [p.exitcode for p in both] == [0, 0]
    assert tally.read_text() == "built\n"


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_a_digest_tells_any_two_lists_of_parts_apart(one: list[str], other: list[str]) -> None:
    assert (digest_of(*one) == digest_of(*other)) is (one == other)


def test_a_tree_is_known_by_names_modes_and_contents(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    (tmp_path / "link").symlink_to("a")
    seen = {digest_of_tree(tmp_path)}
    (tmp_path / "a").write_text("2")
    seen.add(digest_of_tree(tmp_path))
    (tmp_path / "a").chmod(0o755)
    seen.add(digest_of_tree(tmp_path))
    (tmp_path / "a").rename(tmp_path / "b")
    seen.add(digest_of_tree(tmp_path))
    assert len(seen) == 4
