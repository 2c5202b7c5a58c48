"""How a resource presents itself to kubectl: its names, its columns, its scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from .base import ApiModel

Model = TypeVar("Model", bound=ApiModel)


@dataclass(frozen=True)
class Column:
    """One column of `kubectl get`; those with a priority above 0 only show with `-o wide`."""

    name: str
    path: str
    description: str
    type: Literal["string", "integer", "date"] = "string"
    priority: int = 0


@dataclass(frozen=True)
class Scale:
    """Where `kubectl scale` finds and changes the number of replicas."""

    spec_replicas: str
    status_replicas: str
    label_selector: str


@dataclass(frozen=True)
class Kind(Generic[Model]):
    model: type[Model]
    plural: str
    short: str
    columns: tuple[Column, ...]
    scale: Scale | None = None

    @property
    def name(self) -> str:
        return self.model.__name__


READY = Column("Ready", '.status.conditions[?(@.type=="Ready")].status', "Whether it does what the spec asks for.")
REASON = Column("Reason", '.status.conditions[?(@.type=="Ready")].reason', "Why it is, or is not, ready.")
AGE = Column("Age", ".metadata.creationTimestamp", "How long ago it was made.", type="date")
