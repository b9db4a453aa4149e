# mypy: warn-return-any=False
"""One function, `evaluate`, says how likely each seat is to win; another, `policy`, which moves are worth looking at first.

A seat's strength is the sum of the weights of its facts; the chances to win are the softmax over the seats. A move is as
promising as what it does for the own strength, and against the others'.
"""

import math
from typing import Any

from ..rules.actions import BUY, BUY_RESERVED, CLAIM_TILE, FIRST_ACTION, GIVE_BACK, PASS, RESERVE, RESERVE_DECK, TAKE_TWO, TAKEN
from ..rules.bits import lowest_bit
from ..rules.buying import AVENGERS_POINTS, SYMBOLS_FOR_TILE
from ..rules.cards import NONE
from ..rules.compile import inlined
from ..rules.ending import rank
from ..rules.gems import COLOUR_COUNT, COLOURS, LANE_BITS, ONE_TIME, ONE_WILD, TIME_LANE, WILD, lane, minus, total
from ..rules.paying import colours_first
from ..rules.printed import bonus_of, cost_of, demand_of, points_of, symbols_of, tile_points_of
from ..rules.state import MAX_TILES, State
from .linear_features import (
    AIM,
    COLOUR_MARK,
    COSTLY,
    COSTS,
    EVERYTHING,
    FACT,
    FAR,
    FIRST_TIME,
    HAS_COLOUR,
    HAS_RESERVED,
    HAS_TOKENS,
    HAS_WILD,
    IN_MARKET,
    IN_RESERVE,
    MARKS,
    MOST_COLOUR,
    MOST_POINTS,
    MOST_TOKENS,
    MOST_WILD,
    NEW_COLOUR,
    ONE_TAKE,
    POINTS_NOW,
    POINTS_SOON,
    PRICE,
    SYMBOL_MARK,
    SYMBOLS_IN_REACH,
    TIME_MARK,
    USES,
    WORTH,
    aim_at,
    gains_time,
    list_aims,
    list_costs,
    list_features,
    list_gauntlet,
    list_reach,
    list_tableau,
    list_tokens,
    symbols_with,
)

PHASES = MOST_POINTS + 1

SHARPNESS, SPITE, OVERFLOW, KIND = 0, 1, 2, 3  # places in `habits`: how a policy follows from what moves do
TAKES, TAKES_TWO, RESERVES, RESERVES_UNSEEN, BUYS, BUYS_RESERVED, OTHERS = range(7)
HABITS = KIND + OTHERS + 1
GOAL_IN_SIGHT = 0.5  # what a purchase gains at least if it fulfils the goal: look at it early
IN_SIGHT = 6  # tokens away: what is farther does not decide what to take
OPENNESS = 0.05  # the part of the priors that all moves share alike


@inlined
def phase(state: State) -> int:
    """How far the game is: the points of the seat that has most."""
    most = 0
    for seat in range(state.players):
        most = max(most, state.points[seat])
    return min(most, MOST_POINTS)


@inlined
def weigh(weights: Any, row: int, facts: Any, n: int) -> float:
    """The sum of the weights of these facts."""
    worth = 0.0
    for i in range(n):
        worth += weights[row, facts[i]]
    return worth


@inlined
def share_win(state: State, values: Any) -> None:
    """The result of a finished game: one win, shared by the winners."""
    winners = 0
    for seat in range(state.players):
        winners += rank(state, seat) == 1
    for seat in range(state.players):
        values[seat] = 1.0 / winners if rank(state, seat) == 1 else 0.0


@inlined
def soften(logits: Any, n: int) -> None:
    """From numbers to probabilities (softmax), in place."""
    most, whole = -math.inf, 0.0
    for i in range(n):
        most = max(most, logits[i])
    for i in range(n):
        logits[i] = math.exp(logits[i] - most)
        whole += logits[i]
    for i in range(n):
        logits[i] /= whole


@inlined
def evaluate(state: State, weights: Any, aims: Any, facts: Any, values: Any) -> None:
    """Each seat's chance to win."""
    row = phase(state)
    for seat in range(state.players):
        values[seat] = weigh(weights, row, facts, list_features(state, seat, aims, facts))
    soften(values, state.players)


@inlined
def worth_of_hand(weights: Any, row: int, aims: Any, count: int, tokens: int, points: int, facts: Any) -> float:
    """What tokens are worth to a seat with these aims."""
    n = list_reach(aims, count, tokens, points, facts, 0)
    return weigh(weights, row, facts, list_tokens(tokens, facts, n))


