"""Review of a game: what each decision lost (skill), and what the cards changed (luck).

Each decision is judged from the view of the seat that made it. Two numbers per decision and seat carry everything:

    before   the seat's chance to win if the best move is played
    after    its chance with the move that was played, before any card is turned up

    error = after - before                     of the seat that decided: never above 0
    luck  = before of the next decision - after    the card turned up, and hidden cards that the next seat knows

To resign is a decision, too: `before` is the chance that its seat had, and `after` the result, so it loses what chance there was.

The sums telescope: result - chance at the deal = luck + errors of all seats, for every seat and every game. Backgammon programs
split a game in the same way; Zinkevich et al. (2006) call it advantage sums.

The chance of a move is a mean over samples of everything that the seat does not know: the move is played in each sample, and the
position after it is searched from the view of the seat that decides next. The best and the played move are compared on the same
samples (common random numbers), so most of the noise cancels out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ..bots.levels import LEGEND
from ..errors import CabochonError, Interrupted
from ..game import Game
from ..notation.move import Move
from ..notation.record import Record, Resignation, parse_record
from ..notation.replay import UNFINISHED
from ..search.analysis import Signal
from ..search.budget import Budget, require_budget
from ..view import View, sample
from .grades import GRADES, accuracy, grade

DEFAULT_BUDGET = Budget(nodes=2000)  # for each decision: half to find the best moves, the rest to compare them
CANDIDATES = 3  # moves that are compared, besides the one that was played
MIN_SAMPLES, MAX_SAMPLES, NODES_PER_SAMPLE = 2, 16, 24
RESIGN_STAGE = "resign"
Values = tuple[float, ...]
NOBODY: frozenset[int] = frozenset()


class NoMove(StrEnum):
    """What one may do in place of a move."""

    RESIGN = "resign"
    PLAY_ON = "play on"


@dataclass(frozen=True, slots=True)
class MoveChance:
    """A move, or to resign or play on, and each seat's chance to win with it."""

    move: Move | NoMove
    values: Values


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a game, judged from the view of its seat. `number` counts moves and resignations from 0.

    `stage` is that of the rules, or `resign`. `is_forced`: it does not count, because there was one legal move, or a bot played
    on for a seat that had resigned.
    """

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


@dataclass(frozen=True, slots=True)
class Course:
    """A game to be reviewed, who resigned in it, and whether that ended it."""

    game: Game
    resigned: tuple[Resignation, ...] = ()
    is_given_up: bool = False

    @property
    def steps(self) -> tuple[Move | Resignation, ...]:
        """Moves and resignations in their order."""
        moves = self.game.moves
        gave_up = [[one for one in self.resigned if one.after == number] for number in range(len(moves) + 1)]
        steps: list[Move | Resignation] = []
        for move, before in zip(moves, gave_up, strict=False):
            steps += [*before, move]
        return (*steps, *gave_up[-1])

    @property
    def is_over(self) -> bool:
        """Whether the game has a result: it was played to the end, or somebody gave it up."""
        return self.game.is_over or self.is_given_up

    @property
    def result(self) -> Values:
        """Each seat's share of the win."""
        return result_values(self.game, frozenset(one.seat for one in self.resigned))


