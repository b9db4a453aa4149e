"""Making puzzles from self-play: positions where one move is better than every other by a clear margin.

A game is played by a mix of levels, since mistakes lead to positions where something can be found. Each decision goes through
stages, each dearer than the one before:

    scan      a short search: is there a gap between the first and the second move?
    choose    the themes: most reservations and quiet moves are left out, since there are very many of them
    rank      every legal move is played in a few samples and the position after it searched: does one stand out?
    level     which levels find the move? Most of what all find is left out
    deep      the best moves compared on more samples, searched longer: a gap of MARGIN at least
    deeper    again, longer and with another seed: the same best move, the same gap

A move's chance is the mean over samples of everything that the seat does not know, as in a review. All moves meet the same
samples. The result of game n depends on the variant, the seed and n alone.
"""

import json
import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import count as count_from
from pathlib import Path

import numpy as np

from ..bots.base import legal_moves
from ..bots.levels import LEGEND, LEVELS, Level
from ..bots.searchless import Greedy
from ..errors import CabochonError
from ..events import drawn_tier, market_slot, reserve_place
from ..game import Game
from ..notation.move import Move
from ..notation.position import format_position
from ..rules.gems import TIME
from ..search.analysis import Analysis
from ..search.budget import Budget
from ..view import View, sample
from .proving import proven_best
from .puzzle_themes import themes_of
from .puzzles import DIFFICULTIES, PROVEN, SEARCHED, Puzzle, format_puzzle, parse_puzzle, puzzle_id
from .review import chances_now

MARGIN = 0.10  # of chance: what every other move must lose at least. A review grades such a loss as a blunder
MIN_CHANCE = 0.15  # with the best move: in a lost position nobody likes to look for the move that loses more slowly
MIN_CHOICES = 4  # legal moves
MAX_PER_GAME = 2
MAX_DECISIONS = 400  # of a game
COMPARED = 4  # moves that are compared deeply
TRIES = 3  # of a level at a puzzle: it finds the move if most of its tries do
EASY_SHARE = 0.6  # of those that every level finds are kept
# Of the positions whose move has these themes and no other, and of all other reservations, this share is looked at.
SHARE_OF: dict[tuple[str, ...], float] = {("reserve",): 0.02, ("tempo",): 0.1}
RESERVE_SHARE = 0.5
LATE, MIN_ROUNDS = 6, 12  # points missing to the goal, or rounds played, from where on proofs are looked for
NOISE = 0.1  # random moves among greedy's
STILL_CLEAR = 0.5  # of the margin, where a puzzle is checked again
EARLY_GAP = 0.5  # of the margin: with a smaller gap half-way a stage is given up
PLAYERS, PLAYER_WEIGHTS = (2, 3, 4), (0.6, 0.25, 0.15)
MAX_LINE = 6
DIFFICULTY_BY_MISSES = (1, 2, 3, 3, 4, 5, 5)  # by the number of JUDGES that miss the move


@dataclass(frozen=True, slots=True)
class Effort:
    """How many samples of what is hidden, and nodes for each move and sample; `seed` keeps the stages apart."""

    samples: int
    nodes: int
    seed: int


@dataclass(frozen=True, slots=True)
class Judge:
    """A level that tries to find the move. One with a second to think gets a number of nodes: the same on any machine."""

    level: Level
    budget: Budget

    def finds(self, view: View, move: Move) -> bool:
        """Whether most of its tries find the move."""
        found = sum(self.level.choose(view, self.budget, seed).action == move.action for seed in range(TRIES))
        return 2 * found > TRIES


SCAN = Budget(nodes=96)
RANK, DEEP, DEEPER = Effort(6, 64, 1), Effort(16, 400, 2), Effort(32, 1000, 3)
MASTER_NODES = 4000
JUDGES = tuple(
    Judge(level, Budget(nodes=level.default_budget.nodes or MASTER_NODES))
    for level in LEVELS
    if level.name in ("pedlar", "merchant", "cutter", "jeweller", "master", "virtuoso")
)
SELF_PLAY = (LEGEND, LEGEND, *(level for level in LEVELS if level.name in ("pedlar", "merchant", "cutter")), Greedy())
assert len(DIFFICULTY_BY_MISSES) == len(JUDGES) + 1
assert set(DIFFICULTY_BY_MISSES) == set(DIFFICULTIES)


