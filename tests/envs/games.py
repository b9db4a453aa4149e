"""Random positions and random choices for the tests of the environments."""

import random
from typing import Any

import numpy as np

from cabochon import Game, batch, deal
from cabochon.observation import action_masks
from cabochon.rules.actions import BUY, RESERVE
from cabochon.rules.cards import DECK_START, NONE, TIER
from tests.support.comparing import random_house

States = Any


def random_game(variant: str, players: int, seed: int, decisions: int, house: bool = True) -> Game:
    """A game after some random decisions, by any house rules."""
    rng = random.Random(seed)
    game = Game(variant, players, seed=seed, **(dict(random_house(rng, variant)) if house else {}))
    for _ in range(decisions):
        if not game.is_over:
            game.play(rng.choice(game.legal_moves()))
    return game


def random_actions(masks: Any, rng: np.random.Generator, illegal: float = 0.0) -> Any:
    """A legal action a row, or now and then (by chance `illegal`) any action."""
    actions = (rng.random(masks.shape) * masks).argmax(axis=1)
    wild = rng.random(len(actions)) < illegal
    actions[wild] = rng.integers(0, masks.shape[1], wild.sum())
    return actions


def reserving_games(variant: str, players: int, games: int, decisions: int, **house: Any) -> States:
    """Games after some random decisions, in which cards are reserved more often than usual."""
    states, rng = deal(variant, players, np.arange(games), **house), np.random.default_rng(decisions)
    for _ in range(decisions):
        masks = action_masks(states).astype(float)
        masks[:, RESERVE:BUY] *= 4
        batch.play(states, np.where(masks.any(axis=1), random_actions(masks, rng), batch.NO_ACTION))
    return states


def with_other_hidden_cards(states: States, seat: int, rng: np.random.Generator) -> States:
    """The same games, with the cards this seat cannot see dealt anew: in the decks, and in others' reserves where hidden."""
    twins = states.copy()
    for twin in twins:
        deck, reserve = twin["deck"], twin["reserve"]
        for tier in range(3):
            start = int(DECK_START[tier])
            left = [(deck, start + i) for i in range(twin["deck_size"][tier])]
            held = [(reserve, (other, i)) for other in range(twin["players"]) if other != seat for i in range(3)]
            places = left + [(cards, at) for cards, at in held if is_hidden(twin, *at) and TIER[cards[at]] == tier + 1]
            cards = [cards[at] for cards, at in places]
            for (where, at), card in zip(places, rng.permutation(cards), strict=True):
                where[at] = card
    return twins


def is_hidden(state: Any, owner: int, i: int) -> bool:
    """Whether a card lies here that only its owner may see."""
    return bool(state["reserve"][owner, i] != NONE and (state["blind"][owner] >> i & 1 or not state["open_reserves"]))
