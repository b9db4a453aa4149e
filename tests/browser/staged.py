"""A server whose tables begin at positions of our choice: taken from the golden games."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext

from cabochon import Game
from cabochon.server.app import create_app
from cabochon.server.commitment import DealInputs
from cabochon.server.messages import TableOptions
from cabochon.server.settings import Settings, Sources
from tests.server.process import running
from tests.support.golden import FOLDER, GOLDEN

SETTINGS = {"bot_workers": 0, "bot_delay": 0.05, "requests_per_second": 1000.0, "tables_per_minute": 1000.0}


def position_with(variant: str, stage: str, *, can_buy: bool = False) -> Game:
    """The first position of a golden game in which seat 0 is to decide in this stage."""
    for golden in GOLDEN:
        if golden.variant == variant:
            again = (game := Game.from_record((FOLDER / f"{golden.name}.game").read_text())).beginning()
            for move in game.moves:
                buys = any(move.kind == "buy" for move in again.legal_moves())
                if again.turn == 0 and again.stage == stage and (buys or not can_buy):
                    return Game.from_position(again.position())
                again.play(move)
    raise LookupError(f"no golden game of {variant} has stage {stage}")


class Stage:
    """The running server: `set_table` gives a guest a seat at a chosen position."""

    def __init__(self, url: str, deals: dict[int, Game]) -> None:
        self.url, self.deals = url, deals

    def set_table(self, guest: BrowserContext, game: Game, **options: Any) -> str:
        """A table at this position with the guest at seat 0 and greedy at the others; its path."""
        return f"/t/{self.open_table(guest, game, bots=['greedy'] * (game.players - 1), **options)['id']}"

    def open_table(self, guest: BrowserContext, game: Game, **said: object) -> dict[str, str]:
        """A table that begins at this position when all seats are taken; what the server answers."""
        guest.request.get("/api/me")
        self.deals[len(self.deals)] = game
        options = {"variant": game.variant, "players": game.players, "start": "host", **said}
        answer = guest.request.post("/api/tables", data=options, headers={"Origin": self.url})
        assert answer.ok, answer.text()
        created: dict[str, str] = answer.json()
        return created


@contextmanager
def stage(folder: Path, **said: float) -> Iterator[Stage]:
    deals: dict[int, Game] = {}
    numbers = itertools.count()

    def deal(_options: TableOptions, inputs: DealInputs) -> Game:
        return deals[int(inputs.secret, 16)].copy()

    settings = Settings(database=f"sqlite:///{folder}/tables.db", **{**SETTINGS, **said})  # type: ignore[arg-type]
    with running(create_app(settings, Sources(secret=lambda: f"{next(numbers):064x}", deal=deal))) as url:
        yield Stage(url, deals)
