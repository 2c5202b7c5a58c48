"""Java's properties files, as Kafka reads them."""

from __future__ import annotations

from collections.abc import Mapping

_IN_VALUES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}
_IN_KEYS = _IN_VALUES | {c: "\\" + c for c in " =:#!"}


def render(properties: Mapping[str, str]) -> str:
    """One line per property, in the given order."""
    return "".join(f"{_escape(key, _IN_KEYS)}={_value(value)}\n" for key, value in properties.items())


def _value(text: str) -> str:
    # Java drops white space before a value, so that space has to be escaped; the rest of a value may hold it as it is.
    escaped = _escape(text, _IN_VALUES)
    return "\\" + escaped if escaped.startswith(" ") else escaped


def _escape(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(c) or (c if " " <= c <= "~" else _utf16(c)) for c in text)


def _utf16(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
