from __future__ import annotations

import pytest
from headrace.plan.words import counted, listed


@pytest.mark.parametrize(("number", "text"), [(0, "0 nodes"), (1, "1 node"), (2, "2 nodes")])
def test_things_are_counted(number: int, text: str) -> None:
    assert counted(number, "node") == text


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([], ""),
        (["a"], "a"),
        ([1, 2], "1 and 2"),
        (["a", "b", "c"], "a, b and c"),
        ("abcde", "a, b, c, d and e"),
        ("abcdef", "a, b, c, d and 2 more"),
    ],
)
def test_lists_end_before_they_get_long(items: list[object], text: str) -> None:
    assert listed(items) == text
