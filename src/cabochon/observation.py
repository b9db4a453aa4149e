"""The observation: what a seat may know as a row of int8, its own seat first and the others clockwise.

    field        numbers  content
    table             24  stage, decks, house rules, round, bank
    market       12 x 16  a card in every slot
    tiles          5 x 8  a tile in every place
    seats   players x 72  tokens, bonuses, points and reserve; the own seat first
    asked             16  only in a game whose tiles ask for points or for another colour: what they ask for

`fields`, `SEAT`, `CARD` and `TILE` describe every number; docs/envs has these tables, and a test compares them. The layout is
the same for all games up to the end of the seats; the number of players changes only the number of seats. What Cities has besides
follows at the end, and in no other game: a place of its own in every tile would have changed the observations of games that are
published, and an end can be cut off by whoever reads rows of several games.

The record already packs gems into bytes, so a row is written eight numbers at a time: `observe` writes int64 words, and readers
view the same bytes as int8. The same function runs on the CPU and on CUDA.
"""

from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .rules.actions import ACTION_COUNT, CLAIM_TILE, GIVE_BACK
from .rules.cards import BONUS, CARD_COUNT, COST, DEMAND, NONE, POINTS, SYMBOLS, TIER, TILE_COUNT, TILE_POINTS
from .rules.compile import inlined, kernel
from .rules.ending import fulfils_goal
from .rules.gems import COLOURS, LANE_BITS, WILD, lane, minus, total
from .rules.play import legal
from .rules.printed import other_of, prestige_of
from .rules.reserving import hidden_cards
from .rules.state import CLAIM, MAIN, MARKET_SIZE, MAX_RESERVED, MAX_TILES, RETURN, State
from .rules.tiles import bonuses_missing
from .rules.variants import CARD_SETS, TILES, VARIANTS
from .ruleset import States

MAX_NUMBER = 127  # the largest int8; larger counts are clipped
SCALE = 8.0  # what a net should divide the numbers by: near one they learn faster, and most are below 16


class Field(NamedTuple):
    """A named part of an observation: its shape and meaning."""

    name: str
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        return prod(self.shape)


CARD = (
    Field("cost", (5,), "printed cost by colour"),
    Field("points", (1,), "points on the card"),
    Field("symbols", (1,), "Avengers symbols on the card"),
    Field(
        "missing", (1,), "tokens that are missing to buy it: for a card in the market those of the own seat, else of its holder"
    ),
    Field("bonus", (5,), "one-hot: the colour of its bonus; all 0 if there is no card or it is hidden"),
    Field("tier", (3,), "one-hot: tier 1, 2, 3, of a hidden card too; all 0 if there is no card"),
)
TILE = (
    Field("demand", (5,), "bonuses it asks for, by colour"),
    Field("points", (1,), "points it brings"),
    Field("open", (1,), "1 while nobody has it"),
    Field("owner", (1,), "0 nobody, 1 the own seat, 2 the next clockwise, ..."),
)
SEAT = (
    Field("tokens", (7,), "tokens held: five colours, wild, Time"),
    Field("token_count", (1,), "all of them together"),
    Field("bonuses", (5,), "bonuses by colour"),
    Field("cards", (1,), "cards bought"),
    Field("points", (1,), "points"),
    Field("symbols", (1,), "Avengers symbols"),
    Field("avengers", (1,), "1 if it has the Avengers tile"),
    Field("reserved", (1,), "cards reserved"),
    Field("fulfils_goal", (1,), "1 if it fulfils the goal now"),
    Field("to_decide", (1,), "1 if it is to decide; 0 for all when the game is over"),
    Field("began", (1,), "1 if it began the game"),
    Field("blind", (3,), "1 for each reserved card that came unseen from a deck and was not shown since"),
    Field(
        "reserve", (3, 16), "reserved cards, as in the market; of others only those reserved face up, unless the rules hide them"
    ),
)
ASKED = (  # `tile_missing` is told because the most bonuses of one unnamed colour is a maximum, which a net learns badly
    Field("tile_prestige", (MAX_TILES,), "points that each tile asks for, by place"),
    Field("tile_other", (MAX_TILES,), "bonuses of one colour, whichever it does not name, that each tile asks for"),
    Field("tile_missing", (MAX_TILES,), "bonuses that the own seat misses for each tile"),
    Field("goal_tiles", (1,), "tiles that the goal asks for"),
)
CARD_SIZE, TILE_SIZE, SEAT_SIZE, ASKED_SIZE = (sum(field.size for field in layout) for layout in (CARD, TILE, SEAT, ASKED))
# Whether tiles of a variant ask for more than bonuses of the colours they name.
TILES_ASK_MORE = {name: any(tile.prestige or tile.other for tile in tiles) for name, tiles in TILES.items()}


