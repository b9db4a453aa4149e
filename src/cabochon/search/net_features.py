# mypy: warn-return-any=False
"""The net's input: a short list of active features for every seat, from 0 to NET_FEATURES - 1, as the seat to decide knows them.

    first      count  feature
    0            644  the features of the linear evaluation (`linear_features.py`), without those about cards that are hidden
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
    NEED         840  a colour that a card still wants: its points, the colour, how many, how many tokens are missing in all

NEED came later than the others. Nets from before have no rows for it (`has_needs`).
In Cities, where the goal is a tile, some indices mean something else: those of the linear features about the Gauntlet, which
only Marvel has (from COLOURS_MISSING on). So the table is as large as it was, and every net file stays valid.

    first         count  feature in Cities
    CITY_POINTS      18  a city on the table and how many points are missing for it
    CITY_AWAY        42  a city on the table: bonuses and points that are missing, both at once
    WINNING_CARD      9  a card that would bring a city, and how many tokens are missing for it

A card is known by its number, not by its slot, so the order of the market and of a reserve makes no difference: a symmetry that
the net would otherwise have to learn. The seats come in the order of play, the seat to decide first. Nothing hidden is read, and
the same lists are made on the CPU and on CUDA.

The policy has outputs of its own, from 0 to POLICY_SIZE - 1, for the same reason: buying a card has the index of the card,
wherever it lies. `policy_index` maps one of the 73 actions to its output.
"""

from typing import Any, NamedTuple

from ..rules.actions import BUY, BUY_RESERVED, CLAIM_TILE, GIVE_BACK, PASS, RESERVE, RESERVE_DECK
from ..rules.cards import CARD_COUNT, NONE, TIER_COUNT, TILE_START
from ..rules.compile import inlined
from ..rules.ending import goal_reached
from ..rules.gems import COLOUR_COUNT, COLOURS, LANE_BITS, LANE_COUNT, WILD, lane, minus, total
from ..rules.printed import bonus_of, colour_of, cost_of, demand_of, index_in_set, other_of, points_of, prestige_of, tier_of
from ..rules.reserving import hidden_cards
from ..rules.state import MARKET_SIZE, MAX_RESERVED, MAX_TILES, State
from ..rules.tiles import any_comes_to, bonuses_missing, most_of_another_colour
from .linear_features import (
    CARD_POINTS,
    COLOURS_MISSING,
    DISTANCES,
    IN_MARKET,
    IN_RESERVE,
    LINEAR_FEATURES,
    MAX_COLOUR,
    MAX_TAKEN,
    TILE_USES,
    card_at,
    flags_of,
    holdings_of,
    list_flags,
    list_gauntlet,
    list_points_in_reach,
    list_tableau,
    list_tokens,
    number_reserved,
    seat_of_round,
    tile_uses,
    to_move_in,
)

CARD_DISTANCES = 7  # tokens missing for a card: 0 to 5, or more
MAX_TILE_KINDS, TILE_LEVELS = 16, 8
MAX_NEED = 4  # tokens of one colour
MAX_IN_BANK = 7
FEW_CARDS, SOME_CARDS, DECK_LEVELS = 3, 9, 4

# Where each group of features begins. The order is part of the net files.
HELD = LINEAR_FEATURES
MARKET_CARD = HELD + COLOUR_COUNT * (MAX_COLOUR + 1)
OWN_CARD = MARKET_CARD + CARD_COUNT * CARD_DISTANCES
UNSEEN = OWN_CARD + CARD_COUNT * CARD_DISTANCES
TILE_AWAY = UNSEEN + TIER_COUNT
BANK = TILE_AWAY + MAX_TILE_KINDS * TILE_LEVELS
DECK = BANK + LANE_COUNT * (MAX_IN_BANK + 1)
STAGE = DECK + TIER_COUNT * DECK_LEVELS
SEATS = STAGE + 3
LAST_ROUND = SEATS + 3
PASSED = LAST_ROUND + 1
NEED = PASSED + 1
NET_FEATURES = NEED + CARD_POINTS * COLOUR_COUNT * MAX_NEED * CARD_DISTANCES
FEATURES_OF_FIRST_NETS = NEED
HAS_NEEDS = True  # nets learn from all features
MAX_NET_ACTIVE = 200  # in one list; a test holds it

# In Cities, in place of the features of the Gauntlet. A city asks for 11 to 17 points. What is missing at once is told exactly
# only where two or three purchases may be enough.
MAX_CITY_POINTS = 17
NEAR_BONUSES, NEAR_POINTS = 5, 6
CITY_POINTS = COLOURS_MISSING
CITY_AWAY = CITY_POINTS + MAX_CITY_POINTS + 1
WINNING_CARD = CITY_AWAY + (NEAR_BONUSES + 1) * (NEAR_POINTS + 1)
assert WINNING_CARD + DISTANCES <= LINEAR_FEATURES

