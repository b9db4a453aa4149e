"""Setting up a game by the ruleset the record carries."""

from .cards import (
    CARD_START,
    DECK_SIZE,
    DECK_START,
    NONE,
    TILE_COUNT,
    TILE_FACES,
    TILE_START,
    TILES_DEALT,
    TIME_COUNT,
    TOKENS_EACH,
    WILD_COUNT,
)
from .compile import kernel
from .gems import ONE_EACH, ONE_TIME, ONE_WILD
from .reserving import refill
from .rng import below, seeded, stir
from .state import MAIN, MARKET_SIZE, MAX_SEATS, MAX_TILES, State

FEWEST_PLAYERS = 2
ANY_START = -1  # in place of a start seat: a random one


@kernel
def supply(variant: int, players: int) -> int:
    """The tokens in the game."""
    row = players - FEWEST_PLAYERS
    return TOKENS_EACH[variant, row] * ONE_EACH + WILD_COUNT[variant] * ONE_WILD + TIME_COUNT[variant, row] * ONE_TIME


@kernel
def clear_table(state: State) -> None:
    """All tokens in the bank, no cards with anybody, the start seat to play."""
    state.bank = supply(state.variant, state.players)
    for seat in range(MAX_SEATS):
        state.tokens[seat] = 0
        state.bonuses[seat] = 0
        state.tableau[seat, 0] = 0
        state.tableau[seat, 1] = 0
        state.points[seat] = 0
        state.bought[seat] = 0
        state.reserved[seat] = 0
        state.blind[seat] = 0
        state.symbols[seat] = 0
        for i in range(3):
            state.reserve[seat, i] = NONE
    for place in range(MAX_TILES):
        state.tiles[place] = NONE
        state.tile_owner[place] = NONE
    state.avengers = NONE
    state.turn = state.start
    state.turns = 0
    state.passes = 0
    state.reason = 0
    state.stage = MAIN


@kernel
def shuffle_deck(state: State, tier: int, rng: int) -> int:
    """A tier's cards in random order."""
    first, size = DECK_START[tier], DECK_SIZE[tier]
    for i in range(size):
        state.deck[first + i] = CARD_START[state.variant] + first + i
    for i in range(size - 1, 0, -1):
        rng = stir(rng)
        j = below(rng, i + 1)
        card = state.deck[first + i]
        state.deck[first + i] = state.deck[first + j]
        state.deck[first + j] = card
    state.deck_size[tier] = size
    return rng


@kernel
def lay_out_tiles(state: State, rng: int) -> int:
    """As many different tiles as the players ask for, each with a random face up."""
    variant = state.variant
    faces = TILE_FACES[variant]
    used = 0
    place = 0
    while place < TILES_DEALT[variant, state.players - FEWEST_PLAYERS]:
        rng = stir(rng)
        face = below(rng, TILE_COUNT[variant])
        tile = face // faces
        if used >> tile & 1 == 0:
            used |= 1 << tile
            state.tiles[place] = TILE_START[variant] + face
            place += 1
    return rng


@kernel
def turn_up_market(state: State) -> None:
    """Four cards of each tier face up."""
    for slot in range(MARKET_SIZE):
        refill(state, slot)


@kernel
def deal(state: State, seed: int) -> None:
    """A new game for this seed. Variant, players, start seat and house rules are those the record already holds."""
    clear_table(state)
    rng = seeded(seed)
    for tier in range(3):
        rng = shuffle_deck(state, tier, rng)
    lay_out_tiles(state, rng)
    turn_up_market(state)


@kernel
def random_start(seed: int, players: int) -> int:
    """The start player is random."""
    return below(stir(seeded(~seed)), players)


@kernel
def deal_from(state: State, seed: int, start: int) -> None:
    """A new game for this seed, begun by this seat or, with ANY_START, by a random one."""
    state.start = random_start(seed, state.players) if start == ANY_START else start
    deal(state, seed)
