"""What a seat may know as numbers: one row of int8, the seat itself first and the others clockwise.

    piece        numbers  what
    table             24  stage, decks, house rules, round, bank
    market       12 x 16  a card in every slot
    tiles          5 x 8  a tile in every place
    seats   players x 72  tokens, bonuses, points and reserve; the own seat first

`pieces`, `SEAT`, `CARD` and `TILE` list every number; the pages show these tables and a test compares them. The layout is the
same for both games, and depends on the number of players only in how many seats there are.

The record already packs gems a byte to a kind, so a row is written eight numbers at a time: `observe` is given a row of int64
words, and whoever reads it looks at the same bytes as int8. The same function runs on the CPU and on CUDA.
"""

from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..rules.actions import ACTION_COUNT, CLAIM_TILE, GIVE_BACK
from ..rules.cards import BONUS, CARD_COUNT, COST, DEMAND, NONE, POINTS, SYMBOLS, TIER, TILE_COUNT, TILE_POINTS
from ..rules.compile import inlined, kernel
from ..rules.ending import fulfils_goal
from ..rules.gems import COLOURS, LANE_BITS, WILD, lane, minus, total
from ..rules.play import legal
from ..rules.reserving import hidden_cards
from ..rules.state import CLAIM, MAIN, MARKET_SIZE, MAX_RESERVED, MAX_TILES, RETURN, State
from ..rules.variants import VARIANTS
from ..ruleset import States

HIGHEST = 127


class Piece(NamedTuple):
    """A named run of numbers: its shape and what it says."""

    name: str
    shape: tuple[int, ...]
    says: str

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)


CARD = (
    Piece("cost", (5,), "printed cost by colour"),
    Piece("points", (1,), "points on the card"),
    Piece("symbols", (1,), "Avengers symbols on the card"),
    Piece(
        "missing", (1,), "tokens that are missing to buy it: for a card in the market those of the own seat, else of its holder"
    ),
    Piece("bonus", (5,), "one-hot: the colour of its bonus; all 0 if there is no card or it is hidden"),
    Piece("tier", (3,), "one-hot: tier 1, 2, 3, of a hidden card too; all 0 if there is no card"),
)
TILE = (
    Piece("demand", (5,), "bonuses it asks for, by colour"),
    Piece("points", (1,), "points it brings"),
    Piece("open", (1,), "1 while nobody has it"),
    Piece("owner", (1,), "0 nobody, 1 the own seat, 2 the next clockwise, ..."),
)
SEAT = (
    Piece("tokens", (7,), "tokens held: five colours, wild, Time"),
    Piece("token_count", (1,), "all of them together"),
    Piece("bonuses", (5,), "bonuses by colour"),
    Piece("cards", (1,), "cards bought"),
    Piece("points", (1,), "points"),
    Piece("symbols", (1,), "Avengers symbols"),
    Piece("avengers", (1,), "1 if it has the Avengers tile"),
    Piece("reserved", (1,), "cards reserved"),
    Piece("fulfils_goal", (1,), "1 if it fulfils the goal now"),
    Piece("to_decide", (1,), "1 if it is to decide; 0 for all when the game is over"),
    Piece("began", (1,), "1 if it began the game"),
    Piece("blind", (3,), "1 for each reserved card that came unseen from a deck"),
    Piece(
        "reserve", (3, 16), "reserved cards, as in the market; of others only those reserved face up, unless the rules hide them"
    ),
)
CARD_SIZE, TILE_SIZE, SEAT_SIZE = (sum(piece.size for piece in part) for part in (CARD, TILE, SEAT))


