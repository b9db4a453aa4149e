"""Limits: token buckets by address or guest, counts of open sockets, and from where waiting tables were opened."""

import time
from collections import Counter, OrderedDict
from collections.abc import Sequence

from starlette.requests import HTTPConnection

from .addresses import address_block

MAX_MESSAGE_BYTES = 4096
# What may be longer, by its path.
UPLOADS = {"/api/analysis/record": 65_536, "/api/analysis/game": 65_536, "/api/reviews": 65_536, "/api/games": 1_000_000}
MAX_ADDRESSES = 10_000


def most_bytes(path: str) -> int:
    """How long the body of a request may be."""
    return UPLOADS.get(path, MAX_MESSAGE_BYTES)


class Bucket:
    """A token bucket: lets a burst through, and then so many a second."""

    __slots__ = ("at", "burst", "level", "per_second")

    def __init__(self, per_second: float, burst: float, now: float) -> None:
        self.per_second, self.burst = per_second, burst
        self.level, self.at = burst, now

    def take(self, now: float, cost: float = 1) -> bool:
        """Whether one more (that counts as `cost`) may pass now."""
        self.level = min(self.burst, self.level + max(0.0, now - self.at) * self.per_second)
        self.at = now
        if self.level < cost:
            return False
        self.level -= cost
        return True

    def is_full(self, now: float) -> bool:
        """Whether it has forgotten everything that passed."""
        return self.level + max(0.0, now - self.at) * self.per_second >= self.burst

    def wait(self, cost: float = 1) -> float:
        """Seconds until one more may pass."""
        return max(0.0, cost - self.level) / self.per_second


class Buckets:
    """A bucket for each address or guest, as long as it matters."""

    def __init__(self, per_second: float, burst: float) -> None:
        self.per_second, self.burst = per_second, burst
        self.by_address: OrderedDict[str, Bucket] = OrderedDict()
        self.taken: dict[str, float] | None = None  # in a cluster: what the other nodes have not heard of yet

    def charge(self, address: str, cost: float) -> None:
        """Another node has let this pass. It is late, so the bucket may have less than nothing for a while."""
        bucket = self.by_address.get(address)
        if bucket is None:
            bucket = self.by_address[address] = Bucket(self.per_second, self.burst, time.monotonic())
        bucket.level -= cost

    def take(self, address: str, now: float, cost: float = 1) -> bool:
        """Whether one more from this address may pass now."""
        bucket = self.by_address.pop(address, None) or Bucket(self.per_second, self.burst, now)
        self.by_address[address] = bucket
        taken = bucket.take(now, cost)
        if taken and self.taken is not None:
            self.taken[address] = self.taken.get(address, 0.0) + cost
        self._forget(now)
        return taken

    def _forget(self, now: float) -> None:
        """A bucket that is full again is as good as a new one; those not seen for longest come first."""
        while self.by_address:
            oldest = next(iter(self.by_address.values()))
            if len(self.by_address) <= MAX_ADDRESSES and not oldest.is_full(now):
                return
            self.by_address.popitem(last=False)

    def wait(self, address: str, cost: float = 1) -> float:
        """Seconds until one more from this address may pass."""
        bucket = self.by_address.get(address)
        return bucket.wait(cost) if bucket else 0.0


def address_of(connection: HTTPConnection) -> str:
    """Where a request or socket comes from, as limits count it."""
    return address_block(connection.client.host) if connection.client else ""


class SocketCounts:
    """How many sockets each address has open, at all tables together: those of spectators, and those of seat holders."""

    def __init__(self, max_spectators: int, max_seated: int) -> None:
        self.most = {False: max_spectators, True: max_seated}
        self.open: Counter[tuple[str, bool]] = Counter()

    async def enter(self, address: str, seated: bool) -> bool:
        """Count one more, if it may come in."""
        if self.open[address, seated] >= self.most[seated]:
            return False
        self.open[address, seated] += 1
        return True

    def leave(self, address: str, seated: bool) -> None:
        """Count one less."""
        self.open[address, seated] -= 1
        if self.open[address, seated] <= 0:
            del self.open[address, seated]


class Openings:
    """From which address each table that waits for players was opened. It is stored nowhere, and lost with the process."""

    def __init__(self) -> None:
        self.here: dict[str, tuple[str, float]] = {}  # address and time by table

    async def add(self, table_id: str, address: str, at: float) -> None:
        """A table was opened."""
        self.here[table_id] = address, at

    def remove(self, table_id: str) -> None:
        """A table waits no longer."""
        self.here.pop(table_id, None)

    async def count(self, address: str, since: float) -> int:
        """How many tables wait that were opened from there; older ones are forgotten."""
        self.here = {name: made for name, made in self.here.items() if made[1] > since}
        return sum(found == address for found, _ in self.here.values())

    async def addresses(self, table_ids: Sequence[str]) -> dict[str, str]:
        """The addresses of these tables, as far as they are known."""
        return {name: self.here[name][0] for name in table_ids if name in self.here}
