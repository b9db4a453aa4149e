"""Review of a game: what each decision lost (skill), and what the cards changed (luck).

Each decision is judged from the view of the seat that made it. Two numbers per decision and seat carry everything:

    before   the seat's chance to win if the best move is played
    after    its chance with the move that was played, before any card is turned up

    error = after - before                     of the seat that decided: never above 0
    luck  = before of the next decision - after    the card turned up, and hidden cards that the next seat knows

The sums telescope: result - chance at the deal = luck + errors of all seats, for every seat and every game. Backgammon programs
split a game in the same way; Zinkevich et al. (2006) call it advantage sums.

The chance of a move is a mean over samples of everything that the seat does not know: the move is played in each sample, and the
position after it is searched from the view of the seat that decides next. The best and the played move are compared on the same
samples (common random numbers), so most of the noise cancels out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..bots.levels import LEGEND
from ..errors import CabochonError, Interrupted
from ..game import Game, Outcome
from ..notation.move import Move
from ..notation.record import Record
from ..search.analysis import Signal
from ..search.budget import Budget
from ..view import View, sample
from .grades import GRADES, accuracy, grade

DEFAULT_BUDGET = Budget(nodes=2000)  # for each decision: half to find the best moves, the rest to compare them
CANDIDATES = 3  # moves that are compared, besides the one that was played
MIN_SAMPLES, MAX_SAMPLES, NODES_PER_SAMPLE = 2, 16, 24
Values = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class MoveChance:
    """A move, and each seat's chance to win with it."""

    move: Move
    values: Values


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a game, judged from the view of its seat. `number` counts the moves of the record from 0."""

    number: int
    round: int
    seat: int
    stage: str
    played: MoveChance
    best: MoveChance
    alternatives: tuple[MoveChance, ...]
    line: tuple[Move, ...]
    is_forced: bool

    @property
    def before(self) -> Values:
        """Each seat's chance with the best move."""
        return self.best.values

    @property
    def after(self) -> Values:
        """Each seat's chance with the move that was played."""
        return self.played.values

    @property
    def lost(self) -> float:
        """The chance that this decision cost its seat."""
        return self.before[self.seat] - self.after[self.seat]

    @property
    def grade(self) -> str:
        """The class of this decision: see `grades`."""
        return grade(self.lost, self.played.move == self.best.move)


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """What a whole game says about one seat. `result` is 1 for a win, and a share of it where several won."""

    seat: int
    result: float
    chance_at_deal: float
    luck: float
    own_errors: float
    others_errors: float
    decisions: int
    error_rate: float | None
    accuracy: float | None
    grades: dict[str, int]


@dataclass(frozen=True, slots=True)
class Review:
    """A reviewed game: its decisions, luck by decision and seat, and a summary for each seat."""

    variant: str
    players: int
    nodes: int
    decisions: tuple[Decision, ...]
    luck: tuple[Values, ...]
    seats: tuple[SeatSummary, ...]


