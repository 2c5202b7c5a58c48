"""Whether topics hold records, and which consumer groups read them: what must be known before they are deleted.

What could not be found out of a topic is missing in the answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from kafka.admin import KafkaAdminClient
from kafka.errors import GroupIdNotFoundError, KafkaError, for_code
from kafka.protocol.admin import ListGroupsRequest
from kafka.protocol.consumer import ListOffsetsRequest, OffsetFetchRequest, OffsetSpec

from .connection import ask
from .kafka_messages import DescribeShareGroupOffsetsRequest

Led = Mapping[str, Mapping[int, int | None]]  # topic -> partition -> leader
SHARE_GROUP = "share"


def emptiness(admin: KafkaAdminClient, topics: Led) -> dict[str, bool]:
    """Whether each topic holds no record: every partition ends where it begins."""
    known = {name: led for name, led in topics.items() if None not in led.values()}
    try:
        first, last = (_offsets(admin, known, at) for at in (OffsetSpec.EARLIEST, OffsetSpec.LATEST))
    except (KafkaError, OSError):
        return {}
    found = {}
    for name, led in known.items():
        places = [(name, partition) for partition in led]
        if all(place in first and place in last for place in places):
            found[name] = all(first[place] == last[place] for place in places)
    return found


def readers(admin: KafkaAdminClient, topics: Led, nodes: Iterable[int]) -> dict[str, tuple[str, ...]]:
    """The groups that have committed offsets on each topic, or share it."""
    if not topics:
        return {}
    reading = defaultdict[str, set[str]](set)
    try:
        for node in nodes:  # each lists the groups that it coordinates
            listed = ask(admin, ListGroupsRequest(), node)
            _raise_for(listed.error_code)
            sharing = [group.group_id for group in listed.groups if group.group_type == SHARE_GROUP]
            # To this question a share group would answer as if it read nothing.
            committing = [group.group_id for group in listed.groups if group.group_type != SHARE_GROUP]
            for group, topic in (*_committed(admin, node, committing, topics), *_shared(admin, node, sharing)):
                reading[topic].add(group)
    except (KafkaError, OSError):
        return {}
    return {name: tuple(sorted(reading[name])) for name in topics}


def _offsets(admin: KafkaAdminClient, topics: Led, at: OffsetSpec) -> dict[tuple[str, int], int]:
    by_leader = defaultdict[int | None, dict[str, list[int]]](lambda: defaultdict(list))
    for name, led in topics.items():
        for partition, leader in led.items():
            by_leader[leader][name].append(partition)
    _Topic = ListOffsetsRequest.ListOffsetsTopic
    _Partition = _Topic.ListOffsetsPartition
    found = {}
    for leader, led_there in by_leader.items():
        asked = [
            _Topic(name=name, partitions=[_Partition(partition_index=p, timestamp=at) for p in partitions])
            for name, partitions in led_there.items()
        ]
        answer = ask(admin, ListOffsetsRequest(isolation_level=0, topics=asked, min_version=1), leader)
        for topic in answer.topics:
            found.update({(topic.name, p.partition_index): p.offset for p in topic.partitions if not p.error_code})
    return found


def _committed(admin: KafkaAdminClient, node: int, groups: list[str], topics: Led) -> Iterable[tuple[str, str]]:
    """Pairs of a group and a topic that it has committed offsets on."""
    if not groups:
        return
    _Group = OffsetFetchRequest.OffsetFetchRequestGroup
    _Topic = _Group.OffsetFetchRequestTopics
    asked = [_Topic(name=name, partition_indexes=list(led)) for name, led in topics.items()]
    request = OffsetFetchRequest(
        groups=[_Group(group_id=group, topics=asked) for group in groups], min_version=8, max_version=8
    )
    for group in ask(admin, request, node).groups:
        _raise_for(group.error_code)
        for topic in group.topics:
            for partition in topic.partitions:
                _raise_for(partition.error_code)
            if any(partition.committed_offset >= 0 for partition in topic.partitions):
                yield group.group_id, topic.name


def _shared(admin: KafkaAdminClient, node: int, groups: list[str]) -> Iterable[tuple[str, str]]:
    """Pairs of a share group and a topic that it has begun to share."""
    if not groups:
        return
    everything = None
    request = DescribeShareGroupOffsetsRequest(groups=[(group, everything) for group in groups])
    for group in ask(admin, request, node).groups:
        _raise_for(group.error_code)
        for topic in group.topics:
            yield group.group_id, topic.topic_name


def _raise_for(code: int) -> None:
    error: Any = for_code(code)
    if code and error is not GroupIdNotFoundError:  # a group that ended meanwhile reads nothing
        raise error()