def review(
    source: str | Record | Game,
    budget: Budget = DEFAULT_BUDGET,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Review:
    """Review a finished game: a record, its text, or a Game. The budget is for each decision.

    The same game, budget in nodes and seed give the same review. `progress` is called with (decisions done, decisions in all).
    """
    budget = budget_of(budget)
    course = course_of(source)
    if not course.is_over:
        raise CabochonError("this game is not over: only a finished game can be reviewed")
    judged = []
    for decision in decisions(course, budget, seed):
        judged.append(decision)
        if progress:
            progress(len(judged), len(course.steps))
    return summarise(course, judged, budget)


def course_of(source: str | Record | Game) -> Course:
    """The game itself, or the one a record holds."""
    if isinstance(source, Game):
        return Course(source)
    record = parse_record(source) if isinstance(source, str) else source
    game = Game.from_record(record)
    return Course(game, record.resigned, is_given_up=not game.is_over and record.result != UNFINISHED)


def decisions(source: str | Record | Game | Course, budget: Budget = DEFAULT_BUDGET, seed: int = 0) -> Iterator[Decision]:
    """The decisions of a game, one by one as they are judged."""
    budget = budget_of(budget)
    course = source if isinstance(source, Course) else course_of(source)
    for number in range(len(course.steps)):
        yield judge(course, number, budget, seed)


def moment(course: Course, number: int) -> tuple[Game, frozenset[int]]:
    """The game before a decision, and who had resigned by then."""
    table, out = course.game.beginning(), set()
    for step in course.steps[:number]:
        if isinstance(step, Resignation):
            out.add(step.seat)
        else:
            table.play(step)
    return table, frozenset(out)


def judge(course: Course, number: int, budget: Budget, seed: int, stop: Signal | None = None) -> Decision:
    """Judge one decision. Nothing but the view of its seat is used. Interrupted is raised when `stop` is set."""
    step = course.steps[number]
    if isinstance(step, Resignation):
        return _judge_resignation(course, step.seat, number, budget, seed, stop)
    return _judge_move(course, step, number, budget, seed, stop)


def _judge_resignation(course: Course, seat: int, number: int, budget: Budget, seed: int, stop: Signal | None) -> Decision:
    """To resign loses what chance there was. What the seat had goes to the others; at the end they have the result."""
    table, out = moment(course, number)
    view, half = table.view(seat), half_of(budget)
    count = samples_of(half)
    each = _share(half, count)
    before = np.zeros(table.players)
    for i in range(count):
        game = Game.from_states(sample(view, np.random.default_rng([seed, number, i])))
        before += chances_now(game, each, _seed(seed, number, i), out, stop)
        check_stop(stop)
    stayed = tuple((before / count).tolist())
    is_end = number == len(course.steps) - 1 and not table.is_over
    gone = course.result if is_end else _without(stayed, out | {seat})
    own, best = MoveChance(NoMove.RESIGN, gone), MoveChance(NoMove.PLAY_ON, stayed)
    return Decision(number, table.round, seat, RESIGN_STAGE, own, best, (), (), is_forced=False)


def _judge_move(course: Course, played: Move, number: int, budget: Budget, seed: int, stop: Signal | None) -> Decision:
    table, out = moment(course, number)
    view = table.view(table.turn)
    half = half_of(budget)
    legal = [played] if table.turn in out else table.legal_moves()
    chosen: list[Move] = [played]
    line: tuple[Move, ...] = (played,)
    if len(legal) > 1:
        found = LEGEND.analyse(view, half, _seed(seed, number), stop=stop)
        check_stop(stop)
        chosen, line = [stats.move for stats in found.moves[:CANDIDATES]], found.line
    played = _usual_payment(table, played)
    moves = chosen if played in chosen else [*chosen, played]
    values = compare(view, moves, half, seed, number, stop, out)
    chances = [MoveChance(move, each) for move, each in zip(moves, values, strict=True)]
    own = next(chance for chance in chances if chance.move == played)
    best = chances[0]
    if own.values[view.turn] >= best.values[view.turn]:
        best, line = own, line if own is best else (played,)
    others = sorted((chance for chance in chances if chance is not best), key=lambda chance: -chance.values[view.turn])
    return Decision(number, table.round, view.turn, view.stage, own, best, tuple(others), line, len(legal) == 1)


def budget_of(budget: Budget) -> Budget:
    """The budget, or the usual one if it has no limit: a second for each of hundreds of searches is never meant."""
    if require_budget(budget) == Budget():
        return DEFAULT_BUDGET
    if (budget.nodes is not None and budget.nodes < 1) or (budget.seconds is not None and not budget.seconds > 0):
        raise CabochonError(f"a budget is more than nothing: nodes {budget.nodes}, seconds {budget.seconds}")
    return budget


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
    view: View,
    moves: Sequence[Move],
    budget: Budget,
    seed: int,
    number: int,
    stop: Signal | None = None,
    out: frozenset[int] = NOBODY,
) -> list[Values]:
    """Each seat's chance after each move: means over the same samples of what the view does not show. `out` have resigned."""
    count = samples_of(budget)
    each = _share(budget, count, len(moves))
    sums = np.zeros((len(moves), view.rules.players))
    for i in range(count):
        states = sample(view, np.random.default_rng([seed, number, i]))
        for row, move in enumerate(moves):
            after = Game.from_states(states)
            after.play(move)
            sums[row] += chances_now(after, each, _seed(seed, number, i), out, stop)
            check_stop(stop)
    return [tuple((row / count).tolist()) for row in sums]


def _share(budget: Budget, samples: int, moves: int = 1) -> Budget:
    """What one search gets: nodes are for each move, seconds for all of them."""
    return Budget(
        nodes=None if budget.nodes is None else max(1, budget.nodes // samples),
        seconds=None if budget.seconds is None else budget.seconds / samples / moves,
    )


def samples_of(budget: Budget) -> int:
    """How many samples are worth their nodes."""
    if budget.nodes is None:
        return MAX_SAMPLES // 2
    return min(MAX_SAMPLES, max(MIN_SAMPLES, budget.nodes // NODES_PER_SAMPLE))


def chances_now(game: Game, budget: Budget, seed: int, out: frozenset[int] = NOBODY, stop: Signal | None = None) -> Values:
    """Each seat's chance in a game: the result if it is over, else what a search from the view of the next seat says."""
    if game.is_over:
        return result_values(game, out)
    return _without(LEGEND.analyse(game.view(game.turn), budget, seed, stop=stop).values, out)


def _without(values: Values, out: frozenset[int]) -> Values:
    """The chances where these seats cannot win any more: theirs go to the others in proportion."""
    if not out:
        return values
    left = sum(value for seat, value in enumerate(values) if seat not in out)
    equal = 1 / (len(values) - len(out))
    return tuple(0.0 if seat in out else value / left if left else equal for seat, value in enumerate(values))


def result_values(game: Game, out: frozenset[int] = NOBODY) -> Values:
    """Each seat's share of the win, in a game that is over or was given up."""
    outcome = game.outcome_without(out)
    if outcome is None:
        raise CabochonError("this game is not over: it has no result")
    return tuple((seat in outcome.winners) / len(outcome.winners) for seat in range(game.players))


def summarise(course: Course, judged: Sequence[Decision], budget: Budget) -> Review:
    """Luck and errors of a finished game whose decisions have all been judged."""
    game, result = course.game, course.result
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
