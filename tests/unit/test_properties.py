from __future__ import annotations

import re

import pytest
from headrace.objects.properties import render
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("9092", "k=9092\n"),
        ("PLAINTEXT://a:1,CONTROLLER://b:2", "k=PLAINTEXT://a:1,CONTROLLER://b:2\n"),
        ("/home/me/my data", "k=/home/me/my data\n"),
        (" leading", "k=\\ leading\n"),
        ("C:\\kafka", "k=C:\\\\kafka\n"),
        ("a\nb=c", "k=a\\nb=c\n"),
        ("/home/zoë/😀", "k=/home/zo\\u00eb/\\ud83d\\ude00\n"),
        ("", "k=\n"),
    ],
)
def test_values_are_written_as_java_reads_them(value: str, line: str) -> None:
    assert render({"k": value}) == line


def as_java_loads(text: str) -> dict[str, str]:
    """java.util.Properties.load for files without comments and continued lines."""
    found = {}
    for line in text.split("\n")[:-1]:
        parts = re.fullmatch(r"[ \t\f]*((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*((?:\\.|[^\\])*)", line)
        assert parts, line
        key, value = (re.sub(r"\\(u[0-9a-f]{4}|.)", _unescaped, part) for part in parts.groups())
        found[_joined(key)] = _joined(value)
    return found


def _unescaped(match: re.Match[str]) -> str:
    what = match[1]
    if len(what) == 5:
        return chr(int(what[1:], 16))
    return {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}.get(what, what)


def _joined(utf16: str) -> str:
    return utf16.encode("utf-16-be", "surrogatepass").decode("utf-16-be")


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.dictionaries(text.filter(bool), text))
def test_what_is_written_is_what_java_loads(properties: dict[str, str]) -> None:
    written = render(properties)
    assert written.isascii()
    assert as_java_loads(written) == properties