def fields(players: int, variant: str = "classic") -> tuple[Field, ...]:
    """All numbers of an observation, in order."""
    return _fields_of_all(players) + (ASKED if TILES_ASK_MORE[variant] else ())


def _fields_of_all(players: int) -> tuple[Field, ...]:
    """The fields that every variant has."""
    return (
        Field("stage", (4,), "one-hot: main, return, claim, over"),
        Field("decks", (3,), "cards left in the decks of tier 1, 2, 3"),
        Field("last_round", (1,), "1 if somebody fulfils the goal now"),
        Field("goal", (1,), "points that the goal asks for"),
        Field("token_limit", (1,), "tokens allowed at the end of a turn"),
        Field("hand_limit", (1,), "reserved cards allowed"),
        Field("take_fewer", (1,), "1 if fewer than three may be taken by choice"),
        Field("open_reserves", (1,), "1 if cards reserved face up stay shown"),
        Field("passes", (1,), "passes in a row in which no tile came"),
        Field("round", (1,), "rounds completed, at most 127"),
        Field("game", (1,), ", ".join(f"{variant.index} {variant.name}" for variant in VARIANTS.values())),
        Field("bank", (7,), "tokens in the bank: five colours, wild, Time"),
        Field("players", (1,), "seats at the table"),
        Field("market", (MARKET_SIZE, CARD_SIZE), "the face-up cards, tier 1 first, each as in the table of a card"),
        Field("tiles", (MAX_TILES, TILE_SIZE), "the tiles by place, each as in the table of a tile"),
        Field("seats", (players, SEAT_SIZE), "the seats, the own one first, then clockwise, each as in the table of a seat"),
    )


def offsets(layout: tuple[Field, ...]) -> dict[str, tuple[int, Field]]:
    """The index of the first number of each field."""
    found, start = {}, 0
    for field in layout:
        found[field.name] = (start, field)
        start += field.size
    return found


def by_name(row: NDArray[Any], layout: tuple[Field, ...]) -> dict[str, NDArray[Any]]:
    """The fields of an observation (or of one card, tile or seat in it) by name, as NumPy views in their shape."""
    return {
        name: row[..., start : start + field.size].reshape(*row.shape[:-1], *field.shape)
        for name, (start, field) in offsets(layout).items()
    }


