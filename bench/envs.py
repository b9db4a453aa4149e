"""Throughput of the environments beside the frameworks' own games, in one run.

A second is a second of one core's time: what other programs take in the meantime does not count.

python bench/envs.py        needs the extra [envs]; prints tables with the commit and the machine
"""

import argparse
import os
import random
import time
import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from itertools import product
from typing import Any

import gymnasium
import numpy as np
import pyspiel  # type: ignore[import-not-found]
from open_spiel.python import games as _games  # type: ignore[import-untyped]  # noqa: F401

from cabochon import VARIANTS, batch
from cabochon.envs import openspiel
from cabochon.envs.registration import PETTINGZOO_IDS
from cabochon.envs.vector import SplendorVectorEnv
from cabochon.rules.bits import count_bits, nth_bit
from cabochon.rules.compile import kernel
from cabochon.rules.rng import below, stir
from cabochon.tools.provenance import commit, machine

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.classic import connect_four_v3, tictactoe_v3  # type: ignore[import-untyped]

GAMES = 1024
VECTOR_STEPS = 50
ROUNDS = 5
OPENSPIEL_GAMES = (  # all of its own Python games in which players move in turn
    "python_ant_foraging", "python_block_dominoes", "python_hangman", "python_kuhn_poker", "python_liars_poker",
    "python_team_dominoes", "python_tic_tac_toe",
)  # fmt: skip


def race(runs: dict[str, Callable[[], int]], seconds: float) -> dict[str, float]:
    """How many a second each does, the best of a few rounds, in turns: the machine's moods meet all of them."""
    best = dict.fromkeys(runs, 0.0)
    for run in runs.values():
        run()  # may compile
    for _ in range(ROUNDS):
        for name, run in runs.items():
            done, start = 0, time.thread_time()
            while time.thread_time() - start < seconds / ROUNDS:
                done += run()
            best[name] = max(best[name], done / (time.thread_time() - start))
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


def vector_speed(variant: str, players: int, opponents: str, seconds: float) -> float:
    """The learner's decisions a second on one core, observations and masks included; choosing actions is not timed."""
    environment = SplendorVectorEnv(GAMES, variant=variant, players=players, opponents=opponents)
    environment.reset(seed=1)
    first_action = np.array([0, 61, 68, 0])
    actions, rng, best, end = np.zeros(GAMES, np.int64), 88172645463325252, 0.0, time.thread_time() + seconds
    with batch.cores(1):
        while time.thread_time() < end:
            spent = 0.0
            for _ in range(VECTOR_STEPS):
                games = environment.games
                rng = _pick(np.where(games.ended, 1, games.moves), first_action[games.states["stage"]], rng, actions)
                start = time.thread_time()
                environment.step(actions)
                spent += time.thread_time() - start
            best = max(best, GAMES * VECTOR_STEPS / spent)
    return best


def table(title: str, unit: str, rows: dict[str, float], beside: Iterable[str]) -> None:
    """Speeds, and each as a multiple of the fastest of those it stands beside."""
    fastest = max(rows[name] for name in beside)
    print(f"\n{title}")
    for name, speed in rows.items():
        print(f"  {name:44} {speed:>12,.0f} {unit} {speed / fastest:8.2f} x", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="for each line")
    seconds = parser.parse_args().seconds
    zoo: dict[str, Any] = {"connect_four_v3": connect_four_v3, "tictactoe_v3": tictactoe_v3}
    zoo |= {name: import_module(f"cabochon.envs.{name}") for name in PETTINGZOO_IDS.values()}
    for kind in ("env", "raw_env"):
        speeds = race({name: pettingzoo_game(getattr(game, kind)()) for name, game in zoo.items()}, seconds)
        table(f"PettingZoo, {kind}(), beside connect_four_v3", "steps/s", speeds, ["connect_four_v3"])
    names = (*OPENSPIEL_GAMES, *(kind.short_name for kind in openspiel.GAME_TYPES.values()))
    speeds = race({name: openspiel_game(name) for name in names}, seconds)
    table("OpenSpiel, beside the fastest of its own games in Python", "states/s", speeds, OPENSPIEL_GAMES)
    singles: dict[str, Any] = {"CartPole-v1": gymnasium.make("CartPole-v1")}
    for bot in ("random", "greedy"):
        singles[f"cabochon/Splendor-v0 against {bot}"] = gymnasium.make("cabochon/Splendor-v0", opponents=bot)
    speeds = race({name: gymnasium_episode(game) for name, game in singles.items()}, seconds)
    table("Gymnasium, one environment, beside CartPole", "steps/s", speeds, ["CartPole-v1"])
    speeds = {}
    for variant, players, bot in product(VARIANTS, (2, 4), ("random", "greedy")):
        speeds[f"{variant} for {players} against {bot}"] = vector_speed(variant, players, bot, seconds)
    table(f"VectorEnv, {GAMES} games, one core, with observations and masks", "decisions/s", speeds, speeds)
    print(f"\ncommit {commit()}; {machine()}; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
