"""Splendor: Cities for PettingZoo: `splendor_cities_v0.env(players=3)`."""

from typing import Any

from .pettingzoo import SeatsEnv, wrapped


class raw_env(SeatsEnv):  # noqa: N801
    """The environment without wrappers: an illegal action raises."""

    variant = "cities"


def env(**settings: Any) -> Any:
    """The environment with PettingZoo's wrappers. Settings: players, turn_limit, start, render_mode, and house rules."""
    return wrapped(raw_env(**settings))
