"""What every resource is made of: names, metadata, conditions, and how a model is read and written."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    Strict,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from .rules import AnyRule, ChangeRule, Rule, raise_for, with_validations

GROUP = "headrace.dev"
VERSION = "v1alpha1"
API_VERSION: Final = "headrace.dev/v1alpha1"  # spelled out, so that type checkers know it as a literal
CATEGORY = "headrace"

# Set to "true" by a person: the operator looks at the resource and reports, but changes nothing.
PAUSED_ANNOTATION = f"{GROUP}/paused"

# The API server takes no "3" for a 3; neither do we.
Int = Annotated[int, Strict()]

# Kubernetes writes times in whole seconds; more would make two equal conditions differ after a round trip.
Timestamp = Annotated[AwareDatetime, AfterValidator(lambda t: t.replace(microsecond=0))]


class ApiModel(BaseModel):
    """camelCase in manifests, snake_case in Python; never changed after it was made."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

    rules: ClassVar[tuple[AnyRule, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _a_field_left_empty_is_unset(cls, given: Any) -> Any:
        """As for the API server: `resources:` with nothing after it in YAML is a null, and means nothing."""
        return {k: v for k, v in given.items() if v is not None} if isinstance(given, Mapping) else given

    @model_validator(mode="after")
    def _rules_hold(self) -> Self:
        raise_for(rule.problem(self) for rule in self.rules if isinstance(rule, Rule))
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        made = handler(schema)
        at = handler.resolve_ref_schema(made)
        at.update(with_validations(at, cls.rules))
        return made


class StatusModel(ApiModel):
    """Written by the operator only. What a newer one wrote must not stop an older one that is rolled back to."""

    model_config = ConfigDict(extra="ignore")


class Metadata(ApiModel):
    """What we read of Kubernetes' object metadata."""

    model_config = ConfigDict(extra="ignore")

    name: str
    namespace: str = "default"
    uid: str = ""
    generation: int = 0
    labels: Mapping[str, str] = Field(default_factory=dict)
    annotations: Mapping[str, str] = Field(default_factory=dict)
    finalizers: tuple[str, ...] = ()
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None

    @property
    def paused(self) -> bool:
        return self.annotations.get(PAUSED_ANNOTATION) == "true"


class Condition(StatusModel):
    """One thing that is true of the resource, or is not, and why."""

    type: str = Field(min_length=1, max_length=316, description="What the condition is about, such as Ready.")
    status: Literal["True", "False", "Unknown"] = Field(description="Whether it is so.")
    reason: str = Field(min_length=1, max_length=1024, description="The cause, in one CamelCase word.")
    message: str = Field(max_length=32768, description="The cause and what to do about it, in sentences.")
    last_transition_time: Timestamp = Field(description="When `status` last changed.")
    observed_generation: int | None = Field(
        default=None, ge=0, description="The `metadata.generation` that this was said about."
    )


Conditions = Annotated[
    tuple[Condition, ...],
    Field(
        description="What is true of the resource. `Ready` is always there.",
        json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]},
    ),
]

ObservedGeneration = Annotated[
    int | None, Field(description="The `metadata.generation` that the operator acted on last.")
]


def to_manifest(model: ApiModel) -> dict[str, Any]:
    """The model as Kubernetes wants it: camelCase, plain JSON values, nothing that is unset."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def refused_changes(new: ApiModel, old: ApiModel, path: str = "") -> list[str]:
    """Why the API server would refuse to replace `old` by `new`; nothing if it would not."""
    problems = []
    for rule in new.rules:
        if isinstance(rule, ChangeRule) and (said := rule.problem(new, old)):
            problems.append(f"{path}{rule.field}: {said}".lstrip("."))
    for name, field in type(new).model_fields.items():
        was, now = getattr(old, name), getattr(new, name)
        if isinstance(was, ApiModel) and isinstance(now, ApiModel):
            problems += refused_changes(now, was, f"{path}.{field.alias}")
    return problems
