# mypy: warn-return-any=False
"""The features of the linear evaluation: the active ones of each seat as a short list, numbered from 0 to LINEAR_FEATURES - 1.

Every feature is binary, "has 9 points" or "a card with 3 points in the market is two tokens away": numbers are one-hot, so that
their weights need not lie on a line. Some fifty of them are active in a position, so a list of their indices is a sparse vector,
and the dot product with the weights is a sum over the list. The same list serves to play and to learn the weights.

Nothing hidden is read: no deck, and of reserved cards only those of the seat that is looked at.
"""

from typing import Any, NamedTuple

from ..rules.cards import NONE, TIER_COUNT
from ..rules.compile import inlined
from ..rules.gems import COLOUR_COUNT, COLOURS, HIGH, LANE_BITS, ONES, TIME_LANE, WILD, lane, minus, total
from ..rules.printed import colour_of, cost_of, demand_of, points_of, symbols_of, tier_of
from ..rules.state import MARKET_SIZE, MAX_RESERVED, MAX_SEATS, MAX_TILES, State
from ..rules.tiles import bonuses_missing

# The last value of each range also stands for everything above it: too rare for a weight of its own to be learnt.
MAX_POINTS = 23
MAX_BONUS = 7
MAX_COLOUR = 7
MAX_WILD = 5
MAX_TOKENS = 13
MAX_CARDS = 20
CARD_POINTS = 6  # a card has 0 to 5
DISTANCES = 9  # tokens missing: 0 to 8, or more
PRICES = 11  # tokens to pay: 0 to 10, or more
TILE_USES = 3  # tiles a bonus helps towards: none, one, more
TILE_DISTANCES = 10  # bonuses missing for a tile
MAX_SYMBOLS = 8
MAX_LEAD = 3  # in Avengers symbols, ahead or behind
MAX_CARD_SYMBOLS = 3
MAX_TAKEN = 3  # tokens: what a take brings at most

# Where each group of features begins. The order is part of the weight files: a new group goes to the end.
HAS_POINTS = 0
HAS_BONUS = HAS_POINTS + MAX_POINTS + 1
HAS_COLOUR = HAS_BONUS + COLOUR_COUNT * (MAX_BONUS + 1)
HAS_WILD = HAS_COLOUR + MAX_COLOUR + 1
HAS_TOKENS = HAS_WILD + MAX_WILD + 1
HAS_CARDS = HAS_TOKENS + MAX_TOKENS + 1
IN_MARKET = HAS_CARDS + MAX_CARDS + 1
IN_RESERVE = IN_MARKET + CARD_POINTS * DISTANCES * TILE_USES
COSTS = IN_RESERVE + CARD_POINTS * DISTANCES * TILE_USES
TILE_SHORT = COSTS + CARD_POINTS * PRICES
HAS_RESERVED = TILE_SHORT + TILE_DISTANCES
TO_MOVE_IN = HAS_RESERVED + MAX_RESERVED + 1
SEAT_OF_ROUND = TO_MOVE_IN + MAX_SEATS
POINTS_NOW = SEAT_OF_ROUND + MAX_SEATS
POINTS_SOON = POINTS_NOW + MAX_POINTS + 1
COLOURS_MISSING = POINTS_SOON + MAX_POINTS + 1
HAS_TIME = COLOURS_MISSING + COLOUR_COUNT + 1
HAS_SYMBOLS = HAS_TIME + 2
SYMBOL_LEAD = HAS_SYMBOLS + MAX_SYMBOLS + 1
HAS_AVENGERS = SYMBOL_LEAD + 2 * MAX_LEAD + 1
NEW_COLOUR = HAS_AVENGERS + 2  # of a card: the Gauntlet still asks for its colour
FIRST_TIME = NEW_COLOUR + DISTANCES  # of a card: it would bring the Time token
SYMBOLS_IN_REACH = FIRST_TIME + DISTANCES
LINEAR_FEATURES = SYMBOLS_IN_REACH + MAX_CARD_SYMBOLS * DISTANCES
MAX_LINEAR_ACTIVE = 112  # in one list; a test holds it

MAX_TILE_USES = (TILE_USES - 1) * ONES
MAX_TARGETS = MARKET_SIZE + MAX_RESERVED
NO_PLACE = MAX_TARGETS  # for `without`
PRICE, POINTS, FEATURE, FLAGS, TARGET_COLUMNS = range(5)  # columns of `targets`
COLOUR_FLAG, TIME_FLAG, SYMBOL_FLAG = 1, 2, 4  # in `FLAGS`: what the card does for the Gauntlet and the Avengers tile


