"""Splendor: Marvel for PettingZoo: `splendor_marvel_v0.env(players=3)`."""

from typing import Any

from gymnasium.utils import EzPickle

from .pettingzoo import SeatsEnv, wrapped


class raw_env(SeatsEnv, EzPickle):  # noqa: N801
    """The environment without wrappers: an illegal action raises."""

    metadata = SeatsEnv.metadata | {"name": "splendor_marvel_v0"}

    def __init__(self, **settings: Any) -> None:
        EzPickle.__init__(self, **settings)
        super().__init__("marvel", **settings)


def env(**settings: Any) -> Any:
    """The environment with PettingZoo's wrappers. Settings: players, turn_limit, start, render_mode, and house rules."""
    return wrapped(raw_env(**settings))
