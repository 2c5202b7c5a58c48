"""Whether a topic in Kafka is and does what its resource asks for. The first check that applies says so."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..outcome import Finding, not_ready, ready
from ..partition import Partition
from ..words import counted, listed
from .changes import Change
from .config import MIN_IN_SYNC
from .situation import Situation, TopicSeen
from .status import recreated


def readiness(situation: Situation, changes: tuple[Change, ...]) -> Finding:
    if situation.seen is None:
        return not_ready(changes[0].reason, changes[0].message)
    for check in URGENT:
        if finding := check(situation):
            return finding
    if changes:
        return not_ready(changes[0].reason, " ".join(change.message for change in changes))
    return next((finding for check in LESS_URGENT if (finding := check(situation))), all_is_well(situation))


def needs_watching(situation: Situation) -> bool:
    """Whether something is under way, or wrong, whose end nobody will tell us."""
    seen = situation.seen
    return isinstance(seen, TopicSeen) and bool(
        seen.moving or seen.offline or too_few_are_in_sync(situation) or replicas_wait_for_nodes(situation)
    )


def partitions_are_offline(it: Situation) -> Finding | None:
    if not it.found.offline:
        return None
    nodes = sorted({node for p in it.found.offline for node in p.replicas})
    return not_ready(
        "Offline",
        f"{it.called}: nobody can read or write {_share(it, it.found.offline)}, because no node leads there. "
        f"Stored on {_nodes(nodes)} of Broker {it.topic.spec.broker}: see why they do not serve.",
    )


def too_few_are_in_sync(it: Situation) -> Finding | None:
    least = int(it.found.configs.get(MIN_IN_SYNC, 1))
    short = [p for p in it.found.partitions if len(p.in_sync) < least]
    if not short:
        return None
    return not_ready(
        "TooFewInSync",
        f"{it.called}: writes with acks=all are refused for {_share(it, short)}, because fewer than {least} replicas "
        f"are in sync. {_missing(it)}",
    )


def replicas_wait_for_the_brokers_moves(it: Situation) -> Finding | None:
    waiting = _with_another_number_of_replicas(it)
    if not waiting or not it.up.own_moves:
        return None
    return not_ready(
        "BrokerMovesReplicas",
        f"{it.called}: {counted(it.replicas, 'replica')} are asked for, but {_share(it, waiting)} wait until Broker "
        f"{it.topic.spec.broker} has moved what it moves now.",
    )


def replicas_wait_for_nodes(it: Situation) -> Finding | None:
    """Presumes that what can be moved is moved, so these cannot."""
    waiting = _with_another_number_of_replicas(it)
    if not waiting:
        return None
    return not_ready(
        "NodesAway",
        f"{it.called}: {counted(it.replicas, 'replica')} are asked for, but for {_share(it, waiting)} the nodes of "
        f"Broker {it.topic.spec.broker} that could take one do not serve now. It goes on when they do.",
    )


def replicas_are_on_their_way(it: Situation) -> Finding | None:
    on_their_way = [p for p in it.found.partitions if p.moving and len(p.settled) != it.replicas]
    if not on_their_way:
        return None
    return not_ready(
        "MovingReplicas",
        f"{it.called}: still on the way to {counted(it.replicas, 'replica')}: {_share(it, on_their_way)}. "
        "Reading and writing go on meanwhile.",
    )


def there_are_more_partitions_than_asked(it: Situation) -> Finding | None:
    found, asked = len(it.found.partitions), it.topic.spec.partitions
    if found <= asked:
        return None
    return not_ready(
        "MorePartitions",
        f"{it.called}: spec.partitions is {asked}, and the topic in Kafka has {found}. Kafka cannot take partitions "
        f"away: set spec.partitions to {found}. Reading and writing are not affected.",
    )


def some_replicas_are_behind(it: Situation) -> Finding | None:
    behind = it.found.under_replicated
    if not behind:
        return None
    return ready(
        f"{it.called} can be read and written, but replicas of {_share(it, behind)} are behind or away. {_missing(it)}",
        "UnderReplicated",
    )


def all_is_well(it: Situation) -> Finding:
    known = it.topic.status.topic_id
    again = f" {recreated(it.found, known)}" if known and known != it.found.topic_id else ""
    return ready(
        f"{it.called} has {counted(len(it.found.partitions), 'partition')} and {counted(it.replicas, 'replica')} of "
        f"each, all in sync.{again}"
    )


Check = Callable[[Situation], Finding | None]

URGENT: tuple[Check, ...] = (partitions_are_offline, too_few_are_in_sync)
LESS_URGENT: tuple[Check, ...] = (
    replicas_wait_for_the_brokers_moves,
    replicas_wait_for_nodes,
    replicas_are_on_their_way,
    there_are_more_partitions_than_asked,
    some_replicas_are_behind,
)


def _with_another_number_of_replicas(it: Situation) -> list[Partition]:
    return [p for p in it.found.partitions if len(p.target) != it.replicas]


def _share(it: Situation, some: Collection[Partition]) -> str:
    return f"{len(some)} of {counted(len(it.found.partitions), 'partition')} ({listed(p.id for p in some)})"


def _missing(it: Situation) -> str:
    nodes = sorted({node for p in it.found.partitions for node in p.settled if node not in p.in_sync})
    return f"Missing are replicas on {_nodes(nodes)} of Broker {it.topic.spec.broker}." if nodes else ""


def _nodes(ids: list[int]) -> str:
    return f"node{'s' if len(ids) > 1 else ''} {listed(ids)}"
