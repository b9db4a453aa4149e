"""The benchmark: speeds of the rules and the search, with the commit and the machine."""

import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from .. import batch
from ..bots.levels import ROLLOUT, has_net
from ..game import Game
from ..rules.compile import kernel
from ..rules.deal import deal
from ..rules.variants import VARIANTS
from ..ruleset import blank_states, ruleset
from ..search.analysis import LINEAR_SEARCH, NET_SEARCH, evaluator_for
from ..search.mcts import SearchConfig
from ..search.net_mcts import NET_EDGES_PER_NODE
from ..search.signature import signature
from ..search.tree import new_tree
from .provenance import commit, machine

PLAYER_COUNTS = (2, 3, 4)
MAX_DECISIONS = 5000
REPEATS = 3
ARRAY_GAMES = 8192
FIRST_MOVE = "import cabochon; cabochon.Game('classic', seed=1).play('take wug')"


@kernel
def _random_games(states: Any, first: int, count: int) -> int:
    """Deal and play this many random games; returns the number of decisions."""
    decisions = 0
    for seed in range(first, first + count):
        deal(states[0], seed)
        decisions += batch.play_out(states, 0, seed, MAX_DECISIONS)
    return decisions


def _best(run: Any, *arguments: Any) -> tuple[float, int]:
    """The shortest time of a few runs, in seconds (others only measure what else the machine did), and the result."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = run(*arguments)
        times.append(time.perf_counter() - start)
    return min(times), result


def kernel_speed(variant: str, players: int, games: int) -> dict[str, float]:
    """Random games on one core."""
    states = blank_states(ruleset(variant, players, {}), 1)
    _random_games(states, 0, 10)
    seconds, decisions = _best(_random_games, states, 1, games)
    return {"ns_per_decision": seconds / decisions * 1e9, "games_per_second": games / seconds}


def all_cores_speed(variant: str, players: int, games: int) -> float:
    """Games per second, with a thread on each core."""
    cores = os.cpu_count() or 1
    parts = [blank_states(ruleset(variant, players, {}), 1) for _ in range(cores)]

    def run() -> int:
        return sum(batch.threads(cores).map(lambda i: _random_games(parts[i], games * i, games), range(cores)))

    return games * cores / _best(run)[0]


def array_speed(variant: str, players: int, steps: int) -> float:
    """Decisions per second on one core through the array functions: legal, choose, play."""
    states = batch.deal(variant, players, np.arange(ARRAY_GAMES))
    rng = np.random.default_rng(1)
    seeds = [rng.integers(0, 2**62, ARRAY_GAMES) for _ in range(steps)]

    def run() -> int:
        games = states.copy()
        for numbers in seeds:
            batch.play(games, batch.choose(games, batch.legal(games), seeds=numbers))
        return steps * ARRAY_GAMES

    run()
    with batch.cores(1):
        seconds, decisions = _best(run)
    return decisions / seconds


def game_play_microseconds(moves: int = 2000) -> float:
    """The time of one `Game.play` with a move as text."""
    game = Game("classic", seed=1)
    texts: list[str] = []
    rng = np.random.default_rng(1)
    while not game.is_over and len(texts) < moves:
        move = rng.choice([str(move) for move in game.legal_moves()])
        game.play(move)
        texts.append(move)

    def run() -> int:
        fresh = Game("classic", seed=1)
        for text in texts:
            fresh.play(text)
        return len(texts)

    seconds, played = _best(run)
    return seconds / played * 1e6


def start_seconds(cache: str | None) -> float:
    """From the start of Python to the first move. With an empty cache folder this includes compiling."""
    environment = os.environ | ({"XDG_CACHE_HOME": cache, "NUMBA_CACHE_DIR": ""} if cache else {})
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", FIRST_MOVE], env=environment, check=True)
    return time.perf_counter() - start


def cold_and_warm() -> tuple[float, float]:
    """Seconds to the first move with an empty cache and with a filled one."""
    with tempfile.TemporaryDirectory() as folder:
        cold = start_seconds(folder)
        return cold, min(start_seconds(folder) for _ in range(REPEATS))


def search_speed(variant: str, config: SearchConfig, simulations: int) -> float:
    """Simulations per second on one core (time of the thread, not of the clock), in two-player trees from the deal.

    Every run has a deal of its own: a net keeps sums of the last tree, and the same tree once more would be too easy.
    """
    evaluator, tree = evaluator_for(variant, 2, config), new_tree(simulations + 1, NET_EDGES_PER_NODE)
    evaluator.init(tree, batch.deal(variant, 2, [0]), 1)
    evaluator.run(tree, simulations // 10)
    best = 0.0
    for seed in range(1, REPEATS + 1):
        evaluator.init(tree, batch.deal(variant, 2, [seed]), 1)
        start = time.thread_time()
        done = evaluator.run(tree, simulations)
        best = max(best, done / (time.thread_time() - start))
    return best


def net_speed(variant: str, simulations: int) -> int | None:
    """Simulations per second with the net; None where there is none for this game yet."""
    return round(search_speed(variant, NET_SEARCH, simulations)) if has_net(variant, 2) else None


def search_speeds(simulations: int) -> dict[str, Any]:
    """Nodes per second with the linear evaluation, with rollouts and with the net; and the signatures of the searches."""
    nodes, _, number = signature()
    _, _, net_number = signature(NET_SEARCH)
    speeds = {
        variant: {
            "nodes_per_second": round(search_speed(variant, LINEAR_SEARCH, simulations)),
            "rollouts_per_second": round(search_speed(variant, ROLLOUT.config, simulations)),
            "net_nodes_per_second": net_speed(variant, simulations // 2),
        }
        for variant in VARIANTS
    }
    return speeds | {"signature_nodes": nodes, "signature": f"{number:08x}", "net_signature": f"{net_number:08x}"}


def measure(games: int = 20000, steps: int = 60) -> dict[str, Any]:
    """All figures, as one JSON object."""
    speeds: dict[str, Any] = {}
    for variant in VARIANTS:
        speeds[variant] = {}
        for players in PLAYER_COUNTS:
            row = kernel_speed(variant, players, games)
            row["array_decisions_per_second"] = array_speed(variant, players, steps)
            row["games_per_second_all_cores"] = all_cores_speed(variant, players, games)
            speeds[variant][str(players)] = {name: round(value, 1) for name, value in row.items()}
    cold, warm = cold_and_warm()
    return speeds | {
        "cold_compile_seconds": round(cold, 2),
        "warm_start_seconds": round(warm, 2),
        "game_play_microseconds": round(game_play_microseconds(), 1),
        "search": search_speeds(games * 2),
        "commit": commit(),
        "machine": machine(),
    }


def print_table(figures: dict[str, Any]) -> None:
    console = Console()
    table = Table("game", "players", "ns/decision", "games/s, one core", "games/s, all cores", "array decisions/s, one core")
    for column in table.columns[1:]:
        column.justify = "right"
    for variant in VARIANTS:
        for players, row in figures[variant].items():
            table.add_row(
                variant,
                players,
                f"{row['ns_per_decision']:.0f}",
                f"{row['games_per_second']:,.0f}",
                f"{row['games_per_second_all_cores']:,.0f}",
                f"{row['array_decisions_per_second']:,.0f}",
            )
    console.print(table)
    console.print(f"cold start, kernel compiled: {figures['cold_compile_seconds']} s")
    console.print(f"warm start to the first move: {figures['warm_start_seconds']} s")
    console.print(f"one Game.play: {figures['game_play_microseconds']} µs")
    search = figures["search"]
    for variant in VARIANTS:
        row = search[variant]
        by_net = row["net_nodes_per_second"]
        console.print(
            f"search, {variant}, two players, one core: {row['nodes_per_second']:,} nodes/s by evaluation, "
            f"{row['rollouts_per_second']:,} rollouts/s to the end, " + (f"{by_net:,} nodes/s by the net" if by_net else "no net")
        )
    console.print(
        f"signature {search['signature']} ({search['signature_nodes']:,} nodes), with the net {search['net_signature']}"
    )
    console.print(f"commit {figures['commit']}; {figures['machine']}")


def main(as_json: bool = False) -> None:
    figures = measure()
    if as_json:
        print(json.dumps(figures, indent=2))
    else:
        print_table(figures)
