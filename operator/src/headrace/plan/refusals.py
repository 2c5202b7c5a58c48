"""What a Broker may not be asked for. The first that applies is said, and nothing is done until the spec changes."""

from __future__ import annotations

from collections.abc import Callable

from headrace.objects import names
from headrace.objects.names import BROKERS, CONTROLLERS
from headrace.objects.node import quorum_size
from headrace.objects.statefulset import claim_name

from .look import Look
from .outcome import Finding, not_ready


def _quorum_would_shrink(look: Look) -> Finding | None:
    voters = look.formed_voters
    if not look.broker.spec.controllers and voters > quorum_size(look.broker.spec):
        return not_ready(
            "InvalidSpec",
            f"Broker {look.broker.metadata.name}: spec.replicas is {look.broker.spec.replicas}, but its first {voters} "
            f"nodes are the controller quorum, which cannot shrink. Set replicas to {voters} or more.",
        )
    return None


def _version_without_its_image(look: Look) -> Finding | None:
    spec, ours = look.broker.spec, look.defaults.version
    if spec.image or spec.version in (None, ours):
        return None
    return not_ready(
        "InvalidSpec",
        f"Broker {look.broker.metadata.name}: spec.version is {spec.version}, but the operator's own image holds Kafka "
        f"{ours}. Set spec.image to an image that holds {spec.version}, or remove spec.version.",
    )


def _claims_of_more_nodes_are_there(look: Look) -> Finding | None:
    """Data that an earlier Broker of this name left behind is taken up whole, or not at all."""
    if look.seen.sets or not look.seen.claims:
        return None
    name, replicas = look.broker.metadata.name, look.broker.spec.replicas
    kept = {c.name for c in look.seen.claims}
    surplus = [c for i in range(replicas, 100) if (c := claim_name(BROKERS, name, i)) in kept]
    if surplus:
        return not_ready(
            "InvalidSpec",
            f"Broker {name}: spec.replicas is {replicas}, but an earlier Broker {name} left claims of more nodes: "
            f"{', '.join(surplus)}. Set replicas to {replicas + len(surplus)} to take up all of its data and shrink it "
            "afterwards, or delete these claims if nothing on them is needed.",
        )
    return None


def _claims_are_of_another_kind_of_quorum(look: Look) -> Finding | None:
    """A quorum's data is with its controllers: others in their place would begin an empty cluster over the old data."""
    if look.seen.sets or not look.seen.claims:
        return None
    name = look.broker.metadata.name
    had = any(c.name.startswith(f"data-{names.set_name(name, CONTROLLERS)}-") for c in look.seen.claims)
    if had == bool(look.broker.spec.controllers):
        return None
    was, advice = ("dedicated controllers", "set") if had else ("no dedicated controllers", "remove")
    return not_ready(
        "InvalidSpec",
        f"Broker {name}: the claims of an earlier Broker {name} are there, which had {was}. To take up its data, "
        f"{advice} spec.controllers; to begin anew, delete the claims (they are labelled {names.BROKER_LABEL}={name}).",
    )


REFUSALS: tuple[Callable[[Look], Finding | None], ...] = (
    _version_without_its_image,
    _quorum_would_shrink,
    _claims_of_more_nodes_are_there,
    _claims_are_of_another_kind_of_quorum,
)
