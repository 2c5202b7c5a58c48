"""Products that need each other, made side by side, with progress that a person can follow."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from headrace.world.cache import Cache, Product, digest_of

Inputs = Mapping[str, Product]
Build = Callable[[Path, Inputs, Path], None]
Say = Callable[[str], None]

PROGRESS_EVERY = 15.0  # seconds between two lines about a step that is still running


@dataclass(frozen=True)
class Step:
    """How one product is made. `pins` is everything besides the inputs that its content depends on."""

    name: str
    what: str
    pins: Sequence[str]
    needs: Sequence[str]
    build: Build  # (empty directory to fill, the products it needs, log file)
    alone: str = ""  # steps with the same word here never run at the same time

    def key(self, inputs: Inputs) -> str:
        """Inputs count by content, not by key: a rebuilt input that came out the same changes nothing."""
        return digest_of(self.name, *self.pins, *(inputs[n].digest for n in sorted(self.needs)))


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def spell(seconds: float) -> str:
    """Seconds as people say them."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def stopwatch() -> Callable[[], float]:
    """Seconds since it was made, each time it is asked."""
    started = time.monotonic()
    return lambda: time.monotonic() - started


def in_order(steps: Iterable[Step]) -> list[Step]:
    """Each step after all it needs, otherwise in the given order; a missing or circular need is an error."""
    rest, done = list(steps), list[Step]()
    while rest:
        names = {s.name for s in done}
        ready = [s for s in rest if names.issuperset(s.needs)]
        if not ready:
            raise ValueError("steps that wait for each other or for nothing: " + ", ".join(s.name for s in rest))
        done.append(ready[0])
        rest.remove(ready[0])
    return done


def missing(cache: Cache, steps: Sequence[Step]) -> list[str]:
    """The steps that would be built now. What needs one of them counts too: its key is not known yet."""
    found: dict[str, Product] = {}
    wanted: list[str] = []
    for step in in_order(steps):
        product = None
        if all(n in found for n in step.needs):
            product = cache.find(step.name, step.key(found))
        if product:
            found[step.name] = product
        else:
            wanted.append(step.name)
    return wanted


def make_all(cache: Cache, steps: Sequence[Step], workers: int = 2, tell: Say = say) -> dict[str, Product]:
    """Every product, from the cache or built. The first failure is raised once what runs has ended."""
    todo = in_order(steps)
    to_build = set(missing(cache, todo))
    board = _Board(len(to_build), tell)
    products: dict[str, Product] = {}

    def one(step: Step, inputs: Inputs) -> Product:
        if step.name not in to_build:
            return cache.make(step.name, step.key(inputs), _must_exist)
        log = cache.root / "logs" / f"{step.name}.log"
        log.unlink(missing_ok=True)
        with board.running(step):
            return cache.make(step.name, step.key(inputs), lambda out: step.build(out, inputs, log))

    running: dict[Future[Product], Step] = {}
    failed: BaseException | None = None
    with ThreadPoolExecutor(workers) as pool, board.reporting():
        while running or (todo and not failed):
            for step in list(todo):
                busy = step.alone and step.alone in {s.alone for s in running.values()}
                if failed or busy or not all(n in products for n in step.needs):
                    continue
                todo.remove(step)
                running[pool.submit(one, step, {n: products[n] for n in step.needs})] = step
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                step = running.pop(future)
                if error := future.exception():
                    tell(f"  failed: {step.what}")
                    failed = failed or error
                else:
                    products[step.name] = future.result()
    if failed:
        raise failed
    return products


def _must_exist(_: Path) -> None:
    raise RuntimeError("a cached product vanished while it was being used; run the command again")


class _Board:
    """What is running, for how long, and how much is left."""

    def __init__(self, total: int, tell: Say) -> None:
        self.total, self.tell, self.finished = total, tell, 0
        self.started: dict[str, tuple[str, float]] = {}
        self.lock = threading.Lock()
        self.over = threading.Event()

    def running(self, step: Step) -> _Running:
        return _Running(self, step)

    def reporting(self) -> _Reporting:
        return _Reporting(self)

    def lines(self, now: float) -> list[str]:
        with self.lock:
            left = self.total - self.finished
            return [f"  … {what}: {spell(now - t)} so far, {left} left" for what, t in self.started.values()]


class _Running:
    def __init__(self, board: _Board, step: Step) -> None:
        self.board, self.step = board, step

    def __enter__(self) -> None:
        with self.board.lock:
            self.board.started[self.step.name] = (self.step.what, time.monotonic())
        self.board.tell(f"  start: {self.step.what}")

    def __exit__(self, kind: object, *_: object) -> None:
        b = self.board
        with b.lock:
            what, since = b.started.pop(self.step.name)
            b.finished += kind is None
            done, total = b.finished, b.total
        if kind is None:
            b.tell(f"  [{done}/{total}] {what}: {spell(time.monotonic() - since)}, {total - done} left")


class _Reporting:
    def __init__(self, board: _Board) -> None:
        self.board = board
        self.thread = threading.Thread(target=self._loop, daemon=True)

    def _loop(self) -> None:
        while not self.board.over.wait(PROGRESS_EVERY):
            for line in self.board.lines(time.monotonic()):
                self.board.tell(line)

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.board.over.set()
        self.thread.join()
