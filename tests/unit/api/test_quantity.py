from __future__ import annotations

import pytest
from headrace.api.quantity import parse_duration, parse_size, spell_size
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1),
        ("1500", 1500),
        ("2k", 2_000),
        ("512Mi", 512 * 1024**2),
        ("10Gi", 10 * 1024**3),
        ("10G", 10 * 1000**3),
        ("1.5Ti", 1024**4 * 3 // 2),
        ("0.0001Ki", 1),  # rounded up, as Kubernetes does
        ("1023Pi", 1023 * 1024**5),
    ],
)
def test_a_size_is_a_number_of_bytes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["", "0", "0.0Gi", "-1Gi", "10 Gi", "10GB", "Gi", "1.Gi", "1e3", "1Ei", "1024Pi", "1Gi\n"]
)
def test_what_is_no_size_is_named_with_an_example_of_one(text: str) -> None:
    with pytest.raises(ValueError, match="such as 512Mi or 10Gi; found") as refusal:
        parse_size(text)
    assert repr(text) in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("500ms", 500), ("30s", 30_000), ("30m", 1_800_000), ("12h", 43_200_000), ("7d", 604_800_000)],
)
def test_a_duration_is_a_number_of_milliseconds(text: str, milliseconds: int) -> None:
    assert parse_duration(text) == milliseconds


@pytest.mark.parametrize("text", ["", "0d", "7", "d", "1h30m", "1.5h", "-1d", "7D", "7 d", "1w", "1d\n"])
def test_what_is_no_duration_is_named_with_an_example_of_one(text: str) -> None:
    with pytest.raises(ValueError, match="such as 30m, 12h or 7d; found") as refusal:
        parse_duration(text)
    assert repr(text) in str(refusal.value)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0"), (812, "812"), (1024, "1Ki"), (1536, "1.5Ki"), (10 * 1024**3, "10Gi"), (1023 * 1024, "1023Ki")],
)
def test_a_size_is_spelled_as_people_say_it(size: int, text: str) -> None:
    assert spell_size(size) == text


@given(st.integers(min_value=1, max_value=1024**6 - 1024**5))
def test_a_spelled_size_is_a_size_again_and_nearly_the_same(size: int) -> None:
    assert parse_size(spell_size(size)) == pytest.approx(size, rel=0.001)


@given(st.integers(min_value=1, max_value=10**9 - 1), st.sampled_from(["ms", "s", "m", "h", "d"]))
def test_every_duration_fits_into_what_kafka_counts_with(number: int, unit: str) -> None:
    assert number <= parse_duration(f"{number}{unit}") < 2**63