WORD = 8  # numbers in a word
BANK, MARKET = 2, 3  # the first words of the fields
CARD_WORDS, TILE_WORDS, SEAT_WORDS, ASKED_WORDS = (size // WORD for size in (CARD_SIZE, TILE_SIZE, SEAT_SIZE, ASKED_SIZE))
FIRST_TILE = MARKET + MARKET_SIZE * CARD_WORDS
SEATS = FIRST_TILE + MAX_TILES * TILE_WORDS
RESERVE_AT = 3
LAST_ROUND, OPEN = 7, 6  # the bytes of these numbers in their words
MASK_WORDS = 10  # 73 numbers, rounded up

FACE = np.zeros((NONE + 1, CARD_WORDS), np.int64)
for _card in range(len(CARD_SETS) * CARD_COUNT):
    FACE[_card, 0] = COST[_card] | POINTS[_card] << 40 | SYMBOLS[_card] << 48
    FACE[_card, 1] = BONUS[_card] | 1 << 8 * (4 + TIER[_card])
TILE_FACE = np.zeros(NONE + 1, np.int64)
for _tile in range(int(TILE_COUNT.sum())):
    TILE_FACE[_tile] = DEMAND[_tile] | TILE_POINTS[_tile] << 40 | 1 << 8 * OPEN
SPREAD = np.array(  # a byte as eight numbers, one for each bit: a mask is written eight actions at a time
    [sum((byte >> bit & 1) << 8 * bit for bit in range(8)) for byte in range(256)], np.int64
)
for _table in (FACE, TILE_FACE, SPREAD):
    _table.setflags(write=False)


def observation_size(players: int, variant: str = "classic") -> int:
    """The number of numbers in an observation."""
    return WORD * observation_words(players, variant)


def observation_words(players: int, variant: str = "classic") -> int:
    """The number of words in an observation."""
    return SEATS + SEAT_WORDS * players + (ASKED_WORDS if TILES_ASK_MORE[variant] else 0)


@kernel
def at(value: Any, place: Any) -> Any:
    """A number as one of the eight bytes of a word."""
    return np.int64(value) << np.int64(LANE_BITS * place)


@inlined
def write_table(state: State, out: Any) -> None:
    """The stage, the decks, the rules and the bank."""
    decks = at(state.deck_size[0], 4) | at(state.deck_size[1], 5) | at(state.deck_size[2], 6)
    out[0] = at(1, state.stage) | decks
    limits = at(state.goal, 0) | at(state.token_limit, 1) | at(state.hand_limit, 2)
    switches = at(state.take_fewer, 3) | at(state.open_reserves, 4)
    rounds: Any = min(np.int64(MAX_NUMBER), np.int64(state.turns // state.players))
    out[1] = limits | switches | at(state.passes, 5) | at(rounds, 6) | at(state.variant, 7)
    out[BANK] = state.bank | at(state.players, 7)


@kernel
def buying_power(state: State, seat: int) -> Any:
    """Bonuses and coloured tokens together: what a seat can pay with, besides wild tokens."""
    return (state.bonuses[seat] + state.tokens[seat]) & COLOURS


@kernel
def face_of(card: int, own: int, wild: int) -> Any:
    """A card's first word: its face, and how many tokens are missing to buy it (0 without a card)."""
    face = FACE[card, 0]
    return face | max(total(minus(face & COLOURS, own)) - wild, 0) << 56


@inlined
def write_market(state: State, seat: int, out: Any) -> None:
    own, wild = buying_power(state, seat), lane(state.tokens[seat], WILD)
    for slot in range(MARKET_SIZE):
        out[MARKET + CARD_WORDS * slot] = face_of(state.market[slot], own, wild)
        out[MARKET + CARD_WORDS * slot + 1] = FACE[state.market[slot], 1]


@kernel
def clockwise(state: State, seat: int, other: int) -> int:
    """The distance from one seat clockwise to another."""
    return other - seat if other >= seat else other - seat + state.players


@inlined
def write_tiles(state: State, seat: int, out: Any) -> None:
    """The tiles and their owners."""
    for place in range(MAX_TILES):
        word, owner = TILE_FACE[state.tiles[place]], state.tile_owner[place]
        if owner != NONE:
            word = (word & ~at(1, OPEN)) | at(clockwise(state, seat, owner) + 1, OPEN + 1)
        out[FIRST_TILE + place] = word


@inlined
def write_reserve(state: State, owner: int, is_own: bool, out: Any, word: int) -> None:
    """The reserved cards; of a hidden one only the tier. `visible` is a mask: a branch on it would be unpredictable."""
    hidden, own, wild = hidden_cards(state, owner, is_own), buying_power(state, owner), lane(state.tokens[owner], WILD)
    for i in range(MAX_RESERVED):
        card, visible = state.reserve[owner, i], (hidden >> i & 1) - 1
        out[word + CARD_WORDS * i] = face_of(card, own, wild) & visible
        out[word + CARD_WORDS * i + 1] = FACE[card, 1] & (visible | ~COLOURS)


@inlined
def write_seat(state: State, owner: int, is_own: bool, out: Any, word: int) -> None:
    """All about one seat. If it fulfils the goal, this is the last round: that number is in the first word."""
    is_last = fulfils_goal(state, owner)
    points, blind = min(np.int64(MAX_NUMBER), np.int64(state.points[owner])), state.blind[owner]
    counts = at(state.bought[owner], 5) | at(points, 6) | at(state.symbols[owner], 7)
    out[word] = state.tokens[owner] | at(total(state.tokens[owner]), 7)
    out[word + 1] = (state.bonuses[owner] & COLOURS) | counts
    here = at(state.avengers == owner, 0) | at(state.reserved[owner], 1) | at(is_last, 2)
    decides = (state.turn == owner) & (state.stage <= CLAIM)
    unseen = at(blind & 1, 5) | at(blind >> 1 & 1, 6) | at(blind >> 2 & 1, 7)
    out[0] |= at(is_last, LAST_ROUND)
    out[word + 2] = here | at(decides, 3) | at(state.start == owner, 4) | unseen
    write_reserve(state, owner, is_own, out, word + RESERVE_AT)


@inlined
def write_asked(state: State, seat: int, out: Any, word: int) -> None:
    """What the tiles ask for besides bonuses of the colours they name; 16 numbers in the order of `ASKED`."""
    prestige, other, missing = np.int64(0), np.int64(0), np.int64(0)
    for place in range(MAX_TILES):
        tile = state.tiles[place]
        prestige |= at(prestige_of(tile), place)
        other |= at(other_of(tile), place)
        if tile != NONE:
            missing |= at(bonuses_missing(tile, state.bonuses[seat]), place)
    # Five numbers are no whole word: those of `tile_other` begin in the first word and go on in the second.
    out[word] = prestige | other << LANE_BITS * MAX_TILES
    rest = other >> LANE_BITS * (WORD - MAX_TILES)
    out[word + 1] = rest | missing << LANE_BITS * (2 * MAX_TILES - WORD) | at(state.goal_tiles, WORD - 1)


@inlined
def observe(state: State, seat: int, out: Any) -> None:
    """Write all that this seat may know into a row of words. A row that is longer than the seats has what tiles ask for."""
    write_table(state, out)
    write_market(state, seat, out)
    write_tiles(state, seat, out)
    owner: Any = np.int64(seat)
    for i in range(state.players):
        write_seat(state, owner, i == 0, out, SEATS + SEAT_WORDS * i)
        owner = owner + 1 if owner + 1 < state.players else np.int64(0)
    end = SEATS + SEAT_WORDS * state.players
    if out.shape[0] > end:  # a classic row stays as short as it was, and nothing is ever written behind a row
        write_asked(state, seat, out, end)


@inlined
def write_mask(stage: int, moves: int, out: Any) -> None:
    """Write the legal moves of a stage as 73 zeros and ones into ten words; the last seven numbers are 0."""
    low: Any = np.int64(0)
    high: Any = np.int64(0)
    if stage == MAIN:
        low = moves
    elif stage == RETURN:
        low, high = moves << GIVE_BACK, moves >> (64 - GIVE_BACK)
    elif stage == CLAIM:
        high = moves << (CLAIM_TILE - 64)
    for word in range(8):
        out[word] = SPREAD[low >> 8 * word & 0xFF]
    out[8] = SPREAD[high & 0xFF]
    out[9] = SPREAD[high >> 8 & 0xFF]


@kernel
def _mask_all(states: Any, out: Any) -> None:
    for i in range(states.shape[0]):
        write_mask(states[i].stage, legal(states[i]), out[i])


def blank_rows(count: int, players: int, variant: str) -> NDArray[np.int64]:
    return np.empty((count, observation_words(players, variant)), np.int64)


def blank_masks(count: int) -> NDArray[np.int64]:
    return np.empty((count, MASK_WORDS), np.int64)


def numbers(words: NDArray[np.int64]) -> NDArray[np.int8]:
    """Rows of words, viewed as int8."""
    return words.view(np.int8)


def mask_numbers(words: NDArray[np.int64]) -> NDArray[np.int8]:
    """Rows of mask words, viewed as 73 numbers each."""
    return words.view(np.int8)[..., :ACTION_COUNT]


def action_masks(states: States) -> NDArray[np.int8]:
    """A row of 73 zeros and ones for each game."""
    masks = blank_masks(len(states))
    _mask_all(states, masks)
    return mask_numbers(masks)
