"""Admin connections, one per Broker, kept open between passes and used by one thread at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError

from headrace.api.broker import Broker
from headrace.objects.names import bootstrap_address

from . import connection
from .kafka_cluster import Unanswered, in_words

T = TypeVar("T")
Key = tuple[str, str]


class KafkaPool:
    def __init__(self, on_request: Callable[[], None] = lambda: None) -> None:
        self._on_request = on_request
        self._open: dict[Key, KafkaAdminClient] = {}
        self._locks: dict[Key, asyncio.Lock] = {}

    async def run(self, broker: Broker, use: Callable[[KafkaAdminClient], T]) -> T:
        """`use` in a thread of its own, on this Broker's connection. Raises Unanswered when Kafka cannot be reached."""
        key = (broker.metadata.namespace, broker.metadata.name)
        async with self._locks.setdefault(key, asyncio.Lock()):
            return await asyncio.to_thread(self._use, key, bootstrap_address(broker), use)

    async def forget(self, namespace: str, name: str) -> None:
        """Close the connection of a Broker that is gone, when nobody uses it any more."""
        key = (namespace, name)
        if key in self._open:
            async with self._locks[key]:
                await asyncio.to_thread(self._drop, key)

    def close(self) -> None:
        for key in list(self._open):
            self._drop(key)

    def _use(self, key: Key, address: str, use: Callable[[KafkaAdminClient], T]) -> T:
        try:
            if key not in self._open:
                self._open[key] = self._counted(connection.admin(address))
            return use(self._open[key])
        except Unanswered:
            self._drop(key)
            raise
        except (KafkaError, OSError) as why:
            self._drop(key)
            raise Unanswered(in_words(why)) from why

    def _counted(self, admin: KafkaAdminClient) -> KafkaAdminClient:
        send = admin._manager.send

        def counting(*args: Any, **kwargs: Any) -> Any:
            self._on_request()
            return send(*args, **kwargs)

        admin._manager.send = counting
        return admin

    def _drop(self, key: Key) -> None:
        """A connection that failed is made anew: nodes may have other addresses by now."""
        admin = self._open.pop(key, None)
        if admin:
            admin.close()