class Holdings(NamedTuple):
    """What a seat has: now, or as it would have it after a move."""

    bonuses: int
    tokens: int
    points: int
    symbols: int
    has_avengers: bool


@inlined
def holdings_of(state: State, seat: int) -> Any:
    """What a seat has now."""
    return Holdings(state.bonuses[seat], state.tokens[seat], state.points[seat], state.symbols[seat], state.avengers == seat)


@inlined
def tile_uses(state: State, bonuses: int) -> int:
    """For each colour how many tiles on the table still ask for it, as gems; more than one counts as two."""
    uses = 0
    for place in range(MAX_TILES):
        if state.tile_owner[place] == NONE and state.tiles[place] != NONE:
            wanted = minus(demand_of(state.tiles[place]), bonuses)
            # the sum carries into a lane's high bit where anything is wanted: a comparison of all lanes at once, without a branch
            uses += ((wanted + (HIGH - ONES)) & HIGH) >> LANE_BITS - 1
    return uses - minus(uses, MAX_TILE_USES)


@inlined
def card_at(state: State, seat: int, place: int) -> int:
    """The card in a market slot or, after those, in the seat's reserve."""
    return state.market[place] if place < MARKET_SIZE else state.reserve[seat, place - MARKET_SIZE]


@inlined
def flags_of(state: State, seat: int, bonuses: int, card: int) -> int:
    """What a card does for the Gauntlet and the Avengers tile; 0 in a game without them."""
    if state.gauntlet == 0:
        return 0
    flags = symbols_of(card) * SYMBOL_FLAG
    if lane(bonuses, colour_of(card)) == 0:
        flags |= COLOUR_FLAG
    if tier_of(card) == TIER_COUNT and state.tokens[seat] & TIME_LANE == 0:
        flags |= TIME_FLAG
    return flags


