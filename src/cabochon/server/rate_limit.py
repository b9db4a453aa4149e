"""Rate limits: token buckets by address or guest, and counts of open sockets."""

from collections import Counter, OrderedDict

from starlette.requests import HTTPConnection

from .addresses import address_block

MAX_MESSAGE_BYTES = 4096
UPLOADS = {"/api/games": 1_000_000, "/api/reviews": 65_536}  # what may be longer, by its path
MAX_ADDRESSES = 10_000


def most_bytes(path: str) -> int:
    """How long the body of a request may be."""
    return UPLOADS.get(path, MAX_MESSAGE_BYTES)


class Bucket:
    """A token bucket: lets a burst through, and then so many a second."""

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

    def take(self, address: str, now: float, cost: float = 1) -> bool:
        """Whether one more from this address may pass now."""
        bucket = self.by_address.pop(address, None) or Bucket(self.per_second, self.burst, now)
        self.by_address[address] = bucket
        taken = bucket.take(now, cost)
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

    def enter(self, address: str, seated: bool) -> bool:
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
