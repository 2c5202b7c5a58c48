"""What is made from package registries: Go programs, a Debian root, and from both a kind node image."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from headrace.world.cache import Cache, digest_of_tree

from . import engine, node_image, pins
from .shell import capture, run_logged
from .steps import Build, Inputs, Step

HOST_PACKAGES = ("debootstrap", "gcc", "libc6-dev", "libseccomp-dev", "pkg-config")

K8S = "k8s.io/kubernetes/cmd"
CONTAINERD = "github.com/containerd/containerd/v2/cmd"
CNI = "github.com/containernetworking/plugins/plugins"

# One `go build` each, one after the other over one Go module, so that what they share is compiled once.
# local-path-provisioner cannot be built together with others: it spells a module's name in another case.
GO_PROGRAMS: Mapping[str, Mapping[str, str]] = {
    "clients": {
        "kind": "sigs.k8s.io/kind",
        "kubectl": f"{K8S}/kubectl",
        "helm": "helm.sh/helm/v4/cmd/helm",
    },
    "kubernetes": {
        name: f"{K8S}/{name}"
        for name in (
            "kube-apiserver",
            "kube-controller-manager",
            "kube-scheduler",
            "kube-proxy",
            "kubelet",
            "kubeadm",
            "kubectl",
        )
    },
    "runtime": {
        "containerd": f"{CONTAINERD}/containerd",
        "containerd-shim-runc-v2": f"{CONTAINERD}/containerd-shim-runc-v2",
        "ctr": f"{CONTAINERD}/ctr",
        "etcd": "go.etcd.io/etcd/server/v3",
        "coredns": "github.com/coredns/coredns",
        "host-local": f"{CNI}/ipam/host-local",
        "loopback": f"{CNI}/main/loopback",
        "ptp": f"{CNI}/main/ptp",
        "portmap": f"{CNI}/meta/portmap",
    },
    "storage": {"local-path-provisioner": "github.com/rancher/local-path-provisioner"},
}
TAGS = "no_btrfs,no_devmapper,no_zfs"

NOT_IN_SLIM = ("/usr/share/doc", "/usr/share/info", "/usr/share/locale", "/usr/share/man")
APT_KEEPS_NOTHING = """\
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };
Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";
"""


def client_steps(cache: Cache, go_version: str) -> list[Step]:
    """kind, kubectl and helm: what every machine needs."""
    return [_go_step(cache, go_version, "clients")]


def node_steps(cache: Cache, go_version: str) -> list[Step]:
    """All that a node image is assembled from, and the node image."""
    programs = [_go_step(cache, go_version, name) for name in ("kubernetes", "runtime", "storage")]
    runc = Step("runc", "runc", [*_go_pins(go_version), "static seccomp"], [], _runc(cache), alone="go")
    image = Step(
        "node-image",
        "kind node image",
        [pins.kubernetes(), pins.pinned("sigs.k8s.io/kind"), digest_of_tree(pins.NODE_FILES), node_image.RECIPE],
        ["base-root", "runc", *(p.name for p in programs)],
        lambda out, inputs, log: node_image.assemble(out, inputs, log, _sources(cache)),
    )
    return [base_root_step(cache), *programs, runc, image]


def api_server_steps(cache: Cache, go_version: str) -> list[Step]:
    """kube-apiserver (with kubectl) and etcd: an API server without a cluster."""
    return [_go_step(cache, go_version, name) for name in ("kubernetes", "runtime")]


def base_root_step(cache: Cache) -> Step:
    """A minimal Debian, as the base image where that cannot be pulled."""
    return Step(
        "base-root", f"Debian {pins.DEBIAN} root", [pins.DEBIAN, *NOT_IN_SLIM, APT_KEEPS_NOTHING], [], _base_root(cache)
    )


def node_tag(node_image_key: str) -> str:
    return f"headrace/kind-node:{node_image_key[:16]}"


def go_env(cache: Cache) -> dict[str, str]:
    """Go's own caches live in ours: they make an interrupted or repeated build cheap."""
    return {
        "GOCACHE": str(cache.root / "go" / "build"),
        "GOMODCACHE": str(cache.root / "go" / "mod"),
        "GOFLAGS": "-modcacherw -mod=readonly -trimpath -buildvcs=false",
        "CGO_ENABLED": "0",
    }


