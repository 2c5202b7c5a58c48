"""Whether an object needs to be written again. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from headrace.api.base import GROUP
from headrace.api.quantity import amount

APPLIED = f"{GROUP}/applied"  # a digest of what was last applied


def stamped(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest with its own digest among its annotations, so that a field taken out of it is noticed too."""
    digest = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()[:16]
    meta = manifest["metadata"]
    return {**manifest, "metadata": {**meta, "annotations": {**meta.get("annotations", {}), APPLIED: digest}}}


def holds(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether `found` is what applying `wanted` left behind, and nobody has changed it since."""
    return _within(stamped(wanted), found)


def _within(wanted: Any, found: Any) -> bool:
    """Kubernetes adds defaults to what we gave: that is no difference. Lists of ours are whole, in our order."""
    if isinstance(wanted, Mapping):
        return isinstance(found, Mapping) and all(
            _within(value, found.get(key)) or (_is_empty(value) and key not in found) for key, value in wanted.items()
        )
    if isinstance(wanted, (list, tuple)):
        if not isinstance(found, list) or len(wanted) != len(found):
            return False
        return all(_within(w, f) for w, f in zip(wanted, found, strict=True))
    return bool(wanted == found) or _same_amount(wanted, found)


def _same_amount(wanted: Any, found: Any) -> bool:
    """Kubernetes spells quantities in its own way."""
    try:
        return bool(amount(str(wanted)) == amount(str(found)))
    except (ValueError, ArithmeticError):
        return False


def _is_empty(value: Any) -> bool:
    """Kubernetes leaves out what is empty."""
    return value in ({}, [], (), "", None, False)