def pieces(players: int) -> tuple[Piece, ...]:
    """Every number of an observation, in order."""
    return (
        Piece("stage", (4,), "one-hot: main, return, claim, over"),
        Piece("decks", (3,), "cards left in the decks of tier 1, 2, 3"),
        Piece("last_round", (1,), "1 if somebody fulfils the goal now"),
        Piece("goal", (1,), "points that end the game"),
        Piece("token_limit", (1,), "tokens allowed at the end of a turn"),
        Piece("hand_limit", (1,), "reserved cards allowed"),
        Piece("take_fewer", (1,), "1 if fewer than three may be taken by choice"),
        Piece("open_reserves", (1,), "1 if cards reserved face up stay shown"),
        Piece("passes", (1,), "passes in a row"),
        Piece("round", (1,), "rounds completed, at most 127"),
        Piece("game", (1,), "0 classic, 1 Marvel"),
        Piece("bank", (7,), "tokens in the bank: five colours, wild, Time"),
        Piece("players", (1,), "seats at the table"),
        Piece("market", (MARKET_SIZE, CARD_SIZE), "the face-up cards, tier 1 first, each as in the table of a card"),
        Piece("tiles", (MAX_TILES, TILE_SIZE), "the tiles by place, each as in the table of a tile"),
        Piece("seats", (players, SEAT_SIZE), "the seats, the own one first, then clockwise, each as in the table of a seat"),
    )


def places(parts: tuple[Piece, ...]) -> dict[str, tuple[int, Piece]]:
    """Where each piece begins."""
    found, start = {}, 0
    for piece in parts:
        found[piece.name] = (start, piece)
        start += piece.size
    return found


def named(row: NDArray[Any], parts: tuple[Piece, ...]) -> dict[str, NDArray[Any]]:
    """The pieces of an observation (or of one card, tile or seat in it) by name, as views in their shape."""
    return {
        name: row[..., start : start + piece.size].reshape(*row.shape[:-1], *piece.shape)
        for name, (start, piece) in places(parts).items()
    }


WORD = 8
BANK, MARKET = 2, 3
CARD_WORDS, TILE_WORDS, SEAT_WORDS = CARD_SIZE // WORD, TILE_SIZE // WORD, SEAT_SIZE // WORD
TILES = MARKET + MARKET_SIZE * CARD_WORDS
SEATS = TILES + MAX_TILES * TILE_WORDS
RESERVE_AT = 3
LAST_ROUND, OPEN = 7, 6
MASK_WORDS = 10

FACE = np.zeros((NONE + 1, CARD_WORDS), np.int64)
for _card in range(len(VARIANTS) * CARD_COUNT):
    FACE[_card, 0] = COST[_card] | POINTS[_card] << 40 | SYMBOLS[_card] << 48
    FACE[_card, 1] = BONUS[_card] | 1 << 8 * (4 + TIER[_card])
TILE_FACE = np.zeros(NONE + 1, np.int64)
for _tile in range(int(TILE_COUNT.sum())):
    TILE_FACE[_tile] = DEMAND[_tile] | TILE_POINTS[_tile] << 40 | 1 << 8 * OPEN
SPREAD = np.array([sum((byte >> bit & 1) << 8 * bit for bit in range(8)) for byte in range(256)], np.int64)
for _table in (FACE, TILE_FACE, SPREAD):
    _table.setflags(write=False)


def observation_size(players: int) -> int:
    """How many numbers an observation has."""
    return WORD * observation_words(players)


def observation_words(players: int) -> int:
    """The same in words of eight."""
    return SEATS + SEAT_WORDS * players


@kernel
def at(value: Any, place: Any) -> Any:
    """A number at one of the eight places of a word."""
    return np.int64(value) << np.int64(LANE_BITS * place)


