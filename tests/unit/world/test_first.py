"""Which Brokers come with an installation."""

from __future__ import annotations

from pathlib import Path

import pytest
from headrace.api.manifest import InvalidManifest
from headrace.world.first import manifests

BROKER = """
apiVersion: headrace.dev/v1alpha1
kind: Broker
metadata: {name: main}
spec: {storage: {memory: {size: 512Mi}}}
"""


def test_a_broker_without_a_namespace_goes_where_the_operator_is(tmp_path: Path) -> None:
    (tmp_path / "broker.yaml").write_text(BROKER)
    (found,) = manifests(tmp_path, "streams")
    assert found["metadata"] == {"name": "main", "namespace": "streams"}
    assert found["spec"] == {"storage": {"memory": {"size": "512Mi"}}}


def test_a_broker_with_a_namespace_goes_there(tmp_path: Path) -> None:
    (tmp_path / "broker.yaml").write_text(BROKER.replace("{name: main}", "{name: main, namespace: mine}"))
    assert [m["metadata"]["namespace"] for m in manifests(tmp_path, "streams")] == ["mine"]


def test_a_mounted_configmap_has_each_file_once(tmp_path: Path) -> None:
    """Kubernetes mounts a directory with a hidden name, and links into it."""
    (tmp_path / "..data").mkdir()
    (tmp_path / "..data/broker.yaml").write_text(BROKER)
    (tmp_path / "broker.yaml").symlink_to("..data/broker.yaml")
    assert len(manifests(tmp_path, "streams")) == 1


def test_where_there_is_nothing_nothing_is_made(tmp_path: Path) -> None:
    assert manifests(tmp_path, "streams") == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (BROKER.replace("512Mi", "much"), "spec.storage.memory.size: must be a number of bytes"),
        (BROKER.replace("kind: Broker", "kind: Pod"), "kind: must be Broker or Topic; found Pod"),
        (
            "{apiVersion: headrace.dev/v1alpha1, kind: Topic, metadata: {name: t}, spec: {broker: main}}",
            "broker.yaml is invalid: kind: must be Broker; found Topic",
        ),
        ("just words", "broker.yaml is invalid: it must hold a Broker's manifest"),
    ],
)
def test_what_is_no_broker_is_refused_with_the_reason(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "broker.yaml").write_text(text)
    with pytest.raises(InvalidManifest) as refusal:
        manifests(tmp_path, "streams")
    assert says in str(refusal.value)
