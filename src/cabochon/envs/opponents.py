"""Opponents in an environment: compiled bots inside the kernels, and any other bot, which is asked from Python."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .. import batch
from ..bots import AnyBot, Bot, PolicyBot, bot_of
from ..bots.base import NO_LIMIT
from ..errors import CabochonError
from ..game import Game
from ..rules.actions import ACTION_COUNT
from ..ruleset import States
from ..view import view
from .episodes import CALLER, COMPILED_BOTS, pack_bots, seat_bots

Opponents = str | AnyBot | Sequence[str | AnyBot]  # one for all other seats, or one for each


def split_bots(players: int, opponents: Opponents) -> tuple[int, dict[int, Bot]]:
    """The compiled bots, packed into one number, and by seat those that are asked from Python."""
    seats = dict(enumerate(seat_bots(players, opponents), 1))
    compiled = [COMPILED_BOTS.get(player, CALLER) if isinstance(player, str) else CALLER for player in seats.values()]
    others = {seat: bot_of(player) for (seat, player), kind in zip(seats.items(), compiled, strict=True) if kind == CALLER}
    return pack_bots([CALLER, *compiled]), others


def bots_decide(bots: Mapping[int, Bot], states: States, games: NDArray[np.intp], seeds: NDArray[np.int64]) -> None:
    """One decision in each of these games by the bot whose turn it is; a policy decides for all its games in one call."""
    turns = states["turn"][games]
    for seat, player in bots.items():
        mine = turns == seat
        if not mine.any():
            continue
        if isinstance(player, PolicyBot):
            _play_policy(player, states, games[mine])
        else:
            for game, seed in zip(games[mine].tolist(), seeds[mine].tolist(), strict=True):
                _play_bot(player, states, game, seed)


def _play_policy(player: PolicyBot, states: States, games: NDArray[np.intp]) -> None:
    chosen = states[games]
    actions = player.actions(chosen)
    try:
        batch.play(chosen, np.where((actions >= 0) & (actions < ACTION_COUNT), actions, ACTION_COUNT))
    except CabochonError as error:
        error.add_note(f"opponent {player.name} chose it")
        raise
    states[games] = chosen


def _play_bot(player: Bot, states: States, game: int, seed: int) -> None:
    """A bot is given its own view, and may say how it pays."""
    seat = int(states["turn"][game])
    move = player.choose(view(states[game], seat), NO_LIMIT, seed)
    table = Game.from_states(states[game])
    table.play(move)
    states[game] = table.states[0]
