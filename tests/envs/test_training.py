"""OpenSpiel's own algorithms learn on the environment. sb3-contrib, which brings PyTorch, does so in tests/learn."""

from typing import Any

import numpy as np
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # what the library warns of is its own


def test_openspiel_q_learning_learns() -> None:
    from open_spiel.python import rl_environment  # type: ignore[import-untyped]
    from open_spiel.python.algorithms import random_agent, tabular_qlearner  # type: ignore[import-untyped]

    import cabochon.envs.openspiel

    assert cabochon.envs.openspiel.GAMES
    np.random.seed(1)
    environment = rl_environment.Environment("python_splendor(turn_limit=60,goal=1)")
    learner = tabular_qlearner.QLearner(0, environment.action_spec()["num_actions"])
    agents = [learner, random_agent.RandomAgent(1, environment.action_spec()["num_actions"])]
    for _ in range(5):
        play_episode(environment, agents)
    values = [value for values in learner._q_values.values() for value in values.values()]
    assert len(values) > 50 and any(values), "it has seen positions, and some are worth something"


def test_openspiel_regret_minimisation_runs() -> None:
    import pyspiel  # type: ignore[import-not-found]
    from open_spiel.python.algorithms import outcome_sampling_mccfr

    import cabochon.envs.openspiel

    assert cabochon.envs.openspiel.GAMES
    np.random.seed(1)
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(pyspiel.load_game("python_splendor(turn_limit=6,goal=1)"))
    for _ in range(4):
        solver.iteration()
    assert len(solver._infostates) > 8


def play_episode(environment: Any, agents: list[Any]) -> None:
    """One episode of OpenSpiel's own kind."""
    step = environment.reset()
    while not step.last():
        step = environment.step([agents[step.observations["current_player"]].step(step).action])
    for agent in agents:
        agent.step(step)
