"""Tianshou's DQN learns a short game against a random opponent; prints the share it wins before and after.

python bench/tianshou_dqn.py [--steps 20000]        needs `pip install 'cabochon-game[envs]' tianshou`, which brings PyTorch
"""

import argparse
import time
from typing import Any

import numpy as np
import torch
from gymnasium import Wrapper, spaces
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from cabochon.envs.gymnasium import SplendorEnv
from cabochon.observation import SCALE, observation_size
from cabochon.rules.actions import ACTION_COUNT

GOAL = 5  # points: a game of a few dozen decisions
TABLES = 8
TEST_GAMES = 400


class WithMask(Wrapper[Any, Any, Any, Any]):
    """Observation and mask together, as Tianshou asks for them."""

    def shown(self, row: Any, info: Any) -> dict[str, Any]:
        return {"obs": row.astype(np.float32) / SCALE, "mask": info["action_mask"].astype(bool)}

    def reset(self, **settings: Any) -> Any:
        row, info = self.env.reset(**settings)
        return self.shown(row, info), info

    def step(self, action: Any) -> Any:
        row, *result, info = self.env.step(action)
        return self.shown(row, info), *result, info


def tables() -> DummyVectorEnv:
    return DummyVectorEnv([lambda: WithMask(SplendorEnv(opponents="random", illegal="raise", goal=GOAL))] * TABLES)


def share_won(learner: Any) -> float:
    collector = Collector[CollectStats](learner, tables(), VectorReplayBuffer(TEST_GAMES * 100, TABLES))
    played = collector.collect(n_episode=TEST_GAMES, reset_before_collect=True)
    return float((played.returns > 0).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20_000)
    steps = parser.parse_args().steps
    torch.manual_seed(1)
    torch.set_num_threads(1)  # the nets are tiny: threads would only wait for each other
    net = Net(state_shape=observation_size(2, "classic"), action_shape=ACTION_COUNT, hidden_sizes=[128, 128])
    policy = DiscreteQLearningPolicy(model=net, action_space=spaces.Discrete(ACTION_COUNT), eps_training=0.2)
    learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=0.99, target_update_freq=200)
    collector = Collector[CollectStats](learner, tables(), VectorReplayBuffer(steps, TABLES), exploration_noise=True)
    before, start = share_won(learner), time.perf_counter()
    training = OffPolicyTrainerParams(
        training_collector=collector, max_epochs=1, epoch_num_steps=steps, collection_step_num_env_steps=TABLES * 32,
        update_step_num_gradient_steps_per_sample=0.1, verbose=False, show_progress=False,
    )  # fmt: skip
    learner.run_training(training)
    spent = time.perf_counter() - start
    print(f"{steps} steps in {spent:.0f} s: won {before:.0%} of {TEST_GAMES} games before, {share_won(learner):.0%} after")


if __name__ == "__main__":
    main()
