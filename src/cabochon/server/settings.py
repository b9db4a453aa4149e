"""What can be set about a server, and where it gets its time and chance from."""

import dataclasses
import math
import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ..errors import CabochonError
from ..game import Game
from ..study.known import dealt, parse_known
from .clock import Moment, PlayingTime
from .commitment import DealInputs
from .messages import TableOptions
from .shuffle import order_of

ENVIRONMENT_PREFIX = "CABOCHON_"
INTERVALS = ("tick_seconds", "ping_seconds")
# Where Chrome, Firefox, Edge and Safari are told that it is their reader's turn.
PUSH_SERVICES = ("fcm.googleapis.com", "*.push.services.mozilla.com", "*.notify.windows.com", "*.push.apple.com")
ID_BYTES, TOKEN_BYTES, USER_BYTES, SECRET_BYTES = 8, 18, 16, 32


def default_database() -> str:
    """A file in the user's data folder."""
    from platformdirs import user_data_dir

    return f"sqlite:///{Path(user_data_dir('cabochon', appauthor=False)) / 'cabochon.db'}"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that may differ between two servers. Times are in seconds."""

    database: str = ""
    broker: str = ""
    metrics_host: str = "127.0.0.1"
    metrics_port: int = 0
    log_format: str = "text"
    drain_seconds: float = 0.0
    host: str = "127.0.0.1"
    public_url: str = ""
    origins: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()
    bot_workers: int = -1
    bot_seconds: float = 1.0
    bot_deadline: float = 10.0
    bot_delay: float = 0.6
    stand_in: str = "greedy"
    away_seconds: float = 30.0
    deal_seconds: float = 5.0
    commit_window: float = 0.004
    tick_seconds: float = 0.25
    idle_seconds: float = 600.0
    requests_per_second: float = 20.0
    tables_per_minute: float = 60.0
    max_spectators: int = 100
    max_unsent: int = 64
    max_bad: int = 20
    max_sockets_per_guest: int = 8
    max_spectators_per_address: int = 20
    max_sockets_per_address: int = 100
    max_seated_sockets_per_address: int = 1000
    max_moves_per_second: float = 5.0
    max_takebacks_per_minute: float = 60.0
    max_chat_per_minute: float = 20.0
    max_chat_per_minute_per_address: float = 100.0
    max_tables_per_day: float = 1000.0
    max_reads_per_minute: float = 1200.0
    max_waiting_tables: int = 10
    max_waiting_tables_per_address: int = 40
    max_listed_per_address: int = 10
    keep_waiting_seconds: float = 7 * 86_400.0
    keep_finished_seconds: float = 0.0
    keep_running_seconds: float = 0.0
    trusted_proxies: tuple[str, ...] = ("127.0.0.1", "::1")
    max_connections: int = 5000
    max_connections_per_address: int = 250
    max_header_bytes: int = 16_384
    max_headers: int = 100
    max_header_seconds: float = 10.0
    max_body_seconds: float = 10.0
    max_idle_seconds: float = 15.0
    max_unread_seconds: float = 20.0
    ping_seconds: float = 20.0
    push_services: tuple[str, ...] = PUSH_SERVICES
    push_delay: float = 15.0
    max_pushes_per_hour: float = 60.0
    max_studies: int = 100
    max_studies_per_guest: int = 4
    max_studies_per_address: int = 20

    @property
    def workers(self) -> int:
        """Bot processes: one fewer than cores unless said; 0 lets bots think in a thread of the server."""
        return max(1, (os.cpu_count() or 2) - 1) if self.bot_workers < 0 else self.bot_workers

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, **options: Any) -> "Settings":
        """Defaults, then `CABOCHON_…` variables, then `options`."""
        found = {}
        for field in fields(cls):
            text = environment.get(ENVIRONMENT_PREFIX + field.name.upper())
            if text is not None:
                found[field.name] = _read(field.name, text, type(getattr(cls(), field.name)))
        return cls(**{**found, **{name: value for name, value in options.items() if value is not None}})


def _read(name: str, text: str, kind: type) -> Any:
    if kind is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if kind is str:
        return text
    try:
        number = kind(text)
    except ValueError as error:
        raise CabochonError(f"{ENVIRONMENT_PREFIX}{name.upper()}: {text!r} is not a number") from error
    _check_range(name, number)
    return number


def _check_range(name: str, number: float) -> None:
    is_limit = name.startswith("max_") or "_per_" in name or name in INTERVALS
    if not math.isfinite(number) or (is_limit and number <= 0):
        raise CabochonError(f"{ENVIRONMENT_PREFIX}{name.upper()}: {number} is not a number above 0")
    if number < 0 and name != "bot_workers":
        raise CabochonError(f"{ENVIRONMENT_PREFIX}{name.upper()}: {number} is below 0")


def deal(options: TableOptions, inputs: DealInputs) -> Game:
    """The game of a table: everything about it follows from the secret and the nonces."""
    order = order_of(inputs.key, options.variant, options.players, inputs.start)
    if options.position is not None:
        return Game.from_position(dealt(parse_known(options.position), order.decks))
    return Game.from_order(
        options.variant, options.players, decks=order.decks, tiles=order.tiles, start=order.start, **options.house_rules()
    )


@dataclass(slots=True)
class Sources:
    """Where time, chance and the deal come from; a test puts its own here."""

    clock: Callable[[], float] = time.time
    playing: PlayingTime = dataclasses.field(default_factory=PlayingTime)
    secret: Callable[[], str] = lambda: secrets.token_hex(SECRET_BYTES)
    table_id: Callable[[], str] = lambda: secrets.token_urlsafe(ID_BYTES)
    token: Callable[[], str] = lambda: secrets.token_urlsafe(TOKEN_BYTES)
    user_id: Callable[[], str] = lambda: secrets.token_urlsafe(USER_BYTES)
    bot_seed: Callable[[], int] = lambda: secrets.randbits(31)
    deal: Callable[[TableOptions, DealInputs], Game] = deal

    def now(self) -> Moment:
        """The time, by both clocks."""
        return Moment(self.clock(), self.playing())
