"""A partition, as Kafka has it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Partition:
    """One partition as Kafka has it now; `adding` and `removing` are what a move under way will change."""

    id: int
    leader: int | None
    replicas: tuple[int, ...]  # the first one is the preferred leader; those being added or removed are among them
    in_sync: tuple[int, ...]
    adding: frozenset[int] = frozenset()
    removing: frozenset[int] = frozenset()

    @property
    def moving(self) -> bool:
        return bool(self.adding or self.removing)

    @property
    def target(self) -> tuple[int, ...]:
        """The replicas once the move under way is done."""
        return tuple(node for node in self.replicas if node not in self.removing)

    @property
    def settled(self) -> tuple[int, ...]:
        """The replicas that do not wait for a move to bring them."""
        return tuple(node for node in self.replicas if node not in self.adding)
