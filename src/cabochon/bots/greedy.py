# mypy: warn-return-any=False
"""Greedy on the record itself: one move ahead, compiled, from what the seat to decide may know.

It reads the market, the bank, all tokens and bonuses, the tiles and its own reserve: never a deck, never another's reserve.
Worth is counted in whole numbers (a point is UNIT), so that the CPU and the GPU choose alike.

`scratch` is room for SCRATCH numbers that the caller lends; what is in it before and after does not matter.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import batch
from ..batch import NO_ACTION
from ..notation.move import Move
from ..rules.actions import BUY, BUY_RESERVED, CLAIM_TILE, FIRST_ACTION, GIVE_BACK, PASS, RESERVE, RESERVE_DECK, TAKEN
from ..rules.bits import count_bits, lowest_bit, nth_bit
from ..rules.buying import AVENGERS_POINTS, SYMBOLS_FOR_TILE
from ..rules.cards import NONE, TIER_COUNT
from ..rules.compile import allocating, kernel
from ..rules.gems import COLOUR_COUNT, COLOURS, LANE_BITS, ONE_WILD, TIME_LANE, WILD, lane, lanes_at_least, minus, total
from ..rules.play import legal
from ..rules.printed import bonus_of, cost_of, demand_of, points_of, symbols_of, tier_of
from ..rules.rng import below, seeded, stir
from ..rules.state import MARKET_SIZE, MAX_RESERVED, MAX_TILES, OVER, State
from ..ruleset import States
from ..search.analysis import Signal
from ..search.budget import Budget
from ..view import View, state_of
from .base import BaseBot, check

UNIT = 1 << 16


def _units(worth: float) -> int:
    return round(worth * UNIT)


NEARNESS = 0.6  # what one missing token leaves of a card's worth
UNBOUGHT = 0.7  # what a card in reach is worth, compared with one that is bought
EXPOSED = _units(0.6 * UNBOUGHT)  # what is left of that if an opponent can buy it first
IN_MARKET = _units(0.95 * UNBOUGHT)
IN_RESERVE = _units(UNBOUGHT)
FIRST, SECOND, THIRD, FOURTH = _units(1.0), _units(0.5), _units(0.3), _units(0.15)  # the best target counts in full, others less
TARGETS = 6
FULL_HAND = _units(0.3)  # what it costs to fill a place in the reserve
SAVING = _units(0.09)  # what one token off the price of a card in sight is worth
NEARLY_OVER = _units(0.2)  # what a bonus saves counts less the nearer the end is, but never less than this
TILE_POINTS = 3
TILE_SHARE = 0.8  # what one missing bonus leaves of a tile's worth
NEW_COLOUR = _units(1.0)  # the Gauntlet asks for every colour ...
FIRST_TIME = _units(2.0)  # ... and for a Time token
SYMBOL = _units(0.4)
WINNING = _units(100.0)
PATIENCE, BOREDOM = 40, 50  # after this many rounds any move now and then: one time in 50, two in 50, ...

MOST_MISSING = 31
NEAR = np.array([_units(NEARNESS**missing) for missing in range(MOST_MISSING + 1)], np.int64)
SHARE = np.array([_units(TILE_POINTS * TILE_SHARE ** (short - 1) / max(short, 1)) for short in range(32)], np.int64)

PLACES = MARKET_SIZE + MAX_RESERVED
WORTH = 0  # of each place's card when it is bought
HOPED = WORTH + PLACES  # of each place's card while it is not bought
USE = HOPED + PLACES  # of one more bonus of each colour
NOW = USE + COLOUR_COUNT  # targets as things are: their keys, worths and prices
THEN = NOW + 3 * TARGETS  # targets after a purchase
SCRATCH = THEN + 3 * TARGETS


@kernel
def part(worth: int, share: int) -> int:
    """A share of a worth, both in units."""
    return worth * share >> 16


@kernel
def card_at(state: State, place: int) -> int:
    """The card in a market slot or, after those, in the own reserve."""
    return state.market[place] if place < MARKET_SIZE else state.reserve[state.turn, place - MARKET_SIZE]


@kernel
def missing(price: int, tokens: int) -> int:
    """How many tokens are missing when wild ones help out."""
    return max(0, total(minus(price, tokens & COLOURS)) - lane(tokens, WILD))


@kernel
def near(price: int, tokens: int) -> int:
    """What the missing tokens leave of a worth."""
    return NEAR[min(missing(price, tokens), MOST_MISSING)]


@kernel
def most_points(state: State) -> int:
    """The points of the seat that has most."""
    most = 0
    for seat in range(state.players):
        most = max(most, state.points[seat])
    return most


@kernel
def takes_avengers(state: State, card: int) -> bool:
    """Whether this card would bring the Avengers tile from the table or from another seat."""
    holder = state.avengers
    if symbols_of(card) == 0 or holder == state.turn:
        return False
    most = SYMBOLS_FOR_TILE - 1 if holder == NONE else state.symbols[holder]
    return state.symbols[state.turn] + symbols_of(card) > most


@kernel
def share_of_tiles(state: State, colour: int) -> int:
    """What a bonus of this colour does for the tiles on the table."""
    share = 0
    for place in range(MAX_TILES):
        if state.tiles[place] != NONE and state.tile_owner[place] == NONE:
            short = minus(demand_of(state.tiles[place]), state.bonuses[state.turn])
            if lane(short, colour) > 0:
                share += SHARE[total(short)]
    return share


@kernel
def saved_by_bonus(state: State, colour: int) -> int:
    """How many cards in sight a bonus of this colour makes cheaper, those with points more."""
    own, saved = lane(state.bonuses[state.turn], colour), 0
    for place in range(PLACES):
        card = card_at(state, place)
        if card != NONE and lane(cost_of(card), colour) > own:
            saved += 1 + points_of(card)
    return saved


@kernel
def weigh_bonuses(state: State, scratch: Any) -> None:
    """What one more bonus of each colour is worth: what it saves, and what it does for the tiles and the Gauntlet."""
    to_go = max(NEARLY_OVER, UNIT - UNIT * most_points(state) // max(1, state.goal))
    for colour in range(COLOUR_COUNT):
        worth = part(SAVING * saved_by_bonus(state, colour), to_go) + share_of_tiles(state, colour)
        if state.gauntlet != 0 and lane(state.bonuses[state.turn], colour) == 0:
            worth += NEW_COLOUR
        scratch[USE + colour] = worth


@kernel
def worth_of(state: State, card: int, scratch: Any) -> int:
    """Points, the use of the bonus, and what the card brings towards the Gauntlet and the Avengers tile."""
    worth = UNIT * points_of(card) + scratch[USE + lowest_bit(lanes_at_least(bonus_of(card), 1))]
    if state.gauntlet != 0:
        worth += SYMBOL * symbols_of(card)
        if tier_of(card) == TIER_COUNT and state.tokens[state.turn] & TIME_LANE == 0:
            worth += FIRST_TIME
        if takes_avengers(state, card):
            worth += UNIT * AVENGERS_POINTS
    return worth


@kernel
def rival_can_buy(state: State, card: int) -> bool:
    """Whether another seat has what this card costs."""
    for seat in range(state.players):
        if seat != state.turn and missing(minus(cost_of(card), state.bonuses[seat]), state.tokens[seat]) == 0:
            return True
    return False


@kernel
def weigh_cards(state: State, scratch: Any) -> None:
    """What each card in sight is worth, bought and unbought."""
    for place in range(PLACES):
        card = card_at(state, place)
        scratch[WORTH + place] = scratch[HOPED + place] = 0
        if card != NONE:
            sure = IN_RESERVE if place >= MARKET_SIZE else EXPOSED if rival_can_buy(state, card) else IN_MARKET
            scratch[WORTH + place] = worth_of(state, card, scratch)
            scratch[HOPED + place] = part(scratch[WORTH + place], sure)


@kernel
def aim(state: State, scratch: Any, at: int, bonuses: int, tokens: int, without: int) -> None:
    """Note the cards most worth planning for, best first, each with its worth and price; `without` is no longer there."""
    for target in range(3 * TARGETS):
        scratch[at + target] = 0
    for place in range(PLACES):
        card = card_at(state, place)
        if card == NONE or place == without:
            continue
        price = minus(cost_of(card), bonuses)
        key = part(scratch[HOPED + place], near(price, tokens))
        target = TARGETS
        while target > 0 and scratch[at + target - 1] < key:
            target -= 1
        if target < TARGETS:
            for later in range(TARGETS - 1, target, -1):
                for row in range(3):
                    scratch[at + row * TARGETS + later] = scratch[at + row * TARGETS + later - 1]
            scratch[at + target] = key
            scratch[at + TARGETS + target] = scratch[HOPED + place]
            scratch[at + 2 * TARGETS + target] = price


@kernel
def reach(scratch: Any, at: int, tokens: int) -> int:
    """How good these tokens are: what the targets are worth, less for every token that is missing."""
    a = b = c = d = 0
    for target in range(TARGETS):
        worth = part(scratch[at + TARGETS + target], near(scratch[at + 2 * TARGETS + target], tokens))
        if worth > a:
            a, b, c, d = worth, a, b, c
        elif worth > b:
            b, c, d = worth, b, c
        elif worth > c:
            c, d = worth, c
        elif worth > d:
            d = worth
    return part(a, FIRST) + part(b, SECOND) + part(c, THIRD) + part(d, FOURTH)


@kernel
def holding(state: State, scratch: Any, tokens: int) -> int:
    """How good these tokens are after returning the least useful."""
    while total(tokens) > state.token_limit:
        best, kept = -1, tokens
        for kind in range(WILD + 1):
            fewer = tokens - (1 << LANE_BITS * kind)
            if lane(tokens, kind) > 0 and reach(scratch, NOW, fewer) > best:
                best, kept = reach(scratch, NOW, fewer), fewer
        if best < 0:
            break
        tokens = kept
    return reach(scratch, NOW, tokens)


@kernel
def wins(state: State, card: int, bonuses: int) -> bool:
    """Whether the card fulfils the goal, a tile that comes with it included."""
    points = state.points[state.turn] + points_of(card)
    if takes_avengers(state, card):
        points += AVENGERS_POINTS
    for place in range(MAX_TILES):
        if state.tile_owner[place] == NONE and minus(demand_of(state.tiles[place]), bonuses) == 0:
            points += TILE_POINTS
            break
    time = state.tokens[state.turn] & TIME_LANE != 0 or tier_of(card) == TIER_COUNT
    return points >= state.goal and (state.gauntlet == 0 or (time and minus(state.gauntlet & COLOURS, bonuses) == 0))


@kernel
def after_reserving(state: State, scratch: Any, action: int) -> int:
    """A card made safe and a wild token, for a place in the reserve."""
    seat = state.turn
    wild = ONE_WILD if lane(state.bank, WILD) > 0 else 0
    score = holding(state, scratch, state.tokens[seat] + wild) - FULL_HAND * (state.reserved[seat] + 1)
    if action >= RESERVE_DECK:
        return score
    place = action - RESERVE
    safer = part(scratch[WORTH + place], IN_RESERVE) - scratch[HOPED + place]
    return score + part(safer, near(minus(cost_of(state.market[place]), state.bonuses[seat]), state.tokens[seat]))


@kernel
def after_buying(state: State, scratch: Any, action: int) -> int:
    """The card itself, and how near the others are with its bonus and without what it cost."""
    seat, place = state.turn, action - BUY
    card = card_at(state, place)
    price = minus(cost_of(card), state.bonuses[seat])
    short = minus(price, state.tokens[seat] & COLOURS)
    tokens = state.tokens[seat] - (price - short) - total(short) * ONE_WILD
    bonuses = state.bonuses[seat] + bonus_of(card)
    aim(state, scratch, THEN, bonuses, tokens, place)
    score = scratch[WORTH + place] + reach(scratch, THEN, tokens)
    if action >= BUY_RESERVED:
        score += FULL_HAND * state.reserved[seat]
    return score + WINNING if wins(state, card, bonuses) else score


@kernel
def rivals_nearness(state: State, place: int) -> int:
    """Of several tiles the one that somebody else is nearest to."""
    nearest = UNIT
    for seat in range(state.players):
        if seat != state.turn:
            nearest = min(nearest, total(minus(demand_of(state.tiles[place]), state.bonuses[seat])))
    return -nearest


@kernel
def score(state: State, scratch: Any, action: int) -> int:
    """How good the position is after this action; only differences between actions mean something."""
    tokens = state.tokens[state.turn]
    if action < RESERVE:
        return holding(state, scratch, tokens + TAKEN[action])
    if action < BUY:
        return after_reserving(state, scratch, action)
    if action < PASS:
        return after_buying(state, scratch, action)
    if action < GIVE_BACK:
        return 0
    if action < CLAIM_TILE:
        return reach(scratch, NOW, tokens - (1 << LANE_BITS * (action - GIVE_BACK)))
    return rivals_nearness(state, action - CLAIM_TILE)


@kernel
def best_action(state: State, moves: int, rng: int, scratch: Any) -> int:
    """The move that looks best; of equals any."""
    first, best, ties, chosen = FIRST_ACTION[state.stage], 0, 0, 0
    weigh_bonuses(state, scratch)
    weigh_cards(state, scratch)
    aim(state, scratch, NOW, state.bonuses[state.turn], state.tokens[state.turn], PLACES)
    while moves != 0:
        action = first + lowest_bit(moves)
        moves &= moves - 1
        worth = score(state, scratch, action)
        if ties == 0 or worth > best:
            best, ties, chosen = worth, 1, action
        elif worth == best:
            ties += 1
            rng = stir(rng)
            if below(rng, ties) == 0:
                chosen = action
    return chosen


@kernel
def greedy_action(state: State, rng: int, scratch: Any) -> int:
    """The move that looks best. Late in a long game now and then any move, so that nobody takes and returns for ever."""
    moves = legal(state)
    count = count_bits(moves)
    if count == 1 or below(rng, BOREDOM) < state.turns // state.players - PATIENCE:
        return FIRST_ACTION[state.stage] + nth_bit(moves, below(stir(rng), count))
    return best_action(state, moves, stir(rng), scratch)


@allocating
def _greedy_all(states: Any, seeds: Any, actions: Any) -> None:
    scratch = np.empty(SCRATCH, np.int64)
    for i in range(states.shape[0]):
        actions[i] = NO_ACTION if states[i].stage == OVER else greedy_action(states[i], stir(seeded(seeds[i])), scratch)


def greedy_actions(states: States, seeds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Greedy's action in every game; NO_ACTION where the game is over."""
    actions = np.empty(len(states), np.int64)
    batch.spread(_greedy_all, states, seeds, actions)
    return actions


@dataclass(frozen=True, slots=True)
class Greedy(BaseBot):
    """Looks one move ahead: what it has then, and how near the next good cards are."""

    name: str = "greedy"
    character: str = "buys the best card in reach, or takes what brings the next one closer"
    default_budget: Budget | None = None

    def choose(self, view: View, budget: Budget, seed: int, stop: Signal | None = None) -> Move:  # noqa: ARG002
        check(view)
        return Move(int(greedy_actions(state_of(view), np.array([seed]))[0]), None, view.rules.variant)
