"""The deal of a table as a coin flip between its server and its players (commit, then reveal): a state machine.

waiting   the server has committed to its secret; every seat may seal a nonce
sealing   the seats are taken; the seals of some are waited for, until a deadline
opening   all seals are published and fixed; each nonce is opened, until a deadline
dealt     the order follows from the secret and the opened nonces

It knows neither sockets nor storage: whoever calls it stores first. What is not allowed raises Refused.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from .commitment import seal_of
from .errors import Refused

Phase = Literal["waiting", "sealing", "opening", "dealt"]


@dataclass(frozen=True, slots=True)
class DealOrigin:
    """What the server has committed to: formats 2 and 3 have a secret, format 1 (older servers) had a seed and a salt.

    `shared` is the name of a deal that several tables share (format 3).
    """

    start: int
    seed: int
    salt: str
    secret: str | None
    commitment: str
    shared: str | None = None

    @property
    def format(self) -> int:
        """The number of the format."""
        return 3 if self.shared is not None else 1 if self.secret is None else 2

    def out(self) -> dict[str, str | None]:
        """A RevealOut, after the end."""
        is_old = self.secret is None
        return {"secret": self.secret, "seed": str(self.seed) if is_old else None, "salt": self.salt if is_old else None}


@dataclass(slots=True)
class Dealing:
    """Seals and nonces by seat. `awaited` are the seats whose seal is waited for."""

    table: str
    phase: Phase
    seals: dict[int, str] = field(default_factory=dict)
    nonces: dict[int, str] = field(default_factory=dict)
    awaited: frozenset[int] = frozenset()
    deadline: float = math.inf

    def check_seal(self, seat: int, seal: str) -> bool:
        """Whether a seal is new; the same one again is not, and another one, or one that comes too late, is refused."""
        if self.seals.get(seat) == seal:
            return False
        if self.phase not in ("waiting", "sealing"):
            raise Refused("begun")
        if seat in self.seals:
            raise Refused("sealed_already")
        return True

    def seal(self, seat: int, seal: str) -> None:
        """A seat has sealed its nonce."""
        self.seals[seat] = seal

    def vacate(self, seat: int) -> None:
        """A seat has changed hands."""
        self.seals.pop(seat, None)

    def begin(self, awaited: Iterable[int], now: float, seconds: float) -> None:
        """The seats are taken: wait for these seals, or for nonces if all of them are there."""
        self.phase, self.awaited, self.deadline = "sealing", frozenset(awaited), now + seconds
        self.go_on(now, seconds)

    def open(self, seat: int, nonce: str) -> None:
        """A seat opens its nonce, which must fit its seal."""
        if self.phase != "opening":
            raise Refused("not_opening")
        if seat not in self.seals:
            raise Refused("no_seal", seat=seat)
        if seal_of(self.table, seat, nonce) != self.seals[seat]:
            raise Refused("wrong_nonce", seat=seat)
        self.nonces[seat] = nonce

    def go_on(self, now: float, seconds: float) -> None:
        """From seals to nonces, if no seal is waited for any more or the time is up."""
        if self.phase == "sealing" and (self.awaited <= self.seals.keys() or now >= self.deadline):
            self.phase, self.deadline = "opening", now + seconds

    def is_settled(self, now: float) -> bool:
        """Whether the cards can be dealt: every nonce is opened, or the time is up. Who has not opened is left out."""
        return self.phase == "opening" and (self.seals.keys() <= self.nonces.keys() or now >= self.deadline)

    def finish(self) -> None:
        """The cards are dealt."""
        self.phase = "dealt"

    def is_late(self, now: float) -> bool:
        """Whether the time of this phase is up."""
        return self.phase in ("sealing", "opening") and now >= self.deadline

    def out(self, players: int) -> dict[str, Any]:
        """The phase, seals and nonces of a DealOut. Nonces are shown when all that count are known."""
        nonces = self.nonces if self.phase == "dealt" else {}
        return {
            "phase": self.phase,
            "seals": [self.seals.get(seat) for seat in range(players)],
            "opened": [seat in self.nonces for seat in range(players)],
            "nonces": [nonces.get(seat) for seat in range(players)],
        }
