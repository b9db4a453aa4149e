# mypy: warn-return-any=False
"""The kernel of greedy: the score of every move, one move ahead, from what the seat to decide may know.

It reads the market, the bank, all tokens and bonuses, the tiles and its own reserve: never a deck or another seat's reserve.
Values are fixed-point numbers (UNIT is a point), not floats, so that the CPU and the GPU choose the same moves.

The score of a position is the value of its best targets: cards worth buying, discounted for each token that is still missing.
`scratch` is an array of SCRATCH numbers for intermediate results. The caller makes it, since kernels make no arrays.
"""

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .. import batch
from ..batch import NO_ACTION
from ..rules.actions import BUY, BUY_RESERVED, CLAIM_TILE, FIRST_ACTION, GIVE_BACK, PASS, RESERVE, RESERVE_DECK, TAKEN
from ..rules.bits import count_bits, lowest_bit, nth_bit
from ..rules.buying import AVENGERS_POINTS, SYMBOLS_FOR_TILE
from ..rules.cards import NONE, TIER_COUNT
from ..rules.compile import allocating, kernel
from ..rules.gems import COLOUR_COUNT, COLOURS, LANE_BITS, ONE_WILD, TIME_LANE, WILD, lane, lanes_at_least, minus, total
from ..rules.paying import missing
from ..rules.play import legal
from ..rules.printed import bonus_of, cost_of, demand_of, points_of, symbols_of, tier_of, tile_points_of
from ..rules.rng import below, seeded, stir
from ..rules.state import MARKET_SIZE, MAX_RESERVED, MAX_TILES, OVER, State
from ..rules.tiles import any_comes_to
from ..ruleset import States

UNIT = 1 << 16


def _int64(value: int) -> int:
    """A constant of one type: Numba compiles a function once more for every plain number it is given as a literal."""
    return cast(int, np.int64(value))


def _units(worth: float) -> int:
    return _int64(round(worth * UNIT))


PROXIMITY_PER_TOKEN = 0.6  # a card's value is multiplied by this for each missing token
NOT_BOUGHT = 0.7  # the value of a card before it is bought, as a part of its value afterwards
EXPOSED = _units(0.6 * NOT_BOUGHT)  # the same if an opponent can buy it first
IN_MARKET = _units(0.95 * NOT_BOUGHT)
IN_RESERVE = _units(NOT_BOUGHT)
FIRST, SECOND, THIRD, FOURTH = _units(1.0), _units(0.5), _units(0.3), _units(0.15)  # weights of the targets, best first
TARGETS = 6
FULL_HAND = _units(0.3)  # the cost of a place in the reserve
SAVING = _units(0.09)  # the value of one token off the price of a visible card
MIN_SAVING = _units(0.2)  # savings count less towards the end of the game, but never less than this
TILE_POINTS = 3
CITY_POINTS = 13  # what most cities ask for, where the goal is a city and not points
TILE_SHARE = 0.8  # a tile's value is multiplied by this for each missing bonus
NEW_COLOUR = _units(1.0)  # the Gauntlet asks for every colour ...
FIRST_TIME = _units(2.0)  # ... and for a Time token
SYMBOL = _units(0.4)
WINNING = _units(100.0)
ROUNDS_BEFORE_RANDOM, RANDOM_ODDS = 40, 50  # then random moves: 1 in 50, in the next round 2 in 50, ...

MAX_MISSING = 31
PROXIMITY = np.array([_units(PROXIMITY_PER_TOKEN**missing) for missing in range(MAX_MISSING + 1)], np.int64)
TILE_VALUE = np.array([_units(TILE_POINTS * TILE_SHARE ** (short - 1) / max(short, 1)) for short in range(32)], np.int64)

PLACES = _int64(MARKET_SIZE + MAX_RESERVED)
CARD_VALUE = 0  # offset in scratch: the value of the card in each place, once bought
EXPECTED = CARD_VALUE + PLACES  # offset: the same before it is bought
BONUS_VALUE = EXPECTED + PLACES  # offset: the value of one more bonus of each colour
TARGETS_NOW = _int64(BONUS_VALUE + COLOUR_COUNT)  # offset: the targets now: their keys, values and prices
TARGETS_AFTER = TARGETS_NOW + 3 * TARGETS  # offset: the targets after a purchase
SCRATCH = TARGETS_AFTER + 3 * TARGETS


@kernel
def scale(value: int, factor: int) -> int:
    """A fixed-point product."""
    return value * factor >> 16


@kernel
def card_at(state: State, place: int) -> int:
    """The card in a place: the market slots, then the own reserve."""
    return state.market[place] if place < MARKET_SIZE else state.reserve[state.turn, place - MARKET_SIZE]


@kernel
def proximity(price: int, tokens: int) -> int:
    """The factor by which missing tokens reduce a value: PROXIMITY_PER_TOKEN ** missing."""
    return PROXIMITY[min(missing(price, tokens), MAX_MISSING)]