def review(
    source: str | Record | Game,
    budget: Budget = DEFAULT_BUDGET,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Review:
    """Review a finished game: a record, its text, or a Game. The budget is for each decision.

    The same game, budget in nodes and seed give the same review. `progress` is called with (decisions done, decisions in all).
    """
    game = as_game(source)
    if game.outcome is None:
        raise CabochonError("this game is not over: only a finished game can be reviewed")
    judged = []
    for decision in decisions(game, budget, seed):
        judged.append(decision)
        if progress:
            progress(len(judged), len(game.moves))
    return summarise(game, judged, budget)


def as_game(source: str | Record | Game) -> Game:
    """The game itself, or the one a record holds."""
    return source if isinstance(source, Game) else Game.from_record(source)


def decisions(game: Game, budget: Budget = DEFAULT_BUDGET, seed: int = 0) -> Iterator[Decision]:
    """The decisions of a game, one by one as they are judged."""
    table = game.beginning()
    for number, move in enumerate(game.moves):
        yield judge(table, move, number, budget, seed)
        table.play(move)


def judge(table: Game, played: Move, number: int, budget: Budget, seed: int, stop: Signal | None = None) -> Decision:
    """Judge one decision. Nothing but the view of the seat to decide is used. Interrupted is raised when `stop` is set."""
    view = table.view(table.turn)
    half = half_of(budget)
    legal = table.legal_moves()
    chosen: list[Move] = [played]
    line: tuple[Move, ...] = (played,)
    if len(legal) > 1:
        found = LEGEND.analyse(view, half, _seed(seed, number), stop=stop)
        check_stop(stop)
        chosen, line = [stats.move for stats in found.moves[:CANDIDATES]], found.line
    played = _usual_payment(table, played)
    moves = chosen if played in chosen else [*chosen, played]
    values = compare(view, moves, half, seed, number, stop)
    chances = [MoveChance(move, each) for move, each in zip(moves, values, strict=True)]
    own = next(chance for chance in chances if chance.move == played)
    best = chances[0]
    if own.values[view.turn] >= best.values[view.turn]:
        best, line = own, line if own is best else (own.move,)
    others = sorted((chance for chance in chances if chance is not best), key=lambda chance: -chance.values[view.turn])
    return Decision(number, table.round, view.turn, view.stage, own, best, tuple(others), line, len(legal) == 1)


def half_of(budget: Budget) -> Budget:
    """Half of a budget."""
    return Budget(
        nodes=None if budget.nodes is None else max(1, budget.nodes // 2),
        seconds=None if budget.seconds is None else budget.seconds / 2,
    )


def _seed(seed: int, *numbers: int) -> int:
    """A seed for one search: the same wherever the same numbers come together."""
    return int(np.random.default_rng([seed, *numbers]).integers(1 << 62))


def _usual_payment(table: Game, move: Move) -> Move:
    """The move without its payment, if that is the payment which is chosen without saying one."""
    if not move.payment:
        return move
    usual = Move(move.action, None, move.variant)
    first, second = table.copy(), table.copy()
    first.play(move)
    second.play(usual)
    return usual if first == second else move


def check_stop(stop: Signal | None) -> None:
    """Raise Interrupted if the work is to stop: what a search found so far would be another verdict each time."""
    if stop is not None and stop.is_set():
        raise Interrupted("the review was told to stop")


def compare(
    view: View, moves: Sequence[Move], budget: Budget, seed: int, number: int, stop: Signal | None = None
) -> list[Values]:
    """Each seat's chance after each move: means over the same samples of what the view does not show."""
    count = samples_of(budget)
    each = Budget(
        nodes=None if budget.nodes is None else max(1, budget.nodes // count),
        seconds=None if budget.seconds is None else budget.seconds / count / len(moves),
    )
    sums = np.zeros((len(moves), view.rules.players))
    for i in range(count):
        states = sample(view, np.random.default_rng([seed, number, i]))
        for row, move in enumerate(moves):
            after = Game.from_states(states)
            after.play(move)
            sums[row] += chances_now(after, each, _seed(seed, number, i), stop)
            check_stop(stop)
    return [tuple((row / count).tolist()) for row in sums]


def samples_of(budget: Budget) -> int:
    """How many samples are worth their nodes."""
    if budget.nodes is None:
        return MAX_SAMPLES // 2
    return min(MAX_SAMPLES, max(MIN_SAMPLES, budget.nodes // NODES_PER_SAMPLE))


def chances_now(game: Game, budget: Budget, seed: int, stop: Signal | None = None) -> Values:
    """Each seat's chance in a game: the result if it is over, else what a search from the view of the next seat says."""
    if game.outcome is not None:
        return result_values(game.outcome, game.players)
    return LEGEND.analyse(game.view(game.turn), budget, seed, stop=stop).values


def result_values(outcome: Outcome, players: int) -> Values:
    """Each seat's share of the win."""
    return tuple((seat in outcome.winners) / len(outcome.winners) for seat in range(players))


def summarise(game: Game, judged: Sequence[Decision], budget: Budget) -> Review:
    """Luck and errors of a finished game whose decisions have all been judged."""
    if game.outcome is None:
        raise CabochonError("this game is not over: luck and errors are told of a finished game")
    result = result_values(game.outcome, game.players)
    following = [*(decision.before for decision in judged[1:]), result]
    luck = tuple(
        tuple(now - after for now, after in zip(values, decision.after, strict=True))
        for decision, values in zip(judged, following, strict=False)
    )
    seats = tuple(_summary(seat, result[seat], judged, luck) for seat in range(game.players))
    return Review(game.variant, game.players, budget.nodes or 0, tuple(judged), luck, seats)


def _summary(seat: int, result: float, judged: Sequence[Decision], luck: Sequence[Values]) -> SeatSummary:
    errors = [(decision.seat, decision.after[seat] - decision.before[seat]) for decision in judged]
    free = [decision for decision in judged if decision.seat == seat and not decision.is_forced]
    lost = [decision.lost for decision in free]
    return SeatSummary(
        seat=seat,
        result=result,
        chance_at_deal=judged[0].before[seat] if judged else result,
        luck=sum(values[seat] for values in luck),
        own_errors=sum(error for decider, error in errors if decider == seat),
        others_errors=sum(error for decider, error in errors if decider != seat),
        decisions=len(free),
        error_rate=sum(lost) / len(lost) if lost else None,
        accuracy=accuracy(lost),
        grades={name: sum(decision.grade == name for decision in free) for name in GRADES},
    )
