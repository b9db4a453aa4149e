"""Throughput of the environments beside the frameworks' own games, in one run.

Environments are timed, not the choice of actions: random games are played once and their actions noted, and what is timed is
playing them again. A second is a second of one core's time: what other programs take in the meantime does not count. Only the
lines for all cores are in seconds of the clock. Every figure is the best of several slices.

python bench/envs.py        needs the extras [envs] and [openspiel]; prints tables with the commit and the machine
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
MANY_GAMES = 8192  # enough for several cores
NOTED_GAMES = 20
SLICE_STEPS = 5
ROUNDS = 8
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


Game = tuple[int, list[Any]]  # a seed, and the actions


def pettingzoo_games(environment: Any, games: int = NOTED_GAMES) -> Callable[[], int]:
    """Random games, noted; then through agent_iter(), last() and step()."""
    noted: list[Game] = []
    for seed in range(games):
        rng, actions = random.Random(seed), []
        environment.reset(seed=seed)
        for _agent in environment.agent_iter():
            shown, _, terminated, truncated, _ = environment.last()
            done = terminated or truncated
            actions.append(None if done else rng.choice(np.flatnonzero(shown["action_mask"]).tolist()))
            environment.step(actions[-1])
        noted.append((seed, actions))

    def run() -> int:
        for seed, actions in noted:
            environment.reset(seed=seed)
            for _agent, action in zip(environment.agent_iter(), actions, strict=False):
                environment.last()
                environment.step(action)
        return sum(len(actions) for _, actions in noted)

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


def gymnasium_episodes(environment: Any, games: int = NOTED_GAMES) -> Callable[[], int]:
    """Episodes of random legal actions, noted; then through reset() and step()."""
    noted: list[Game] = []
    for seed in range(games):
        rng, actions, done = random.Random(seed), [], False
        _, info = environment.reset(seed=seed)
        while not done:
            legal = np.flatnonzero(info["action_mask"]).tolist() if "action_mask" in info else range(environment.action_space.n)
            actions.append(rng.choice(legal))
            _, _, terminated, truncated, info = environment.step(actions[-1])
            done = terminated or truncated
        noted.append((seed, actions))

    def run() -> int:
        for seed, actions in noted:
            environment.reset(seed=seed)
            for action in actions:
                environment.step(action)
        return sum(len(actions) for _, actions in noted)

    return run


@kernel
def _pick(moves: Any, first: Any, rng: int, actions: Any) -> int:
    for i in range(moves.shape[0]):
        rng = stir(rng)
        actions[i] = first[i] + nth_bit(moves[i], below(rng, count_bits(moves[i])))
    return rng


def vector_speed(variant: str, players: int, opponents: str, seconds: float, games: int = GAMES, cores: int = 1) -> float:
    """The learner's decisions a second, observations and masks included; choosing actions is not timed."""
    environment = SplendorVectorEnv(games, variant=variant, players=players, opponents=opponents)
    _, infos = environment.reset(seed=1)
    clock = time.thread_time if cores == 1 else time.perf_counter
    first_action = np.array([0, 61, 68, 0])
    actions, rng, best = np.zeros(games, np.int64), 88172645463325252, 0.0
    with batch.cores(cores):
        environment.step(infos["action_mask"].argmax(axis=1))  # may compile
        end = clock() + seconds
        while clock() < end:
            spent = 0.0
            for _ in range(SLICE_STEPS):
                now = environment.games
                rng = _pick(np.where(now.ended, 1, now.moves), first_action[now.states["stage"]], rng, actions)
                start = clock()
                environment.step(actions)
                spent += clock() - start
            best = max(best, games * SLICE_STEPS / spent)
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
        speeds = race({name: pettingzoo_games(getattr(game, kind)()) for name, game in zoo.items()}, seconds)
        table(f"PettingZoo, {kind}(), beside connect_four_v3", "steps/s", speeds, ["connect_four_v3"])
    names = (*OPENSPIEL_GAMES, *(kind.short_name for kind in openspiel.GAME_TYPES.values()))
    speeds = race({name: openspiel_game(name) for name in names}, seconds)
    table("OpenSpiel, beside the fastest of its own games in Python", "states/s", speeds, OPENSPIEL_GAMES)
    singles: dict[str, Any] = {"CartPole-v1": gymnasium.make("CartPole-v1")}
    for bot in ("random", "greedy"):
        singles[f"cabochon/Splendor-v0 against {bot}"] = gymnasium.make("cabochon/Splendor-v0", opponents=bot)
    speeds = race({name: gymnasium_episodes(game) for name, game in singles.items()}, seconds)
    table("Gymnasium, one environment, beside CartPole", "steps/s", speeds, ["CartPole-v1"])
    speeds = {}
    for variant, players, bot in product(VARIANTS, (2, 4), ("random", "greedy")):
        speeds[f"{variant} for {players} against {bot}"] = vector_speed(variant, players, bot, seconds)
    table(f"VectorEnv, {GAMES} games, one core, with observations and masks", "decisions/s", speeds, speeds)
    cores = os.cpu_count() or 1
    speeds = {
        f"{variant} for 2 against random": vector_speed(variant, 2, "random", seconds, MANY_GAMES, cores) for variant in VARIANTS
    }
    table(f"VectorEnv, {MANY_GAMES} games, {cores} cores, by the clock", "decisions/s", speeds, speeds)
    print(f"\ncommit {commit()}; {machine()}; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
