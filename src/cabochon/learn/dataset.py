"""Training data: positions of games that a bot plays against itself, as columns. PyTorch is not needed.

A row is a decision. docs/dataset.md describes the columns.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import batch
from ..bots import Bot, Budget, bot_of
from ..bots.base import NO_LIMIT
from ..bots.greedy import greedy_actions
from ..errors import CabochonError, WrongType, quoted
from ..observation import action_masks
from ..rules.actions import ACTION_COUNT
from ..rules.state import state_t
from ..ruleset import States, is_count, ruleset
from ..version import __version__
from ..view import view
from .games import MAX_TURNS

Columns = dict[str, NDArray[Any]]
Progress = Callable[[int, int], None]
GAMES_AT_ONCE = 500  # they are played side by side, and kept until they are over
SEED_LIMIT = 1 << 62
SEED_OF_PLAN_LIMIT = 1 << 40  # times a million it still fits 64 bits
FORMATS = (".npz", ".parquet")


@dataclass(frozen=True, slots=True)
class Plan:
    """Which games: the bot plays every seat, and with the chance `stray` a random move, so that mistakes are seen too."""

    variant: str = "classic"
    players: int = 2
    games: int = 1000
    bot: str = "greedy"
    nodes: int | None = None
    seconds: float | None = None
    stray: float = 0.05
    seed: int = 1

    def __post_init__(self) -> None:
        ruleset(self.variant, self.players, {})
        bot_of(self.bot)
        Budget(self.nodes, self.seconds)  # which refuses what is no number
        is_chance = isinstance(self.stray, int | float) and 0 <= self.stray <= 1
        if not (is_count(self.games) and self.games > 0 and is_chance and _is_seed(self.seed)):
            raise CabochonError(
                "a dataset has at least one game, a chance of stray moves from 0 to 1, and a seed from 0 to "
                f"{SEED_OF_PLAN_LIMIT - 1}, not games={quoted(self.games)}, stray={quoted(self.stray)}, seed={quoted(self.seed)}"
            )

    @property
    def budget(self) -> Budget:
        return Budget(self.nodes, self.seconds) if self.nodes or self.seconds else NO_LIMIT


def _is_seed(value: object) -> bool:
    return is_count(value) and 0 <= value < SEED_OF_PLAN_LIMIT  # type: ignore[operator]


def _no_progress(_done: int, _total: int) -> None:
    return


def make_dataset(plan: Plan, progress: Progress = _no_progress) -> Columns:
    """All columns of a dataset, in memory."""
    parts = list(play_parts(plan, progress))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def play_parts(plan: Plan, progress: Progress = _no_progress) -> Iterator[Columns]:
    """The columns of some games after the other. The same plan gives the same columns, if its budget is not in seconds."""
    progress(0, plan.games)
    for first in range(0, plan.games, GAMES_AT_ONCE):
        count = min(GAMES_AT_ONCE, plan.games - first)
        yield _play(plan, first, count)
        progress(first + count, plan.games)


def _play(plan: Plan, first: int, count: int) -> Columns:
    states = batch.deal(plan.variant, plan.players, plan.seed * 1_000_000 + first + np.arange(count))
    rng, chooser = np.random.default_rng([plan.seed, first]), Chooser(plan)
    rows: list[Columns] = []
    while len(going := np.flatnonzero(~batch.is_over(states) & (states["turns"] < MAX_TURNS))):
        now = states[going]
        chosen = chooser.choose(now, rng.integers(0, SEED_LIMIT, len(going)))
        strays = rng.random(len(going)) < plan.stray
        actions = np.where(strays, batch.choose(now, rng=rng), chosen["action"])
        seen: Columns = {
            "game": (first + going).astype(np.int32),
            "decision": np.full(len(going), len(rows), np.int32),
            "seat": now["turn"].astype(np.int8),
            "observation": batch.observe(now),
            "action_mask": action_masks(now).astype(np.bool_),
            "state": now.copy().view(np.uint8).reshape(len(going), state_t.itemsize),
        }
        rows.append(seen | chosen | {"action": actions.astype(np.int8), "is_stray": strays})
        batch.play(now, actions)
        states[going] = now
    columns = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    return _with_results(columns, states, first)


def _with_results(columns: Columns, states: States, first: int) -> Columns:
    """Every decision with how its game ended for its seat; games that were cut off are left out. In order of games."""
    order = np.argsort(columns["game"], kind="stable")
    columns = {name: column[order] for name, column in columns.items()}
    game, seat = columns["game"] - first, columns["seat"]
    ranks, points = batch.ranks(states), batch.points(states)
    better, worse = (ranks[:, None, :] < ranks[:, :, None]).sum(2), (ranks[:, None, :] > ranks[:, :, None]).sum(2)
    rewards = (worse - better) / (ranks.shape[1] - 1)
    columns |= {
        "rank": ranks[game, seat],
        "reward": rewards[game, seat].astype(np.float32),
        "final_points": points[game],
    }
    is_whole = batch.is_over(states)[game]
    return {name: column[is_whole] for name, column in columns.items()}


class Chooser:
    """Chooses for many games at once where the bot is compiled; else asks it for one after the other."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.bot: Bot = bot_of(plan.bot)

    def choose(self, states: States, seeds: NDArray[np.int64]) -> Columns:
        """The actions and, of a bot that explains its moves, the visits as a policy and the chances of all seats."""
        if self.plan.bot == "greedy":
            return {"action": greedy_actions(states, seeds)}
        if self.plan.bot == "random":
            return {"action": batch.choose(states, seeds=seeds)}
        views = [view(state, int(state["turn"])) for state in states]
        analyst = self.bot.analyst
        if analyst is None:
            moves = [self.bot.choose(seen, self.plan.budget, int(seed)) for seen, seed in zip(views, seeds, strict=True)]
            return {"action": np.array([move.action for move in moves])}
        policy = np.zeros((len(views), ACTION_COUNT), np.float32)
        values = np.zeros((len(views), self.plan.players), np.float32)
        actions = np.empty(len(views), np.int64)
        for i, (seen, seed) in enumerate(zip(views, seeds, strict=True)):
            found = analyst.analyse(seen, self.plan.budget, int(seed))
            for one in found.moves:
                policy[i, one.move.action] = one.visits
            actions[i], values[i] = found.best.action, found.values
            policy[i] /= max(1.0, policy[i].sum())
        return {"action": actions, "policy": policy, "values": values}


