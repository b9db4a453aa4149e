"""Rare cases: random games in which one happens, found by their seed."""

from typing import Any

import numpy as np

from cabochon import Game, Move
from cabochon.rules import play as turn
from cabochon.rules.actions import BUY, FIRST_ACTION, PASS, RESERVE, RESERVE_DECK, card_bought
from cabochon.rules.bits import count_bits, nth_bit
from cabochon.rules.cards import NONE, OTHER, TIER
from cabochon.rules.compile import kernel
from cabochon.rules.deal import deal
from cabochon.rules.ending import fulfils_goal, goal_reached, rank
from cabochon.rules.gems import COLOURS, WILD, lane, lanes_at_least, total
from cabochon.rules.paying import price
from cabochon.rules.rng import below, seeded, stir
from cabochon.rules.state import CLAIM, GOAL, MAIN, MAX_TILES, OVER, STALEMATE
from cabochon.rules.tiles import tiles_of
from cabochon.ruleset import blank_states, ruleset

MOST_DECISIONS = 1000
EVENTS = (
    "two-colours-left",
    "one-colour-left",
    "no-colours-left",
    "reserve-without-wild",
    "blind-reserve-at-ten",
    "two-tiles-at-once",
    "tile-on-a-token-turn",
    "empty-decks",
    "forced-pass",
    "stalemate",
    "equal-points",
    "shared-victory",
    "free-tier-three-at-ten",
    "avengers-taken-away-and-game-goes-on",
    "end-triggered-anew-in-the-same-round",
    "one-other-colour",
    "fifteen-points-end-nothing",
    "several-owners",
    "most-points-without-a-city",
    "forced-pass-shows-unseen-cards",
    "tile-on-a-pass",
)
(TWO_COLOURS, ONE_COLOUR, NO_COLOURS, NO_WILD, BLIND_AT_TEN, TWO_TILES, TILE_ON_TAKE, EMPTY_DECKS, FORCED_PASS, STALE, EQUAL,
 SHARED, FREE_AT_TEN, TAKEN_AWAY, ANEW, ONE_OTHER, FIFTEEN, SEVERAL_OWNERS, MOST_WITHOUT, SHOWS,
 TILE_ON_PASS) = range(21)  # fmt: skip
UNIFORM, BUYER, HOARDER, WRITTEN = range(4)
TOP_TIER = 3
CLASSIC_GOAL = 15
BUYS = ((1 << PASS - BUY) - 1) << BUY
TAKES = (1 << RESERVE) - 1
RESERVATIONS = ((1 << BUY - RESERVE) - 1) << RESERVE


@kernel
def _preferred(mask: int, style: int, rng: int) -> int:
    """Three times in four the moves a style likes, if there are any."""
    liked = mask
    if style == BUYER:
        liked = mask & BUYS
    elif style == HOARDER:
        liked = mask & (TAKES | RESERVATIONS)
    return liked if liked != 0 and below(stir(rng), 4) > 0 else mask


@kernel
def _before(state: Any, action: int) -> int:
    """What happens in the choosing of an action."""
    seat, events = state.turn, 0
    if state.stage == MAIN:
        left = count_bits(lanes_at_least(state.bank & COLOURS, 1))
        taking = action < RESERVE
        events |= (taking and left == 2) << TWO_COLOURS | (taking and left == 1) << ONE_COLOUR | (left == 0) << NO_COLOURS
        events |= (RESERVE <= action < BUY and lane(state.bank, WILD) == 0) << NO_WILD
        full = total(state.tokens[seat]) == state.token_limit
        events |= (RESERVE_DECK <= action < BUY and full and lane(state.bank, WILD) > 0) << BLIND_AT_TEN
        events |= (action == PASS) << FORCED_PASS | (action == PASS and state.blind[seat] != 0) << SHOWS
        if BUY <= action < PASS and full:
            card = card_bought(state, action)
            events |= (TIER[card] == TOP_TIER and price(state, seat, card) == 0) << FREE_AT_TEN
    return events


