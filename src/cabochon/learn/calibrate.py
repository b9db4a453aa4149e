# mypy: warn-return-any=False
"""Whether a net's chances come true: `python -m cabochon.learn.calibrate --help`.

The net plays games on deals that no training has seen. In every position the chance it gives each seat, at a glance and after
its search (with the move found best, as in an analysis), is put beside the result of the game; by tenths of the chance the two
should be alike.
"""

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..rules.bits import count_bits
from ..rules.compile import kernel
from ..rules.deal import ANY_START, deal_from
from ..rules.play import legal, play
from ..rules.rng import seeded, stir
from ..rules.state import MAX_SEATS, OVER
from ..rules.variants import VARIANTS
from ..ruleset import blank_states, ruleset
from ..search.analysis import NET_SEARCH
from ..search.determinize import determinize
from ..search.mcts import SearchConfig
from ..search.models.net import load_fast_net
from ..search.net import FastNet, Workspace, new_workspace
from ..search.net_mcts import NET_EDGES_PER_NODE, init_net_search, run_net_simulations
from ..search.tree import Tree, new_tree, write_action_values
from .games import MAX_TURNS, best_root_edge, choose_root_action, record_result

OPENING = 4  # rounds in which moves are drawn by visits, so that games differ
MAX_DECISIONS_A_SEAT = 150  # in a game that is kept
TENTHS = 10
MIN_CHANCE = 1e-6  # whose logarithm can still be taken
TEMPERATURES = tuple(i / 100 for i in range(70, 141))

Chances = NDArray[np.float32]


class NetPlayer(NamedTuple):
    """Who plays: a net with its buffers, and how long it searches."""

    config: SearchConfig
    net: FastNet
    work: Workspace
    nodes: int


class Forecasts(NamedTuple):
    """Positions: the game each belongs to, the chances at a glance and after a search, and the result."""

    games: NDArray[np.int64]
    glances: Chances
    searches: Chances
    results: Chances


def new_forecasts(room: int) -> Forecasts:
    """Room for this many positions."""
    glances, searches, results = (np.zeros((room, MAX_SEATS), np.float32) for _ in range(3))
    return Forecasts(np.zeros(room, np.int64), glances, searches, results)


@kernel
def play_forecast_games(
    tree: Tree, states: Any, forecasts: Forecasts, player: NetPlayer, first_seed: int, games: int, opening: int
) -> int:
    """The net against itself, moves drawn by visits in the first `opening` turns, then the best; how many positions were kept."""
    at = 0
    for seed in range(first_seed, first_seed + games):
        state = states[0]
        deal_from(state, seed, ANY_START)
        random, first = seeded(seed + 1), at
        while state.stage != OVER and at < forecasts.games.shape[0] and state.turns < MAX_TURNS:
            random = stir(random)
            states[1] = state
            determinize(states[1], stir(random))
            init_net_search(tree, states[1:], random)
            run_net_simulations(tree, player.config, player.net, player.work, 0)
            for seat in range(state.players):
                forecasts.glances[at, seat] = tree.nodes[0].values[seat]
            nodes = player.nodes if count_bits(legal(state)) > 1 else 1
            run_net_simulations(tree, player.config, player.net, player.work, nodes)
            write_action_values(tree, best_root_edge(tree), forecasts.searches[at])
            forecasts.games[at] = seed
            at += 1
            play(state, choose_root_action(tree, stir(random), state.turns < opening))
        if state.stage != OVER:
            at = first
        else:
            record_result(forecasts.results, first, at, state, tree.values)
    return at


