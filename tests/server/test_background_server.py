"""A server started from Python, with a bot that is an object."""

import json
import threading
import time
import urllib.request
from typing import Any

import pytest

from cabochon import CabochonError, Move, View
from cabochon.bots import BOTS, Budget, legal_moves
from cabochon.server.background_server import start_server


class Mine:
    """Plays its first legal move, and remembers where."""

    def __init__(self) -> None:
        self.threads: set[str] = set()
        self.asked = threading.Event()

    def choose(self, view: View, budget: Budget, seed: int) -> Move:
        self.threads.add(threading.current_thread().name)
        self.asked.set()
        return legal_moves(view)[0]


def ask(url: str, path: str, data: object = None) -> Any:
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(url + path, body, {"Content-Type": "application/json", "Origin": url.rstrip("/")})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read())


def test_a_bot_that_is_an_object_plays_at_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(BOTS, "mine", raising=False)
    mine = Mine()
    with start_server([mine], deal_seconds=0.05, bot_delay=0.0) as server:
        names = [bot["name"] for bot in ask(server.url, "api/bots")]
        assert "mine" in names
        for _ in range(12):  # who begins is drawn
            ask(server.url, "api/tables", {"variant": "classic", "players": 2, "bots": ["mine"]})
        assert mine.asked.wait(20)
    monkeypatch.delitem(BOTS, "mine")
    assert "MainThread" not in mine.threads
    deadline = time.monotonic() + 5
    while "cabochon server" in {thread.name for thread in threading.enumerate()}:
        assert time.monotonic() < deadline


def test_names_of_the_package_stay_its_own() -> None:
    with pytest.raises(CabochonError, match="there is a bot of this name already"):
        start_server({"greedy": Mine()})
