"""What Helm makes of our chart: the objects that it renders, and the values that it refuses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from headrace.api.broker import Broker
from headrace.api.manifest import parse
from kind.shell import CommandFailed

from .helm import CHART, NAMESPACE, Helm, Manifest

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"
OTHER: dict[str, Any] = yaml.safe_load((GOLDEN / "other.values.yaml").read_text())
VALUES: dict[str, dict[str, Any]] = {"default": {}, "other": OTHER}
KEEP = {"helm.sh/resource-policy": "keep"}


def is_crd(manifest: Manifest) -> bool:
    return bool(manifest["kind"] == "CustomResourceDefinition")


def of_kind(manifests: list[Manifest], *kinds: str) -> list[Manifest]:
    return [m for m in manifests if m["kind"] in kinds]


def texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text in an object, with the name of the field that it is in."""
    match value:
        case dict():
            for name, below in value.items():
                yield from texts(below, name)
        case list():
            for below in value:
                yield from texts(below, key)
        case str():
            yield key, value


def test_helm_has_nothing_to_say_against_it(helm: Helm) -> None:
    assert "0 chart(s) failed" in helm("lint", "--strict", str(CHART))


@pytest.mark.parametrize("name", VALUES)
def test_renders_what_the_golden_file_holds(helm: Helm, name: str) -> None:
    rendered = [m for m in helm.template(VALUES[name]) if not is_crd(m)]
    text = yaml.safe_dump_all(rendered, sort_keys=False, width=120)
    file = GOLDEN / f"{name}.yaml"
    if os.environ.get("HEADRACE_WRITE_GOLDEN"):
        file.write_text(text)
    assert file.exists() and file.read_text() == text, (
        f"the chart no longer renders {file.relative_to(ROOT)}: if that is meant, run `make golden`"
    )


def test_the_other_values_set_every_value_to_something_else() -> None:
    defaults = yaml.safe_load((CHART / "values.yaml").read_text())
    assert defaults.keys() == OTHER.keys()
    assert [key for key in defaults if defaults[key] == OTHER[key]] == []


def test_holds_the_crds_as_they_are_and_keeps_them_when_it_is_uninstalled(helm: Helm) -> None:
    rendered = {m["metadata"]["name"]: m for m in helm.template() if is_crd(m)}
    crds = [yaml.safe_load(file.read_text()) for file in sorted((ROOT / "crds").glob("*.yaml"))]
    for crd in crds:
        crd["metadata"]["annotations"] = {**crd["metadata"].get("annotations", {}), **KEEP}
    assert rendered == {crd["metadata"]["name"]: crd for crd in crds}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a value that there is not": ({"replica": 1}, "additional properties 'replica' not allowed"),
    "an image that there is not": ({"images": {"kafka": "a:1"}}, "additional properties 'kafka' not allowed"),
    "no operator's image": ({"images": {"operator": ""}}, "at '/images/operator': minLength: got 0, want 1"),
    "no broker's image": ({"images": {"broker": None}}, "at '/images': missing property 'broker'"),
    "a policy that there is not": ({"images": {"pullPolicy": "Sometimes"}}, "'Always', 'IfNotPresent', 'Never'"),
    "one secret that is not a list": ({"images": {"pullSecrets": "mine"}}, "got string, want array"),
    "half a version": ({"kafkaVersion": "4.3"}, "at '/kafkaVersion': '4.3' does not match pattern"),
    "a version that is a number": ({"kafkaVersion": 4.3}, "at '/kafkaVersion': got number, want string"),
    "a namespace that cannot be": ({"watchNamespaces": ["My_Space"]}, "'My_Space' does not match pattern"),
    "fewer operators than none": ({"replicas": -1}, "at '/replicas': minimum: got -1, want 0"),
    "more operators than are of use": ({"replicas": 6}, "at '/replicas': maximum: got 6, want 5"),
    "a number in quotes": ({"replicas": "2"}, "at '/replicas': got string, want integer"),
    "a first Broker that is a word": (
        {"broker": {"create": "yes please"}},
        "'/broker/create': got string, want boolean",
    ),
    "a first Broker's bad name": ({"broker": {"name": "1st"}}, "at '/broker/name': '1st' does not match pattern"),
    "a first Broker without storage": (
        {"broker": {"spec": {"replicas": 1}}},
        "at '/broker/spec': missing property 'storage'",
    ),
    "a first Broker that nobody looks after": (
        {"broker": {"create": True}, "watchNamespaces": ["elsewhere"]},
        f"would be made in namespace {NAMESPACE}, which is not among watchNamespaces: add it",
    ),
}