def forecast(variant: str, players: int, games: int, nodes: int, seed: int, threads: int = 1) -> Forecasts:
    """The positions of games that a net plays against itself."""
    net = load_fast_net(variant, players)

    def run(part: int) -> Forecasts:
        first, after = (games * i // threads for i in (part, part + 1))
        found = new_forecasts((after - first) * MAX_DECISIONS_A_SEAT * players)
        states, tree = blank_states(ruleset(variant, players, {}), 2), new_tree(nodes + 2, NET_EDGES_PER_NODE)
        player = NetPlayer(NET_SEARCH, net, new_workspace(net), nodes)
        count = play_forecast_games(tree, states, found, player, seed + first, after - first, OPENING * players)
        return Forecasts._make(array[:count] for array in found)

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(run, range(threads)))
    return Forecasts._make(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


def tenths(games: NDArray[np.int64], chances: Chances, results: Chances) -> list[dict[str, float]]:
    """By tenths of the chance: how many, what was expected, what came, and their difference in points with its error.

    The positions of a game share one result, so the error counts games, not positions.
    """
    game = np.repeat(np.unique(games, return_inverse=True)[1], chances.shape[1])
    chance, result = chances.ravel().astype(float), results.ravel().astype(float)
    tenth = np.minimum((chance * TENTHS).astype(int), TENTHS - 1)
    rows = []
    for i in range(TENTHS):
        here = tenth == i
        count = int(here.sum())
        expected, came = chance[here].sum() / max(1, count), result[here].sum() / max(1, count)
        surprise = np.bincount(game[here], result[here] - chance[here] - (came - expected))
        rows.append({
            "from": i / TENTHS, "to": (i + 1) / TENTHS, "count": count, "games": len(np.unique(game[here])),
            "expected": round(float(expected), 4), "came": round(float(came), 4),
            "points": round(100 * float(came - expected), 2),
            "error": round(100 * float(np.sqrt((surprise**2).sum())) / max(1, count), 2),
        })  # fmt: skip
    return rows


def log_loss(chances: Chances, results: Chances) -> float:
    """The mean cross-entropy: 0 if all was known, the logarithm of the number of seats if nothing was."""
    return float(-(results * np.log(np.maximum(chances, MIN_CHANCE))).sum(1).mean())


def best_temperature(chances: Chances, results: Chances) -> float:
    """What the logits should be divided by for the smallest loss (temperature scaling): below 1 the chances are too modest."""
    logits = np.log(np.maximum(chances, MIN_CHANCE))

    def loss(temperature: float) -> float:
        scaled = np.exp(logits / temperature)
        return log_loss(scaled / scaled.sum(1, keepdims=True), results)

    return min(TEMPERATURES, key=loss)


def calibrate(variant: str, players: int, games: int, nodes: int, seed: int, threads: int = 1) -> dict[str, Any]:
    """Play and compare."""
    start, found = time.perf_counter(), forecast(variant, players, games, nodes, seed, threads)
    glances, searches, results = (array[:, :players] for array in found[1:])
    return {
        "variant": variant, "players": players, "nodes": nodes, "seed": seed, "games": len(np.unique(found.games)),
        "positions": len(found.games), "seconds": round(time.perf_counter() - start), "opening_rounds": OPENING,
        "net_loss": round(log_loss(glances, results), 4), "search_loss": round(log_loss(searches, results), 4),
        "net_temperature": best_temperature(glances, results), "search_temperature": best_temperature(searches, results),
        "net": tenths(found.games, glances, results), "search": tenths(found.games, searches, results),
    }  # fmt: skip


def draw(found: dict[str, Any], path: Path) -> None:
    """Expected and come true, as a picture."""
    from .plots import new_picture, save

    figure, axes = new_picture(1, 2, f"{found['variant']}, {found['players']} players: {found['games']:,} games on new deals")
    titles = {"net": "the net at a glance", "search": f"after {found['nodes']} nodes"}
    for ax, (key, title) in zip(axes.flat, titles.items(), strict=True):
        rows = [row for row in found[key] if row["count"]]
        ax.plot([0, 1], [0, 1], color="0.75", linewidth=1)
        ax.errorbar(
            [row["expected"] for row in rows], [row["came"] for row in rows], [0.0196 * row["error"] for row in rows],
            fmt="o-", markersize=4, linewidth=1.2,
        )  # fmt: skip
        ax.set(title=title, xlabel="expected chance to win", ylabel="games won", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    save(figure, path)


def print_tables(found: dict[str, Any]) -> None:
    """The calibration tables as text."""
    print(f"{found['variant']} {found['players']}: {found['games']} games, {found['positions']} positions, {found['seconds']} s")
    for key in ("net", "search"):
        print(f"{key}, loss {found[key + '_loss']}, best temperature {found[key + '_temperature']}: "
              "chance, positions, expected, came, difference and error in points")  # fmt: skip
        for row in found[key]:
            print(
                f"  {row['from']:.1f}-{row['to']:.1f} {row['count']:9,} {row['expected']:.4f} {row['came']:.4f}"
                f" {row['points']:+6.2f} ±{row['error']:.2f}"
            )


def main() -> None:
    """Calibrate and keep the numbers."""
    parser = argparse.ArgumentParser("python -m cabochon.learn.calibrate", description=__doc__)
    parser.add_argument("--variant", choices=tuple(VARIANTS), default="classic")
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=2)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--nodes", type=int, default=32)
    parser.add_argument("--seed", type=int, default=900_001, help="of the first deal; training begins at small ones")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, help="file for the numbers")
    parser.add_argument("--plot", type=Path, help="file for the picture, PNG")
    options = parser.parse_args()
    found = calibrate(options.variant, options.players, options.games, options.nodes, options.seed, options.threads)
    print_tables(found)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if options.plot:
        draw(found, options.plot)


if __name__ == "__main__":
    main()