def write_dataset(plan: Plan, file: Path | str, progress: Progress = _no_progress) -> int:
    """Play the games and write them, as NPZ or Parquet by the name of the file; how many rows there are."""
    if not isinstance(file, Path | str):
        raise WrongType(f"the file of a dataset is a path or a text, not {quoted(file)}")
    file = Path(file)
    if file.suffix not in FORMATS:
        raise CabochonError(f"{file}: the name of a dataset ends with {' or '.join(FORMATS)}")
    if not file.parent.is_dir():  # said before hours of games, not after them
        raise CabochonError(f"{file} cannot be written (no such file or directory)")
    about = json.dumps(asdict(plan) | {"cabochon": __version__})
    writer = _write_parquet if file.suffix == ".parquet" else _write_npz
    try:
        return writer(file, about, plan, progress)
    except OSError as error:
        raise CabochonError(f"{file} cannot be written ({(error.strerror or 'error').lower()})") from error


def _write_npz(file: Path, about: str, plan: Plan, progress: Progress) -> int:
    columns = make_dataset(plan, progress)
    np.savez_compressed(file, about=np.array(about), **columns)  # type: ignore[arg-type]
    return len(columns["game"])


def _write_parquet(file: Path, about: str, plan: Plan, progress: Progress) -> int:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as missing:
        raise CabochonError(f"{file}: Parquet needs pyarrow: pip install pyarrow, or write .npz") from missing
    writer, rows = None, 0
    for columns in play_parts(plan, progress):
        table = pyarrow.table({name: _arrow(pyarrow, column) for name, column in columns.items()})
        table = table.replace_schema_metadata({"about": about})
        writer = writer or parquet.ParquetWriter(file, table.schema)
        writer.write_table(table)
        rows += len(columns["game"])
    if writer is not None:
        writer.close()
    return rows


def _arrow(pyarrow: Any, column: NDArray[Any]) -> Any:
    """A column for Parquet; one with several numbers a row is a list of fixed size."""
    if column.ndim == 1:
        return pyarrow.array(column)
    return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(column.reshape(-1)), column.shape[1])
