"""What a CRD cannot say is refused when it is generated, not when it is applied."""

from __future__ import annotations

from typing import Annotated

import pytest
from headrace.api.base import ApiModel
from headrace.api.rules import Rule
from headrace.api.schema import structural_schema
from pydantic import Field


class Inner(ApiModel):
    """Inner."""

    rules = (Rule("self.size > 0", lambda inner: inner.size > 0, "size must be above 0"),)

    size: int = 1


class Choice(ApiModel):
    either: int | Inner


class Pattern(ApiModel):
    name: str = Field(pattern="x")


class Outer(ApiModel):
    """Outer."""

    inner: Annotated[Inner, Rule("self.size < 9", lambda inner: inner.size < 9, "size must be below 9")] = Field(
        default=Inner(), description="Of the field."
    )
    maybe: Inner | None = None


def test_an_inner_model_stands_where_it_is_used_with_all_its_rules() -> None:
    inner = structural_schema(Outer)["properties"]["inner"]
    assert inner["description"] == "Of the field."
    assert inner["properties"] == {"size": {"type": "integer", "default": 1}}
    assert [rule["rule"] for rule in inner["x-kubernetes-validations"]] == ["self.size > 0", "self.size < 9"]
    assert inner["default"] == {"size": 1}


def test_an_optional_model_is_a_plain_one_without_default() -> None:
    maybe = structural_schema(Outer)["properties"]["maybe"]
    assert maybe.keys() == {"type", "description", "properties", "x-kubernetes-validations"}


def test_a_union_is_refused() -> None:
    with pytest.raises(ValueError, match="a CRD has no unions; use one optional field per choice"):
        structural_schema(Choice)


def test_a_word_that_nobody_thought_of_is_refused() -> None:
    with pytest.raises(ValueError, match="a CRD cannot say pattern"):
        structural_schema(Pattern)
