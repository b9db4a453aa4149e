"""How good the moves of a search are, without games: positions whose moves have been played out many times.

    python bench/decisions.py find --nets bench/candidates --out FILE          positions of games, and the moves worth comparing
    python bench/decisions.py play FILE --nets bench/candidates --out FILE     plays every move out on a GPU (needs torch)
    python bench/decisions.py measure FILE 'nodes=3200' 'nodes=3200,c_puct=2'  what searches choose there

A match of 400 games knows a share of wins within five points. Here a search is asked for its move in a few hundred positions, and
what that move is worth is known from thousands of games that were played on from it by a net with a short search, each move of a
position on the same decks. Two searches are compared on the same positions, so that most of the luck drops out. Of all decisions
`find` keeps those where there is a choice; the others cost no search anything.
"""

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

from cabochon import Game
from cabochon.bots import Budget
from cabochon.search import MoveStats, analyse
from cabochon.search.analysis import NET_SEARCH
from cabochon.search.mcts import SearchConfig

OPENING = 8  # decisions that are drawn by visits, so that games differ
PLAY_NODES, CHOICE_NODES = 96, 3200
MAX_MOVES, MIN_VISITS, MAX_BEHIND = 8, 0.02, 0.06  # moves kept: by visits beside the most visited one, by value behind the best
OPEN_VALUES = (0.06, 0.94)
BETWEEN = 7  # decisions between two positions of a game, about
CHOICE = NET_SEARCH._replace(has_common_cards=True, max_chance_children=24, visits_per_chance_child=1.0)


def worth_comparing(moves: tuple[MoveStats, ...], seat: int) -> list[MoveStats]:
    """The moves that some search may choose, most visited first."""
    most, best = max(move.visits for move in moves), moves[0].values[seat]
    kept = [move for move in moves if move.visits >= max(4, most * MIN_VISITS) and move.values[seat] > best - MAX_BEHIND]
    return sorted(kept, key=lambda move: -move.visits)[:MAX_MOVES]


def find(options: argparse.Namespace) -> None:
    """Positions of the net's own games, with the moves to play out."""
    rng, asked, seed = np.random.default_rng(options.seed), 0, options.seed
    found: list[dict[str, Any]] = []
    while len(found) < options.positions:
        game, seed = Game(options.variant, options.players, seed=seed), seed + 1
        moves: list[str] = []
        while not game.is_over:
            view = game.view(game.turn)
            if view.stage == "main" and rng.random() < 1 / BETWEEN and len(found) < options.positions:
                asked += 1
                seen = analyse(view, Budget(nodes=CHOICE_NODES), seed, config=CHOICE, nets=options.nets)
                kept = worth_comparing(seen.moves, view.turn)
                if len(kept) > 1 and OPEN_VALUES[0] < seen.values[view.turn] < OPEN_VALUES[1]:
                    actions = [int(move.move.action) for move in kept]
                    found.append({"seed": seed - 1, "moves": list(moves), "actions": actions})
            light = analyse(view, Budget(nodes=PLAY_NODES), seed, config=NET_SEARCH, nets=options.nets)
            visits = np.array([move.visits for move in light.moves], float)
            chosen = rng.choice(len(visits), p=visits / visits.sum()) if len(moves) < OPENING else 0
            moves.append(str(light.moves[chosen].move))
            game.play(light.moves[chosen].move)
    bank = {"variant": options.variant, "players": options.players, "asked": asked, "positions": found}
    options.out.write_text(json.dumps(bank), encoding="utf-8")
    print(f"{len(found)} positions of {asked} asked, {sum(len(one['actions']) for one in found)} moves")


def read(path: Path) -> dict[str, Any]:
    """A file of `find` or `play`."""
    bank: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return bank


def game_at(bank: dict[str, Any], position: dict[str, Any]) -> Game:
    """The game at a position."""
    game = Game(bank["variant"], bank["players"], seed=position["seed"])
    for move in position["moves"]:
        game.play(move)
    return game


