"""Limits that the nodes of a cluster share over the broker. Without it each node counts by itself.

Rates are shared roughly: a bucket is charged at once where somebody asks, and at the other nodes half a second later. Open
sockets and waiting tables are counted with the broker before one more is let in. What is there ends by itself, so that a node
that was killed leaves nothing behind.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from orjson import JSONDecodeError, loads

from .clock import SECONDS_PER_DAY
from .rate_limit import Buckets, Openings, SocketCounts

if TYPE_CHECKING:
    from .broker import Command
    from .cluster import Cluster

KEYS = "cabochon-limits:"
SOCKETS_SECONDS, SOCKETS_AGAIN_SECONDS = 30, 10.0  # how long the broker knows a node's sockets, and how often it is told again


class SharedLimits:
    """The buckets of a node by name."""

    def __init__(self, node: str) -> None:
        self.node = node
        self.buckets: dict[str, Buckets] = {}

    def add(self, **buckets: Buckets) -> None:
        """Share these."""
        self.buckets |= buckets
        for found in buckets.values():
            found.taken = {}

    def spent(self) -> dict[str, Any] | None:
        """What was taken here since this was last asked; None if nothing was."""
        found = {}
        for name, buckets in self.buckets.items():
            if buckets.taken:
                found[name], buckets.taken = buckets.taken, {}
        return {"node": self.node, "spent": found} if found else None

    def hear(self, message: bytes) -> None:
        """Another node has let something pass."""
        try:
            told = loads(message)
        except JSONDecodeError:
            return
        if told["node"] == self.node:
            return
        for name, taken in told["spent"].items():
            if name in self.buckets:
                for owner, cost in taken.items():
                    self.buckets[name].charge(owner, cost)


class SharedSockets(SocketCounts):
    """The sockets of each address at all nodes. Each node tells the broker how many it has, and adds up those of the others."""

    def __init__(self, cluster: "Cluster", max_spectators: int, max_seated: int) -> None:
        super().__init__(max_spectators, max_seated)
        self.cluster = cluster
        self.untold: set[tuple[str, bool]] = set()

    async def enter(self, address: str, seated: bool) -> bool:
        """Count one more, if it may come in. Nodes tell before they ask: of two that come at once neither is overlooked."""
        if not await super().enter(address, seated):
            return False
        others = sorted(self.cluster.live - {self.cluster.node})
        commands = [self._told(address, seated)]
        if others:
            commands.append(("MGET", *(_sockets_key(node, address, seated) for node in others)))
        answers = await self.cluster.broker.ask(*commands)
        if answers is None:
            self.untold.add((address, seated))
        elif others and self.open[address, seated] + sum(int(count or 0) for count in answers[1]) > self.most[seated]:
            self.leave(address, seated)
            return False
        return True

    def leave(self, address: str, seated: bool) -> None:
        """Count one less; the broker is told soon."""
        super().leave(address, seated)
        self.untold.add((address, seated))

    async def tell(self, *, is_all: bool) -> None:
        """Tell the broker what has changed here, or everything: what it knows ends by itself."""
        untold, self.untold = self.untold | set(self.open if is_all else ()), set()
        if untold and await self.cluster.broker.ask(*(self._told(*kind) for kind in untold)) is None:
            self.untold |= untold

    def _told(self, address: str, seated: bool) -> "Command":
        key, count = _sockets_key(self.cluster.node, address, seated), self.open.get((address, seated), 0)
        return ("SET", key, count, "EX", SOCKETS_SECONDS) if count else ("DEL", key)


def _sockets_key(node: str, address: str, seated: bool) -> str:
    return f"{KEYS}sockets:{'seated' if seated else 'watching'}:{address}:{node}"


class SharedOpenings(Openings):
    """From which address waiting tables were opened, at all nodes. Whether they still wait is asked of PostgreSQL."""

    def __init__(self, cluster: "Cluster") -> None:
        super().__init__()
        self.cluster = cluster

    async def add(self, table_id: str, address: str, at: float) -> None:
        """A table was opened; for a day the broker knows from where."""
        await super().add(table_id, address, at)
        day, names = int(SECONDS_PER_DAY), _openings_key(address)
        await self.cluster.broker.ask(
            ("SADD", names, table_id), ("EXPIRE", names, day), ("SET", _opened_key(table_id), address, "EX", day)
        )

    async def count(self, address: str, since: float) -> int:
        """How many tables wait that were opened from there."""
        await super().count(address, since)
        here = {name for name, (found, _) in self.here.items() if found == address}
        answers = await self.cluster.broker.ask(("SMEMBERS", _openings_key(address)))
        names = here | ({name.decode() for name in answers[0]} if answers else set())
        waiting = await asyncio.to_thread(self.cluster.service.repository.waiting_among, sorted(names), since) if names else set()
        if gone := names - waiting:
            for name in gone:
                self.remove(name)
            await self.cluster.broker.ask(("SREM", _openings_key(address), *gone))
        return len(waiting)

    async def addresses(self, table_ids: Sequence[str]) -> dict[str, str]:
        """The addresses of these tables, as far as they are known."""
        found = await super().addresses(table_ids)
        others = [name for name in table_ids if name not in found]
        answers = await self.cluster.broker.ask(("MGET", *(_opened_key(name) for name in others))) if others else None
        told = zip(others, answers[0], strict=True) if answers else ()
        return found | {name: address.decode() for name, address in told if address}


def _openings_key(address: str) -> str:
    return f"{KEYS}opened-from:{address}"


def _opened_key(table_id: str) -> str:
    return f"{KEYS}opened:{table_id}"
