"""A server in this process, and people at its tables."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
from pydantic import TypeAdapter

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient as TestClient
    from starlette.testclient import WebSocketTestSession

from cabochon import Game
from cabochon.rules.deal import ANY_START
from cabochon.server.app import create_app
from cabochon.server.clock import PlayingTime
from cabochon.server.commitment import DealInputs
from cabochon.server.messages import ServerMessage, TableOptions
from cabochon.server.settings import Settings, Sources
from tests.support.postgres import own_database

SERVER_MESSAGES: TypeAdapter[Any] = TypeAdapter(ServerMessage)
ENOUGH = 500


class Clock(PlayingTime):
    """A clock that stands still until it is told to go on. It is the time of day and playing time."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now

    def beat(self) -> None:
        pass

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


class House:
    """A running server."""

    def __init__(self, client: TestClient, clock: Clock) -> None:
        self.client, self.clock = client, clock
        self.service = client.app.state.service  # type: ignore[attr-defined]

    def guest(self, name: str = "") -> "Guest":
        guest = Guest(self)
        guest.get("/api/me")
        if name:
            guest.put("/api/me", json={"name": name})
        return guest


class Guest:
    """A browser with its cookie."""

    def __init__(self, house: House, cookie: str = "") -> None:
        self.house, self.cookie = house, cookie

    def request(self, method: str, path: str, **settings: Any) -> Any:
        client = self.house.client
        client.cookies.clear()
        headers = {**settings.pop("headers", {}), **({"cookie": self.cookie} if self.cookie else {})}
        response = client.request(method, path, headers=headers, follow_redirects=False, **settings)
        client.cookies.clear()
        if "set-cookie" in response.headers:
            self.cookie = response.headers["set-cookie"].split(";")[0]
        return response

    def get(self, path: str, **settings: Any) -> Any:
        return self.request("GET", path, **settings)

    def put(self, path: str, **settings: Any) -> Any:
        return self.request("PUT", path, **settings)

    def create(self, **options: Any) -> str:
        response = self.request("POST", "/api/tables", json=options)
        assert 200 == response.status_code, response.text
        return str(response.json()["id"])

    @contextmanager
    def at(self, table: str, since: int = 0, heard: str = "", **headers: str) -> Iterator["Chair"]:
        sent = {**headers, **({"cookie": self.cookie} if self.cookie else {})}
        self.house.client.cookies.clear()
        with self.house.client.websocket_connect(f"/api/tables/{table}/socket?since={since}{heard}", headers=sent) as socket:
            yield Chair(socket)


class Chair:
    """A socket at a table. Everything it is sent is checked against the messages."""

    def __init__(self, socket: WebSocketTestSession) -> None:
        self.socket = socket
        self.state: dict[str, Any] = {}
        self.raw: list[bytes] = []
        self.lines: list[dict[str, Any]] = []
        self.chat: list[dict[str, Any]] = []
        self.requests = 0

    def receive(self) -> dict[str, Any]:
        text = self.socket.receive_text()
        SERVER_MESSAGES.validate_json(text)
        self.raw.append(text.encode())
        message: dict[str, Any] = orjson.loads(text)
        if message["type"] == "state":
            self.state = message
            self.lines += message["entries"]
        if message["type"] == "chat":
            self.chat += message["lines"]
        return message

    def until(self, wanted: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The first state from now on that is so; the present one counts."""
        self.catch_up()
        for _ in range(ENOUGH):
            if self.state and wanted(self.state):
                return self.state
            self.receive()
        raise AssertionError("this never came")

    def catch_up(self) -> None:
        """Read everything that was sent until now."""
        self.socket.send_text('{"type": "ping"}')
        while self.receive()["type"] != "pong":
            pass

    def until_number(self, number: int) -> dict[str, Any]:
        return self.until(lambda state: state["number"] >= number)

    def entry(self, number: int) -> dict[str, Any]:
        """The line of the log with that number; states that came after it may have been read already."""
        self.until_number(number)
        return next(line for line in self.lines if number == line["number"])

    def post(self, kind: str, **fields: Any) -> int:
        self.requests += 1
        self.socket.send_text(orjson.dumps({"type": kind, "id": self.requests, **fields}).decode())
        return self.requests

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        return self.answer_to(self.post(kind, **fields))

    def answer_to(self, request: int) -> dict[str, Any]:
        for _ in range(ENOUGH):
            message = self.receive()
            if message["type"] != "state" and message.get("id") == request:
                return message
        raise AssertionError("no answer came")

    def done(self, kind: str, **fields: Any) -> int:
        """A request that must succeed; the number it is acknowledged with."""
        answer = self.ask(kind, **fields)
        assert "ack" == answer["type"], answer
        return int(answer["number"])

    def refusal(self, kind: str, **fields: Any) -> str:
        """A request that must be refused; the reason."""
        answer = self.ask(kind, **fields)
        assert "refused" == answer["type"], answer
        return str(answer["reason"])

    def play(self, text: str | None = None) -> int:
        """Play a move (or the first legal one) when it is this seat's turn."""
        state = self.until(lambda state: state["choices"])
        return self.done("move", number=state["number"] + 1, text=text or state["choices"]["legal"][0])


def settings(folder: Path, **said: Any) -> Settings:
    quick = {"bot_workers": 0, "bot_delay": 0.0, "commit_window": 0.0, "tick_seconds": 0.01, "tables_per_minute": 1e6}
    quick |= {"requests_per_second": 1e6, "max_moves_per_second": 1e6, "max_takebacks_per_minute": 1e6}
    quick |= {"max_reads_per_minute": 1e9, "max_chat_per_minute": 1e6, "max_chat_per_minute_per_address": 1e6}
    return Settings(**{"database": own_database(folder / "games.db"), **quick, **said})


def fixed_sources(clock: Clock, seed: int = 7) -> Sources:
    """Chance that always falls the same way, except for names, which must differ: a staged deal, begun by seat 0 if by any."""

    def deal(options: TableOptions, inputs: DealInputs) -> Game:
        start = 0 if inputs.start == ANY_START else inputs.start
        return Game(options.variant, options.players, seed=seed, start=start, **options.house_rules())

    return Sources(clock=clock, playing=clock, bot_seed=lambda: 5, deal=deal)


def true_sources(clock: Clock) -> Sources:
    """As a server has them, so that a deal can be verified; only the clock is ours."""
    return Sources(clock=clock, playing=clock, bot_seed=lambda: 5)


@contextmanager
def house(folder: Path, sources: Sources | None = None, **said: Any) -> Iterator[House]:
    """A server with its own database in a folder, or with the one that is said; the same one gives the same games again."""
    clock = Clock()
    chance = sources or fixed_sources(clock)
    with TestClient(create_app(settings(folder, **said), chance), base_url="http://testserver") as client:
        yield House(client, chance.clock if isinstance(chance.clock, Clock) else clock)


@contextmanager
def two_players(here: House, **options: Any) -> Iterator[tuple[str, Chair, Chair]]:
    """A running table with Anna (seat 0, begins) and Ben."""
    anna, ben = here.guest("Anna"), here.guest("Ben")
    table = anna.create(**options)
    with anna.at(table) as first, ben.at(table) as second:
        second.done("sit", seat=1, name="Ben")
        first.done("start")
        first.until(lambda state: state["view"])
        second.until(lambda state: state["view"])
        yield table, first, second
