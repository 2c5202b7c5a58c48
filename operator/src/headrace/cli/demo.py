"""`headrace demo`: a real broker on this machine, killed while records are coming in, and a count of what came out."""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition

from headrace.cli.tally import Record, Tally, tally
from headrace.world import jars, java
from headrace.world.cache import default_cache_dir
from headrace.world.local import LocalBroker
from headrace.world.local_config import Settings

TOPIC = "readings"
PARTITIONS = 6
SENSORS = 100
PATIENCE = 60.0  # seconds for anything that takes one or two

Say = Callable[[str], None]


class DemoFailed(Exception):
    """The demo could not be carried through; the message says what went wrong."""


def run(env: Mapping[str, str], records: int, rate: int) -> int:
    """Show it, with `records` readings at `rate` a second. The exit code is 0 only if the count is exact."""
    # A killed broker is the point here, so its clients need not tell that they cannot reach it.
    logging.getLogger("kafka").setLevel(logging.CRITICAL)
    say = _stopwatch()
    libs = jars.fetch(jars.broker_pom(), default_cache_dir(env))
    program = java.find(env)
    directory = Path(tempfile.mkdtemp(prefix="headrace-demo-"))
    keep = True
    try:
        with LocalBroker(Settings(directory, libs, program)) as broker:
            outcome, pause = _show(broker, records, rate, say)
        keep = not outcome.exact
        return report(outcome, pause)
    except KeyboardInterrupt:
        keep = False
        raise
    finally:
        if keep:
            print(f"the broker's files are kept for a look: {directory}", flush=True)
        else:
            shutil.rmtree(directory)


def _show(broker: LocalBroker, records: int, rate: int, say: Say) -> tuple[Tally, float]:
    say(f"a Kafka broker is up on {broker.bootstrap}, as process {broker.pid}")
    with KafkaAdminClient(bootstrap_servers=broker.bootstrap) as admin:
        admin.create_topics({TOPIC: {"num_partitions": PARTITIONS, "replication_factor": 1}}, wait_for_metadata=True)
    say(f"topic {TOPIC!r} with {PARTITIONS} partitions is there")
    sensors = Sensors(broker.bootstrap, records, rate)
    sensors.start()
    say(f"{SENSORS} sensors send {records:,} readings, {rate:,} a second, each acknowledged by the broker (acks=all)")
    sensors.wait_for(records // 2)
    broker.kill()
    say(f"{sensors.acknowledged:,} are acknowledged: the broker is killed (SIGKILL), the sensors go on sending")
    broker.start()
    say(f"the broker is up again on its data, as process {broker.pid}")
    acknowledged = sensors.finish()
    say("every reading is acknowledged; reading all of them back")
    read = read_all(broker.bootstrap)
    say("done")
    return tally(acknowledged, read), sensors.longest_pause()


class Sensors:
    """A producer in a thread of its own that sends readings at a steady rate, whether or not the broker is there."""

    def __init__(self, bootstrap: str, records: int, rate: int) -> None:
        self._bootstrap = bootstrap
        self._records = records
        self._rate = rate
        self._thread = threading.Thread(target=self._run, name="sensors", daemon=True)
        self._trouble: BaseException | None = None
        self._sent: list[Record] = []
        self._acknowledged_at: list[float] = []

    @property
    def acknowledged(self) -> int:
        return len(self._acknowledged_at)

    def start(self) -> None:
        self._thread.start()

    def wait_for(self, acknowledged: int) -> None:
        """Return when that many readings are acknowledged."""
        deadline = time.monotonic() + PATIENCE + self._records / self._rate
        while self.acknowledged < acknowledged:
            if self._trouble:
                raise DemoFailed(f"a reading could not be sent: {self._trouble}") from self._trouble
            if time.monotonic() > deadline:
                raise DemoFailed(f"only {self.acknowledged:,} of {acknowledged:,} readings were acknowledged in time")
            time.sleep(0.005)

    def finish(self) -> list[Record]:
        """All readings in the order of sending, when all are acknowledged."""
        self.wait_for(self._records)
        self._thread.join(PATIENCE)
        return self._sent

    def longest_pause(self) -> float:
        """Seconds between the two acknowledgements that lie farthest apart."""
        return max((after - before for before, after in pairwise(self._acknowledged_at)), default=0.0)

    def _run(self) -> None:
        try:
            with KafkaProducer(
                bootstrap_servers=self._bootstrap,
                acks="all",
                enable_idempotence=True,
                linger_ms=5,
                reconnect_backoff_max_ms=500,  # 30 s by default: most of the pause would be the client's
            ) as producer:
                self._send_all(producer)
        except BaseException as error:
            self._trouble = error

    def _send_all(self, producer: KafkaProducer) -> None:
        started = time.monotonic()
        for number in range(self._records):
            time.sleep(max(0.0, started + number / self._rate - time.monotonic()))
            sensor = f"sensor-{number % SENSORS:03d}"
            reading = {"sensor": sensor, "number": number, "temp": 20 + number % 70 / 10, "at": round(time.time(), 3)}
            future = producer.send(TOPIC, key=sensor.encode(), value=json.dumps(reading).encode())
            self._sent.append((sensor, number))
            future.add_callback(lambda _: self._acknowledged_at.append(time.monotonic()))
            future.add_errback(self._gave_up)

    def _gave_up(self, error: BaseException) -> None:
        self._trouble = error


def read_all(bootstrap: str) -> list[Record]:
    """Every reading in the topic, those of one partition in its order."""
    read: list[Record] = []
    with KafkaConsumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest", enable_auto_commit=False) as consumer:
        partitions = [TopicPartition(TOPIC, number) for number in range(PARTITIONS)]
        consumer.assign(partitions)
        ends = consumer.end_offsets(partitions)
        deadline = time.monotonic() + PATIENCE
        while any(consumer.position(partition) < ends[partition] for partition in partitions):
            if time.monotonic() > deadline:
                raise DemoFailed(f"only {len(read):,} of {sum(ends.values()):,} readings could be read back in time")
            for batch in consumer.poll(timeout_ms=500).values():
                for record in batch:
                    read.append((record.key.decode(), json.loads(record.value)["number"]))
    return read


def report(outcome: Tally, pause: float) -> int:
    """Print what a person reads at the end; the exit code is 0 only for an exact count."""
    rows = {
        "acknowledged": f"{outcome.acknowledged:,}",
        "read back": f"{outcome.read:,}",
        "missing": f"{outcome.missing:,}",
        "doubled": f"{outcome.doubled:,}",
        "never sent": f"{outcome.unexpected:,}",
        "order kept per sensor": "yes" if outcome.ordered else f"no, {outcome.out_of_order:,} came late",
        "longest pause": f"{pause:.1f} s",
    }
    lines = [f"  {name:<22} {value:>9}" for name, value in rows.items()]
    verdict = "exact: nothing lost, nothing doubled, nothing out of order" if outcome.exact else "NOT exact"
    print("\n".join(["", *lines, "", verdict]), flush=True)
    return 0 if outcome.exact else 1


def _stopwatch() -> Say:
    started = time.monotonic()

    def say(line: str) -> None:
        print(f"{time.monotonic() - started:5.1f} s  {line}", flush=True)

    return say
