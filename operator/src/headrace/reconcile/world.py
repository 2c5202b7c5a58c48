"""All that a pass may touch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from headrace.plan.look import Defaults
from headrace.world.hearing import Hearing
from headrace.world.kafka_pool import KafkaPool
from headrace.world.kube import Kube


@dataclass(frozen=True)
class World:
    kube: Kube
    kafka: KafkaPool
    hearing: Hearing
    defaults: Defaults
    clock: Callable[[], datetime]
