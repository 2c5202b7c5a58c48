"""The local broker, for real. Java is slow to start, so the tests share one broker and leave it as they like."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from headrace.world.local import BrokerFailed, LocalBroker
from headrace.world.local_config import Settings
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from local.processes import group_is_there
from waiting import eventually


@pytest.fixture(scope="module")
def the_one(tmp_path_factory: pytest.TempPathFactory, libs: Path, java_program: str) -> Iterator[LocalBroker]:
    # A directory with what a person's directory may have in its name.
    broker = LocalBroker(Settings(tmp_path_factory.mktemp("zoë's broker"), libs, java_program))
    yield broker
    broker.stop()


@pytest.fixture
def broker(the_one: LocalBroker) -> LocalBroker:
    """Running."""
    if the_one.pid is None:
        the_one.start()
    return the_one


@pytest.fixture
def stopped(the_one: LocalBroker) -> LocalBroker:
    """Formatted, with data, and not running."""
    the_one.stop()
    return the_one


def make_topic(broker: LocalBroker) -> str:
    name = f"t-{uuid.uuid4()}"
    with KafkaAdminClient(bootstrap_servers=broker.bootstrap) as admin:
        admin.create_topics({name: {"num_partitions": 1, "replication_factor": 1}}, wait_for_metadata=True)
    return name


def produce(broker: LocalBroker, topic: str, values: list[bytes]) -> None:
    """Return when every value is acknowledged."""
    with KafkaProducer(bootstrap_servers=broker.bootstrap, acks="all") as producer:
        for future in [producer.send(topic, value) for value in values]:
            future.get(20)


def read(broker: LocalBroker, topic: str) -> list[bytes]:
    partition = TopicPartition(topic, 0)
    found: list[bytes] = []
    with KafkaConsumer(bootstrap_servers=broker.bootstrap, auto_offset_reset="earliest") as consumer:
        consumer.assign([partition])
        end = consumer.end_offsets([partition])[partition]

        def at_the_end() -> bool:
            found.extend(record.value for record in consumer.poll(timeout_ms=200).get(partition, []))
            return bool(consumer.position(partition) >= end)

        eventually(at_the_end, 20, f"all {end} records are read", every=0.02)
    return found


VALUES = [b"%d" % number for number in range(1000)]


def test_a_started_broker_takes_records_and_gives_them_back(broker: LocalBroker) -> None:
    topic = make_topic(broker)
    produce(broker, topic, VALUES)
    assert read(broker, topic) == VALUES


def test_a_broker_that_runs_is_not_started_again(broker: LocalBroker) -> None:
    with pytest.raises(BrokerFailed, match=f"already running as process {broker.pid}"):
        broker.start()


def test_a_second_start_goes_on_with_the_data_on_the_same_address(broker: LocalBroker) -> None:
    topic, address, first = make_topic(broker), broker.bootstrap, broker.pid
    produce(broker, topic, VALUES[:500])
    broker.stop()
    broker.start()
    produce(broker, topic, VALUES[500:])
    assert read(broker, topic) == VALUES
    assert broker.bootstrap == address
    assert broker.pid != first


def test_a_crash_loses_nothing_that_was_acknowledged(broker: LocalBroker) -> None:
    topic = make_topic(broker)
    produce(broker, topic, VALUES)
    assert broker.pid
    os.kill(broker.pid, signal.SIGKILL)
    eventually(lambda: broker.pid is None, 20, "the broker is dead", every=0.02)
    broker.start()
    assert read(broker, topic) == VALUES


def test_the_data_can_be_taken_up_on_other_ports(stopped: LocalBroker) -> None:
    with LocalBroker(stopped.settings) as elsewhere:
        assert elsewhere.client_port != stopped.client_port
        assert elsewhere.controller_port != stopped.controller_port
        topic = make_topic(elsewhere)
        produce(elsewhere, topic, VALUES)
        assert read(elsewhere, topic) == VALUES


def test_a_stopped_broker_leaves_no_process_and_no_open_port(broker: LocalBroker) -> None:
    group = broker.pid
    assert group
    assert group_is_there(group)
    broker.stop()
    assert broker.pid is None
    eventually(lambda: not group_is_there(group), 20, "the broker and its watcher are gone", every=0.02)
    with socket.socket() as client:
        assert client.connect_ex(("127.0.0.1", broker.client_port)) != 0


def test_stopping_what_does_not_run_does_nothing(stopped: LocalBroker) -> None:
    stopped.stop()
    stopped.kill()


STARTS_A_BROKER = """
import sys, pathlib, threading
from headrace.world.local import LocalBroker
from headrace.world.local_config import Settings
directory, libs, java = sys.argv[1:]
broker = LocalBroker(Settings(pathlib.Path(directory), pathlib.Path(libs), java))
broker.start()
print(broker.pid, flush=True)
threading.Event().wait()
"""


def test_a_broker_does_not_outlive_a_starter_that_is_killed(stopped: LocalBroker) -> None:
    settings = stopped.settings
    command = [sys.executable, "-W", "ignore", "-c", STARTS_A_BROKER]
    command += [settings.directory.name, str(settings.libs), settings.java]
    with subprocess.Popen(command, cwd=settings.directory.parent, stdout=subprocess.PIPE, text=True) as starter:
        try:
            assert starter.stdout
            group = int(starter.stdout.readline())
            assert group_is_there(group)
        finally:
            os.kill(starter.pid, signal.SIGKILL)
    try:
        eventually(lambda: not group_is_there(group), 20, "the broker and its watcher are gone", every=0.02)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


@pytest.mark.parametrize("which", ["client_port", "controller_port"])
def test_a_port_that_is_taken_is_named_before_anything_is_written(
    which: str, libs: Path, java_program: str, tmp_path: Path
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        ports = {"client_port": None, "controller_port": None} | {which: port}
        with pytest.raises(BrokerFailed, match=f"{which}: port {port} of 127.0.0.1 is in use"):
            LocalBroker(Settings(tmp_path / "new", libs, java_program, **ports)).start()
    assert not (tmp_path / "new").exists()


def test_the_directory_of_another_cluster_is_not_touched(stopped: LocalBroker) -> None:
    before = (stopped.settings.data / "meta.properties").read_bytes()
    other = LocalBroker(replace(stopped.settings, cluster_id="another-cluster"))
    with pytest.raises(BrokerFailed, match=r"belongs to the cluster '.*', not to 'another-cluster'"):
        other.start()
    assert (stopped.settings.data / "meta.properties").read_bytes() == before


def test_a_directory_that_another_broker_uses_is_left_alone(broker: LocalBroker) -> None:
    properties = (broker.settings.directory / "server.properties").read_bytes()
    with pytest.raises(BrokerFailed, match="another broker runs in"):
        LocalBroker(broker.settings).start()
    assert (broker.settings.directory / "server.properties").read_bytes() == properties
    assert broker.pid


def test_a_broker_that_dies_tells_its_last_words(stopped: LocalBroker) -> None:
    unhappy = LocalBroker(replace(stopped.settings, config={"num.io.threads": "many"}))
    with pytest.raises(BrokerFailed, match="the broker ended with 1 instead of starting") as why:
        unhappy.start()
    assert "Invalid value many for configuration num.io.threads" in str(why.value)
    assert f"all of it: {stopped.settings.log}" in str(why.value)
    assert unhappy.pid is None


def test_a_setting_that_kafka_does_not_take_is_named_at_the_first_start(
    libs: Path, java_program: str, tmp_path: Path
) -> None:
    with pytest.raises(BrokerFailed, match=r"Invalid value many for configuration num\.io\.threads"):
        LocalBroker(Settings(tmp_path, libs, java_program, config={"num.io.threads": "many"})).start()


def test_a_comma_in_the_directorys_name_is_refused(libs: Path, java_program: str, tmp_path: Path) -> None:
    with pytest.raises(BrokerFailed, match="takes a comma"):
        LocalBroker(Settings(tmp_path / "a,b", libs, java_program)).start()


def test_a_start_that_takes_too_long_is_given_up_and_leaves_no_process(stopped: LocalBroker) -> None:
    with pytest.raises(BrokerFailed, match=r"no broker answers on 127\.0\.0\.1:\d+ after 0\.1 s"):
        stopped.start(seconds=0.1)
    assert stopped.pid is None


def test_a_new_directory_takes_the_cluster_id_that_is_given(libs: Path, java_program: str, tmp_path: Path) -> None:
    # One that looks like an option: ids are random, so one in 64 does.
    settings = Settings(tmp_path, libs, java_program, cluster_id="-Aa0_bC1dE2fG3hI4jK5lM")
    with LocalBroker(settings) as made, KafkaAdminClient(bootstrap_servers=made.bootstrap) as admin:
        assert admin.describe_cluster()["cluster_id"] == settings.cluster_id
