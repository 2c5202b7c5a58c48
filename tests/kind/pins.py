"""Which versions. Go modules are pinned in go/go.mod and nowhere else; the rest is here."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
GO_MODULE = HERE / "go"
NODE_FILES = HERE / "node"

DEBIAN = "bookworm"
BASE_IMAGE = f"debian:{DEBIAN}-slim"

# What kind v0.33.0 published for the Kubernetes that go.mod pins (its release notes list the digest).
# A node image is only promised to work with the kind release it was published with: move both together.
PUBLISHED_NODE_IMAGE = "kindest/node:v1.36.4@sha256:099e049362a1526b2db71494e1947aae99bd16290d7c895f2b7ea312e3cbfaed"


def versions(go_mod: str) -> dict[str, str]:
    """Module path to version, of all that a go.mod requires."""
    return dict(re.findall(r"^\s*(?:require )?([\w.\-]+\.[\w.\-/]+) (v[\w.+\-]+)(?:\s*//.*)?$", go_mod, re.M))


def pinned(module: str) -> str:
    return versions((GO_MODULE / "go.mod").read_text())[module]


def kubernetes() -> str:
    return pinned("k8s.io/kubernetes")


def minimum_go() -> str:
    found = re.search(r"^go (\S+)$", (GO_MODULE / "go.mod").read_text(), re.M)
    assert found, "go.mod has no go line"
    return found[1]
