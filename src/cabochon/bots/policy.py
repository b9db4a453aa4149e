"""A policy on observations as a bot: what a net learns in an environment plays in the arena, as an opponent, and at tables."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import batch
from ..errors import CabochonError
from ..notation.move import Move, plain_moves
from ..observation import action_masks
from ..rules.actions import ACTION_COUNT
from ..ruleset import States
from ..search.analysis import Signal
from ..search.budget import Budget
from ..view import View, sample
from .base import NO_LIMIT, BaseBot, check

Rows = NDArray[np.int8]
Policy = Callable[[Rows, Rows], ArrayLike]  # observations and action masks, a row for each position; an action for each
ANY_SEED = 0


@dataclass(frozen=True, slots=True)
class PolicyBot(BaseBot):
    """Plays what a function of observations and action masks says; for many positions in one call, where that is possible."""

    name: str
    policy: Policy
    character: str = "a policy on observations"
    default_budget: Budget | None = None

    def choose(
        self,
        view: View,
        budget: Budget = NO_LIMIT,  # noqa: ARG002
        seed: int | None = None,  # noqa: ARG002
        stop: Signal | None = None,  # noqa: ARG002
    ) -> Move:
        check(view)
        states = sample(view, ANY_SEED)  # an observation does not show what is hidden, so any cards will do there
        action = int(self.actions(states)[0])
        if not 0 <= action < ACTION_COUNT:
            raise CabochonError(f"{self.name}: an action is a number from 0 to {ACTION_COUNT - 1}, not {action}")
        return plain_moves(view.rules.variant)[action]

    def actions(self, states: States) -> NDArray[np.int64]:
        """An action for the seat to decide in each of these games, none of which is over."""
        actions = np.asarray(self.policy(batch.observe(states), action_masks(states)))
        if actions.shape != states.shape or actions.dtype.kind not in "iu":
            raise CabochonError(f"{self.name}: a policy gives {len(states)} whole numbers, an action for each row")
        return actions.astype(np.int64, copy=False)