@kernel
def _final(state: Any) -> int:
    """What can be said of a finished game."""
    events = (state.reason == STALEMATE) << STALE
    for seat in range(state.players):
        for other in range(state.players):
            if seat != other and rank(state, seat) == 1:
                equal, rivals = rank(state, other) == 1, fulfils_goal(state, seat) == fulfils_goal(state, other)
                events |= (rivals and not equal and state.points[seat] == state.points[other]) << EQUAL
                events |= equal << SHARED
                if state.goal_tiles > 0 and state.reason == GOAL:
                    events |= rivals << SEVERAL_OWNERS | (state.points[other] > state.points[seat]) << MOST_WITHOUT
    return events


@kernel
def _of_cities(state: Any) -> int:
    """What the goal of Cities can show after a decision."""
    events, round_over = 0, state.turn == state.start and state.stage == MAIN
    for seat in range(state.players):
        events |= (round_over and state.points[seat] >= CLASSIC_GOAL) << FIFTEEN
    for place in range(MAX_TILES):
        events |= (state.tile_owner[place] != NONE and OTHER[state.tiles[place]] > 0) << ONE_OTHER
    return events


@kernel
def _play_logged(states: Any, seed: int, style: int, actions: Any) -> int:
    """Play one game and return what happened as a bit set. The actions are written down, or read if the style is WRITTEN."""
    state = states[0]
    rng, events, played, round_started, gone = seeded(seed), 0, 0, 0, 0
    while state.stage != OVER and played < MOST_DECISIONS:
        if style != WRITTEN:
            rng = stir(stir(rng))
            mask = _preferred(turn.legal(state), style, rng)
            actions[played] = FIRST_ACTION[state.stage] + nth_bit(mask, below(rng, count_bits(mask)))
        action = actions[played]
        events |= _before(state, action)
        seat, was_main, ending, turns = state.turn, state.stage == MAIN, goal_reached(state), state.turns
        owned = tiles_of(state, seat)
        turn.play(state, action)
        played += 1
        events |= (state.stage == CLAIM) << TWO_TILES
        events |= (was_main and action < RESERVE and tiles_of(state, seat) > owned) << TILE_ON_TAKE
        events |= (action == PASS and tiles_of(state, seat) > owned) << TILE_ON_PASS
        events |= (state.market[0] == NONE and state.market[4] == NONE) << EMPTY_DECKS
        if state.goal_tiles > 0:
            events |= _of_cities(state)
        if ending and not goal_reached(state):
            gone, round_started = 1, turns // state.players
        if gone == 1 and state.turns // state.players > round_started and state.stage != OVER:
            events |= 1 << TAKEN_AWAY
            gone = 0
        if gone == 1 and goal_reached(state):
            events |= 1 << ANEW
            gone = 0
    return events | _final(state) if state.stage == OVER else 0


@kernel
def _hunt(states: Any, first: int, count: int, style: int, wanted: int, actions: Any) -> int:
    """The first seed whose game has all the wanted events; -1 if there is none."""
    for seed in range(first, first + count):
        deal(states[0], seed)
        if _play_logged(states, seed, style, actions) & wanted == wanted:
            return seed
    return -1


def events_of(game: Game) -> set[str]:
    """The rare cases in a finished game."""
    actions = np.array([move.action for move in game.moves], np.int64)
    events = _play_logged(game.beginning().states, 0, WRITTEN, actions)
    return {name for bit, name in enumerate(EVENTS) if events >> bit & 1}


def hunt(variant: str, players: int, wanted: int, style: int, first: int = 0, count: int = 1_000_000) -> int | None:
    """The first seed, from `first` on, for which a style's random game has the wanted events (a bit set over EVENTS)."""
    states = blank_states(ruleset(variant, players, {}), 1)
    seed = _hunt(states, first, count, style, wanted, np.zeros(MOST_DECISIONS, np.int64))
    return None if seed < 0 else int(seed)


def hunted_game(variant: str, players: int, seed: int, style: int) -> Game:
    """The game of a seed and style, move by move, started by seat 0."""
    game = Game(variant, players, seed=seed, start=0)
    actions = np.zeros(MOST_DECISIONS, np.int64)
    _play_logged(game.states.copy(), seed, style, actions)
    for action in actions:
        if game.is_over:
            break
        game.play(Move(int(action), None, variant))
    return game