@kernel
def max_points(state: State) -> int:
    """The points of the leader."""
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
def tiles_value(state: State, colour: int) -> int:
    """The value of a bonus of this colour towards the tiles."""
    share = 0
    for place in range(MAX_TILES):
        if state.tiles[place] != NONE and state.tile_owner[place] == NONE:
            short = minus(demand_of(state.tiles[place]), state.bonuses[state.turn])
            if lane(short, colour) > 0:
                share += TILE_VALUE[total(short)]
    return share


@kernel
def saved_by_bonus(state: State, colour: int) -> int:
    """How many visible cards a bonus of this colour makes cheaper; a card counts 1 and its points."""
    own, saved = lane(state.bonuses[state.turn], colour), 0
    for place in range(PLACES):
        card = card_at(state, place)
        if card != NONE and lane(cost_of(card), colour) > own:
            saved += 1 + points_of(card)
    return saved


@kernel
def evaluate_bonuses(state: State, scratch: Any) -> None:
    """The value of one more bonus of each colour: savings, tiles and the Gauntlet."""
    to_go = max(MIN_SAVING, UNIT - UNIT * max_points(state) // (state.goal if state.goal != 0 else CITY_POINTS))
    for colour in range(COLOUR_COUNT):
        worth = scale(SAVING * saved_by_bonus(state, colour), to_go) + tiles_value(state, colour)
        if state.gauntlet != 0 and lane(state.bonuses[state.turn], colour) == 0:
            worth += NEW_COLOUR
        scratch[BONUS_VALUE + colour] = worth


@kernel
def card_value(state: State, card: int, scratch: Any) -> int:
    """The value of a card: points, bonus, and what it brings towards the Gauntlet and the Avengers tile."""
    worth = UNIT * points_of(card) + scratch[BONUS_VALUE + lowest_bit(lanes_at_least(bonus_of(card), 1))]
    if state.gauntlet != 0:
        worth += SYMBOL * symbols_of(card)
        if tier_of(card) == TIER_COUNT and state.tokens[state.turn] & TIME_LANE == 0:
            worth += FIRST_TIME
        if takes_avengers(state, card):
            worth += UNIT * AVENGERS_POINTS
    return worth


@kernel
def rival_can_buy(state: State, card: int) -> bool:
    """Whether another seat can buy this card."""
    for seat in range(state.players):
        if seat != state.turn and missing(minus(cost_of(card), state.bonuses[seat]), state.tokens[seat]) == 0:
            return True
    return False


@kernel
def evaluate_cards(state: State, scratch: Any) -> None:
    """The value of each visible card, after and before it is bought."""
    for place in range(PLACES):
        card = card_at(state, place)
        scratch[CARD_VALUE + place] = scratch[EXPECTED + place] = 0
        if card != NONE:
            sure = IN_RESERVE if place >= MARKET_SIZE else EXPOSED if rival_can_buy(state, card) else IN_MARKET
            scratch[CARD_VALUE + place] = card_value(state, card, scratch)
            scratch[EXPECTED + place] = scale(scratch[CARD_VALUE + place], sure)


@kernel
def select_targets(state: State, scratch: Any, at: int, bonuses: int, tokens: int, without: int) -> None:
    """Insertion sort of the best TARGETS cards, each with its value and price; the card in place `without` is left out."""
    for target in range(3 * TARGETS):
        scratch[at + target] = 0
    for place in range(PLACES):
        card = card_at(state, place)
        if card == NONE or place == without:
            continue
        price = minus(cost_of(card), bonuses)
        key = scale(scratch[EXPECTED + place], proximity(price, tokens))
        target = TARGETS
        while target > 0 and scratch[at + target - 1] < key:
            target -= 1
        if target < TARGETS:
            for later in range(TARGETS - 1, target, -1):
                for row in range(3):
                    scratch[at + row * TARGETS + later] = scratch[at + row * TARGETS + later - 1]
            scratch[at + target] = key
            scratch[at + TARGETS + target] = scratch[EXPECTED + place]
            scratch[at + 2 * TARGETS + target] = price


@kernel
def targets_value(scratch: Any, at: int, tokens: int) -> int:
    """The value of these tokens: a weighted sum of the four best targets, each discounted for missing tokens."""
    a = b = c = d = 0  # the four largest, in registers: no array is made here
    for target in range(TARGETS):
        worth = scale(scratch[at + TARGETS + target], proximity(scratch[at + 2 * TARGETS + target], tokens))
        if worth > a:
            a, b, c, d = worth, a, b, c
        elif worth > b:
            b, c, d = worth, b, c
        elif worth > c:
            c, d = worth, c
        elif worth > d:
            d = worth
    return scale(a, FIRST) + scale(b, SECOND) + scale(c, THIRD) + scale(d, FOURTH)


@kernel
def tokens_value(state: State, scratch: Any, tokens: int) -> int:
    """The value of these tokens after returning the least useful above the limit."""
    while total(tokens) > state.token_limit:
        best, kept = -1, tokens
        for kind in range(WILD + 1):
            fewer = tokens - (1 << LANE_BITS * kind)
            if lane(tokens, kind) > 0 and targets_value(scratch, TARGETS_NOW, fewer) > best:
                best, kept = targets_value(scratch, TARGETS_NOW, fewer), fewer
        if best < 0:
            break
        tokens = kept
    return targets_value(scratch, TARGETS_NOW, tokens)


@kernel
def wins(state: State, card: int, bonuses: int) -> bool:
    """Whether the goal is reached with this card, and with a tile that comes with it."""
    points = state.points[state.turn] + points_of(card)
    if takes_avengers(state, card):
        points += AVENGERS_POINTS
    for place in range(MAX_TILES):
        if state.tile_owner[place] == NONE and minus(demand_of(state.tiles[place]), bonuses) == 0:
            points += tile_points_of(state.tiles[place])
            break
    time = state.tokens[state.turn] & TIME_LANE != 0 or tier_of(card) == TIER_COUNT
    if points < state.goal or (state.goal_tiles != 0 and not any_comes_to(state, bonuses, points)):
        return False
    return state.gauntlet == 0 or (time and minus(state.gauntlet & COLOURS, bonuses) == 0)


@kernel
def after_reserving(state: State, scratch: Any, action: int) -> int:
    """The score after reserving: a wild token and a card that nobody can take, minus the place in the reserve."""
    seat = state.turn
    wild = ONE_WILD if lane(state.bank, WILD) > 0 else 0
    score = tokens_value(state, scratch, state.tokens[seat] + wild) - FULL_HAND * (state.reserved[seat] + 1)
    if action >= RESERVE_DECK:
        return score
    place = action - RESERVE
    safer = scale(scratch[CARD_VALUE + place], IN_RESERVE) - scratch[EXPECTED + place]
    return score + scale(safer, proximity(minus(cost_of(state.market[place]), state.bonuses[seat]), state.tokens[seat]))


@kernel
def after_buying(state: State, scratch: Any, action: int) -> int:
    """The score after buying: the card, and the targets with its bonus and without its price."""
    seat, place = state.turn, action - BUY
    card = card_at(state, place)
    price = minus(cost_of(card), state.bonuses[seat])
    short = minus(price, state.tokens[seat] & COLOURS)
    tokens = state.tokens[seat] - (price - short) - total(short) * ONE_WILD
    bonuses = state.bonuses[seat] + bonus_of(card)
    select_targets(state, scratch, TARGETS_AFTER, bonuses, tokens, place)
    score = scratch[CARD_VALUE + place] + targets_value(scratch, TARGETS_AFTER, tokens)
    if action >= BUY_RESERVED:
        score += FULL_HAND * state.reserved[seat]
    return score + WINNING if wins(state, card, bonuses) else score


@kernel
def denial_score(state: State, place: int) -> int:
    """Of several tiles, take the one that an opponent is nearest to."""
    nearest = UNIT
    for seat in range(state.players):
        if seat != state.turn:
            nearest = min(nearest, total(minus(demand_of(state.tiles[place]), state.bonuses[seat])))
    return -nearest


@kernel
def score(state: State, scratch: Any, action: int) -> int:
    """The value of the position after an action. Only differences between actions of one stage have a meaning."""
    tokens = state.tokens[state.turn]
    if action < RESERVE:
        return tokens_value(state, scratch, tokens + TAKEN[action])
    if action < BUY:
        return after_reserving(state, scratch, action)
    if action < PASS:
        return after_buying(state, scratch, action)
    if action < GIVE_BACK:
        return 0
    if action < CLAIM_TILE:
        return targets_value(scratch, TARGETS_NOW, tokens - (1 << LANE_BITS * (action - GIVE_BACK)))
    return denial_score(state, action - CLAIM_TILE)


@kernel
def best_action(state: State, moves: int, rng: int, scratch: Any) -> int:
    """The action with the highest score; ties are broken at random by reservoir sampling."""
    first, best, ties, chosen = FIRST_ACTION[state.stage], 0, 0, 0
    evaluate_bonuses(state, scratch)
    evaluate_cards(state, scratch)
    select_targets(state, scratch, TARGETS_NOW, state.bonuses[state.turn], state.tokens[state.turn], PLACES)
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
    """The best action; in a very long game sometimes a random one, so that two greedy bots cannot take and return for ever."""
    moves = legal(state)
    count = count_bits(moves)
    if count == 1 or below(rng, RANDOM_ODDS) < state.turns // state.players - ROUNDS_BEFORE_RANDOM:
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
