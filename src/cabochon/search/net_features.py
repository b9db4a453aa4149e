# mypy: warn-return-any=False
"""What a net sees: for every seat a short list of facts, from 0 to SIGHTS - 1, as the seat to decide may know them.

    first      count  fact
    0            644  the facts of the evaluation (`features.py`), without those about cards that are hidden
    HELD          40  tokens of a colour: colour and how many
    MARKET_CARD  630  a card in the market and how many tokens are missing for it
    OWN_CARD     630  a card in the seat's reserve and how many tokens are missing for it
    UNSEEN         3  a reserved card that is hidden from the seat to decide, by tier
    TILE_AWAY    128  a tile on the table and how many bonuses are missing for it
    BANK          56  tokens in the bank: lane and how many
    DECK          12  a deck: empty, up to 3, up to 9 or more cards
    STAGE          3  what is to be decided
    SEATS          3  two, three or four at the table
    LAST_ROUND     1  somebody fulfils the goal now
    PASSED         1  the seat before has passed

A card is known by its number, not by its slot, so the order of the market and of a reserve makes no difference. The seats come
in the order of play, the seat to decide first. Nothing hidden is read, and the same lists are made on the CPU and on CUDA.

The moves have names of their own, from 0 to NAMES - 1: buying a card is named after the card, wherever it lies.
"""

from typing import Any

from ..rules.actions import BUY, BUY_RESERVED, CLAIM_TILE, GIVE_BACK, PASS, RESERVE, RESERVE_DECK
from ..rules.cards import CARD_COUNT, NONE, TIER_COUNT, TILE_START
from ..rules.compile import inlined
from ..rules.ending import goal_reached
from ..rules.gems import COLOUR_COUNT, COLOURS, LANE_COUNT, WILD, lane, minus, total
from ..rules.printed import colour_of, cost_of, demand_of, points_of, tier_of
from ..rules.reserving import hidden_cards
from ..rules.state import MARKET_SIZE, MAX_RESERVED, MAX_TILES, State
from .linear_features import (
    FAR,
    FEATURES,
    IN_MARKET,
    IN_RESERVE,
    MOST_COLOUR,
    MOST_POINTS,
    ONE_TAKE,
    POINTS_NOW,
    POINTS_SOON,
    USES,
    aim_at,
    list_gauntlet,
    list_marks,
    list_place,
    list_tableau,
    list_tokens,
    marks_of,
    tile_uses,
)

AWAY = 7  # tokens missing for a card: 0 to 5, or more
MOST_TILES, TILE_STEPS = 16, 8
MOST_IN_BANK = 7
FEW, SOME, DECK_STEPS = 3, 9, 4

HELD = FEATURES
MARKET_CARD = HELD + COLOUR_COUNT * (MOST_COLOUR + 1)
OWN_CARD = MARKET_CARD + CARD_COUNT * AWAY
UNSEEN = OWN_CARD + CARD_COUNT * AWAY
TILE_AWAY = UNSEEN + TIER_COUNT
BANK = TILE_AWAY + MOST_TILES * TILE_STEPS
DECK = BANK + LANE_COUNT * (MOST_IN_BANK + 1)
STAGE = DECK + TIER_COUNT * DECK_STEPS
SEATS = STAGE + 3
LAST_ROUND = SEATS + 3
PASSED = LAST_ROUND + 1
SIGHTS = PASSED + 1
MOST_SIGHTS = 136  # in one list

RESERVES = RESERVE
RESERVES_UNSEEN = RESERVES + CARD_COUNT
BUYS = RESERVES_UNSEEN + TIER_COUNT
BUYS_RESERVED = BUYS + CARD_COUNT
PASSES = BUYS_RESERVED + CARD_COUNT
GIVES_BACK = PASSES + 1
CLAIMS = GIVES_BACK + LANE_COUNT
NAMES = CLAIMS + MOST_TILES