@pytest.mark.parametrize(("values", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_refuses(helm: Helm, values: dict[str, Any], says: str) -> None:
    with pytest.raises(CommandFailed) as refusal:
        helm.template(values)
    assert says in str(refusal.value)


def test_every_image_is_a_value(helm: Helm) -> None:
    """Where no image can be pulled from outside, all of them can be given other names."""
    images = {"operator": "registry.test/one:1", "broker": "registry.test/two:2"}
    rendered = [m for m in helm.template({**OTHER, "images": images}) if not is_crd(m)]
    assert {text for manifest in rendered for key, text in texts(manifest) if key == "image"} == {images["operator"]}
    (deployment,) = of_kind(rendered, "Deployment")
    env = {e["name"]: e.get("value") for e in deployment["spec"]["template"]["spec"]["containers"][0]["env"]}
    assert env["HEADRACE_BROKER_IMAGE"] == images["broker"]
    default = yaml.safe_load((CHART / "values.yaml").read_text())["images"]
    assert not {default["operator"], default["broker"]} & {text for manifest in rendered for _, text in texts(manifest)}


@pytest.mark.parametrize("name", VALUES)
def test_asks_for_no_right_that_would_make_it_an_administrator(helm: Helm, name: str) -> None:
    rules = [rule for role in of_kind(helm.template(VALUES[name]), "ClusterRole", "Role") for rule in role["rules"]]
    assert rules
    for rule in rules:
        assert rule.keys() == {"apiGroups", "resources", "verbs"}
        assert not any("*" in word for words in rule.values() for word in words)
        assert not {"escalate", "bind", "impersonate"} & set(rule["verbs"])
        assert not {"secrets", "serviceaccounts", "roles", "clusterroles", "rolebindings"} & set(rule["resources"])
        assert not {"pods/exec", "pods/attach", "pods/portforward"} & set(rule["resources"])


def granted(manifests: list[Manifest], role: str) -> list[tuple[str, str | None]]:
    """By which bindings, and in which namespaces, a role is granted."""
    bindings = of_kind(manifests, "ClusterRoleBinding", "RoleBinding")
    return [(b["kind"], b["metadata"].get("namespace")) for b in bindings if b["roleRef"]["name"] == role]


def test_without_namespaces_to_watch_its_rights_are_for_all_of_them(helm: Helm) -> None:
    assert granted(helm.template(), "streams-operator") == [("ClusterRoleBinding", None)]


def test_with_namespaces_to_watch_it_has_rights_in_these_alone(helm: Helm) -> None:
    rendered = helm.template({"watchNamespaces": ["one", "two"]})
    assert granted(rendered, "streams-operator") == [("RoleBinding", "one"), ("RoleBinding", "two")]
    # What is left for the whole cluster is to see whether the volumes of a class can grow.
    (left,) = of_kind(rendered, "ClusterRoleBinding")
    (role,) = [r for r in of_kind(rendered, "ClusterRole") if r["metadata"]["name"] == left["roleRef"]["name"]]
    assert role["rules"] == [{"apiGroups": ["storage.k8s.io"], "resources": ["storageclasses"], "verbs": ["get"]}]


def test_every_role_is_there_and_is_granted_to_the_operator(helm: Helm) -> None:
    rendered = helm.template(OTHER)
    roles = {r["metadata"]["name"] for r in of_kind(rendered, "Role", "ClusterRole")}
    bindings = of_kind(rendered, "RoleBinding", "ClusterRoleBinding")
    assert {b["roleRef"]["name"] for b in bindings} == roles
    (account,) = of_kind(rendered, "ServiceAccount")
    subject = {"kind": "ServiceAccount", "name": account["metadata"]["name"], "namespace": NAMESPACE}
    assert all(b["subjects"] == [subject] for b in bindings)


def first_broker(manifests: list[Manifest]) -> Manifest | None:
    found = [m["data"]["broker.yaml"] for m in of_kind(manifests, "ConfigMap")]
    return yaml.safe_load(found[0]) if found else None


def test_a_first_broker_is_only_made_if_it_is_asked_for(helm: Helm) -> None:
    rendered = helm.template()
    assert first_broker(rendered) is None
    assert not [args for _, args in texts(of_kind(rendered, "Deployment")) if args.startswith("--first")]


@pytest.mark.parametrize("spec", [{}, OTHER["broker"]["spec"]], ids=["the default one", "one of their own"])
def test_a_first_broker_is_a_valid_one(helm: Helm, spec: dict[str, Any]) -> None:
    made = first_broker(helm.template({"broker": {"create": True, "spec": spec}}))
    assert made is not None
    broker = parse(made)
    assert isinstance(broker, Broker)
    assert (broker.metadata.name, broker.metadata.namespace) == ("main", NAMESPACE)
    assert not spec or made["spec"] == spec
