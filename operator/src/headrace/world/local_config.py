"""What a local broker is made of, and what it reads at its start. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from headrace.world.ports import HOST

# A broker with no second one to copy to, and with few enough files and threads for a laptop. `config` may change these.
LAPTOP = {
    "default.replication.factor": "1",
    "min.insync.replicas": "1",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "4",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "4",
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "log.cleaner.threads": "1",
    "log.cleaner.dedupe.buffer.size": str(16 * 1024 * 1024),
    # After a crash the controller refuses the broker's new life until the old one's session is over: 9 s by default.
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
}

LOGGING = {
    "rootLogger.level": "info",
    "rootLogger.appenderRef.out.ref": "out",
    "appender.out.type": "Console",
    "appender.out.name": "out",
    "appender.out.layout.type": "PatternLayout",
    "appender.out.layout.pattern": "%d{ISO8601} %p %m (%c{1})%n",
}


@dataclass(frozen=True)
class Settings:
    """What a local broker is made of."""

    directory: Path  # holds its data, its settings and its log; made if it is not there
    libs: Path  # Kafka's jars
    java: str
    client_port: int | None = None  # None: one that is free
    controller_port: int | None = None
    cluster_id: str | None = None  # None: the one that the directory has, or a new one
    heap_megabytes: int = 512
    config: Mapping[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        return self.directory / "data"

    @property
    def log(self) -> Path:
        return self.directory / "broker.log"


def server_properties(settings: Settings, client_port: int, controller_port: int) -> dict[str, str]:
    """What the broker reads at its start: the laptop's settings, the given ones, and those that make it this broker."""
    listeners = f"PLAINTEXT://{HOST}:{client_port},CONTROLLER://{HOST}:{controller_port}"
    return {
        **LAPTOP,
        **settings.config,
        "process.roles": "broker,controller",
        "node.id": "1",
        "log.dirs": str(settings.data),
        "listeners": listeners,
        "advertised.listeners": listeners,
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.bootstrap.servers": f"{HOST}:{controller_port}",
    }
