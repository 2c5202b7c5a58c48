"""Assembling a kind node image, the way `kind build node-image` does it, from what we built ourselves."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tarfile
import time
from collections.abc import Mapping
from pathlib import Path

from . import pins, store
from .shell import CommandFailed, answers, capture, run_logged
from .steps import Inputs

RECIPE = "4"  # counts up when this file makes another image from the same inputs
PLUGINS = ("host-local", "loopback", "ptp", "portmap")
RUNTIME = ("containerd", "containerd-shim-runc-v2", "ctr")
IN_PATH = "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def assemble(out: Path, inputs: Inputs, log: Path, modules: Mapping[str, Path]) -> None:
    """`out/image.tar`: a node image that `docker load` takes, tagged `headrace/kind-node:assembled`."""
    programs = {f.name: f for n in ("kubernetes", "runtime", "storage", "runc") for f in inputs[n].path.iterdir()}
    store.ensure_base_image(inputs["base-root"], log)
    kind = modules["sigs.k8s.io/kind"]
    listed = capture(str(programs["kubeadm"]), "config", "images", "list", "--kubernetes-version", pins.kubernetes())
    inner = {name.rsplit("/", 1)[1].split(":")[0]: name for name in listed.split()}
    storage, storage_images = storage_manifest(kind)

    context = out / "context"
    _fill_context(context, programs, kind, inner["kube-proxy"], storage)
    base = "headrace/kind-node:base"
    arguments = {"SANDBOX_IMAGE": inner["pause"], "KUBERNETES_VERSION": pins.kubernetes()}
    _docker_build(log, context, base, arguments)
    pause = _compile_pause(out, modules["k8s.io/kubernetes"], log)
    for name, image in inner.items():
        if name == "kube-proxy":
            _build_kube_proxy(out, programs[name], image, log)
        else:
            at = name if name in ("pause", "coredns") else f"usr/local/bin/{name}"
            import_program(image, pause if name == "pause" else programs[name], at)
    provisioner, helper = storage_images
    import_program(provisioner, programs["local-path-provisioner"], "usr/local/bin/local-path-provisioner")
    capture("docker", "tag", pins.BASE_IMAGE, helper)

    everything = [*inner.values(), provisioner, helper]
    _preload(base, everything, out / "inner.tar", log)
    run_logged(log, "docker", "save", "--output", str(out / "image.tar"), "headrace/kind-node:assembled")
    capture("docker", "image", "rm", "--force", *everything, base)
    for scrap in (context, out / "kube-proxy"):
        shutil.rmtree(scrap)
    (out / "inner.tar").unlink()
    (out / "pause").unlink()


def storage_manifest(kind: Path) -> tuple[str, tuple[str, str]]:
    """kind's default storage manifest and the two images it names, read from kind's own source."""
    source = (kind / "pkg/build/nodeimage/const_storage.go").read_text()
    # Only the backtick on a line of its own ends it; the others splice the names of images in.
    names = dict(re.findall(r'^const (\w+) = "([^"]+)"$', source, re.M))
    found = re.search(r"^const defaultStorageManifest = `(.*?)^`$", source, re.M | re.S)
    if not found:
        raise CommandFailed(f"kind's source in {kind} no longer holds a default storage manifest: see node_image.py")
    text = re.sub(r"` \+ (\w+) \+ `", lambda m: names[m[1]], found[1])
    return text, (names["storageProvisionerImage"], names["storageHelperImage"])


def import_program(image: str, program: Path, at: str) -> None:
    """An image that holds one static program and nothing else."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as tar:
        entry = tar.gettarinfo(program, arcname=at)
        entry.mode, entry.uid, entry.gid, entry.uname, entry.gname, entry.mtime = 0o755, 0, 0, "", "", 0
        with program.open("rb") as content:
            tar.addfile(entry, content)
    changes = ["--change", IN_PATH, "--change", f'ENTRYPOINT ["/{at}"]']
    subprocess.run(["docker", "import", *changes, "-", image], input=held.getvalue(), check=True, capture_output=True)


def _fill_context(context: Path, programs: Mapping[str, Path], kind: Path, net_image: str, storage: str) -> None:
    shutil.copytree(kind / "images/base/files", context / "kind")
    (context / "bin").mkdir()
    (context / "cni").mkdir()
    for name in ("kubelet", "kubeadm", "kubectl", "runc", *RUNTIME):
        shutil.copy2(programs[name], context / "bin" / name)
    for name in PLUGINS:
        shutil.copy2(programs[name], context / "cni" / name)
    (context / "manifests").mkdir()
    network = (pins.NODE_FILES / "default-cni.yaml").read_text().replace("image: IMAGE", f"image: {net_image}")
    (context / "manifests/default-cni.yaml").write_text(network)
    (context / "manifests/default-storage.yaml").write_text(storage)
    shutil.copy(pins.NODE_FILES / "Dockerfile", context / "Dockerfile")


def _docker_build(log: Path, context: Path, tag: str, arguments: Mapping[str, str]) -> None:
    flags = [f"--build-arg={k}={v}" for k, v in arguments.items()]
    run_logged(log, "docker", "build", "--network=host", *flags, "--tag", tag, str(context))


def _build_kube_proxy(out: Path, program: Path, tag: str, log: Path) -> None:
    context = out / "kube-proxy"
    shutil.copytree(pins.NODE_FILES / "kube-proxy", context)
    shutil.copy2(program, context / "kube-proxy")
    _docker_build(log, context, tag, {})


def _compile_pause(out: Path, kubernetes: Path, log: Path) -> Path:
    program = out / "pause"
    source = kubernetes / "build/pause/linux/pause.c"
    run_logged(log, "gcc", "-Os", "-static", "-DVERSION=1", "-o", str(program), str(source))
    return program


def _preload(base: str, images: list[str], archive: Path, log: Path) -> None:
    """Put the images into the node's containerd, so that a node never asks a registry for them."""
    run_logged(log, "docker", "save", "--output", str(archive), *images)
    container = capture("docker", "run", "--detach", "--privileged", "--entrypoint", "sleep", base, "infinity").strip()
    try:
        capture("docker", "exec", "--detach", container, "containerd")
        deadline = time.monotonic() + 30
        while not answers("docker", "exec", container, "ctr", "version"):
            if time.monotonic() > deadline:
                raise CommandFailed("containerd did not start inside the node image that is being assembled")
            time.sleep(0.3)
        load = ["ctr", "--namespace=k8s.io", "images", "import", "--all-platforms", "--no-unpack", "--digests", "-"]
        with archive.open("rb") as stream:
            run_logged(log, "docker", "exec", "--interactive", container, *load, stdin=stream)
        capture("docker", "exec", container, "pkill", "containerd")
        entry = 'ENTRYPOINT ["/usr/local/bin/entrypoint", "/sbin/init"]'
        run_logged(log, "docker", "commit", "--change", entry, container, "headrace/kind-node:assembled")
    finally:
        capture("docker", "rm", "--force", "--volumes", container)
