"""What is read from kind's own source."""

from __future__ import annotations

from pathlib import Path

import pytest
from kind.node_image import storage_manifest
from kind.shell import CommandFailed

SOURCE = """\
package nodeimage

const storageProvisionerImage = "docker.io/p:1"
const storageHelperImage = "docker.io/h:2"

const defaultStorageManifest = `
image: ` + storageProvisionerImage + `
helper: ` + storageHelperImage + `
end: true
`
"""


def kind_with(source: str, at: Path) -> Path:
    place = at / "pkg/build/nodeimage"
    place.mkdir(parents=True)
    (place / "const_storage.go").write_text(source)
    return at


def test_the_storage_manifest_has_the_names_of_images_filled_in(tmp_path: Path) -> None:
    text, images = storage_manifest(kind_with(SOURCE, tmp_path))
    assert text.split("\n") == ["", "image: docker.io/p:1", "helper: docker.io/h:2", "end: true", ""]
    assert images == ("docker.io/p:1", "docker.io/h:2")


def test_a_source_without_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match="no longer holds a default storage manifest"):
        storage_manifest(kind_with("package nodeimage\n", tmp_path))