def _sources(cache: Cache) -> dict[str, Path]:
    """Where the sources of the modules are whose files (not only programs) a node image holds."""
    wanted = ("sigs.k8s.io/kind", "k8s.io/kubernetes")
    names = [f"{m}@{pins.pinned(m)}" for m in wanted]
    said = capture("go", "mod", "download", "-json", *names, env=go_env(cache), timeout=600)
    places: dict[str, Path] = {}
    decoder, at = json.JSONDecoder(), 0
    while at < len(said.rstrip()):
        module, at = decoder.raw_decode(said, at)
        places[module["Path"]] = Path(module["Dir"])
        at += len(said[at:]) - len(said[at:].lstrip())
    return places


def _go_pins(go_version: str) -> list[str]:
    return [go_version, (pins.GO_MODULE / "go.mod").read_text(), (pins.GO_MODULE / "go.sum").read_text()]


def _ldflags() -> str:
    version = pins.kubernetes()
    major, minor, _ = version.removeprefix("v").split(".")
    stamps = {
        "k8s.io/component-base/version.gitVersion": version,
        "k8s.io/component-base/version.gitMajor": major,
        "k8s.io/component-base/version.gitMinor": minor,
        "k8s.io/component-base/version.gitTreeState": "clean",
        "helm.sh/helm/v4/internal/version.version": pins.pinned("helm.sh/helm/v4"),
        "github.com/containerd/containerd/v2/version.Version": pins.pinned("github.com/containerd/containerd/v2"),
    }
    return " ".join(["-s -w", *(f"-X {name}={value}" for name, value in stamps.items())])


def _go_step(cache: Cache, go_version: str, group: str) -> Step:
    programs = GO_PROGRAMS[group]

    def build(out: Path, _: Inputs, log: Path) -> None:
        # Into a directory that stays: Go does not link again what is already there and up to date.
        kept = cache.root / "go" / "out" / group
        kept.mkdir(parents=True, exist_ok=True)
        for name, package in programs.items():
            args = ("-tags", TAGS, "-ldflags", _ldflags(), "-o", str(kept / name), package)
            run_logged(log, "go", "build", *args, cwd=pins.GO_MODULE, env=go_env(cache))
            shutil.copy2(kept / name, out / name)

    what = ", ".join(programs)
    pinned = [*_go_pins(go_version), TAGS, _ldflags(), what]
    return Step(group, f"{group} ({what})", pinned, [], build, alone="go")


def _runc(cache: Cache) -> Build:
    def build(out: Path, _: Inputs, log: Path) -> None:
        engine.install_packages(cache, *HOST_PACKAGES)
        run_logged(
            log,
            *("go", "build", "-tags", "seccomp,netgo,osusergo", "-ldflags", "-s -w -extldflags -static"),
            *("-o", str(out / "runc"), "github.com/opencontainers/runc"),
            cwd=pins.GO_MODULE,
            env={**go_env(cache), "CGO_ENABLED": "1"},
        )

    return build


def _base_root(cache: Cache) -> Build:
    def build(out: Path, _: Inputs, log: Path) -> None:
        engine.install_packages(cache, *HOST_PACKAGES)
        root = out / "root"
        run_logged(log, "debootstrap", "--variant=minbase", pins.DEBIAN, str(root))
        # Security updates and the nearest mirror: from wherever this machine takes them.
        for source in Path("/etc/apt/sources.list.d").glob("debian.sources"):
            shutil.copy(source, root / "etc/apt/sources.list.d/debian.sources")
            (root / "etc/apt/sources.list").unlink(missing_ok=True)
        # As in the published slim image: packages installed later keep no archives, documentation or translations.
        (root / "etc/apt/apt.conf.d/docker-clean").write_text(APT_KEEPS_NOTHING)
        (root / "etc/dpkg/dpkg.cfg.d/docker").write_text("".join(f"path-exclude {path}/*\n" for path in NOT_IN_SLIM))
        for left_over in (*(path.lstrip("/") for path in NOT_IN_SLIM), "var/cache/apt", "var/lib/apt/lists", "var/log"):
            shutil.rmtree(root / left_over, ignore_errors=True)
        for needed in ("var/cache/apt/archives/partial", "var/lib/apt/lists/partial", "var/log"):
            (root / needed).mkdir(parents=True, exist_ok=True)
        excluded = ["--exclude=./dev/*", "--exclude=./proc/*", "--exclude=./sys/*"]
        run_logged(log, "tar", "--numeric-owner", *excluded, "-C", str(root), "-cf", str(out / "root.tar"), ".")
        shutil.rmtree(root)

    return build
