"""Splendor: Marvel for PettingZoo: `splendor_marvel_v0.env(players=3)`."""

from typing import Any

from .pettingzoo import SeatsEnv


class raw_env(SeatsEnv):  # noqa: N801
    """The environment; an illegal action raises."""

    variant = "marvel"


def env(**settings: Any) -> SeatsEnv:
    """The same; an illegal action ends the game. Settings: players, turn_limit, start, illegal, render_mode, and house rules."""
    return raw_env(**{"illegal": "end", **settings})
