"""Where replicas go when a topic's number of replicas changes: few moves, then an even spread."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from .partition import Partition


@dataclass(frozen=True)
class _Opening:
    """A partition that may take `need` of the `options`, the best first, to what it has already."""

    id: int
    before: tuple[int, ...]
    kept: tuple[int, ...]
    options: tuple[int, ...]
    need: int

    def filled(self, chosen: Collection[int]) -> tuple[int, ...]:
        """Who was there keeps the place in the order, because the first is the preferred leader; others follow."""
        stay = {*self.kept, *chosen}
        return (
            *(node for node in self.before if node in stay),
            *(node for node in self.options if node in chosen and node not in self.before),
        )


def moves(
    partitions: Iterable[Partition], replicas: int, members: Collection[int], live: Collection[int]
) -> dict[int, tuple[int, ...]]:
    """The new replicas of every partition that has too many or too few; the rest is left where it is.

    No replica is copied that need not be. The new ones go to nodes that serve, so that each node has about as many of
    the topic as any other; of too many, those go that are not in sync, then those on the fullest nodes. A partition
    that lacks nodes to go to, or that has no leader to copy from, waits.
    """
    load = Counter[int]()
    openings = []
    for partition in sorted(partitions, key=lambda p: p.id):
        opening = _opening(partition, replicas, members, live)
        if opening:
            openings.append(opening)
            load.update(opening.kept)
        else:
            load.update(partition.target)
    chosen = _spread_evenly(openings, load)
    return {opening.id: opening.filled(chosen[opening.id]) for opening in openings}


def _opening(partition: Partition, replicas: int, members: Collection[int], live: Collection[int]) -> _Opening | None:
    """None if there is nothing to do, or nothing that can be done now."""
    before = partition.target
    if len(before) == replicas or partition.leader is None:
        return None
    staying = tuple(node for node in before if node in members)
    if len(staying) < replicas:
        kept, options = staying, _after(before[0], [node for node in live if node in members and node not in before])
    else:
        sound = tuple(node for node in staying if node in partition.in_sync)
        kept = sound[:1] if len(sound) >= replicas else sound
        options = sound[1:] if len(sound) >= replicas else tuple(node for node in staying if node not in sound)
    need = replicas - len(kept)
    return _Opening(partition.id, before, kept, options, need) if len(options) >= need else None


def _after(first: int, nodes: Iterable[int]) -> tuple[int, ...]:
    """The nodes in a ring, from the one after `first`: else every topic with one partition would choose the same."""
    return tuple(sorted(nodes, key=lambda node: (node <= first, node)))


def _spread_evenly(openings: Iterable[_Opening], load: Counter[int]) -> dict[int, set[int]]:
    """For each opening its choice of options, such that no other choice would make the load more even."""
    openings = tuple(openings)
    chosen: dict[int, set[int]] = {}
    for opening in openings:
        picks = sorted(opening.options, key=lambda node: load[node])[: opening.need]
        chosen[opening.id] = set(picks)
        load.update(picks)
    while swaps := _swaps_to_a_lesser_load(openings, chosen, load):
        for partition, source, target in swaps:
            chosen[partition].remove(source)
            chosen[partition].add(target)
            load[source] -= 1
            load[target] += 1
    return chosen


def _swaps_to_a_lesser_load(
    openings: Iterable[_Opening], chosen: Mapping[int, Collection[int]], load: Mapping[int, int]
) -> list[tuple[int, int, int]]:
    """Swaps (partition, from, to) that hand one replica on from a node to one that has at least two fewer.

    The spread is as even as it can be exactly when there are none: to the convex cost of an uneven load, such a chain
    is what an augmenting path is to a flow.
    """
    swap = _single_swaps(openings, chosen)
    for start in sorted(swap, key=lambda node: (-load[node], node)):
        came_from: dict[int, int] = {start: start}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            if load[node] <= load[start] - 2:
                return _way_back(node, came_from, swap)
            for following in sorted(swap.get(node, {})):
                if following not in came_from:
                    came_from[following] = node
                    queue.append(following)
    return []


def _single_swaps(openings: Iterable[_Opening], chosen: Mapping[int, Collection[int]]) -> dict[int, dict[int, int]]:
    """For two nodes, from and to, a partition that can swap the one for the other."""
    swap: dict[int, dict[int, int]] = {}
    for opening in openings:
        taken = [node for node in opening.options if node in chosen[opening.id]]
        free = [node for node in opening.options if node not in chosen[opening.id]]
        for source in taken:
            for target in free:
                swap.setdefault(source, {}).setdefault(target, opening.id)
    return swap


def _way_back(
    node: int, came_from: Mapping[int, int], swap: Mapping[int, Mapping[int, int]]
) -> list[tuple[int, int, int]]:
    swaps = []
    while (source := came_from[node]) != node:
        swaps.append((swap[source][node], source, node))
        node = source
    return swaps