# Outputs of the policy: takes by action, the others by card, deck, lane or tile.
POLICY_RESERVE = RESERVE
POLICY_RESERVE_DECK = POLICY_RESERVE + CARD_COUNT
POLICY_BUY = POLICY_RESERVE_DECK + TIER_COUNT
POLICY_BUY_RESERVED = POLICY_BUY + CARD_COUNT
POLICY_PASS = POLICY_BUY_RESERVED + CARD_COUNT
POLICY_RETURN = POLICY_PASS + 1
POLICY_CLAIM = POLICY_RETURN + LANE_COUNT
POLICY_SIZE = POLICY_CLAIM + MAX_TILE_KINDS


@inlined
def city_uses(state: State, bonuses: int) -> int:
    """`tile_uses` of cities: where one asks for a colour that it does not name, the seat's most frequent one is of use too."""
    uses = tile_uses(state, bonuses)
    for place in range(MAX_TILES):
        tile = state.tiles[place]
        if state.tile_owner[place] != NONE or tile == NONE:
            continue
        most = most_of_another_colour(tile, bonuses)
        if most >= other_of(tile):
            continue
        for colour in range(COLOUR_COUNT):
            is_most = lane(demand_of(tile), colour) == 0 and lane(bonuses, colour) == most
            if is_most and lane(uses, colour) < TILE_USES - 1:
                uses += 1 << LANE_BITS * colour
    return uses


class Means(NamedTuple):
    """What a seat has to buy cards with, and for each colour how many tiles ask for it."""

    bonuses: int
    colours: int
    wild: int
    tile_uses: int


@inlined
def means_of(state: State, seat: int) -> Any:
    """What a seat has to buy cards with now."""
    bonuses, tokens = state.bonuses[seat], state.tokens[seat]
    uses = city_uses(state, bonuses) if state.goal_tiles != 0 else tile_uses(state, bonuses)
    return Means(bonuses, tokens & COLOURS, lane(tokens, WILD), uses)


@inlined
def missing_for(card: int, means: Means) -> int:
    """The tokens that are missing for a card, as gems; wild is not counted."""
    return minus(minus(cost_of(card), means.bonuses), means.colours)


@inlined
def distance_of(card: int, means: Means) -> int:
    """How many tokens are missing for a card."""
    return max(0, total(missing_for(card, means)) - means.wild)


@inlined
def list_needs(card: int, means: Means, out: Any, n: int) -> int:
    """Which colours a card still wants: the distance alone does not say which tokens to take."""
    missing = missing_for(card, means)
    first = NEED + points_of(card) * COLOUR_COUNT * MAX_NEED * CARD_DISTANCES + min(distance_of(card, means), CARD_DISTANCES - 1)
    for colour in range(COLOUR_COUNT):
        need = lane(missing, colour)
        out[n] = first + (colour * MAX_NEED + min(need, MAX_NEED) - 1) * CARD_DISTANCES
        n += need > 0
    return n


@inlined
def list_card(state: State, seat: int, means: Means, card: int, place: int, has_needs: bool, out: Any, n: int) -> int:
    """How far a card that is seen at a place is for a seat, what it would bring and, but for old nets, what it still wants."""
    distance, points = distance_of(card, means), points_of(card)
    bounded = min(distance, DISTANCES - 1)
    linear, own = (IN_MARKET, MARKET_CARD) if place < MARKET_SIZE else (IN_RESERVE, OWN_CARD)
    out[n] = linear + (points * DISTANCES + bounded) * TILE_USES + lane(means.tile_uses, colour_of(card))
    out[n + 1] = own + index_in_set(card) * CARD_DISTANCES + min(distance, CARD_DISTANCES - 1)
    n = list_flags(flags_of(state, seat, means.bonuses, card), bounded, out, n + 2)
    if state.goal_tiles != 0 and any_comes_to(state, means.bonuses + bonus_of(card), state.points[seat] + points):
        out[n] = WINNING_CARD + bounded
        n += 1
    return list_needs(card, means, out, n) if has_needs else n


@inlined
def list_market(state: State, seat: int, means: Means, out: Any, n: int) -> int:
    """All that a seat sees of the cards in the market."""
    for slot in range(MARKET_SIZE):
        if state.market[slot] != NONE:
            n = list_card(state, seat, means, state.market[slot], slot, HAS_NEEDS, out, n)
    return n


@inlined
def list_reserve(state: State, seat: int, means: Means, has_needs: bool, out: Any, n: int) -> int:
    """The reserve of a seat; of cards hidden from the seat to decide only the tier."""
    hidden = hidden_cards(state, seat, seat == state.turn)
    for i in range(MAX_RESERVED):
        card = state.reserve[seat, i]
        if card != NONE and hidden >> i & 1:
            out[n] = UNSEEN + tier_of(card) - 1
            n += 1
        elif card != NONE:
            n = list_card(state, seat, means, card, MARKET_SIZE + i, has_needs, out, n)
    return n


