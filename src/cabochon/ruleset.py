"""Which game, for how many, by which house rules: checked once, then dealt into the record."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import RulesetError, quoted
from .rules.deal import supply
from .rules.gems import unpack
from .rules.state import MAX_RESERVED, MAX_SEATS, state_t
from .rules.variants import VARIANT_NAMES, VARIANTS, Variant

States = NDArray[np.void]

FEWEST_PLAYERS = 2
LIMITS = {"goal": (1, 100), "token_limit": (1, 40), "hand_limit": (0, MAX_RESERVED)}


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A variant, its number of players, and the house rules; every house rule has the variant's own default."""

    variant: str = "classic"
    players: int = 2
    take_fewer: bool = False
    goal: int | None = None
    open_reserves: bool = True
    token_limit: int = 10
    hand_limit: int = 3

    def __post_init__(self) -> None:
        if not isinstance(self.variant, str) or self.variant not in VARIANTS:
            raise RulesetError(f"unknown variant {quoted(self.variant)}: choose one of {', '.join(VARIANTS)}")
        if not is_count(self.players) or not FEWEST_PLAYERS <= self.players <= MAX_SEATS:
            raise RulesetError(f"players must be 2, 3 or 4, not {quoted(self.players)}")
        if self.goal is None:
            object.__setattr__(self, "goal", self.row.goal)
        limits = dict(LIMITS)
        if self.row.goal == 0:
            del limits["goal"]
            if not is_count(self.goal) or self.goal != 0:  # False equals 0, and is no number of points
                raise RulesetError(f"{self.variant} has no goal in points, so the goal cannot be {quoted(self.goal)}")
        for name, (least, most) in limits.items():
            value = getattr(self, name)
            if not is_count(value) or not least <= value <= most:
                raise RulesetError(f"{name} must be a number from {least} to {most}, not {quoted(value)}")
        for name in ("take_fewer", "open_reserves"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise RulesetError(f"{name} must be True or False, not {quoted(getattr(self, name))}")

    @property
    def row(self) -> Variant:
        """The variant's row of data."""
        return VARIANTS[self.variant]

    @property
    def letters(self) -> str:
        """The letters of the lanes."""
        return self.row.letters

    def supply(self) -> tuple[int, ...]:
        """The tokens in the game, by letter."""
        return unpack(supply(self.row.index, self.players))[: len(self.letters)]

    def house_rules(self) -> dict[str, Any]:
        """The switches that are not at their default."""
        plain = asdict(Ruleset(self.variant, self.players))
        return {name: value for name, value in asdict(self).items() if value != plain[name]}


SWITCHES = tuple(field.name for field in fields(Ruleset))[2:]
RULES = itemgetter("variant", "players", *SWITCHES)


def ruleset(variant: str, players: int, house: Mapping[str, Any]) -> Ruleset:
    """A checked ruleset; a switch that does not exist is refused by name."""
    for name in house:
        if name not in SWITCHES:
            raise RulesetError(f"unknown house rule {quoted(name)}: choose from {', '.join(SWITCHES)}")
    return Ruleset(variant, players, **house)


def blank_states(rules: Ruleset, count: int, start: int = 0) -> States:
    """Records that carry the ruleset and are ready to be dealt."""
    states = np.zeros(count, state_t)
    states["variant"] = rules.row.index
    states["gauntlet"] = rules.row.gauntlet
    states["goal_tiles"] = rules.row.goal_tiles
    states["players"] = rules.players
    states["start"] = start
    for name in SWITCHES:
        states[name] = getattr(rules, name)
    return states


def ruleset_of(state: Any) -> Ruleset:
    """The ruleset a record carries."""
    return _ruleset(*map(int, RULES(state)))


@cache
def _ruleset(
    variant: int, players: int, take_fewer: int, goal: int, open_reserves: int, token_limit: int, hand_limit: int
) -> Ruleset:
    return Ruleset(VARIANT_NAMES[variant], players, bool(take_fewer), goal, bool(open_reserves), token_limit, hand_limit)


def is_count(value: object) -> bool:
    """Whether a value is a whole number. True and False are numbers in Python, and not meant as such."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
