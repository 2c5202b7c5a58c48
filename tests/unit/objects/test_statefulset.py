"""The pods of nodes: without privileges, spread, and restarted by nobody but the operator."""

from __future__ import annotations

from typing import Any

from headrace.objects.names import BROKERS, CONTROLLERS
from headrace.objects.statefulset import stateful_set

from unit.plan.broker_world import broker


def made(role: str = BROKERS, **spec: Any) -> dict[str, Any]:
    found: dict[str, Any] = stateful_set(broker(**spec), role, 3, "image:1", "cluster")["spec"]
    return found


def pod(role: str = BROKERS, **spec: Any) -> dict[str, Any]:
    found: dict[str, Any] = made(role, **spec)["template"]["spec"]
    return found


def test_kubernetes_restarts_no_node_and_takes_no_claim_away() -> None:
    spec = made()
    assert spec["updateStrategy"] == {"type": "OnDelete"}
    assert spec["persistentVolumeClaimRetentionPolicy"] == {"whenDeleted": "Retain", "whenScaled": "Retain"}


def test_a_node_runs_without_privileges() -> None:
    (container,) = pod()["containers"]
    assert pod()["securityContext"]["runAsNonRoot"]
    assert pod()["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod()["automountServiceAccountToken"] is False


def test_nodes_are_spread_over_machines_strictly_unless_a_person_says_otherwise() -> None:
    (machines, _zones) = pod()["topologySpreadConstraints"]
    assert (machines["topologyKey"], machines["whenUnsatisfiable"]) == ("kubernetes.io/hostname", "DoNotSchedule")
    own = [{"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "ScheduleAnyway"}]
    assert pod(template={"topologySpreadConstraints": own})["topologySpreadConstraints"] == own
    assert pod(template={"nodeSelector": {"disk": "fast"}})["nodeSelector"] == {"disk": "fast"}


def test_memory_is_a_bounded_volume_of_the_pod_and_no_claim() -> None:
    storage = {"memory": {"size": "64Mi"}}
    assert "volumeClaimTemplates" not in made(storage=storage)
    data = next(v for v in pod(storage=storage)["volumes"] if v["name"] == "data")
    assert data["emptyDir"] == {"medium": "Memory", "sizeLimit": "64Mi"}


def test_controllers_have_their_own_size_heap_and_resources() -> None:
    controllers = {"storageSize": "2Gi", "heap": "128Mi", "resources": {"requests": {"cpu": "50m"}}}
    (container,) = pod(CONTROLLERS, controllers=controllers)["containers"]
    assert {"name": "HEAP", "value": str(128 * 2**20)} in container["env"]
    assert container["resources"]["requests"] == {"cpu": "50m"}
    (claim,) = made(CONTROLLERS, controllers=controllers)["volumeClaimTemplates"]
    assert claim["spec"]["resources"]["requests"]["storage"] == "2Gi"


def test_claims_keep_the_size_that_they_were_first_asked_with() -> None:
    """Kubernetes does not let it change there; the claims themselves are made to grow."""
    bigger = broker(storage={"persistent": {"size": "5Gi"}})
    spec = stateful_set(bigger, BROKERS, 3, "image:1", "cluster", claim_size="1Gi")["spec"]
    assert spec["volumeClaimTemplates"][0]["spec"]["resources"]["requests"]["storage"] == "1Gi"
