"""Pins say the same thing in every place that names a version."""

from __future__ import annotations

from kind import pins


def test_the_published_node_image_is_of_the_kubernetes_that_go_mod_pins() -> None:
    assert pins.PUBLISHED_NODE_IMAGE.startswith(f"kindest/node:{pins.kubernetes()}@sha256:")


def test_every_staging_module_is_of_the_same_kubernetes() -> None:
    wanted = pins.kubernetes().replace("v1.", "v0.", 1)
    text = (pins.GO_MODULE / "go.mod").read_text()
    replaced = [line.split()[-1] for line in text.splitlines() if "=> k8s.io/" in line]
    assert replaced
    assert set(replaced) == {wanted}


def test_versions_are_read_from_single_lines_and_from_blocks() -> None:
    text = "require a.b/c v1.2.3\nrequire (\n\td.e/f/v2 v2.0.0-rc.1 // indirect\n)\n"
    assert pins.versions(text) == {"a.b/c": "v1.2.3", "d.e/f/v2": "v2.0.0-rc.1"}
