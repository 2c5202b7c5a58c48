"""The product cache: one directory outside the checkout, keyed by what a product is made from, filled atomically.

Only the standard library is imported: the test cluster's tools use this too, without the virtual environment.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MANIFEST = "product.json"


def default_cache_dir(env: Mapping[str, str]) -> Path:
    """HEADRACE_CACHE, else the user's cache directory (XDG) with our name under it."""
    if chosen := env.get("HEADRACE_CACHE"):
        return Path(chosen).absolute()
    base = env.get("XDG_CACHE_HOME") or str(Path(env.get("HOME", "~")).expanduser() / ".cache")
    return Path(base) / "headrace"


def digest_of(*parts: str | bytes) -> str:
    """A digest in which neither the order nor the border between two parts is lost."""
    h = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        h.update(len(data).to_bytes(8, "big"))
        h.update(data)
    return h.hexdigest()


def digest_of_tree(root: Path) -> str:
    """Names, modes and contents of every file below `root`; times and owners do not count."""
    parts: list[str] = []
    for path in sorted(p for p in root.rglob("*") if not p.is_dir() or p.is_symlink()):
        name = str(path.relative_to(root))
        if path.is_symlink():
            parts += [name, "->", str(path.readlink())]
        elif name != MANIFEST:
            mode = "x" if path.stat().st_mode & 0o100 else "-"
            with path.open("rb") as content:
                parts += [name, mode, hashlib.file_digest(content, "sha256").hexdigest()]
    return digest_of(*parts)


@dataclass(frozen=True)
class Product:
    """Something made once and kept: where it is, the key it was made for, and what its content is."""

    name: str
    key: str
    path: Path
    digest: str


@dataclass(frozen=True)
class Cache:
    root: Path

    def place(self, name: str, key: str) -> Path:
        return self.root / "products" / name / key[:16]

    def find(self, name: str, key: str) -> Product | None:
        """The finished product, or None. A directory without its manifest was never finished."""
        path = self.place(name, key)
        try:
            manifest = json.loads((path / MANIFEST).read_text())
        except FileNotFoundError:
            return None
        if manifest["key"] != key:
            return None
        return Product(name, key, path, manifest["digest"])

    def make(self, name: str, key: str, build: Callable[[Path], None]) -> Product:
        """Return the product, building it if it is not there.

        `build` fills an empty directory that only becomes the product, in one rename, when it has
        returned. Another process that wants the same product waits and then finds it.
        """
        if found := self.find(name, key):
            return found
        with self.locked(f"product-{name}"):
            if found := self.find(name, key):
                return found
            place = self.place(name, key)
            work = self.root / "work" / f"{name}-{key[:16]}"
            # What an interrupted build left behind: nobody else can be using it, we hold the lock.
            shutil.rmtree(work, ignore_errors=True)
            shutil.rmtree(place, ignore_errors=True)
            work.mkdir(parents=True)
            started = time.monotonic()
            build(work)
            digest = digest_of_tree(work)
            manifest = {
                "name": name,
                "key": key,
                "digest": digest,
                "seconds": round(time.monotonic() - started, 1),
            }
            (work / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
            place.parent.mkdir(parents=True, exist_ok=True)
            work.rename(place)
            return Product(name, key, place, digest)

    @contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Hold a lock that other processes respect and that a crash releases."""
        lock = self.root / "locks" / name
        lock.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