@inlined
def write_table(state: State, out: Any) -> None:
    """The stage, the decks, the rules and the bank."""
    decks = at(state.deck_size[0], 4) | at(state.deck_size[1], 5) | at(state.deck_size[2], 6)
    out[0] = at(1, state.stage) | decks
    limits = at(state.goal, 0) | at(state.token_limit, 1) | at(state.hand_limit, 2)
    switches = at(state.take_fewer, 3) | at(state.open_reserves, 4)
    rounds: Any = min(np.int64(HIGHEST), np.int64(state.turns // state.players))
    out[1] = limits | switches | at(state.passes, 5) | at(rounds, 6) | at(state.variant, 7)
    out[BANK] = state.bank | at(state.players, 7)


@kernel
def means(state: State, seat: int) -> Any:
    """What a seat can pay with besides wild tokens: bonuses and coloured tokens together."""
    return (state.bonuses[seat] + state.tokens[seat]) & COLOURS


@kernel
def face_of(card: int, own: int, wild: int) -> Any:
    """A card's first word: its face, and how many tokens are missing for it with these means (for no card none)."""
    face = FACE[card, 0]
    return face | max(total(minus(face & COLOURS, own)) - wild, 0) << 56


@inlined
def write_market(state: State, seat: int, out: Any) -> None:
    """The face-up cards."""
    own, wild = means(state, seat), lane(state.tokens[seat], WILD)
    for slot in range(MARKET_SIZE):
        out[MARKET + CARD_WORDS * slot] = face_of(state.market[slot], own, wild)
        out[MARKET + CARD_WORDS * slot + 1] = FACE[state.market[slot], 1]


@kernel
def clockwise(state: State, seat: int, other: int) -> int:
    """How many places clockwise of one seat another sits."""
    return other - seat if other >= seat else other - seat + state.players


@inlined
def write_tiles(state: State, seat: int, out: Any) -> None:
    """The tiles, and who has them."""
    for place in range(MAX_TILES):
        word, owner = TILE_FACE[state.tiles[place]], state.tile_owner[place]
        if owner != NONE:
            word = (word & ~at(1, OPEN)) | at(clockwise(state, seat, owner) + 1, OPEN + 1)
        out[TILES + place] = word


@inlined
def write_reserve(state: State, owner: int, is_own: bool, out: Any, word: int) -> None:
    """The reserved cards; of a hidden one only the tier. Without a branch for each card: nobody can foretell which are hidden."""
    hidden, own, wild = hidden_cards(state, owner, is_own), means(state, owner), lane(state.tokens[owner], WILD)
    for i in range(MAX_RESERVED):
        card, shown = state.reserve[owner, i], (hidden >> i & 1) - 1
        out[word + CARD_WORDS * i] = face_of(card, own, wild) & shown
        out[word + CARD_WORDS * i + 1] = FACE[card, 1] & (shown | ~COLOURS)


@inlined
def write_seat(state: State, owner: int, is_own: bool, out: Any, word: int) -> None:
    """What lies in front of a seat; if it fulfils the goal, this is the last round."""
    is_last = fulfils_goal(state, owner)
    points, blind = min(np.int64(HIGHEST), np.int64(state.points[owner])), state.blind[owner]
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
def observe(state: State, seat: int, out: Any) -> None:
    """Everything this seat may know, into a row of words."""
    write_table(state, out)
    write_market(state, seat, out)
    write_tiles(state, seat, out)
    owner: Any = np.int64(seat)
    for i in range(state.players):
        write_seat(state, owner, i == 0, out, SEATS + SEAT_WORDS * i)
        owner = owner + 1 if owner + 1 < state.players else np.int64(0)


@inlined
def write_mask(stage: int, moves: int, out: Any) -> None:
    """The legal moves of a stage as 73 zeros and ones, into ten words; the last seven numbers are 0."""
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
def _observe_all(states: Any, seat: int, out: Any) -> None:
    for i in range(states.shape[0]):
        observe(states[i], seat if seat >= 0 else states[i].turn, out[i])


@kernel
def _mask_all(states: Any, out: Any) -> None:
    for i in range(states.shape[0]):
        write_mask(states[i].stage, legal(states[i]), out[i])


def blank_rows(count: int, players: int) -> NDArray[np.int64]:
    """Room for observations, as words."""
    return np.empty((count, observation_words(players)), np.int64)


def blank_masks(count: int) -> NDArray[np.int64]:
    """Room for action masks, as words."""
    return np.empty((count, MASK_WORDS), np.int64)


def numbers(words: NDArray[np.int64]) -> NDArray[np.int8]:
    """Rows of words as the int8 numbers they hold."""
    return words.view(np.int8)


def mask_numbers(words: NDArray[np.int64]) -> NDArray[np.int8]:
    """Rows of mask words as 73 numbers each."""
    return words.view(np.int8)[..., :ACTION_COUNT]


def observations(states: States, seat: int | None = None) -> NDArray[np.int8]:
    """A row a game, as this seat or (None) the seat to decide sees it. All games must have the same number of players."""
    rows = blank_rows(len(states), int(states["players"][0]))
    _observe_all(states, -1 if seat is None else seat, rows)
    return numbers(rows)


def action_masks(states: States) -> NDArray[np.int8]:
    """A row of 73 zeros and ones a game."""
    masks = blank_masks(len(states))
    _mask_all(states, masks)
    return mask_numbers(masks)
