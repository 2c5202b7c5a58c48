"""Sizes such as 10Gi and durations such as 7d: what may be written, and what it means."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Annotated

from pydantic import StringConstraints

from .rules import Rule

UNLIMITED = "Unlimited"

_SIZE = r"([0-9]{1,15}(?:\.[0-9]{1,6})?)(Ki|Mi|Gi|Ti|Pi|k|M|G|T|P)?"
_SIZE_UNITS: dict[str | None, int] = {
    None: 1,
    **{unit: 1000**power for power, unit in enumerate(("k", "M", "G", "T", "P"), start=1)},
    **{unit: 1024**power for power, unit in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi"), start=1)},
}
_ALL_UNITS: dict[str | None, Decimal] = {
    **{unit: Decimal(size) for unit, size in _SIZE_UNITS.items()},
    **{"n": Decimal("1e-9"), "u": Decimal("1e-6"), "m": Decimal("1e-3")},
    **{"E": Decimal(1000**6), "Ei": Decimal(1024**6)},
}
_SIZE_LIMIT = 1024**6  # Kafka and Kubernetes count in 64 bits with a sign; this leaves room to add some up

# Nine digits of days are still far below 2^63 milliseconds.
_DURATION = r"([1-9][0-9]{0,8})(ms|s|m|h|d)"
_DURATION_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}

_A_SIZE = "must be a number of bytes above 0 and below 1Ei, such as 512Mi or 10Gi"
_A_DURATION = "must be a whole number above 0 and a unit (ms, s, m, h or d), such as 30m, 12h or 7d"


def parse_size(text: str) -> int:
    """Bytes, rounded up as Kubernetes does. Raises ValueError."""
    size = _size_or_none(text)
    if size is None:
        raise ValueError(f"a size {_A_SIZE}; found {text!r}")
    return size


def amount(text: str) -> Decimal:
    """Any quantity as Kubernetes spells it, which is not always as it was given: 1024Mi comes back as 1Gi."""
    found = re.fullmatch(r"([+-]?[0-9.]+)(?:([eE][+-]?[0-9]+)|([A-Za-z]+))?", text)
    if not found or (found[3] and found[3] not in _ALL_UNITS):
        raise ValueError(f"{text!r} is no quantity")
    return Decimal(found[1] + (found[2] or "")) * _ALL_UNITS.get(found[3], Decimal(1))


def parse_duration(text: str) -> int:
    """Milliseconds. Raises ValueError."""
    if not (found := re.fullmatch(_DURATION, text)):
        raise ValueError(f"a duration {_A_DURATION}; found {text!r}")
    return int(found[1]) * _DURATION_UNITS[found[2]]


def spell_size(size: int) -> str:
    """Bytes as people say them, with up to four digits: 0, 812, 1.5Ki, 10Gi."""
    for unit in ("Pi", "Ti", "Gi", "Mi", "Ki"):
        if size >= _SIZE_UNITS[unit]:
            return f"{size / _SIZE_UNITS[unit]:.4g}{unit}"
    return str(size)


def not_smaller(new: str, old: str) -> bool:
    return parse_size(new) >= parse_size(old)


def not_smaller_in_cel(field: str) -> str:
    """CEL for `not_smaller` of one field before and after a change. What is no size at all, another rule refuses."""
    return f"!isQuantity(self.{field}) || quantity(self.{field}).compareTo(quantity(oldSelf.{field})) >= 0"


def _size_or_none(text: str) -> int | None:
    if not (found := re.fullmatch(_SIZE, text)):
        return None
    size = Decimal(found[1]) * _SIZE_UNITS[found[2]]
    return math.ceil(size) if 0 < size < _SIZE_LIMIT else None


_IS_SIZE = (
    f"self.matches(r'^{_SIZE}$') && quantity(self).isGreaterThan(quantity('0')) "
    "&& quantity(self).isLessThan(quantity('1Ei'))"
)
_IS_DURATION = f"self.matches(r'^{_DURATION}$')"
_OR_UNLIMITED = f", or the word {UNLIMITED}"

_Short = Annotated[str, StringConstraints(max_length=32)]

Size = Annotated[_Short, Rule(_IS_SIZE, lambda text: _size_or_none(text) is not None, _A_SIZE)]
SizeOrUnlimited = Annotated[
    _Short,
    Rule(
        f"self == '{UNLIMITED}' || ({_IS_SIZE})",
        lambda text: text == UNLIMITED or _size_or_none(text) is not None,
        _A_SIZE + _OR_UNLIMITED,
    ),
]
DurationOrUnlimited = Annotated[
    _Short,
    Rule(
        f"self == '{UNLIMITED}' || {_IS_DURATION}",
        lambda text: text == UNLIMITED or re.fullmatch(_DURATION, text) is not None,
        _A_DURATION + _OR_UNLIMITED,
    ),
]
