"""MaskablePPO of sb3-contrib learns on the vector environment, and the example that uses it runs."""

import re
import runpy
import sys
from pathlib import Path

import pytest
import torch
from sb3_contrib import MaskablePPO

from cabochon.arena import play_match
from cabochon.bots import PolicyBot
from cabochon.envs.stable_baselines import SplendorVecEnv, frozen_policy

EXAMPLE = Path(__file__).parents[2] / "examples" / "learn_with_ppo.py"
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # what the library warns of is its own


def test_maskable_ppo_learns_and_meets_its_snapshot() -> None:
    torch.manual_seed(1)
    games = SplendorVecEnv(64, opponents="random", goal=5)
    model = MaskablePPO("MlpPolicy", games, n_steps=32, batch_size=512, n_epochs=4, learning_rate=1e-3, seed=1, device="cpu")
    before = PolicyBot("before", frozen_policy(model))
    model.learn(16_384)
    now = PolicyBot("now", frozen_policy(model))
    games.set_opponents(now)  # self-play against a snapshot
    model.learn(2_048, reset_num_timesteps=False)
    first, second = play_match([now, before], games=60).standings
    assert first.share > 0.6 > second.share


def test_the_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    little = ["--minutes", "0", "--greedy-games", "20", "--tables", "32", "--games", "20"]
    monkeypatch.setattr(sys, "argv", [EXAMPLE.name, *little])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert re.search(r"wins .* of 2000 new games against greedy", capsys.readouterr().out)