@inlined
def list_cards(state: State, seat: int, hidden: int, out: Any, n: int) -> int:
    """How far every card is for a seat, and the points in reach now and after one take; of hidden cards only the tier."""
    bonuses, colours, wild = state.bonuses[seat], state.tokens[seat] & COLOURS, lane(state.tokens[seat], WILD)
    uses, now, soon = tile_uses(state, bonuses), 0, 0
    for place in range(MARKET_SIZE + MAX_RESERVED):
        card = aim_at(state, seat, place)
        if card == NONE:
            continue
        in_reserve = place >= MARKET_SIZE
        if in_reserve and hidden >> (place - MARKET_SIZE) & 1:
            out[n] = UNSEEN + tier_of(card) - 1
            n += 1
            continue
        far = max(0, total(minus(minus(cost_of(card), bonuses), colours)) - wild)
        points, near = points_of(card), min(far, FAR - 1)
        out[n] = (IN_RESERVE if in_reserve else IN_MARKET) + (points * FAR + near) * USES + lane(uses, colour_of(card))
        out[n + 1] = (OWN_CARD if in_reserve else MARKET_CARD) + card % CARD_COUNT * AWAY + min(far, AWAY - 1)
        n = list_marks(marks_of(state, seat, bonuses, card), near, out, n + 2)
        if far <= ONE_TAKE:
            soon = max(soon, points)
            if far == 0:
                now = max(now, points)
    out[n] = POINTS_NOW + min(state.points[seat] + now, MOST_POINTS)
    out[n + 1] = POINTS_SOON + min(state.points[seat] + soon, MOST_POINTS)
    return n + 2


@inlined
def list_tiles(state: State, seat: int, out: Any, n: int) -> int:
    """How far every tile on the table is for a seat."""
    for place in range(MAX_TILES):
        if state.tile_owner[place] == NONE and state.tiles[place] != NONE:
            short = total(minus(demand_of(state.tiles[place]), state.bonuses[seat]))
            tile = state.tiles[place] - TILE_START[state.variant]
            out[n] = TILE_AWAY + tile * TILE_STEPS + min(short, TILE_STEPS - 1)
            n += 1
    return n


@inlined
def list_table(state: State, out: Any, n: int) -> int:
    """The bank, the decks and where the game is."""
    for kind in range(LANE_COUNT):
        out[n + kind] = BANK + kind * (MOST_IN_BANK + 1) + min(lane(state.bank, kind), MOST_IN_BANK)
    n += LANE_COUNT
    for tier in range(TIER_COUNT):
        size = state.deck_size[tier]
        out[n + tier] = DECK + tier * DECK_STEPS + (size > 0) + (size > FEW) + (size > SOME)
    n += TIER_COUNT
    out[n] = STAGE + state.stage
    out[n + 1] = SEATS + state.players - 2
    n += 2
    if goal_reached(state):
        out[n] = LAST_ROUND
        n += 1
    if state.passes > 0:
        out[n] = PASSED
        n += 1
    return n


@inlined
def list_sights(state: State, seat: int, out: Any) -> int:
    """The facts about one seat as the seat to decide sees them; how many there are."""
    tokens, bonuses = state.tokens[seat], state.bonuses[seat]
    n = list_cards(state, seat, hidden_cards(state, seat, seat == state.turn), out, 0)
    n = list_tokens(tokens, out, n)
    for colour in range(COLOUR_COUNT):
        out[n + colour] = HELD + colour * (MOST_COLOUR + 1) + min(lane(tokens, colour), MOST_COLOUR)
    n = list_tableau(state, bonuses, state.points[seat], out, n + COLOUR_COUNT)
    n = list_gauntlet(state, seat, bonuses, tokens, state.symbols[seat], state.avengers == seat, out, n)
    n = list_place(state, seat, state.reserved[seat], out, n)
    n = list_tiles(state, seat, out, n)
    return list_table(state, out, n)


@inlined
def name_of(state: State, action: int) -> int:
    """The name of a legal action for the net."""
    if action < RESERVE:
        return action
    if action < RESERVE_DECK:
        return RESERVES + state.market[action - RESERVE] % CARD_COUNT
    if action < BUY:
        return RESERVES_UNSEEN + action - RESERVE_DECK
    if action < BUY_RESERVED:
        return BUYS + state.market[action - BUY] % CARD_COUNT
    if action < PASS:
        return BUYS_RESERVED + state.reserve[state.turn, action - BUY_RESERVED] % CARD_COUNT
    if action == PASS:
        return PASSES
    if action < CLAIM_TILE:
        return GIVES_BACK + action - GIVE_BACK
    return CLAIMS + state.tiles[action - CLAIM_TILE] - TILE_START[state.variant]
