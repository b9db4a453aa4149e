# mypy: warn-return-any=False
"""The linear evaluation, `evaluate`: how likely each seat is to win; and its `policy`: how likely each move is the best.

A seat's logit is the sum of the weights of its active features; the win probabilities are the softmax over the seats. The weights
depend on the phase of the game, so that a token can be worth more early and a point more late.

A move's logit follows from what it changes in these sums: one ply of lookahead, but computed from differences, since playing each
of about 26 moves and listing all features again would take many times as long:

    logit = GAIN_SCALE * (gain for the seat + OPPONENT_WEIGHT * what the opponents lose) + OVERFLOW * tokens over the limit
            + a bias for the kind of move

Both sets of weights were learnt from games (`cabochon.learn.linear`); `models` reads them.
"""

import math
from typing import Any, NamedTuple

from ..rules.actions import BUY, BUY_RESERVED, CLAIM_TILE, FIRST_ACTION, GIVE_BACK, PASS, RESERVE, RESERVE_DECK, TAKE_TWO, TAKEN
from ..rules.bits import lowest_bit
from ..rules.buying import AVENGERS_POINTS, SYMBOLS_FOR_TILE
from ..rules.cards import NONE
from ..rules.compile import inlined
from ..rules.ending import rank
from ..rules.gems import COLOUR_COUNT, COLOURS, LANE_BITS, ONE_TIME, ONE_WILD, TIME_LANE, WILD, lane, minus, total
from ..rules.paying import colours_first, missing
from ..rules.printed import bonus_of, cost_of, demand_of, points_of, symbols_of, tile_points_of
from ..rules.state import MAX_TILES, State
from ..rules.tiles import any_comes_to
from .linear_features import (
    COLOUR_FLAG,
    COSTS,
    DISTANCES,
    FEATURE,
    FIRST_TIME,
    FLAGS,
    HAS_COLOUR,
    HAS_RESERVED,
    HAS_TOKENS,
    HAS_WILD,
    IN_MARKET,
    IN_RESERVE,
    MAX_COLOUR,
    MAX_POINTS,
    MAX_TAKEN,
    MAX_TOKENS,
    MAX_WILD,
    NEW_COLOUR,
    NO_PLACE,
    POINTS,
    POINTS_NOW,
    POINTS_SOON,
    PRICE,
    PRICES,
    SYMBOL_FLAG,
    SYMBOLS_IN_REACH,
    TARGET_COLUMNS,
    TILE_USES,
    TIME_FLAG,
    Holdings,
    card_at,
    gains_time,
    holdings_of,
    list_costs,
    list_gauntlet,
    list_linear_features,
    list_reach,
    list_tableau,
    list_targets,
    list_tokens,
    symbols_with,
)

PHASES = MAX_POINTS + 1

# Places in the policy weights.
GAIN_SCALE, OPPONENT_WEIGHT, OVERFLOW, KIND_BIAS = range(4)
KIND_TAKE, KIND_TAKE_TWO, KIND_RESERVE, KIND_RESERVE_DECK, KIND_BUY, KIND_BUY_RESERVED, KIND_OTHER = range(7)
POLICY_WEIGHTS = KIND_BIAS + KIND_OTHER + 1
WINNING_GAIN = 0.5  # what a purchase that fulfils the goal gains at least: its prior must be high, whatever it costs
MAX_TARGET_DISTANCE = 6  # tokens: one take brings at most three, so what is farther does not decide what to take
UNIFORM_MIX = 0.05  # the part of the priors that is uniform: a move the policy underrates is still tried


class LinearWeights(NamedTuple):
    """The weights of the features in each phase, and those of the policy."""

    value: Any  # PHASES x LINEAR_FEATURES
    policy: Any  # POLICY_WEIGHTS


class Scratch(NamedTuple):
    """Buffers for one position. A search tree has the same four, so it can be passed in place of this."""

    targets: Any
    features: Any
    actions: Any
    logits: Any


@inlined
def phase(state: State) -> int:
    """How far the game is: the points of the seat that has most."""
    most = 0
    for seat in range(state.players):
        most = max(most, state.points[seat])
    return min(most, MAX_POINTS)


