"""`python -m headrace.api DIRECTORY`: write the CRDs and the reference there, as `make crds` does."""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from .base import GROUP
from .crd import crd
from .manifest import KINDS
from .reference import reference_page

_MADE = "Made by `make crds` from operator/src/headrace/api: edit that."


def generated() -> dict[str, str]:
    """Every generated file: its path below the repository, and its text."""
    files = {}
    for kind in KINDS:
        text = yaml.safe_dump(crd(kind), sort_keys=False, allow_unicode=True, width=120)
        files[f"crds/{GROUP}_{kind.plural}.yaml"] = f"# {_MADE}\n{text}"
        files[f"docs/reference/{kind.name.lower()}.md"] = f"<!-- {_MADE} -->\n{reference_page(kind)}"
    return files


def main(root: Path) -> None:
    for name, text in generated().items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        print(f"wrote {name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
