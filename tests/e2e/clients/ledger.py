"""A producer and a reader that keep books: every record that was acknowledged must be read, once.

    ledger.py BOOTSTRAP TOPIC RATE

Sends RATE records a second (acks=all, idempotent) until the file /tmp/stop is there, and reads the topic all the while.
Then it waits until the reader has seen the end, and prints one line of JSON: what was acknowledged, read, lost, doubled
and out of order, what was refused with an error, and the longest time in which nothing was acknowledged.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

STOP = Path("/tmp/stop")
PROGRESS = Path("/tmp/progress")
KEYS = 20
FLUSHED_WITHIN = 120.0
READ_WITHIN = 120.0


class Books:
    def __init__(self) -> None:
        self.acknowledged: set[int] = set()
        self.refused: dict[str, int] = defaultdict(int)
        self.seen: dict[int, int] = defaultdict(int)
        self.last_of_key: dict[int, int] = {}
        self.out_of_order = 0
        self.last_acknowledged = time.monotonic()
        self.longest_pause = 0.0

    def delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.refused[error.name()] += 1
            return
        now = time.monotonic()
        self.longest_pause = max(self.longest_pause, now - self.last_acknowledged)
        self.last_acknowledged = now
        value = message.value()
        assert value is not None
        self.acknowledged.add(int(value))

    def read(self, message: Message) -> None:
        value = message.value()
        assert value is not None
        number = int(value)
        key = number % KEYS
        if not self.seen[number] and number < self.last_of_key.get(key, -1):
            self.out_of_order += 1
        self.seen[number] += 1
        self.last_of_key[key] = max(number, self.last_of_key.get(key, -1))

    def summary(self) -> dict[str, object]:
        return {
            "acknowledged": len(self.acknowledged),
            "read": len(self.seen),
            "lost": len(self.acknowledged - self.seen.keys()),
            "doubled": sum(times > 1 for times in self.seen.values()),
            "out_of_order": self.out_of_order,
            "refused": dict(self.refused),
            "longest_pause": round(self.longest_pause, 1),
        }


def produce(books: Books, bootstrap: str, topic: str, rate: float) -> None:
    settings = {
        "bootstrap.servers": bootstrap,
        "enable.idempotence": True,
        "acks": "all",
        "linger.ms": 5,
        "delivery.timeout.ms": 300_000,
        "topic.metadata.refresh.interval.ms": 5000,
        "socket.connection.setup.timeout.ms": 2000,
    }
    producer = Producer(settings)
    number, started = 0, time.monotonic()
    while not STOP.exists():
        due = int((time.monotonic() - started) * rate)
        while number < due:
            key = str(number % KEYS)
            try:
                producer.produce(topic, value=str(number), key=key, on_delivery=books.delivered)
            except BufferError:  # full: what is not sent is not acknowledged, so it is sent later
                break
            number += 1
        producer.poll(0.02)
        PROGRESS.write_text(str(len(books.acknowledged)))
    producer.flush(FLUSHED_WITHIN)


def read(books: Books, bootstrap: str, topic: str, done: threading.Event) -> None:
    settings = {
        "bootstrap.servers": bootstrap,
        "group.id": "ledger",
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
        "socket.connection.setup.timeout.ms": 2000,
    }
    consumer = Consumer(settings)
    partitions = consumer.list_topics(topic, timeout=30).topics[topic].partitions
    consumer.assign([TopicPartition(topic, p, 0) for p in partitions])
    while not done.is_set():
        message = consumer.poll(0.2)
        if message is not None and message.error() is None:
            books.read(message)
    consumer.close()


def main(bootstrap: str, topic: str, rate: str) -> int:
    books, done = Books(), threading.Event()
    reader = threading.Thread(target=read, args=(books, bootstrap, topic, done))
    reader.start()
    produce(books, bootstrap, topic, float(rate))
    deadline = time.monotonic() + READ_WITHIN
    while books.acknowledged - books.seen.keys() and time.monotonic() < deadline:
        time.sleep(0.2)
    done.set()
    reader.join()
    print(json.dumps(books.summary()))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
