"""One game of a match, played to its end or to the limit."""

import random
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from ..bots import Bot, Budget, Greedy
from ..bots.external import ProgramError
from ..game import Game
from .entrant import Entrant
from .pairings import Fixture, Match, deal_seed

MOST_TURNS_PER_SEAT = 400
CUT, FORFEIT = "cut", "forfeit"
WARM_UP_DECISIONS = 8
WARM_UP_SEED = 1
WARM_UP_BUDGETS = (Budget(nodes=16), Budget(seconds=0.01))

_started: dict[tuple[Entrant, int], Bot] = {}


@dataclass(frozen=True, slots=True)
class Played:
    """A finished game: ranks, points and times (seconds thought, longest thought about one move) by seat."""

    deal: int
    rotation: int
    seed: int
    seats: tuple[str, ...]
    ranks: tuple[int, ...]
    points: tuple[int, ...]
    moves: int
    turns: int
    reason: str
    why: str
    seconds: tuple[float, ...]
    slowest: tuple[float, ...]

    def shares(self) -> list[float]:
        """What each seat has of the win: 1 for a winner, parts for equals."""
        best = self.ranks.count(1)
        return [(rank == 1) / best for rank in self.ranks]


class _Watch:
    """Takes the time of each seat."""

    def __init__(self, seats: int) -> None:
        self.seconds, self.slowest = [0.0] * seats, [0.0] * seats

    def took(self, seat: int, seconds: float) -> None:
        self.seconds[seat] += seconds
        self.slowest[seat] = max(self.slowest[seat], seconds)


def start_bots(seats: Sequence[Entrant]) -> list[Bot]:
    """A bot for every seat, kept from game to game; an entrant with two seats has two."""
    keys = [(entrant, seats[:seat].count(entrant)) for seat, entrant in enumerate(seats)]
    for key in keys:
        if key not in _started:
            _started[key] = key[0].start()
    return [_started[key] for key in keys]


def stop_bots() -> None:
    """End the foreign programs that were started here."""
    while _started:
        _, bot = _started.popitem()
        close = getattr(bot, "close", None)
        if close:
            close()


def play_game(match: Match, fixture: Fixture) -> Played:
    """Play it. A program that gives no legal move loses it, and the record says why; a bot of our own must not fail."""
    seed = deal_seed(match, fixture.deal)
    game = Game(match.variant, match.players, seed=seed, start=0)
    watch = _Watch(match.players)
    chance = random.Random(f"{seed}/{fixture.rotation}").getrandbits(48)
    bots = start_bots(fixture.seats)
    for bot in bots:
        if hasattr(bot, "new"):
            bot.new()
    why = ""
    try:
        _play(game, bots, fixture.seats, chance, watch, MOST_TURNS_PER_SEAT * match.players)
    except ProgramError as wrong:
        why = f"{fixture.seats[game.turn]}: {wrong}"
    except Exception as wrong:
        wrong.add_note(f"{fixture.seats[game.turn]} was to decide in {game!r}")
        raise
    ranks, reason = _result(game, why)
    return Played(
        fixture.deal,
        fixture.rotation,
        seed,
        tuple(str(entrant) for entrant in fixture.seats),
        ranks,
        game.points,
        len(game.moves),
        int(game.state["turns"]),
        reason,
        why,
        tuple(round(seconds, 4) for seconds in watch.seconds),
        tuple(round(seconds, 4) for seconds in watch.slowest),
    )


def _play(game: Game, bots: Sequence[Bot], seats: Sequence[Entrant], chance: int, watch: _Watch, most: int) -> None:
    decisions = 0
    while not game.is_over and game.state["turns"] < most:
        seat = game.turn
        view = game.view(seat)
        before = time.perf_counter()
        move = bots[seat].choose(view, seats[seat].budget, chance + decisions)
        watch.took(seat, time.perf_counter() - before)
        game.play(move)
        decisions += 1


def _result(game: Game, why: str) -> tuple[tuple[int, ...], str]:
    """Ranks and reason: who forfeits is last and the others share the win; a game that is cut is a draw."""
    if why:
        return tuple(game.players if seat == game.turn else 1 for seat in range(game.players)), FORFEIT
    if game.outcome is None:
        return (1,) * game.players, CUT
    return game.outcome.ranks, game.outcome.reason


def warm_up(match: Match) -> None:
    """Compile or load what the match needs, before anybody's time is taken; a program that cannot be started is told now."""
    bots = start_bots(match.entrants)
    game = Game(match.variant, match.players, seed=WARM_UP_SEED, start=0)
    for decision in range(WARM_UP_DECISIONS):
        view = game.view(game.turn)
        for bot in bots:
            with suppress(ProgramError):  # one that fails will lose its games, and those say why
                bot.choose(view, WARM_UP_BUDGETS[decision % len(WARM_UP_BUDGETS)], decision)
        game.play(Greedy().choose(view, Budget(), decision))
