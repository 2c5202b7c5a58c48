from __future__ import annotations

from pathlib import Path

import pytest
from headrace.world.local import telling_lines
from headrace.world.local_config import Settings, server_properties


def of(**config: str) -> dict[str, str]:
    named = {key.replace("_", "."): value for key, value in config.items()}
    return server_properties(Settings(Path("/d"), Path("/libs"), "java", config=named), 9092, 9093)


def test_one_node_is_broker_and_controller_on_this_machine_only() -> None:
    made = of()
    assert made["process.roles"] == "broker,controller"
    assert made["listeners"] == "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093"
    assert made["advertised.listeners"] == made["listeners"]
    assert made["controller.quorum.bootstrap.servers"] == "127.0.0.1:9093"
    assert made["log.dirs"] == "/d/data"


def test_no_setting_waits_for_a_second_broker() -> None:
    copies = {key: value for key, value in of().items() if key.endswith(("replication.factor", "min.isr", "replicas"))}
    assert len(copies) == 7
    assert set(copies.values()) == {"1"}


def test_a_given_setting_wins_over_the_laptops() -> None:
    assert of(group_initial_rebalance_delay_ms="3000")["group.initial.rebalance.delay.ms"] == "3000"


def test_a_given_setting_cannot_turn_it_into_another_broker() -> None:
    made = of(node_id="7", listeners="PLAINTEXT://0.0.0.0:1")
    assert (made["node.id"], made["listeners"]) == (of()["node.id"], of()["listeners"])


@pytest.mark.parametrize(
    ("log", "told"),
    [
        (
            "2026-11-18T11:14:54,591 INFO values: \n\tnode.id = 1\n (AbstractConfig)\n"
            "2026-11-18T11:14:54,592 ERROR Exiting Kafka (K)\njava.lang.E: no\n\tat a.b(C.java:1)\n\t... 6 more\n"
            "Caused by: java.net.BindException: Address already in use\n\tat d\n"
            "2026-11-18T11:14:54,593 INFO shutting down (K)\n",
            "    2026-11-18T11:14:54,592 ERROR Exiting Kafka (K)\n    java.lang.E: no\n"
            "    Caused by: java.net.BindException: Address already in use",
        ),
        (
            "Error: Could not find or load main class kafka.Kafka\n",
            "    Error: Could not find or load main class kafka.Kafka",
        ),
        ("2026-11-18T11:14:54,591 INFO one (K)\n", "    2026-11-18T11:14:54,591 INFO one (K)"),
        ("", ""),
    ],
)
def test_the_end_of_a_log_is_shown_without_frames_and_chatter(log: str, told: str) -> None:
    assert telling_lines(log) == told


def test_of_a_long_log_only_the_end_is_shown() -> None:
    assert telling_lines("\n".join(f"ERROR {n}" for n in range(100)), at_most=2) == "    ERROR 98\n    ERROR 99"
