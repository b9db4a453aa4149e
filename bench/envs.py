"""Throughput of the environments beside the frameworks' own games, in one run.

python bench/envs.py        needs the extra [envs]; prints tables with the commit and the machine
"""

import argparse
import random
import time
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pyspiel  # type: ignore[import-not-found]
from open_spiel.python import games as _games  # type: ignore[import-untyped]  # noqa: F401

from cabochon import batch
from cabochon.bench import kernel_speed
from cabochon.envs import openspiel, splendor_marvel_v0, splendor_v0
from cabochon.envs.vector import SplendorVectorEnv
from cabochon.machine import commit, machine
from cabochon.rules.bits import count_bits, nth_bit
from cabochon.rules.chance import below, stir
from cabochon.rules.kernel import kernel

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.classic import connect_four_v3, tictactoe_v3  # type: ignore[import-untyped]

GAMES = 1024
VECTOR_STEPS = 50
ROUNDS = 5
OPENSPIEL_GAMES = (
    "python_tic_tac_toe", "python_kuhn_poker", "python_liars_poker", "python_block_dominoes", "python_team_dominoes",
)  # fmt: skip


def race(runs: dict[str, Callable[[], int]], seconds: float) -> dict[str, float]:
    """How many a second each does, the best of a few rounds, in turns: the machine's moods meet all of them."""
    best = dict.fromkeys(runs, 0.0)
    for run in runs.values():
        run()  # may compile
    for _ in range(ROUNDS):
        for name, run in runs.items():
            done, start = 0, time.perf_counter()
            while time.perf_counter() - start < seconds / ROUNDS:
                done += run()
            best[name] = max(best[name], done / (time.perf_counter() - start))
    return best


def pettingzoo_game(environment: Any) -> Callable[[], int]:
    """A random game through last() and step()."""

    def run() -> int:
        steps = 0
        environment.reset()
        for agent in environment.agent_iter():
            shown, _, terminated, truncated, _ = environment.last()
            done = terminated or truncated
            environment.step(None if done else environment.action_space(agent).sample(shown["action_mask"]))
            steps += 1
        return steps

    return run


def openspiel_game(name: str) -> Callable[[], int]:
    """A random game through legal_actions, chance_outcomes and apply_action."""
    game = pyspiel.load_game(name)

    def run() -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[random.randrange(len(outcomes))][0])
            else:
                state.apply_action(random.choice(state.legal_actions()))
            steps += 1
        return steps

    return run


def gymnasium_episode(environment: Any) -> Callable[[], int]:
    """An episode of random legal actions."""

    def run() -> int:
        steps, done = 0, False
        _, info = environment.reset()
        while not done:
            action = environment.action_space.sample(info.get("action_mask"))
            _, _, terminated, truncated, info = environment.step(action)
            done = terminated or truncated
            steps += 1
        return steps

    return run


@kernel
def _pick(moves: Any, first: Any, rng: int, actions: Any) -> int:
    for i in range(moves.shape[0]):
        rng = stir(rng)
        actions[i] = first[i] + nth_bit(moves[i], below(rng, count_bits(moves[i])))
    return rng


def vector_speed(variant: str, opponents: str, seconds: float) -> float:
    """The learner's decisions a second on one core, observations and masks included; choosing actions is not timed."""
    environment = SplendorVectorEnv(GAMES, variant=variant, opponents=opponents)
    environment.reset(seed=1)
    first_action = np.array([0, 61, 68, 0])
    actions, rng, best, end = np.zeros(GAMES, np.int64), 88172645463325252, 0.0, time.perf_counter() + seconds
    with batch.cores(1):
        while time.perf_counter() < end:
            spent = 0.0
            for _ in range(VECTOR_STEPS):
                games = environment.games
                rng = _pick(np.where(games.ended, 1, games.moves), first_action[games.states["stage"]], rng, actions)
                start = time.perf_counter()
                environment.step(actions)
                spent += time.perf_counter() - start
            best = max(best, GAMES * VECTOR_STEPS / spent)
    return best


def table(title: str, rows: dict[str, float], unit: str) -> None:
    print(f"\n{title}")
    for name, speed in rows.items():
        print(f"  {name:44} {speed:>12,.0f} {unit}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="for each line")
    seconds = parser.parse_args().seconds
    zoo: dict[str, Any] = {"connect_four_v3": connect_four_v3, "tictactoe_v3": tictactoe_v3}
    zoo |= {"splendor_v0": splendor_v0, "splendor_marvel_v0": splendor_marvel_v0}
    table("PettingZoo, env()", race({name: pettingzoo_game(game.env()) for name, game in zoo.items()}, seconds), "steps/s")
    table(
        "PettingZoo, raw_env()", race({name: pettingzoo_game(game.raw_env()) for name, game in zoo.items()}, seconds), "steps/s"
    )
    names = (*OPENSPIEL_GAMES, *(game.kind.short_name for game in (openspiel.SplendorGame, openspiel.SplendorMarvelGame)))
    table("OpenSpiel, games written in Python", race({name: openspiel_game(name) for name in names}, seconds), "states/s")
    singles: dict[str, Any] = {"CartPole-v1": gymnasium.make("CartPole-v1")}
    for bot in ("random", "greedy"):
        singles[f"cabochon/Splendor-v0 against {bot}"] = gymnasium.make("cabochon/Splendor-v0", opponents=bot)
    table(
        "Gymnasium, one environment", race({name: gymnasium_episode(game) for name, game in singles.items()}, seconds), "steps/s"
    )
    kinds = [(v, o) for v in ("classic", "marvel") for o in ("random", "greedy")]
    vector = {"for comparison: classic, rules alone": 1e9 / kernel_speed("classic", 2, 2000)["ns_per_decision"]}
    vector |= {f"{v} against {o}": vector_speed(v, o, seconds) for v, o in kinds}
    table(f"VectorEnv, {GAMES} games, one core, with observations and masks", vector, "decisions/s")
    print(f"\ncommit {commit()}; {machine()}")


if __name__ == "__main__":
    main()
