# mypy: warn-return-any=False
"""What the evaluation looks at: a position as a short list of numbers for each seat, from 0 to FEATURES - 1.

Each number is one fact ("has 9 points", "a card with 3 points in the market is two tokens away"). An evaluation gives every
fact a weight and adds them up, so the same list serves to play and to learn the weights. Nothing hidden is read: no deck, and
of reserved cards only those of the seat that is looked at.
"""

from typing import Any

from ..rules.cards import NONE, TIER_COUNT
from ..rules.compile import inlined
from ..rules.gems import COLOUR_COUNT, COLOURS, HIGH, LANE_BITS, ONES, TIME_LANE, WILD, lane, minus, total
from ..rules.printed import colour_of, cost_of, demand_of, points_of, symbols_of, tier_of
from ..rules.state import MARKET_SIZE, MAX_RESERVED, MAX_SEATS, MAX_TILES, State

MOST_POINTS = 23
MOST_BONUS = 7
MOST_COLOUR = 7
MOST_WILD = 5
MOST_TOKENS = 13
MOST_CARDS = 20
CARD_POINTS = 6  # a card has 0 to 5
FAR = 9  # tokens missing: 0 to 8, or more
COSTLY = 11  # tokens to pay: 0 to 10, or more
USES = 3  # tiles a bonus helps towards: none, one, more
SHORT_OF_TILE = 10
MOST_SYMBOLS = 8
LEAD = 3
MOST_ON_A_CARD = 3  # Avengers symbols
ONE_TAKE = 3  # what a take brings at most

HAS_POINTS = 0
HAS_BONUS = HAS_POINTS + MOST_POINTS + 1
HAS_COLOUR = HAS_BONUS + COLOUR_COUNT * (MOST_BONUS + 1)
HAS_WILD = HAS_COLOUR + MOST_COLOUR + 1
HAS_TOKENS = HAS_WILD + MOST_WILD + 1
HAS_CARDS = HAS_TOKENS + MOST_TOKENS + 1
IN_MARKET = HAS_CARDS + MOST_CARDS + 1
IN_RESERVE = IN_MARKET + CARD_POINTS * FAR * USES
COSTS = IN_RESERVE + CARD_POINTS * FAR * USES
TILE_SHORT = COSTS + CARD_POINTS * COSTLY
HAS_RESERVED = TILE_SHORT + SHORT_OF_TILE
TO_MOVE_IN = HAS_RESERVED + MAX_RESERVED + 1
SEAT_OF_ROUND = TO_MOVE_IN + MAX_SEATS
POINTS_NOW = SEAT_OF_ROUND + MAX_SEATS
POINTS_SOON = POINTS_NOW + MOST_POINTS + 1
COLOURS_MISSING = POINTS_SOON + MOST_POINTS + 1
HAS_TIME = COLOURS_MISSING + COLOUR_COUNT + 1
HAS_SYMBOLS = HAS_TIME + 2
SYMBOL_LEAD = HAS_SYMBOLS + MOST_SYMBOLS + 1
HAS_AVENGERS = SYMBOL_LEAD + 2 * LEAD + 1
NEW_COLOUR = HAS_AVENGERS + 2  # of a card: the Gauntlet still asks for its colour
FIRST_TIME = NEW_COLOUR + FAR  # of a card: it would bring the Time token
SYMBOLS_IN_REACH = FIRST_TIME + FAR
FEATURES = SYMBOLS_IN_REACH + MOST_ON_A_CARD * FAR
MOST_LISTED = 112

MANY_USES = (USES - 1) * ONES
MOST_AIMS = MARKET_SIZE + MAX_RESERVED
EVERYTHING = MOST_AIMS  # for `without`
PRICE, WORTH, FACT, MARKS, AIM = 0, 1, 2, 3, 4  # columns of `aims`
COLOUR_MARK, TIME_MARK, SYMBOL_MARK = 1, 2, 4  # in `MARKS`: what the card does for the Gauntlet and the Avengers tile


