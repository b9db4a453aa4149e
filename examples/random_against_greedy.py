"""PettingZoo: greedy at one seat, random at the others; who wins how often.

python examples/random_against_greedy.py --games 50 --players 2
"""

import argparse
from typing import Any

import numpy as np

from cabochon.bots.greedy import greedy_actions
from cabochon.envs import splendor_cities_v0, splendor_marvel_v0, splendor_v0

MODULES = {"classic": splendor_v0, "marvel": splendor_marvel_v0, "cities": splendor_cities_v0}


def random_action(observation: dict[str, Any], rng: np.random.Generator) -> int:
    """Any legal action."""
    return int(rng.choice(np.flatnonzero(observation["action_mask"])))


def play(environment: Any, greedy: str, seed: int) -> float:
    """One game; what the greedy agent is rewarded with."""
    rng, reward = np.random.default_rng(seed), 0.0
    environment.reset(seed=seed)
    for agent in environment.agent_iter():
        observation, given, terminated, truncated, _ = environment.last()
        if agent == greedy:
            reward += given
        if terminated or truncated:
            environment.step(None)
        elif agent == greedy:
            environment.step(int(greedy_actions(environment.unwrapped.states, rng.integers(0, 1 << 62, 1))[0]))
        else:
            environment.step(random_action(observation, rng))
    return reward


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", choices=MODULES, default="classic")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=50)
    said = parser.parse_args()
    environment = MODULES[said.variant].env(players=said.players)
    rewards = [play(environment, f"player_{seed % said.players}", seed) for seed in range(said.games)]
    won = sum(reward == 1.0 for reward in rewards)
    print(f"greedy wins {won} of {said.games} games of {said.variant} for {said.players}; mean reward {np.mean(rewards):.2f}")


if __name__ == "__main__":
    main()
