from __future__ import annotations

import pytest
from headrace.cli.demo import report
from headrace.cli.tally import tally

SENT = [("a", 1), ("a", 2), ("a", 3)]


def test_an_exact_count_is_told_and_ends_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(tally(SENT, SENT), pause=4.26) == 0
    told = capsys.readouterr().out.split("\n")
    assert [line.split() for line in told if line.startswith("  ")] == [
        ["acknowledged", "3"],
        ["read", "back", "3"],
        ["missing", "0"],
        ["doubled", "0"],
        ["never", "sent", "0"],
        ["order", "kept", "per", "sensor", "yes"],
        ["longest", "pause", "4.3", "s"],
    ]
    assert told[-2].startswith("exact:")


@pytest.mark.parametrize(
    "read", [SENT[:2], [*SENT, SENT[0]], [*SENT, ("b", 1)], SENT[::-1]], ids=["missing", "doubled", "extra", "shuffled"]
)
def test_anything_less_is_told_and_does_not_end_with_0(
    read: list[tuple[str, int]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(tally(SENT, read), pause=0) == 1
    assert capsys.readouterr().out.endswith("NOT exact\n")
