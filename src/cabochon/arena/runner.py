"""Plays one game of a match, to its end or to the turn limit."""

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

MAX_TURNS_PER_SEAT = 400  # far more than a game takes in which somebody tries to win
CUT, FORFEIT = "cut", "forfeit"
WARM_UP_DECISIONS = 8
WARM_UP_SEED = 1
WARM_UP_BUDGETS = (Budget(nodes=16), Budget(seconds=0.01))

_started: dict[tuple[Entrant, int], Bot] = {}


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game. By seat: ranks, points, seconds in all, and the seconds of the slowest move."""

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
        """The share of the win of each seat: 1 for a single winner, 1/n for each of n."""
        best = self.ranks.count(1)
        return [(rank == 1) / best for rank in self.ranks]


class _Stopwatch:
    """Measures the time of each seat."""

    def __init__(self, seats: int) -> None:
        self.seconds, self.slowest = [0.0] * seats, [0.0] * seats

    def add(self, seat: int, seconds: float) -> None:
        self.seconds[seat] += seconds
        self.slowest[seat] = max(self.slowest[seat], seconds)


def start_bots(seats: Sequence[Entrant]) -> list[Bot]:
    """A bot for each seat, kept from game to game; an entrant with two seats has two. An object is the caller's, and the same."""
    keys = [(entrant, seats[:seat].count(entrant)) for seat, entrant in enumerate(seats)]
    for key in keys:
        if key not in _started and key[0].player is None:
            _started[key] = key[0].start()
    return [key[0].player or _started[key] for key in keys]


def stop_bots() -> None:
    """Close the bots that were started in this process: programs end."""
    while _started:
        _, bot = _started.popitem()
        bot.close()


def play_game(match: Match, fixture: Fixture) -> GameResult:
    """Play a game. A program that gives no legal move forfeits it; an error in a bot of our own is a defect and is raised."""
    seed = deal_seed(match, fixture.deal)
    game = Game(match.variant, match.players, seed=seed, start=0)
    watch = _Stopwatch(match.players)
    bot_seed = random.Random(f"{seed}/{fixture.rotation}").getrandbits(48)
    bots = start_bots(fixture.seats)
    for bot in bots:
        bot.new_game()
    why = ""
    try:
        _play(game, bots, fixture.seats, bot_seed, watch)
    except ProgramError as error:
        why = f"{fixture.seats[game.turn]}: {error}"
    except Exception as error:
        error.add_note(f"{fixture.seats[game.turn]} was to decide in {game!r}")
        raise
    ranks, reason = _result(game, why)
    return GameResult(
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


def _play(game: Game, bots: Sequence[Bot], seats: Sequence[Entrant], bot_seed: int, watch: _Stopwatch) -> None:
    """Play to the end or the turn limit. Each decision has a seed of its own, the same whichever process plays the game."""
    max_turns = MAX_TURNS_PER_SEAT * game.players
    while not game.is_over and game.state["turns"] < max_turns:
        seat = game.turn
        view = game.view(seat)
        before = time.perf_counter()
        move = bots[seat].choose(view, seats[seat].budget, bot_seed + len(game.moves))
        watch.add(seat, time.perf_counter() - before)
        game.play(move)


def _result(game: Game, why: str) -> tuple[tuple[int, ...], str]:
    """Ranks and reason. Who forfeits is last and the others share the win; a cut game is a draw."""
    if why:
        return tuple(game.players if seat == game.turn else 1 for seat in range(game.players)), FORFEIT
    if game.outcome is None:
        return (1,) * game.players, CUT
    return game.outcome.ranks, game.outcome.reason


def warm_up(match: Match) -> None:
    """Compile or load what the match needs before any time is measured. A program that cannot be started raises here."""
    bots = start_bots(match.entrants)
    game = Game(match.variant, match.players, seed=WARM_UP_SEED, start=0)
    for decision in range(WARM_UP_DECISIONS):
        view = game.view(game.turn)
        for bot in bots:
            with suppress(ProgramError):  # a program that fails will forfeit its games, and their results say why
                bot.choose(view, WARM_UP_BUDGETS[decision % len(WARM_UP_BUDGETS)], decision)
        game.play(Greedy().choose(view, Budget(), decision))