@dataclass(frozen=True, slots=True)
class Job:
    """Which games to make puzzles from."""

    variant: str
    seed: int
    by: str = SEARCHED


def compare(view: View, moves: Sequence[Move], effort: Effort) -> list[float]:
    """The chance of the seat to decide with each move: means over the same samples. The first move is expected to be best.

    Half-way a comparison that shows no gap is given up: the means so far are returned.
    """
    sums, done = np.zeros(len(moves)), 0
    for i in range(effort.samples):
        states = sample(view, np.random.default_rng([effort.seed, i]))
        for row, move in enumerate(moves):
            after = Game.from_states(states)
            after.play(move)
            sums[row] += chances_now(after, Budget(nodes=effort.nodes), effort.seed << 32 | i)[view.turn]
        done += 1
        if 2 * done == effort.samples and gap(sums / done) < EARLY_GAP * MARGIN:
            break
    return list((sums / done).tolist())


def gap(chances: Sequence[float] | np.ndarray) -> float:
    """How much better the first move is than the best of the others."""
    return float(chances[0] - max(chances[1:]))


def is_decision(game: Game) -> bool:
    """Whether a decision may become a puzzle: enough choices, and no choice of an order.

    Returning two tokens one by one is the same in either order, so there would be two right answers.
    """
    if len(game.legal_moves()) < MIN_CHOICES:
        return False
    if game.stage != "return":
        return True
    tokens = game.view(game.turn).seats[game.turn].tokens
    return sum(tokens[:TIME]) == game.rules.token_limit + 1


def stands_out(found: Analysis, seat: int) -> bool:
    """Whether a short search sees a gap between its move and the others."""
    best, others = found.moves[0], [move for move in found.moves[1:] if move.visits]
    if best.values[seat] < MIN_CHANCE:
        return False
    return not others or best.values[seat] - max(move.values[seat] for move in others) >= EARLY_GAP * MARGIN


def share_of(themes: tuple[str, ...]) -> float:
    """How many of the positions with these themes are looked at: the strong play of nets is full of reservations."""
    return SHARE_OF.get(themes, RESERVE_SHARE if "reserve" in themes else 1.0)


def ranked(view: View, moves: Sequence[Move], first: Move) -> list[Move]:
    """The moves that are to be compared deeply, best first; none if no move stands out. `first` is what the scan found."""
    ordered = [first, *(move for move in moves if move != first)]
    chances = compare(view, ordered, RANK)
    order = sorted(range(len(ordered)), key=lambda i: -chances[i])
    best = [chances[i] for i in order]
    return [ordered[i] for i in order[:COMPARED]] if best[0] - best[1] >= EARLY_GAP * MARGIN else []


def missed_by(view: View, move: Move) -> tuple[str, ...]:
    """The levels that do not find a move."""
    return tuple(judge.level.name for judge in JUDGES if not judge.finds(view, move))


def puzzle_at(game: Game, first: Move, rng: np.random.Generator) -> Puzzle | None:
    """The puzzle at a position whose scan found a move that stands out; None if it does not hold."""
    view = game.view(game.turn)
    if rng.random() >= share_of(themes_of(view, first)):
        return None
    moves = ranked(view, game.legal_moves(), first)
    if not moves:
        return None
    best = moves[0]
    missed = missed_by(view, best)
    if not missed and rng.random() >= EASY_SHARE:
        return None
    if gap(compare(view, moves, DEEP)) < MARGIN:
        return None
    chances = compare(view, moves, DEEPER)
    if gap(chances) < MARGIN or chances[0] < MIN_CHANCE:
        return None
    return puzzle_of(game, moves, chances, missed, SEARCHED)


def puzzle_of(game: Game, moves: Sequence[Move], chances: Sequence[float], missed: tuple[str, ...], proof: str) -> Puzzle:
    """The puzzle of a position whose first move is the best."""
    view, best = game.view(game.turn), moves[0]
    listed = sorted(zip(map(str, moves), chances, strict=True), key=lambda row: -row[1])
    position = format_position(view)
    return Puzzle(
        id=puzzle_id(position),
        variant=game.variant,
        position=position,
        best=str(best),
        chances=tuple((move, round(chance, 3)) for move, chance in listed),
        proof=proof,
        themes=themes_of(view, best),
        difficulty=DIFFICULTY_BY_MISSES[len(missed)],
        missed=missed,
        line=line_of(game, best),
    )