def play(options: argparse.Namespace) -> None:
    """Play every move of every position out, on a GPU."""
    from decisions_gpu import play_out  # beside this file; it needs torch

    bank = read(options.bank)
    states = np.concatenate([np.atleast_1d(game_at(bank, one).state).reshape(1) for one in bank["positions"]])
    pairs = [(i, action) for i, one in enumerate(bank["positions"]) for action in one["actions"]]
    values = play_out(states, pairs, bank, options)
    at = 0
    for one in bank["positions"]:
        after = at + len(one["actions"])
        one["values"] = [round(float(value), 5) for value in np.nanmean(values[at:after], 1)]
        apart = values[at:after] - values[at:after].mean(0)
        one["error"] = round(float(np.nanstd(apart) / math.sqrt(np.isfinite(apart).sum() / len(apart))), 5)
        at = after
    bank |= {"playouts": int(np.isfinite(values).sum() / len(values)), "simulations": options.simulations}
    options.out.write_text(json.dumps(bank), encoding="utf-8")


def parse_search(text: str, usual_nets: str = "bench/candidates") -> tuple[Budget, SearchConfig, str]:
    """`nodes=3200,c_puct=2,nets=FOLDER`: a budget, the search, and its nets."""
    settings = dict(part.partition("=")[::2] for part in text.split(","))
    nets = settings.pop("nets", usual_nets)
    budget = Budget(
        int(settings.pop("nodes")) if "nodes" in settings else None,
        float(settings.pop("seconds")) if "seconds" in settings else None,
    )
    typed = {name: type(SearchConfig._field_defaults[name])(float(value)) for name, value in settings.items()}
    return budget, NET_SEARCH._replace(**typed), nets


def worths(bank: dict[str, Any], search: str, seeds: int) -> tuple[Any, float, int]:
    """What the chosen moves are worth beside the best there, position by position; the time; how many are unknown."""
    budget, config, nets = parse_search(search)
    worth, unknown, start = np.zeros((len(bank["positions"]), seeds)), 0, time.perf_counter()
    for i, one in enumerate(bank["positions"]):
        view = (game := game_at(bank, one)).view(game.turn)
        known = dict(zip(one["actions"], one["values"], strict=True))
        for seed in range(seeds):
            action = int(analyse(view, budget, 1000 + seed, config=config, nets=nets).best.action)
            unknown += action not in known
            worth[i, seed] = known.get(action, min(one["values"])) - max(one["values"])
    return worth, time.perf_counter() - start, unknown


def measure(options: argparse.Namespace) -> None:
    """Ask every search; the first is what the others are compared with."""
    bank, first = read(options.bank), None
    bank["positions"] = bank["positions"][options.skip :: options.step]
    whole = len(bank["positions"]) * options.seeds
    for search in options.searches:
        worth, seconds, unknown = worths(bank, search, options.seeds)
        mean = worth.mean(1)
        first = mean if first is None else first
        difference = mean - first
        error = 196 * difference.std() / math.sqrt(len(mean))
        print(
            f"{search:60} lost {-100 * mean.mean():.3f} points a decision  {100 * difference.mean():+.3f} ± {error:.3f}"
            f"  unknown {unknown} of {whole}  {1000 * seconds / whole:.1f} ms",
            flush=True,
        )
        if options.json:
            with options.json.open("a", encoding="utf-8") as out:
                row = {
                    "search": search,
                    "skip": options.skip,
                    "step": options.step,
                    "worth": np.round(worth, 5).tolist(),
                    "ms": 1000 * seconds / whole,
                }
                out.write(json.dumps(row) + "\n")


def main() -> None:
    """One of the three steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    step = steps.add_parser("find")
    step.add_argument("--variant", default="classic")
    step.add_argument("--players", type=int, default=2)
    step.add_argument("--positions", type=int, default=500)
    step.add_argument("--seed", type=int, default=3_000_000)
    step.set_defaults(run=find)
    step = steps.add_parser("play")
    step.add_argument("bank", type=Path)
    step.add_argument("--playouts", type=int, default=3000)
    step.add_argument("--simulations", type=int, default=16)
    step.add_argument("--games", type=int, default=65536, help="at once")
    step.add_argument("--seconds", type=float, default=1e9, help="stop after this time with what there is")
    step.add_argument("--device", default="cuda")
    step.set_defaults(run=play)
    for one in steps.choices.values():
        one.add_argument("--nets", default="bench/candidates")
        one.add_argument("--out", type=Path, required=True)
    step = steps.add_parser("measure")
    step.add_argument("bank", type=Path)
    step.add_argument("searches", nargs="+")
    step.add_argument("--seeds", type=int, default=1)
    step.add_argument("--step", type=int, default=1)
    step.add_argument("--skip", type=int, default=0)
    step.add_argument("--json", type=Path)
    step.set_defaults(run=measure)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
