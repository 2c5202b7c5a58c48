"""Reading manifests, with mistakes told in words that a person can act on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from .base import API_VERSION
from .broker import BROKER, Broker
from .kind import Kind
from .topic import TOPIC, Topic

KINDS: tuple[Kind[Any], ...] = (BROKER, TOPIC)
Resource = Broker | Topic


class InvalidManifest(Exception):
    """A manifest that no resource can be made from; `problems` has one sentence for each mistake."""

    def __init__(self, what: str, problems: tuple[str, ...]) -> None:
        super().__init__(f"{what} is invalid: " + "; ".join(problems))
        self.problems = problems


def parse(manifest: Mapping[str, Any]) -> Resource:
    """The resource that a manifest describes, defaults filled in. Raises InvalidManifest."""
    name = (manifest.get("metadata") or {}).get("name", "without a name")
    what = f"{manifest.get('kind', 'a manifest without kind')} {name}"
    kind = next((k for k in KINDS if k.name == manifest.get("kind")), None)
    if manifest.get("apiVersion") != API_VERSION:
        raise InvalidManifest(what, (f"apiVersion: must be {API_VERSION}; found {manifest.get('apiVersion')}",))
    if kind is None:
        known = " or ".join(k.name for k in KINDS)
        raise InvalidManifest(what, (f"kind: must be {known}; found {manifest.get('kind')}",))
    try:
        made: Resource = kind.model.model_validate(manifest)
    except ValidationError as error:
        raise InvalidManifest(what, explain(error)) from error
    return made


def explain(error: ValidationError) -> tuple[str, ...]:
    """Each mistake as "field: what is expected; what was found"."""
    return tuple(_sentence(e["type"], ".".join(map(str, e["loc"])), e["msg"], e["input"]) for e in error.errors())


def _sentence(kind: str, path: str, message: str, found: object) -> str:
    at = f"{path}: " if path else ""
    shown = isinstance(found, str | int | float)
    match kind:
        case "missing":
            return f"{at}is required, set it"
        case "extra_forbidden":
            return f"{at}there is no such field, check its spelling"
        case "refused":
            return f"{at}{message}{f'; found {found}' if shown else ''}"
        case _:
            return f"{at}{message[0].lower()}{message[1:]}{f'; found {found!r}' if shown else ''}"