@inlined
def sum_weights(table: Any, features: Any, n: int) -> float:
    """The dot product of a phase's weights with a sparse vector of features."""
    logit = 0.0
    for i in range(n):
        logit += table[features[i]]
    return logit


@inlined
def terminal_values(state: State, values: Any) -> None:
    """The result of a finished game: one win, shared by the winners."""
    winners = 0
    for seat in range(state.players):
        winners += rank(state, seat) == 1
    for seat in range(state.players):
        values[seat] = 1.0 / winners if rank(state, seat) == 1 else 0.0


@inlined
def softmax_inplace(logits: Any, n: int) -> None:
    """From logits to probabilities. The largest is subtracted first, so that `exp` cannot overflow."""
    largest, whole = -math.inf, 0.0
    for i in range(n):
        largest = max(largest, logits[i])
    for i in range(n):
        logits[i] = math.exp(logits[i] - largest)
        whole += logits[i]
    for i in range(n):
        logits[i] /= whole


@inlined
def evaluate(state: State, value_weights: Any, scratch: Any, values: Any) -> None:
    """Each seat's probability to win."""
    table, features = value_weights[phase(state)], scratch.features
    for seat in range(state.players):
        values[seat] = sum_weights(table, features, list_linear_features(state, seat, scratch.targets, features))
    softmax_inplace(values, state.players)


@inlined
def value_of_tokens(table: Any, scratch: Any, count: int, tokens: int, points: int) -> float:
    """What tokens are worth to a seat with these targets."""
    n = list_reach(scratch.targets, count, tokens, points, scratch.features, 0)
    return sum_weights(table, scratch.features, list_tokens(tokens, scratch.features, n))


