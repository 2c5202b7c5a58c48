"""On which machine what is done, and what a person is told when it cannot be."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kind import decide, pins
from kind.facts import Facts

LAPTOP = Facts(
    root=False,
    debian=False,
    systemd=False,
    docker_client=True,
    docker_daemon=False,
    engine="28.3.0",
    engine_error="",
    sys_resource=True,
    cgroup_v1=False,
    inotify_instances=None,
    go="1.26.8",
    machine="arm64",
)
BARE_DEBIAN = Facts(
    root=True,
    debian=True,
    systemd=False,
    docker_client=False,
    docker_daemon=False,
    engine=None,
    engine_error="`docker` is not installed",
    sys_resource=False,
    cgroup_v1=True,
    inotify_instances=128,
    go="1.26.8",
    machine="x86_64",
)


@pytest.mark.parametrize(
    ("facts", "action"),
    [
        (LAPTOP, "use"),
        (BARE_DEBIAN, "install and start"),
        (replace(BARE_DEBIAN, docker_daemon=True), "start"),
        (replace(BARE_DEBIAN, engine="20.10"), "use"),
    ],
)
def test_an_engine_is_used_started_or_installed(facts: Facts, action: str) -> None:
    decision = decide.engine(facts)
    assert (decision.action, decision.possible) == (action, True)


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (replace(LAPTOP, engine=None, engine_error="permission denied"), ["permission denied", "not root", "start it"]),
        (replace(LAPTOP, engine=None, docker_client=False), ["install Docker and start it"]),
        (replace(BARE_DEBIAN, debian=False), ["only on Debian", "install Docker"]),
    ],
)
def test_where_no_engine_can_be_had_the_person_is_told_what_to_do(facts: Facts, told: list[str]) -> None:
    decision = decide.engine(facts)
    assert not decision.possible
    assert all(words in decision.why for words in told)


def test_the_runtime_is_wrapped_only_where_the_capability_is_missing() -> None:
    assert decide.runtime_wrapper(BARE_DEBIAN).action == "wrapped runc"
    assert decide.runtime_wrapper(replace(BARE_DEBIAN, sys_resource=True)).action == "plain runc"


@pytest.mark.parametrize(
    ("facts", "asked", "pull_error", "action"),
    [
        (LAPTOP, None, None, "published"),
        (LAPTOP, "published", None, "published"),
        (BARE_DEBIAN, None, None, "published"),
        (BARE_DEBIAN, None, "no such host", "assembled"),
        (BARE_DEBIAN, "assembled", None, "assembled"),
    ],
)
def test_the_published_node_image_is_preferred_and_the_assembled_one_is_the_way_out(
    facts: Facts, asked: decide.Way | None, pull_error: str | None, action: str
) -> None:
    decision = decide.node_image(facts, asked, pull_error)
    assert (decision.action, decision.possible) == (action, True)


@pytest.mark.parametrize(
    ("facts", "asked", "told"),
    [
        (LAPTOP, None, ["no such host", "root, Debian", "x86_64", "kindest/node:"]),
        (replace(BARE_DEBIAN, machine="aarch64"), None, ["an x86_64 machine"]),
        (BARE_DEBIAN, "published", ["asked for", "no such host"]),
    ],
)
def test_where_no_node_image_can_be_had_the_person_is_told_what_is_missing(
    facts: Facts, asked: decide.Way | None, told: list[str]
) -> None:
    decision = decide.node_image(facts, asked, "no such host")
    assert not decision.possible
    assert all(words in decision.why for words in told), decision.why


@pytest.mark.parametrize(("go", "possible"), [(None, False), ("1.21.1", False), ("1.26.8", True), ("1.27rc1", True)])
def test_the_tools_need_a_recent_enough_go(go: str | None, possible: bool) -> None:
    decision = decide.client_tools(replace(LAPTOP, go=go))
    assert decision.possible is possible
    assert possible or pins.minimum_go() in decision.why


@pytest.mark.parametrize(
    ("facts", "action"),
    [
        (LAPTOP, "leave"),
        (BARE_DEBIAN, "raise"),
        (replace(BARE_DEBIAN, root=False), "warn"),
        (replace(BARE_DEBIAN, inotify_instances=8192), "leave"),
    ],
)
def test_the_limit_of_inotify_instances_is_raised_where_it_is_low_and_we_may(facts: Facts, action: str) -> None:
    assert decide.inotify(facts).action == action


def test_a_laptop_gets_an_ordinary_kind_cluster() -> None:
    config = decide.kind_config(LAPTOP, 1, "/shared")
    assert [node["role"] for node in config["nodes"]] == ["control-plane"]
    assert "featureGates" not in config
    assert "containerdConfigPatches" not in config
    assert not any("failCgroupV1" in patch for patch in config["kubeadmConfigPatches"])


def test_a_restricted_machine_gets_what_its_kubelet_needs() -> None:
    config = decide.kind_config(BARE_DEBIAN, 4, "/shared")
    assert [node["role"] for node in config["nodes"]] == ["control-plane", "worker", "worker", "worker"]
    assert config["featureGates"] == {"KubeletInUserNamespace": True}
    assert any("failCgroupV1: false" in patch for patch in config["kubeadmConfigPatches"])


def test_every_node_mounts_the_same_shared_directory() -> None:
    config = decide.kind_config(LAPTOP, 3, "/shared")
    mounts = [{"hostPath": "/shared", "containerPath": decide.SHARED_IN_NODE}]
    assert all(node["extraMounts"] == mounts for node in config["nodes"])