@inlined
def worth_of_tableau(
    state: State, weights: Any, row: int, bonuses: int, tokens: int, points: int, symbols: int, holds: bool, facts: Any
) -> float:
    """What these bonuses and points are worth to the seat to move."""
    n = list_tableau(state, bonuses, points, facts, 0)
    return weigh(weights, row, facts, list_gauntlet(state, state.turn, bonuses, tokens, symbols, holds, facts, n))


@inlined
def worth_to_others(state: State, weights: Any, row: int, card: int) -> float:
    """What this card in the market is worth to the other seats."""
    worth = 0.0
    for seat in range(state.players):
        if seat != state.turn:
            means = state.bonuses[seat] + (state.tokens[seat] & COLOURS)
            far = max(0, total(minus(cost_of(card), means)) - lane(state.tokens[seat], WILD))
            worth += weights[row, IN_MARKET + (points_of(card) * FAR + min(far, FAR - 1)) * USES]
    return worth


@inlined
def gain_of_safety(state: State, weights: Any, habits: Any, row: int, slot: int, tokens: int) -> float:
    """What it brings that a card lies in the own reserve and no longer in the market."""
    seat, card = state.turn, state.market[slot]
    price = minus(cost_of(card), state.bonuses[seat])
    far = max(0, total(minus(price, tokens & COLOURS)) - lane(tokens, WILD))
    fact = (points_of(card) * FAR + min(far, FAR - 1)) * USES
    gain = weights[row, IN_RESERVE + fact] - weights[row, IN_MARKET + fact]
    gain -= weights[row, COSTS + points_of(card) * COSTLY + min(total(price), COSTLY - 1)]
    return gain + habits[SPITE] * worth_to_others(state, weights, row, card)


@inlined
def points_of_tiles(state: State, bonuses: int) -> int:
    """The points of the tile that comes with these bonuses; nothing if none does."""
    for place in range(MAX_TILES):
        if state.tile_owner[place] == NONE and minus(demand_of(state.tiles[place]), bonuses) == 0:
            return tile_points_of(state.tiles[place])
    return 0


@inlined
def gain_of_buying(state: State, weights: Any, habits: Any, row: int, action: int, now: float, aims: Any, facts: Any) -> float:
    """The card, what it brings with it, and what its price takes away. `now` is what hand and tableau are worth before."""
    seat, place = state.turn, action - BUY
    card = aim_at(state, seat, place)
    tokens = state.tokens[seat] - colours_first(state, seat, minus(cost_of(card), state.bonuses[seat]))
    bonuses = state.bonuses[seat] + bonus_of(card)
    if gains_time(state, card):
        tokens += ONE_TIME
    symbols, holder = symbols_with(state, card), state.avengers
    points = state.points[seat] + points_of(card) + points_of_tiles(state, bonuses)
    holds = holder == seat
    if symbols_of(card) != 0 and not holds:
        holds = symbols >= SYMBOLS_FOR_TILE if holder == NONE else symbols > state.symbols[holder]
        points += AVENGERS_POINTS if holds else 0
    count = list_aims(state, seat, bonuses, place, aims)
    gain = worth_of_tableau(state, weights, row, bonuses, tokens, points, symbols, holds, facts) - now
    gain += worth_of_hand(weights, row, aims, count, tokens, points, facts)
    gain += weigh(weights, row, facts, list_costs(aims, count, facts, 0))
    if points >= state.goal and minus(state.gauntlet, bonuses + (tokens & TIME_LANE)) == 0:
        gain = max(gain, 0.0) + GOAL_IN_SIGHT
    if action >= BUY_RESERVED:
        held = state.reserved[seat]
        return gain + weights[row, HAS_RESERVED + held - 1] - weights[row, HAS_RESERVED + held]
    return gain + habits[SPITE] * worth_to_others(state, weights, row, card)


@inlined
def kind_of(action: int) -> int:
    """The kind of a main move."""
    if action < TAKE_TWO:
        return TAKES
    if action < RESERVE:
        return TAKES_TWO
    if action < RESERVE_DECK:
        return RESERVES
    if action < BUY:
        return RESERVES_UNSEEN
    if action < BUY_RESERVED:
        return BUYS
    return BUYS_RESERVED if action < PASS else OTHERS