@inlined
def value_of_flags(table: Any, flags: int, distance: int) -> float:
    """What a card this many tokens away is worth for the Gauntlet and the Avengers tile: `list_flags` without a list."""
    value = 0.0
    if flags & COLOUR_FLAG:
        value += table[NEW_COLOUR + distance]
    if flags & TIME_FLAG:
        value += table[FIRST_TIME + distance]
    if flags >= SYMBOL_FLAG:
        value += table[SYMBOLS_IN_REACH + (flags // SYMBOL_FLAG - 1) * DISTANCES + distance]
    return value


@inlined
def value_of_tokens_fused(table: Any, targets: Any, count: int, tokens: int, points: int) -> float:
    """`value_of_tokens` with listing and summing in one loop, for the moves there are most of.

    A test holds that both agree.
    """
    colours, wild = tokens & COLOURS, lane(tokens, WILD)
    now = soon = 0
    value = 0.0
    for i in range(count):
        distance = max(0, total(minus(targets[i, PRICE], colours)) - wild)
        value += table[targets[i, FEATURE] + min(distance, DISTANCES - 1) * TILE_USES]
        if targets[i, FLAGS] != 0:
            value += value_of_flags(table, targets[i, FLAGS], min(distance, DISTANCES - 1))
        # selects, not branches: which cards are in reach changes from hand to hand, so a branch could not be predicted
        soon = max(soon, targets[i, POINTS] if distance <= MAX_TAKEN else 0)
        now = max(now, targets[i, POINTS] if distance == 0 else 0)
    value += table[POINTS_NOW + min(points + now, MAX_POINTS)] + table[POINTS_SOON + min(points + soon, MAX_POINTS)]
    for colour in range(COLOUR_COUNT):
        value += table[HAS_COLOUR + min(lane(tokens, colour), MAX_COLOUR)]
    return value + table[HAS_WILD + min(wild, MAX_WILD)] + table[HAS_TOKENS + min(total(tokens & ~TIME_LANE), MAX_TOKENS)]


@inlined
def value_of_costs(table: Any, scratch: Any, count: int) -> float:
    """What the prices in the market are worth to a seat with these targets."""
    return sum_weights(table, scratch.features, list_costs(scratch.targets, count, scratch.features, 0))


@inlined
def value_of_tableau(state: State, table: Any, held: Holdings, features: Any) -> float:
    """What these bonuses, points and symbols are worth to the seat to move."""
    n = list_tableau(state, held, features, 0)
    return sum_weights(table, features, list_gauntlet(state, state.turn, held, features, n))


@inlined
def value_to_opponents(state: State, table: Any, card: int) -> float:
    """What this card in the market is worth to the other seats, that is what they lose if it is gone."""
    value = 0.0
    for seat in range(state.players):
        if seat != state.turn:
            means = state.bonuses[seat] + (state.tokens[seat] & COLOURS)
            distance = max(0, total(minus(cost_of(card), means)) - lane(state.tokens[seat], WILD))
            value += table[IN_MARKET + (points_of(card) * DISTANCES + min(distance, DISTANCES - 1)) * TILE_USES]
    return value


@inlined
def gain_of_reserving(state: State, table: Any, opponent_weight: float, slot: int, tokens: int) -> float:
    """What it brings that a card lies in the own reserve and no longer in the market."""
    seat, card = state.turn, state.market[slot]
    price = minus(cost_of(card), state.bonuses[seat])
    distance = missing(price, tokens)
    feature = (points_of(card) * DISTANCES + min(distance, DISTANCES - 1)) * TILE_USES
    gain = table[IN_RESERVE + feature] - table[IN_MARKET + feature]
    gain -= table[COSTS + points_of(card) * PRICES + min(total(price), PRICES - 1)]
    return gain + opponent_weight * value_to_opponents(state, table, card)


@inlined
def points_of_next_tile(state: State, bonuses: int) -> int:
    """The points of the tile that comes with these bonuses; nothing if none does."""
    for place in range(MAX_TILES):
        if state.tile_owner[place] == NONE and minus(demand_of(state.tiles[place]), bonuses) == 0:
            return tile_points_of(state.tiles[place])
    return 0


@inlined
def holdings_after_buying(state: State, card: int) -> Any:
    """What the seat to move has once it has bought a card, the tiles it brings included."""
    seat = state.turn
    tokens = state.tokens[seat] - colours_first(state, seat, minus(cost_of(card), state.bonuses[seat]))
    bonuses = state.bonuses[seat] + bonus_of(card)
    if gains_time(state, card):
        tokens += ONE_TIME
    symbols, holder = symbols_with(state, card), state.avengers
    points = state.points[seat] + points_of(card) + points_of_next_tile(state, bonuses)
    has_avengers = holder == seat
    if symbols_of(card) != 0 and not has_avengers:
        has_avengers = symbols >= SYMBOLS_FOR_TILE if holder == NONE else symbols > state.symbols[holder]
        points += AVENGERS_POINTS if has_avengers else 0
    return Holdings(bonuses, tokens, points, symbols, has_avengers)


@inlined
def gain_of_buying(state: State, table: Any, opponent_weight: float, action: int, before: float, scratch: Any) -> float:
    """The card, what it brings with it, and what its price takes away. `before` is what the seat's holdings are worth now.

    A purchase changes the price of every other card, so the targets are listed anew.
    """
    seat, place = state.turn, action - BUY
    card = card_at(state, seat, place)
    held = holdings_after_buying(state, card)
    count = list_targets(state, seat, held.bonuses, place, scratch.targets)
    gain = value_of_tableau(state, table, held, scratch.features) - before
    gain += value_of_tokens(table, scratch, count, held.tokens, held.points)
    gain += value_of_costs(table, scratch, count)
    has_all = held.points >= state.goal and minus(state.gauntlet, held.bonuses + (held.tokens & TIME_LANE)) == 0
    if has_all and (state.goal_tiles == 0 or any_comes_to(state, held.bonuses, held.points)):
        gain = max(gain, 0.0) + WINNING_GAIN
    if action >= BUY_RESERVED:
        reserved = state.reserved[seat]
        return gain + table[HAS_RESERVED + reserved - 1] - table[HAS_RESERVED + reserved]
    return gain + opponent_weight * value_to_opponents(state, table, card)


@inlined
def action_kind(action: int) -> int:
    """The kind of a main move, which has a bias of its own."""
    if action < TAKE_TWO:
        return KIND_TAKE
    if action < RESERVE:
        return KIND_TAKE_TWO
    if action < RESERVE_DECK:
        return KIND_RESERVE
    if action < BUY:
        return KIND_RESERVE_DECK
    if action < BUY_RESERVED:
        return KIND_BUY
    return KIND_BUY_RESERVED if action < PASS else KIND_OTHER


@inlined
def keep_near_targets(targets: Any, count: int, tokens: int) -> int:
    """Drop the targets that no single take can bring into reach of another; how many are left."""
    colours, wild, kept = tokens & COLOURS, lane(tokens, WILD), 0
    for i in range(count):
        if total(minus(targets[i, PRICE], colours)) - wild <= MAX_TARGET_DISTANCE:
            for column in range(TARGET_COLUMNS):
                targets[kept, column] = targets[i, column]
            kept += 1
    return kept


@inlined
def score_actions(state: State, moves: int, weights: LinearWeights, scratch: Any) -> int:
    """Every legal action and its logit, into the scratch buffers; how many there are.

    What several moves share is computed once, before the loop: the worth of the holdings now, of the hand among the near targets,
    and what any reservation gains. Purchases come after takes in the mask, so they may overwrite the list of targets.
    """
    table, policy_weights, targets = weights.value[phase(state)], weights.policy, scratch.targets
    seat, n = state.turn, 0
    held = holdings_of(state, seat)
    tokens, points = held.tokens, held.points
    count = list_targets(state, seat, held.bonuses, NO_PLACE, targets)
    first, room = FIRST_ACTION[state.stage], state.token_limit - total(tokens)
    wild = ONE_WILD if lane(state.bank, WILD) > 0 else 0
    reserving = before_buying = 0.0
    if first == 0 and moves >> BUY != 0:
        before_buying = value_of_tokens(table, scratch, count, tokens, points)
        before_buying += value_of_costs(table, scratch, count)
        before_buying += value_of_tableau(state, table, held, scratch.features)
    count = keep_near_targets(targets, count, tokens)
    hand = value_of_tokens_fused(table, targets, count, tokens, points)
    if first == 0 and state.reserved[seat] < state.hand_limit:
        reserved = state.reserved[seat]
        reserving = table[HAS_RESERVED + reserved + 1] - table[HAS_RESERVED + reserved] - hand
        reserving += value_of_tokens_fused(table, targets, count, tokens + wild, points)
    while moves != 0:
        action = first + lowest_bit(moves)
        moves &= moves - 1
        gain, over = 0.0, 0
        if action < RESERVE:
            gain = value_of_tokens_fused(table, targets, count, tokens + TAKEN[action], points) - hand
            over = max(0, total(TAKEN[action]) - room)
        elif action < BUY:
            gain = reserving
            if action < RESERVE_DECK:
                gain += gain_of_reserving(state, table, policy_weights[OPPONENT_WEIGHT], action - RESERVE, tokens + wild)
            over = 1 if room == 0 and wild != 0 else 0
        elif action < PASS:
            gain = gain_of_buying(state, table, policy_weights[OPPONENT_WEIGHT], action, before_buying, scratch)
        elif GIVE_BACK <= action < CLAIM_TILE:
            left = tokens - (1 << LANE_BITS * (action - GIVE_BACK))
            gain = value_of_tokens_fused(table, targets, count, left, points) - hand
        scratch.actions[n] = action
        bias = policy_weights[KIND_BIAS + action_kind(action)]
        scratch.logits[n] = policy_weights[GAIN_SCALE] * gain + policy_weights[OVERFLOW] * over + bias
        n += 1
    return n


@inlined
def policy(state: State, moves: int, weights: LinearWeights, scratch: Any) -> int:
    """The legal actions and their priors, into the scratch buffers; how many there are."""
    n, priors = score_actions(state, moves, weights, scratch), scratch.logits
    softmax_inplace(priors, n)
    for i in range(n):
        priors[i] = (1 - UNIFORM_MIX) * priors[i] + UNIFORM_MIX / n
    return n
