"""Products that need each other: built in order, side by side where they may be, only when something changed."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from headrace.world.cache import Cache
from kind.steps import Inputs, Step, in_order, make_all, missing, spell


def step(name: str, *needs: str, pin: str = "1", content: str | None = None, alone: str = "") -> Step:
    def build(out: Path, inputs: Inputs, log: Path) -> None:
        held = "".join((inputs[n].path / "file").read_text() for n in needs)
        (out / "file").write_text(content if content is not None else f"{name}{pin}({held})")

    return Step(name, name, [pin], needs, build, alone)


def quiet(_: str) -> None:
    pass


def test_each_product_is_made_from_the_ones_it_needs(tmp_path: Path) -> None:
    made = make_all(Cache(tmp_path), [step("image", "root", "tool"), step("tool"), step("root")], tell=quiet)
    assert (made["image"].path / "file").read_text() == "image1(root1()tool1())"


def test_a_changed_pin_rebuilds_that_product_and_what_needs_it_but_nothing_else(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    make_all(cache, [step("root"), step("tool"), step("image", "tool"), step("other", "root")], tell=quiet)
    changed = [step("root"), step("tool", pin="2"), step("image", "tool"), step("other", "root")]
    assert missing(cache, changed) == ["tool", "image"]


def test_an_input_that_was_rebuilt_to_the_same_content_changes_nothing(tmp_path: Path) -> None:
    cache, said = Cache(tmp_path), list[str]()
    make_all(cache, [step("tool", content="same"), step("image", "tool")], tell=quiet)
    make_all(cache, [step("tool", content="same", pin="2"), step("image", "tool")], tell=said.append)
    assert any("start: tool" in line for line in said)
    image = step("image", "tool")
    assert missing(cache, [step("tool", content="same", pin="2"), image]) == []
    assert len(list((tmp_path / "products" / "image").iterdir())) == 1


def test_with_everything_in_the_cache_nothing_is_said(tmp_path: Path) -> None:
    cache, said = Cache(tmp_path), list[str]()
    steps = [step("root"), step("image", "root")]
    make_all(cache, steps, tell=quiet)
    make_all(cache, steps, tell=said.append)
    assert said == []


def test_progress_says_what_how_long_and_how_many_are_left(tmp_path: Path) -> None:
    said = list[str]()
    make_all(Cache(tmp_path), [step("root"), step("image", "root")], tell=said.append)
    assert said == ["  start: root", "  [1/2] root: 0 s, 1 left", "  start: image", "  [2/2] image: 0 s, 0 left"]


def test_a_failure_is_raised_and_what_was_finished_is_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path)

    def fail(out: Path, inputs: Inputs, log: Path) -> None:
        raise RuntimeError("disk full")

    steps = [step("root"), Step("image", "image", [], ["root"], fail)]
    with pytest.raises(RuntimeError, match="disk full"):
        make_all(cache, steps, tell=quiet)
    assert missing(cache, steps) == ["image"]


def test_steps_that_must_be_alone_never_run_together(tmp_path: Path) -> None:
    busy, most = 0, 0
    lock = threading.Lock()

    def build(out: Path, inputs: Inputs, log: Path) -> None:
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
        (out / "file").write_text("x" * 100_000)
        with lock:
            busy -= 1

    steps = [Step(f"go-{i}", "go", [str(i)], [], build, alone="go") for i in range(6)]
    make_all(Cache(tmp_path), steps, workers=4, tell=quiet)
    assert most == 1


def test_steps_that_wait_for_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="a, b"):
        in_order([step("a", "b"), step("b", "a")])


@pytest.mark.parametrize(("seconds", "words"), [(0.4, "0 s"), (99, "99 s"), (100, "1 min 40 s"), (754, "12 min 34 s")])
def test_seconds_are_spelt_as_people_say_them(seconds: float, words: str) -> None:
    assert spell(seconds) == words
