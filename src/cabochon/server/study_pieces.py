"""What a worker does for reviews and the analysis board. It imports nothing of the server: that would take two seconds."""

from collections.abc import Sequence
from functools import lru_cache

from ..bots.levels import LEGEND
from ..notation.move import parse_move
from ..search.analysis import Analysis, Signal
from ..search.budget import Budget
from ..study.review import DEFAULT_BUDGET, Course, Decision, Values, compare, course_of, half_of, judge, moment
from ..view import View

BUDGET = DEFAULT_BUDGET  # of one decision
SEED = 0


@lru_cache(maxsize=8)
def course(record: str) -> Course:
    """The game of a record; kept, since its decisions are judged one by one."""
    return course_of(record)


def judge_decision(record: str, number: int, stop: Signal) -> Decision:
    """Judge one decision of a record."""
    return judge(course(record), number, BUDGET, SEED, stop)


def try_move(record: str, number: int, moves: Sequence[str], stop: Signal) -> list[Values]:
    """Each seat's chance after each of these moves in place of the one that was played."""
    table, out = moment(course(record), number)
    parsed = [parse_move(text, table.variant) for text in moves]
    return compare(table.view(table.turn), parsed, half_of(BUDGET), SEED, number, stop, out)


def search(view: View, nodes: int, seed: int, lines: int, stop: Signal) -> Analysis:
    """What the strongest level finds, with the lines of that many moves."""
    return LEGEND.analyse(view, Budget(nodes=nodes), seed, stop=stop, lines=lines)
