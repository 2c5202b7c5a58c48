"""Who may become the active operator."""

from __future__ import annotations

import pytest
from headrace.world.lease import Terms, may_take

VALID = Terms().valid


def held_by(holder: str) -> dict[str, object]:
    return {"spec": {"holderIdentity": holder}}


@pytest.mark.parametrize(
    ("lease", "unchanged_for", "may"),
    [
        (None, 0, True),
        (held_by(""), 0, True),
        (held_by("me"), 0, True),
        (held_by("another"), 0, False),
        (held_by("another"), VALID, False),
        (held_by("another"), VALID + 1, True),
    ],
)
def test_a_lease_is_taken_when_nobody_holds_it_or_its_holder_is_silent_for_too_long(
    lease: dict[str, object] | None, unchanged_for: float, may: bool
) -> None:
    assert may_take(lease, "me", unchanged_for, VALID) is may


def test_a_holder_gives_up_before_another_may_take_over() -> None:
    terms = Terms()
    assert terms.give_up_after + terms.renew_every < terms.valid
