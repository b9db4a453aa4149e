"""Nobles and locations."""

from .actions import CLAIM_TILE
from .bits import lowest_bit
from .cards import DEMAND, NONE, TILE_POINTS
from .compile import kernel
from .gems import minus
from .state import MAX_TILES, State


@kernel
def coming(state: State) -> int:
    """A bit for each unclaimed tile whose demand the seat's bonuses meet."""
    bonuses = state.bonuses[state.turn]
    places = 0
    for place in range(MAX_TILES):
        if minus(DEMAND[state.tiles[place]], bonuses) == 0 and state.tile_owner[place] == NONE:
            places |= 1 << place
    return places


@kernel
def several(places: int) -> bool:
    """More than one bit is set."""
    return places & (places - 1) != 0


@kernel
def welcome(state: State, place: int) -> None:
    """The tile goes to the seat and is not replaced."""
    state.tile_owner[place] = state.turn
    state.points[state.turn] += TILE_POINTS[state.tiles[place]]


@kernel
def claim(state: State, action: int) -> None:
    """Of several tiles that would come, the chosen one comes."""
    welcome(state, action - CLAIM_TILE)


@kernel
def welcome_only(state: State, places: int) -> None:
    """A single tile comes by itself; it cannot be refused."""
    if places != 0:
        welcome(state, lowest_bit(places))