@inlined
def list_flags(flags: int, distance: int, out: Any, n: int) -> int:
    """What a card this many tokens away does for the Gauntlet and the Avengers tile."""
    if flags & COLOUR_FLAG:
        out[n] = NEW_COLOUR + distance
        n += 1
    if flags & TIME_FLAG:
        out[n] = FIRST_TIME + distance
        n += 1
    if flags >= SYMBOL_FLAG:
        out[n] = SYMBOLS_IN_REACH + (flags // SYMBOL_FLAG - 1) * DISTANCES + distance
        n += 1
    return n


@inlined
def list_targets(state: State, seat: int, bonuses: int, without: int, targets: Any) -> int:
    """The cards a seat may buy one day, each with its price, its points, its first feature and its flags; how many there are.

    All that does not depend on tokens is computed here, once: the policy compares dozens of hands against the same targets.
    `without` is a place that no longer counts: a market slot, 12 and more for the reserve, or NO_PLACE to leave none out.
    """
    uses, n = tile_uses(state, bonuses), 0
    for place in range(MARKET_SIZE + MAX_RESERVED):
        card = card_at(state, seat, place)
        if card != NONE and place != without:
            at = IN_MARKET if place < MARKET_SIZE else IN_RESERVE
            targets[n, PRICE] = minus(cost_of(card), bonuses)
            targets[n, POINTS] = points_of(card)
            targets[n, FEATURE] = at + points_of(card) * DISTANCES * TILE_USES + lane(uses, colour_of(card))
            targets[n, FLAGS] = flags_of(state, seat, bonuses, card)
            n += 1
    return n


@inlined
def list_points_in_reach(points: int, now: int, soon: int, out: Any, n: int) -> int:
    """The points that a seat would have with the best card that it can buy, now and after one take."""
    out[n] = POINTS_NOW + min(points + now, MAX_POINTS)
    out[n + 1] = POINTS_SOON + min(points + soon, MAX_POINTS)
    return n + 2


@inlined
def list_reach(targets: Any, count: int, tokens: int, points: int, out: Any, n: int) -> int:
    """How many tokens each card is away, and the points in reach now and after one take."""
    colours, wild = tokens & COLOURS, lane(tokens, WILD)
    now = soon = 0
    for i in range(count):
        distance = max(0, total(minus(targets[i, PRICE], colours)) - wild)
        out[n] = targets[i, FEATURE] + min(distance, DISTANCES - 1) * TILE_USES
        n += 1
        if targets[i, FLAGS] != 0:
            n = list_flags(targets[i, FLAGS], min(distance, DISTANCES - 1), out, n)
        if distance <= MAX_TAKEN:
            soon = max(soon, targets[i, POINTS])
            if distance == 0:
                now = max(now, targets[i, POINTS])
    return list_points_in_reach(points, now, soon, out, n)


@inlined
def list_costs(targets: Any, count: int, out: Any, n: int) -> int:
    """What the cards in the market cost, tokens not counted."""
    for i in range(count):
        if targets[i, FEATURE] < IN_RESERVE:
            out[n] = COSTS + targets[i, POINTS] * PRICES + min(total(targets[i, PRICE]), PRICES - 1)
            n += 1
    return n


@inlined
def list_tokens(tokens: int, out: Any, n: int) -> int:
    """How many tokens of each kind, and of all."""
    for colour in range(COLOUR_COUNT):
        out[n + colour] = HAS_COLOUR + min(lane(tokens, colour), MAX_COLOUR)
    n += COLOUR_COUNT
    out[n] = HAS_WILD + min(lane(tokens, WILD), MAX_WILD)
    out[n + 1] = HAS_TOKENS + min(total(tokens & ~TIME_LANE), MAX_TOKENS)
    return n + 2


@inlined
def list_tableau(state: State, held: Holdings, out: Any, n: int) -> int:
    """Points, bonuses, and how far the tiles on the table are."""
    bonuses = held.bonuses
    out[n] = HAS_POINTS + min(held.points, MAX_POINTS)
    out[n + 1] = HAS_CARDS + min(total(bonuses), MAX_CARDS)
    n += 2
    for colour in range(COLOUR_COUNT):
        out[n + colour] = HAS_BONUS + colour * (MAX_BONUS + 1) + min(lane(bonuses, colour), MAX_BONUS)
    n += COLOUR_COUNT
    for place in range(MAX_TILES):
        if state.tile_owner[place] == NONE and state.tiles[place] != NONE:
            out[n] = TILE_SHORT + min(bonuses_missing(state.tiles[place], bonuses), TILE_DISTANCES - 1)
            n += 1
    return n


@inlined
def max_symbols_of_others(state: State, seat: int) -> int:
    """The most Avengers symbols another seat has."""
    most = 0
    for other in range(state.players):
        if other != seat:
            most = max(most, state.symbols[other])
    return most


@inlined
def list_gauntlet(state: State, seat: int, held: Holdings, out: Any, n: int) -> int:
    """What only a game with a Gauntlet has: colours that are missing, Time, Avengers symbols and their tile."""
    if state.gauntlet == 0:
        return n
    missing = total(minus(state.gauntlet & COLOURS, held.bonuses))
    lead = held.symbols - max_symbols_of_others(state, seat)
    out[n] = COLOURS_MISSING + missing
    out[n + 1] = HAS_TIME + (held.tokens & TIME_LANE != 0)
    out[n + 2] = HAS_SYMBOLS + min(held.symbols, MAX_SYMBOLS)
    out[n + 3] = SYMBOL_LEAD + MAX_LEAD + max(-MAX_LEAD, min(MAX_LEAD, lead))
    out[n + 4] = HAS_AVENGERS + held.has_avengers
    return n + 5


@inlined
def number_reserved(state: State, seat: int) -> int:
    """The feature that says how many places of its reserve are taken."""
    return HAS_RESERVED + state.reserved[seat]


@inlined
def to_move_in(state: State, seat: int) -> int:
    """The feature that says how soon the seat moves."""
    return TO_MOVE_IN + (seat - state.turn + state.players) % state.players


@inlined
def seat_of_round(state: State, seat: int) -> int:
    """The feature that says where the seat sits in the round."""
    return SEAT_OF_ROUND + (seat - state.start + state.players) % state.players


@inlined
def list_place(state: State, seat: int, out: Any, n: int) -> int:
    """How soon the seat moves, where it sits in the round, and how many places of its reserve are taken."""
    out[n] = number_reserved(state, seat)
    out[n + 1] = to_move_in(state, seat)
    out[n + 2] = seat_of_round(state, seat)
    return n + 3


@inlined
def list_linear_features(state: State, seat: int, targets: Any, out: Any) -> int:
    """The active features of one seat; how many there are."""
    held = holdings_of(state, seat)
    count = list_targets(state, seat, held.bonuses, NO_PLACE, targets)
    n = list_reach(targets, count, held.tokens, held.points, out, 0)
    n = list_costs(targets, count, out, n)
    n = list_tokens(held.tokens, out, n)
    n = list_tableau(state, held, out, n)
    n = list_gauntlet(state, seat, held, out, n)
    return list_place(state, seat, out, n)


@inlined
def gains_time(state: State, card: int) -> bool:
    """Whether the card would bring the seat to move its Time token."""
    return state.gauntlet != 0 and tier_of(card) == TIER_COUNT and state.tokens[state.turn] & TIME_LANE == 0


@inlined
def symbols_with(state: State, card: int) -> int:
    """The Avengers symbols of the seat to move once it has the card."""
    return state.symbols[state.turn] + symbols_of(card)
