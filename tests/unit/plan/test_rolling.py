"""Nodes restart one at a time, in the right order, and only when nobody would notice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from headrace.objects.node import Node
from headrace.plan.rolling import Hold, Restart, Situation, next_restart
from headrace.plan.seen import KafkaSeen, PartitionSeen, PodSeen, TopicPartition, VoterSeen
from hypothesis import given
from hypothesis import strategies as st

NODES = tuple(Node(i, f"main-broker-{i}", "Combined") for i in range(3))


def pod(node: Node, **changed: object) -> PodSeen:
    return replace(PodSeen(node.pod, f"uid-{node.id}", ready=True, revision="new"), **changed)  # type: ignore[arg-type]


def partition(replicas: tuple[int, ...], in_sync: tuple[int, ...], needed: int = 2) -> PartitionSeen:
    return PartitionSeen(TopicPartition("t", 0), in_sync[0] if in_sync else -1, replicas, in_sync, needed)


WELL = KafkaSeen(
    cluster_id="c",
    live=frozenset({0, 1, 2}),
    fenced=frozenset(),
    controller=0,
    voters=tuple(VoterSeen(i, caught_up=True) for i in range(3)),
    metadata_version=1,
    metadata_version_supported=1,
    partitions=(partition((0, 1, 2), (0, 1, 2)),),
)


def situation(kafka: KafkaSeen | None = WELL, outdated: tuple[Node, ...] = NODES, **pods: PodSeen) -> Situation:
    all_pods = {n.pod: pod(n) for n in NODES} | {p.name: p for p in pods.values()}
    return Situation(NODES, all_pods, outdated, kafka, "" if kafka else "connection refused")


def test_when_no_node_is_outdated_none_restarts() -> None:
    assert next_restart(situation(outdated=())) is None


def test_the_active_controller_restarts_last() -> None:
    order = []
    left = NODES
    while left:
        decided = next_restart(situation(outdated=left))
        assert isinstance(decided, Restart)
        order.append(decided.node.id)
        left = tuple(n for n in left if n != decided.node)
    assert order == [1, 2, 0]


@pytest.mark.parametrize(
    ("now", "reason", "words"),
    [
        (situation(a=pod(NODES[1], ready=False)), "WaitingForNode", "Node 1 is not back yet"),
        (situation(a=pod(NODES[1], deleting=True)), "WaitingForNode", "Node 1 is not back yet"),
        (situation(kafka=None), "WaitingForKafka", "connection refused"),
        (situation(replace(WELL, live=frozenset({0, 1}))), "WaitingForNode", "Node 2 runs but does not serve yet"),
        (situation(replace(WELL, moving=3)), "WaitingForMoves", "3 partitions"),
        (situation(replace(WELL, partitions=None)), "WaitingForKafka", "before all partitions were looked at"),
        (
            situation(replace(WELL, partitions=(partition((0, 1, 2), (0, 1)),)), outdated=NODES[:2]),
            "RestartUnsafe",
            "partition t-0 would have 1 replicas in sync and needs 2 (in sync are 0, 1 of 0, 1, 2)",
        ),
        (
            situation(replace(WELL, voters=(VoterSeen(0, True), VoterSeen(1, True), VoterSeen(2, False))), NODES[:2]),
            "RestartUnsafe",
            "1 of 3 controllers would be left, and 2 are needed",
        ),
    ],
)
def test_nothing_restarts_while_it_would_be_unsafe_and_it_says_why(now: Situation, reason: str, words: str) -> None:
    decided = next_restart(now)
    assert isinstance(decided, Hold)
    assert decided.reason == reason
    assert words in decided.message


def test_a_node_whose_replicas_are_all_elsewhere_in_sync_may_go_while_another_may_not() -> None:
    kafka = replace(WELL, partitions=(partition((0, 1), (0, 1), needed=1), partition((1, 2), (1,), needed=1)))
    decided = next_restart(situation(kafka))
    assert isinstance(decided, Restart)
    assert decided.node.id == 2


def test_a_partition_that_every_restart_interrupts_does_not_block_for_ever() -> None:
    alone = replace(WELL, partitions=(partition((1,), (1,), needed=1),))
    assert isinstance(next_restart(situation(alone)), Restart)


def test_a_partition_that_every_restart_interrupts_waits_for_all_its_replicas() -> None:
    pair = replace(WELL, partitions=(partition((1, 2), (1,), needed=2),))
    decided = next_restart(situation(pair, outdated=NODES[1:]))
    assert isinstance(decided, Hold)


def test_a_node_that_cannot_start_is_restarted_first_whatever_the_others_do() -> None:
    broken = pod(NODES[2], ready=False, trouble="ErrImagePull: not found")
    decided = next_restart(situation(None, a=broken, b=pod(NODES[1], ready=False)))
    assert isinstance(decided, Restart)
    assert decided.node.id == 2


def test_a_lone_controller_may_restart() -> None:
    only = Node(0, "main-broker-0", "Combined")
    kafka = replace(WELL, live=frozenset({0}), voters=(VoterSeen(0, True),), partitions=())
    now = Situation([only], {only.pod: pod(only)}, [only], kafka)
    assert isinstance(next_restart(now), Restart)


@st.composite
def any_situation(draw: st.DrawFn) -> Situation:
    nodes = [Node(i, f"b-{i}", "Combined" if i < 3 else "Broker") for i in range(draw(st.integers(1, 5)))]
    ids = [n.id for n in nodes]
    partitions = []
    for number in range(draw(st.integers(0, 6))):
        replicas = tuple(draw(st.permutations(ids))[: draw(st.integers(1, min(3, len(ids))))])
        in_sync = tuple(r for r in replicas if draw(st.booleans()) or draw(st.booleans()))
        needed = draw(st.integers(1, len(replicas)))
        at = TopicPartition("t", number)
        partitions.append(PartitionSeen(at, in_sync[0] if in_sync else -1, replicas, in_sync, needed))
    voters = tuple(VoterSeen(n.id, draw(st.booleans()) or draw(st.booleans())) for n in nodes if n.is_voter)
    live = frozenset(i for i in ids if draw(st.integers(0, 9)))
    kafka = replace(WELL, live=live, voters=voters, controller=draw(st.sampled_from(ids)), partitions=tuple(partitions))
    pods = {n.pod: pod(n, ready=draw(st.integers(0, 9)) > 0) for n in nodes}
    outdated = [n for n in nodes if draw(st.booleans())]
    return Situation(nodes, pods, outdated, kafka)


@given(any_situation())
def test_whatever_the_situation_a_restart_leaves_enough_replicas_and_votes(now: Situation) -> None:
    decided = next_restart(now)
    if not isinstance(decided, Restart):
        return
    assert now.kafka is not None
    gone = decided.node.id
    assert all(p.ready for p in now.pods.values()), "another node is down already"
    for p in now.kafka.partitions or ():
        if gone in p.replicas and len(p.replicas) > p.min_in_sync:
            assert len(set(p.in_sync) - {gone}) >= p.min_in_sync
    votes = [v for v in now.kafka.voters if v.id != gone and v.caught_up]
    if len(now.kafka.voters) > 1 and decided.node.is_voter:
        assert len(votes) > len(now.kafka.voters) // 2