def proven_puzzle_at(game: Game, rng: np.random.Generator) -> Puzzle | None:
    """The puzzle at a position where one move is provably the best, if there is one. Its chances are those of a search."""
    best = proven_best(game) if is_decision(game) and is_late(game) else None
    if best is None:
        return None
    view = game.view(game.turn)
    missed = missed_by(view, best)
    if not missed and rng.random() >= EASY_SHARE:
        return None
    found = LEGEND.analyse(view, SCAN, 0).moves
    others = [one.move for one in found if one.move != best]
    moves = [best, *others[: COMPARED - 1]]
    chances = compare(view, moves, RANK)
    return puzzle_of(game, moves, chances, missed, PROVEN) if gap(chances) >= MARGIN and chances[0] >= MIN_CHANCE else None


def is_late(game: Game) -> bool:
    """Whether somebody is near the end, so that a proof may be found: by points or, where they end nothing, by tiles."""
    goal = game.rules.goal or 0
    return max(game.points) >= goal - LATE if goal else game.round > MIN_ROUNDS


def line_of(game: Game, best: Move) -> tuple[str, ...]:
    """What the search expects after the best move, as long as it speaks of cards that the seat knows."""
    view = game.view(game.turn)
    after = Game.from_states(sample(view, np.random.default_rng(DEEPER.seed)))
    after.play(best)
    rest: tuple[Move, ...] = ()
    if not after.is_over:
        rest = LEGEND.analyse(after.view(after.turn), Budget(nodes=DEEPER.nodes * 2), DEEPER.seed).line
    return tuple(str(move) for move in known_part((best, *rest)))


def known_part(line: Iterable[Move]) -> Iterator[Move]:
    """The moves of a line up to the first that is about a card which is not known yet, MAX_LINE at most."""
    refilled: set[tuple[int, int]] = set()
    for number, move in enumerate(line):
        slot = market_slot(move.action)
        is_unknown = slot in refilled or (number > 0 and reserve_place(move.action) is not None)
        if number == MAX_LINE or is_unknown:
            return
        yield move
        if slot is not None:
            refilled.add(slot)
        if drawn_tier(move.action) is not None and number > 0:
            return


def puzzles_of_game(job: Job, number: int) -> list[Puzzle]:
    """The puzzles of one game of self-play."""
    rng = np.random.default_rng([job.seed, number])
    players = int(rng.choice(PLAYERS, p=PLAYER_WEIGHTS))
    bots = [SELF_PLAY[int(i)] for i in rng.integers(len(SELF_PLAY), size=players)]
    game = Game(job.variant, players, seed=int(rng.integers(1 << 62)))
    found: list[Puzzle] = []
    for _ in range(MAX_DECISIONS):
        if game.is_over or len(found) == MAX_PER_GAME:
            break
        view, seed = game.view(game.turn), int(rng.integers(1 << 62))
        scan = LEGEND.analyse(view, SCAN, seed)
        if is_decision(game) and stands_out(scan, game.turn):
            puzzle = puzzle_at(game, scan.best, rng)
            found += [puzzle] if puzzle else []
        player = bots[game.turn]
        game.play(scan.best if player is LEGEND else player.choose(view, Budget(), seed))
    return found


def proven_puzzles_of_game(job: Job, number: int) -> list[Puzzle]:
    """The puzzles of one game of greedy with some random moves, where the best move is proven: cheaper than to search."""
    rng = np.random.default_rng([job.seed, number, 1])
    game = Game(job.variant, int(rng.choice(PLAYERS, p=PLAYER_WEIGHTS)), seed=int(rng.integers(1 << 62)))
    found: list[Puzzle] = []
    for _ in range(MAX_DECISIONS):
        if game.is_over or len(found) == MAX_PER_GAME:
            break
        puzzle = proven_puzzle_at(game, rng)
        found += [puzzle] if puzzle else []
        moves, seed = game.legal_moves(), int(rng.integers(1 << 30))
        any_move = rng.random() < NOISE
        game.play(moves[rng.integers(len(moves))] if any_move else Greedy().choose(game.view(game.turn), Budget(), seed))
    return found