@inlined
def worth_of_marks(weights: Any, row: int, marks: int, far: int) -> float:
    """What a card this many tokens away is worth for the Gauntlet and the Avengers tile: `list_marks` without a list."""
    worth = 0.0
    if marks & COLOUR_MARK:
        worth += weights[row, NEW_COLOUR + far]
    if marks & TIME_MARK:
        worth += weights[row, FIRST_TIME + far]
    if marks >= SYMBOL_MARK:
        worth += weights[row, SYMBOLS_IN_REACH + (marks // SYMBOL_MARK - 1) * FAR + far]
    return worth


@inlined
def worth_of_taking(weights: Any, row: int, aims: Any, count: int, tokens: int, points: int) -> float:
    """What tokens are worth to a seat with these aims: `worth_of_hand` without a list, for the moves there are most of."""
    colours, wild = tokens & COLOURS, lane(tokens, WILD)
    now = soon = 0
    worth = 0.0
    for i in range(count):
        far = max(0, total(minus(aims[i, PRICE], colours)) - wild)
        worth += weights[row, aims[i, FACT] + min(far, FAR - 1) * USES]
        if aims[i, MARKS] != 0:
            worth += worth_of_marks(weights, row, aims[i, MARKS], min(far, FAR - 1))
        soon = max(soon, aims[i, WORTH] if far <= ONE_TAKE else 0)
        now = max(now, aims[i, WORTH] if far == 0 else 0)
    worth += (
        weights[row, POINTS_NOW + min(points + now, MOST_POINTS)] + weights[row, POINTS_SOON + min(points + soon, MOST_POINTS)]
    )
    for colour in range(COLOUR_COUNT):
        worth += weights[row, HAS_COLOUR + min(lane(tokens, colour), MOST_COLOUR)]
    return (
        worth
        + weights[row, HAS_WILD + min(wild, MOST_WILD)]
        + weights[row, HAS_TOKENS + min(total(tokens & ~TIME_LANE), MOST_TOKENS)]
    )


@inlined
def keep_near(aims: Any, count: int, tokens: int) -> int:
    """Leave out the cards that one take cannot bring into sight; how many are left."""
    colours, wild, kept = tokens & COLOURS, lane(tokens, WILD), 0
    for i in range(count):
        if total(minus(aims[i, PRICE], colours)) - wild <= IN_SIGHT:
            for column in range(AIM):
                aims[kept, column] = aims[i, column]
            kept += 1
    return kept


@inlined
def weigh_actions(state: State, moves: int, weights: Any, habits: Any, aims: Any, facts: Any, actions: Any, logits: Any) -> int:
    """Every legal action with a number that says how promising it looks; how many there are."""
    seat, row, n = state.turn, phase(state), 0
    bonuses, tokens, points = state.bonuses[seat], state.tokens[seat], state.points[seat]
    count = list_aims(state, seat, bonuses, EVERYTHING, aims)
    first, room = FIRST_ACTION[state.stage], state.token_limit - total(tokens)
    wild = ONE_WILD if lane(state.bank, WILD) > 0 else 0
    reserving = buying = 0.0
    if first == 0 and moves >> BUY != 0:
        buying = worth_of_hand(weights, row, aims, count, tokens, points, facts)
        buying += weigh(weights, row, facts, list_costs(aims, count, facts, 0))
        buying += worth_of_tableau(
            state, weights, row, bonuses, tokens, points, state.symbols[seat], state.avengers == seat, facts
        )
    count = keep_near(aims, count, tokens)
    hand = worth_of_taking(weights, row, aims, count, tokens, points)
    if first == 0 and state.reserved[seat] < state.hand_limit:
        held = state.reserved[seat]
        reserving = weights[row, HAS_RESERVED + held + 1] - weights[row, HAS_RESERVED + held] - hand
        reserving += worth_of_taking(weights, row, aims, count, tokens + wild, points)
    while moves != 0:
        action = first + lowest_bit(moves)
        moves &= moves - 1
        gain, over = 0.0, 0
        if action < RESERVE:
            gain = worth_of_taking(weights, row, aims, count, tokens + TAKEN[action], points) - hand
            over = max(0, total(TAKEN[action]) - room)
        elif action < BUY:
            gain = reserving
            if action < RESERVE_DECK:
                gain += gain_of_safety(state, weights, habits, row, action - RESERVE, tokens + wild)
            over = 1 if room == 0 and wild != 0 else 0
        elif action < PASS:
            gain = gain_of_buying(state, weights, habits, row, action, buying, aims, facts)
        elif GIVE_BACK <= action < CLAIM_TILE:
            left = tokens - (1 << LANE_BITS * (action - GIVE_BACK))
            gain = worth_of_taking(weights, row, aims, count, left, points) - hand
        actions[n] = action
        logits[n] = habits[SHARPNESS] * gain + habits[OVERFLOW] * over + habits[KIND + kind_of(action)]
        n += 1
    return n


@inlined
def policy(state: State, moves: int, weights: Any, habits: Any, aims: Any, facts: Any, actions: Any, priors: Any) -> int:
    """The legal actions and how likely each is to be the best, none of them hopeless; how many there are."""
    n = weigh_actions(state, moves, weights, habits, aims, facts, actions, priors)
    soften(priors, n)
    for i in range(n):
        priors[i] = (1 - OPENNESS) * priors[i] + OPENNESS / n
    return n
