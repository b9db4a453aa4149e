# mypy: warn-return-any=False
"""Many positions through the net at once: each seat's chance to win, and the prior of each action, without a search."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import batch
from ..errors import CabochonError
from ..rules.actions import ACTION_COUNT, FIRST_ACTION, PASS
from ..rules.bits import lowest_bit
from ..rules.compile import kernel
from ..rules.play import legal
from ..rules.state import OVER
from ..rules.variants import VARIANT_NAMES
from ..ruleset import States
from .linear_eval import softmax_inplace, terminal_values
from .models.net import load_fast_net
from .net import FastNet, Workspace, forward, policy_logit, read_values, workspace_of_thread
from .net_features import policy_index


class Evaluation(NamedTuple):
    """What a net says of positions, a row each. `values`: the chance of each seat; `priors`: of each of the 73 actions."""

    values: NDArray[np.float32]
    priors: NDArray[np.float32]


@kernel
def _evaluate(net: FastNet, work: Workspace, logits: Any, chances: Any, states: Any, values: Any, priors: Any) -> None:
    for i in range(states.shape[0]):
        state = states[i]
        if state.stage == OVER:
            terminal_values(state, chances)
        else:
            forward(net, state, work)
            read_values(net, state, work, chances)
            moves, first, count = legal(state), FIRST_ACTION[state.stage], 0
            left = moves
            while left != 0:
                logits[count] = policy_logit(net, work, policy_index(state, first + lowest_bit(left)))
                left &= left - 1
                count += 1
            softmax_inplace(logits, count)
            left, count = moves, 0
            while left != 0:
                priors[i, first + lowest_bit(left)] = logits[count]
                left &= left - 1
                count += 1
        for seat in range(values.shape[1]):
            values[i, seat] = chances[seat]


def evaluate(states: States, nets: str = "") -> Evaluation:
    """Evaluate arrays of records by the net of their game, as the seat to decide knows them; a finished game has its result.

    All must be of one variant and one number of players. `nets` names a folder of other nets than the package's own.
    """
    games = batch.checked_states(states)
    if not len(games):
        raise CabochonError("there is no game to evaluate")
    variant, players = games["variant"][0], int(games["players"][0])
    if (games["variant"] != variant).any() or (games["players"] != players).any():
        raise CabochonError("games of different variants or numbers of players have different nets: evaluate them apart")
    net = load_fast_net(VARIANT_NAMES[variant], players, nets)
    values, priors = np.empty((len(games), players), np.float32), np.zeros((len(games), ACTION_COUNT), np.float32)

    def run(*part: Any) -> None:
        _evaluate(net, workspace_of_thread(net), np.empty(PASS + 1), np.empty(players), *part)

    batch.spread(run, games, values, priors)
    return Evaluation(values, priors)