@inlined
def points_in_reach(card: int, means: Means, most_missing: int) -> int:
    """The points of a card for which no more tokens than these are missing, else 0."""
    return points_of(card) * (distance_of(card, means) <= most_missing)


@inlined
def list_reach_of_all(state: State, seat: int, means: Means, out: Any, n: int) -> int:
    """The points in reach, from all cards that are seen."""
    hidden, now, soon = hidden_cards(state, seat, seat == state.turn), 0, 0
    for place in range(MARKET_SIZE + MAX_RESERVED):
        card = card_at(state, seat, place)
        if card != NONE and not (place >= MARKET_SIZE and hidden >> (place - MARKET_SIZE) & 1):
            now = max(now, points_in_reach(card, means, 0))
            soon = max(soon, points_in_reach(card, means, MAX_TAKEN))
    return list_points_in_reach(state.points[seat], now, soon, out, n)


@inlined
def list_tiles(state: State, seat: int, out: Any, n: int) -> int:
    """How far every tile on the table is for a seat; a city asks for points too."""
    for place in range(MAX_TILES):
        tile = state.tiles[place]
        if state.tile_owner[place] == NONE and tile != NONE:
            missing = bonuses_missing(tile, state.bonuses[seat])
            out[n] = TILE_AWAY + (tile - TILE_START[state.variant]) * TILE_LEVELS + min(missing, TILE_LEVELS - 1)
            n += 1
            if state.goal_tiles != 0:
                points = max(0, prestige_of(tile) - state.points[seat])
                out[n] = CITY_POINTS + min(points, MAX_CITY_POINTS)
                out[n + 1] = CITY_AWAY + min(missing, NEAR_BONUSES) * (NEAR_POINTS + 1) + min(points, NEAR_POINTS)
                n += 2
    return n


@inlined
def list_table(state: State, out: Any, n: int) -> int:
    """The bank, the decks and where the game is."""
    for kind in range(LANE_COUNT):
        out[n + kind] = BANK + kind * (MAX_IN_BANK + 1) + min(lane(state.bank, kind), MAX_IN_BANK)
    n += LANE_COUNT
    for tier in range(TIER_COUNT):
        size = state.deck_size[tier]
        out[n + tier] = DECK + tier * DECK_LEVELS + (size > 0) + (size > FEW_CARDS) + (size > SOME_CARDS)
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
def list_holdings(state: State, seat: int, out: Any, n: int) -> int:
    """What a seat has, and the tiles; nothing about cards that it may buy, nor whose turn it is."""
    held = holdings_of(state, seat)
    n = list_tokens(held.tokens, out, n)
    for colour in range(COLOUR_COUNT):
        out[n + colour] = HELD + colour * (MAX_COLOUR + 1) + min(lane(held.tokens, colour), MAX_COLOUR)
    n = list_tableau(state, held, out, n + COLOUR_COUNT)
    n = list_gauntlet(state, seat, held, out, n)
    n = list_tiles(state, seat, out, n)
    out[n] = number_reserved(state, seat)
    out[n + 1] = seat_of_round(state, seat)
    return n + 2


@inlined
def list_seat_features(state: State, seat: int, out: Any, n: int) -> int:
    """The active features of one seat as the seat to decide sees them, without those of the table, which all seats share."""
    means = means_of(state, seat)
    n = list_market(state, seat, means, out, n)
    n = list_reserve(state, seat, means, HAS_NEEDS, out, n)
    n = list_holdings(state, seat, out, n)
    n = list_reach_of_all(state, seat, means, out, n)
    out[n] = to_move_in(state, seat)
    return n + 1


@inlined
def list_net_features(state: State, seat: int, out: Any) -> int:
    """The active features of one seat as the seat to decide sees them; how many there are."""
    return list_seat_features(state, seat, out, list_table(state, out, 0))


@inlined
def policy_index(state: State, action: int) -> int:
    """The output of the policy that stands for a legal action."""
    if action < RESERVE:
        return action
    if action < RESERVE_DECK:
        return POLICY_RESERVE + index_in_set(state.market[action - RESERVE])
    if action < BUY:
        return POLICY_RESERVE_DECK + action - RESERVE_DECK
    if action < BUY_RESERVED:
        return POLICY_BUY + index_in_set(state.market[action - BUY])
    if action < PASS:
        return POLICY_BUY_RESERVED + index_in_set(state.reserve[state.turn, action - BUY_RESERVED])
    if action == PASS:
        return POLICY_PASS
    if action < CLAIM_TILE:
        return POLICY_RETURN + action - GIVE_BACK
    return POLICY_CLAIM + state.tiles[action - CLAIM_TILE] - TILE_START[state.variant]
