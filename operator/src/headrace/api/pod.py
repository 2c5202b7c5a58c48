"""What a person may say about pods: resources, and an overlay over what the operator builds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from .base import GROUP, ApiModel
from .rules import Rule, no_key

# Kubernetes' own grammar, but for negative amounts.
_QUANTITY = r"\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?"

# Not `Size`: cpu: 1 and cpu: 500m are no sizes, and both are common.
CoreQuantity = Annotated[
    int | Annotated[str, StringConstraints(max_length=32)],
    Rule(
        # Not by a regular expression: nothing bounds the length of such a value in the cost estimate.
        "type(self) == int ? self >= 0 : (isQuantity(self) && !self.startsWith('-'))",
        lambda value: value >= 0 if isinstance(value, int) else re.fullmatch(_QUANTITY, value) is not None,
        "must be a Kubernetes quantity, such as 500m, 2 or 1Gi",
    ),
]
_Amounts = Annotated[Mapping[str, CoreQuantity], Field(max_length=10)]

# A type of Kubernetes' own, passed on as it is: the API server checks it when the pods' StatefulSet is written.
CoreObject = Mapping[str, Any]

_Labels = Annotated[
    Mapping[str, Annotated[str, StringConstraints(max_length=63)]],
    Field(max_length=50),
    no_key(
        f"key.startsWith('{GROUP}/')",
        lambda key, _: key.startswith(f"{GROUP}/"),
        f"may not hold a key that begins with {GROUP}/: those are the operator's, choose another prefix",
    ),
]
_Annotations = Annotated[Mapping[str, str], Field(max_length=50)]


class Resources(ApiModel):
    """CPU and memory of one container, as in a pod."""

    requests: _Amounts = Field(
        default_factory=dict, description="What is set aside, such as `{cpu: 100m, memory: 1Gi}`. Default: nothing."
    )
    limits: _Amounts = Field(
        default_factory=dict, description="What may not be exceeded, such as `{memory: 2Gi}`. Default: no limit."
    )


class PodTemplate(ApiModel):
    """Laid over the pods that the operator builds."""

    labels: _Labels = Field(default_factory=dict, description="Labels added to each pod. Default: none.")
    annotations: _Annotations = Field(default_factory=dict, description="Annotations added to each pod. Default: none.")
    node_selector: _Annotations = Field(
        default_factory=dict, description="Labels that a node must have to run a pod. Default: any node will do."
    )
    tolerations: tuple[CoreObject, ...] = Field(
        default_factory=tuple,
        max_length=50,
        description="Taints that the pods put up with, as in a pod. Default: none.",
    )
    affinity: CoreObject | None = Field(
        default=None,
        description="Which nodes and which neighbours the pods like, as in a pod. Default: the operator's own.",
    )
    topology_spread_constraints: tuple[CoreObject, ...] | None = Field(
        default=None,
        max_length=20,
        description="How the pods spread over zones and nodes, as in a pod. Default: the operator's own.",
    )
    priority_class_name: str | None = Field(
        default=None, max_length=253, description="The pods' PriorityClass. Default: the cluster's default."
    )