MAKERS = {SEARCHED: puzzles_of_game, PROVEN: proven_puzzles_of_game}


def _made(job: Job, number: int) -> list[Puzzle]:
    return MAKERS[job.by](job, number)


def _ignore_interrupt() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles it


def _in_order(job: Job, numbers: Iterator[int], workers: int) -> Generator[tuple[int, list[Puzzle]]]:
    """The games' puzzles in the order of the games, whichever is finished first: so the result does not depend on the workers."""
    if workers == 1:
        for number in numbers:
            yield number, _made(job, number)
        return
    executor = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_ignore_interrupt)
    waiting: deque[tuple[int, Future[list[Puzzle]]]] = deque()
    try:
        while True:
            while len(waiting) < 4 * workers:
                number = next(numbers)
                waiting.append((number, executor.submit(_made, job, number)))
            number, future = waiting.popleft()
            yield number, future.result()
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _part_file(out: Path) -> Path:
    return out.with_name(f"{out.name}.part")


def _read_part(part: Path, job: Job) -> dict[int, list[Puzzle]]:
    """What an earlier run of the same job has finished."""
    if not part.exists():
        return {}
    rows = [json.loads(line) for line in part.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
    mine = [row for row in rows if asdict(job).items() <= row.items()]
    return {row["game"]: [parse_puzzle(json.dumps(puzzle)) for puzzle in row["puzzles"]] for row in mine}


def make_puzzles(
    job: Job,
    count: int,
    out: Path,
    *,
    workers: int = 1,
    minutes: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write at least this many puzzles to a file, fewer if time is up; how many there are.

    Beside the file a `.part` keeps the games that are finished: the same call goes on from there.
    """
    if out.is_dir() or not out.parent.is_dir():
        raise CabochonError(f"{out} cannot be written ({'is a directory' if out.is_dir() else 'no such file or directory'})")
    part = _part_file(out)
    done = _read_part(part, job)
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    found = sum(map(len, done.values()))
    numbers = (number for number in count_from() if number not in done)
    with part.open("a", encoding="utf-8") as kept:
        games = _in_order(job, numbers, workers)
        while found < count and (deadline is None or time.monotonic() < deadline):
            number, new = next(games)
            done[number] = new
            found += len(new)
            rows = [json.loads(format_puzzle(puzzle)) for puzzle in new]
            kept.write(
                json.dumps({"variant": job.variant, "seed": job.seed, "by": job.by, "game": number, "puzzles": rows}) + "\n"
            )
            kept.flush()
            if progress:
                progress(found, count)
        games.close()
    return write_puzzles((puzzle for number in sorted(done) for puzzle in done[number]), out)


def write_puzzles(found: Iterable[Puzzle], out: Path) -> int:
    """Write puzzles sorted by id, each once; how many there are."""
    by_id = {puzzle.id: puzzle for puzzle in found}
    out.write_text("".join(f"{format_puzzle(by_id[name])}\n" for name in sorted(by_id)), encoding="utf-8")
    return len(by_id)


def disproof(puzzle: Puzzle, quick: Effort, thorough: Effort) -> str | None:
    """What is wrong with a puzzle; None if its move is still the only good one.

    A proof is made again. Otherwise all legal moves are compared quickly; those that come near the best move are compared with it
    thoroughly, and then must lose half of the margin at least: less than when the puzzle was made, since other samples give
    somewhat other chances.
    """
    view, best = puzzle.view, puzzle.move
    others = [move for move in legal_moves(view) if move != best]
    if len(others) == len(legal_moves(view)):
        return f"{best} is not legal"
    if puzzle.proof == PROVEN:
        proven = proven_best(Game.from_states(sample(view, np.random.default_rng(quick.seed))))
        return None if proven == best else f"{proven} is proven, and not {best}"
    first, *rest = compare(view, [best, *others], quick)
    near = [others[i] for i in sorted(range(len(others)), key=lambda i: -rest[i]) if first - rest[i] < MARGIN]
    if not near:
        return None
    chances = compare(view, [best, *near[: COMPARED - 1]], thorough)
    if gap(chances) >= STILL_CLEAR * MARGIN:
        return None
    second = max(range(1, len(chances)), key=lambda i: chances[i])
    return f"{best} brings {chances[0]:.3f}, and {near[second - 1]} {chances[second]:.3f}"