@inlined
def tile_uses(state: State, bonuses: int) -> int:
    """For each colour how many tiles on the table still ask for it, as gems; more than one counts as two."""
    uses = 0
    for place in range(MAX_TILES):
        if state.tile_owner[place] == NONE and state.tiles[place] != NONE:
            wanted = minus(demand_of(state.tiles[place]), bonuses)
            uses += ((wanted + (HIGH - ONES)) & HIGH) >> LANE_BITS - 1
    return uses - minus(uses, MANY_USES)


@inlined
def aim_at(state: State, seat: int, place: int) -> int:
    """The card in a market slot or, after those, in the seat's reserve."""
    return state.market[place] if place < MARKET_SIZE else state.reserve[seat, place - MARKET_SIZE]


@inlined
def marks_of(state: State, seat: int, bonuses: int, card: int) -> int:
    """What a card does for the Gauntlet and the Avengers tile; 0 in a game without them."""
    if state.gauntlet == 0:
        return 0
    marks = symbols_of(card) * SYMBOL_MARK
    if lane(bonuses, colour_of(card)) == 0:
        marks |= COLOUR_MARK
    if tier_of(card) == TIER_COUNT and state.tokens[seat] & TIME_LANE == 0:
        marks |= TIME_MARK
    return marks


@inlined
def list_marks(marks: int, far: int, out: Any, n: int) -> int:
    """What a card this many tokens away does for the Gauntlet and the Avengers tile."""
    if marks & COLOUR_MARK:
        out[n] = NEW_COLOUR + far
        n += 1
    if marks & TIME_MARK:
        out[n] = FIRST_TIME + far
        n += 1
    if marks >= SYMBOL_MARK:
        out[n] = SYMBOLS_IN_REACH + (marks // SYMBOL_MARK - 1) * FAR + far
        n += 1
    return n


@inlined
def list_aims(state: State, seat: int, bonuses: int, without: int, aims: Any) -> int:
    """The cards a seat can aim at, each with its price, its points and where its facts begin; how many there are.

    `without` is a place that no longer counts: a market slot, 12 and more for the reserve, or EVERYTHING to leave none out.
    """
    uses, n = tile_uses(state, bonuses), 0
    for place in range(MARKET_SIZE + MAX_RESERVED):
        card = aim_at(state, seat, place)
        if card != NONE and place != without:
            at = IN_MARKET if place < MARKET_SIZE else IN_RESERVE
            aims[n, PRICE] = minus(cost_of(card), bonuses)
            aims[n, WORTH] = points_of(card)
            aims[n, FACT] = at + points_of(card) * FAR * USES + lane(uses, colour_of(card))
            aims[n, MARKS] = marks_of(state, seat, bonuses, card)
            n += 1
    return n


@inlined
def list_reach(aims: Any, count: int, tokens: int, points: int, out: Any, n: int) -> int:
    """How many tokens each card is away, and the points in reach now and after one take."""
    colours, wild = tokens & COLOURS, lane(tokens, WILD)
    now = soon = 0
    for i in range(count):
        far = max(0, total(minus(aims[i, PRICE], colours)) - wild)
        out[n] = aims[i, FACT] + min(far, FAR - 1) * USES
        n += 1
        if aims[i, MARKS] != 0:
            n = list_marks(aims[i, MARKS], min(far, FAR - 1), out, n)
        if far <= ONE_TAKE:
            soon = max(soon, aims[i, WORTH])
            if far == 0:
                now = max(now, aims[i, WORTH])
    out[n] = POINTS_NOW + min(points + now, MOST_POINTS)
    out[n + 1] = POINTS_SOON + min(points + soon, MOST_POINTS)
    return n + 2


@inlined
def list_costs(aims: Any, count: int, out: Any, n: int) -> int:
    """What the cards in the market cost, tokens not counted."""
    for i in range(count):
        if aims[i, FACT] < IN_RESERVE:
            out[n] = COSTS + aims[i, WORTH] * COSTLY + min(total(aims[i, PRICE]), COSTLY - 1)
            n += 1
    return n


@inlined
def list_tokens(tokens: int, out: Any, n: int) -> int:
    """How many tokens of each kind, and of all."""
    for colour in range(COLOUR_COUNT):
        out[n + colour] = HAS_COLOUR + min(lane(tokens, colour), MOST_COLOUR)
    n += COLOUR_COUNT
    out[n] = HAS_WILD + min(lane(tokens, WILD), MOST_WILD)
    out[n + 1] = HAS_TOKENS + min(total(tokens & ~TIME_LANE), MOST_TOKENS)
    return n + 2


@inlined
def list_tableau(state: State, bonuses: int, points: int, out: Any, n: int) -> int:
    """Points, bonuses, and how far the tiles on the table are."""
    out[n] = HAS_POINTS + min(points, MOST_POINTS)
    out[n + 1] = HAS_CARDS + min(total(bonuses), MOST_CARDS)
    n += 2
    for colour in range(COLOUR_COUNT):
        out[n + colour] = HAS_BONUS + colour * (MOST_BONUS + 1) + min(lane(bonuses, colour), MOST_BONUS)
    n += COLOUR_COUNT
    for place in range(MAX_TILES):
        if state.tile_owner[place] == NONE and state.tiles[place] != NONE:
            out[n] = TILE_SHORT + min(total(minus(demand_of(state.tiles[place]), bonuses)), SHORT_OF_TILE - 1)
            n += 1
    return n


@inlined
def most_symbols_of_others(state: State, seat: int) -> int:
    """The most Avengers symbols another seat has."""
    most = 0
    for other in range(state.players):
        if other != seat:
            most = max(most, state.symbols[other])
    return most


@inlined
def list_gauntlet(state: State, seat: int, bonuses: int, tokens: int, symbols: int, holds: bool, out: Any, n: int) -> int:
    """What only a game with a Gauntlet has: colours that are missing, Time, Avengers symbols and their tile."""
    if state.gauntlet == 0:
        return n
    missing = total(minus(state.gauntlet & COLOURS, bonuses))
    lead = symbols - most_symbols_of_others(state, seat)
    out[n] = COLOURS_MISSING + missing
    out[n + 1] = HAS_TIME + (tokens & TIME_LANE != 0)
    out[n + 2] = HAS_SYMBOLS + min(symbols, MOST_SYMBOLS)
    out[n + 3] = SYMBOL_LEAD + LEAD + max(-LEAD, min(LEAD, lead))
    out[n + 4] = HAS_AVENGERS + holds
    return n + 5


@inlined
def list_place(state: State, seat: int, reserved: int, out: Any, n: int) -> int:
    """How soon the seat moves, where it sits in the round, and how many places of its reserve are taken."""
    out[n] = HAS_RESERVED + reserved
    out[n + 1] = TO_MOVE_IN + (seat - state.turn + state.players) % state.players
    out[n + 2] = SEAT_OF_ROUND + (seat - state.start + state.players) % state.players
    return n + 3


@inlined
def list_features(state: State, seat: int, aims: Any, out: Any) -> int:
    """The facts about one seat; how many there are."""
    bonuses, tokens, points = state.bonuses[seat], state.tokens[seat], state.points[seat]
    count = list_aims(state, seat, bonuses, EVERYTHING, aims)
    n = list_reach(aims, count, tokens, points, out, 0)
    n = list_costs(aims, count, out, n)
    n = list_tokens(tokens, out, n)
    n = list_tableau(state, bonuses, points, out, n)
    n = list_gauntlet(state, seat, bonuses, tokens, state.symbols[seat], state.avengers == seat, out, n)
    return list_place(state, seat, state.reserved[seat], out, n)


@inlined
def gains_time(state: State, card: int) -> bool:
    """Whether the card would bring the seat to move its Time token."""
    return state.gauntlet != 0 and tier_of(card) == TIER_COUNT and state.tokens[state.turn] & TIME_LANE == 0


@inlined
def symbols_with(state: State, card: int) -> int:
    """The Avengers symbols of the seat to move once it has the card."""
    return state.symbols[state.turn] + symbols_of(card)
