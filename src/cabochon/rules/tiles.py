"""Nobles, locations and cities: when they come."""

from .actions import CLAIM_TILE
from .bits import lowest_bit
from .cards import NONE
from .compile import kernel
from .gems import COLOUR_COUNT, lane, minus, total
from .printed import demand_of, other_of, prestige_of, tile_points_of
from .state import MAX_TILES, State


@kernel
def most_of_another_colour(tile: int, bonuses: int) -> int:
    """The most bonuses of one single colour that the tile's demand does not name."""
    demand, most = demand_of(tile), 0
    for colour in range(COLOUR_COUNT):
        if lane(demand, colour) == 0:
            most = max(most, lane(bonuses, colour))
    return most


@kernel
def bonuses_missing(tile: int, bonuses: int) -> int:
    """How many bonuses are missing for a tile."""
    short, other = total(minus(demand_of(tile), bonuses)), other_of(tile)
    if other != 0:
        short += max(0, other - most_of_another_colour(tile, bonuses))
    return short


@kernel
def comes_to(tile: int, bonuses: int, points: int) -> bool:
    """Whether these bonuses and points are what a tile asks for. The demand is looked at first: it is rarely met."""
    if minus(demand_of(tile), bonuses) != 0 or points < prestige_of(tile):
        return False
    other = other_of(tile)
    return other == 0 or most_of_another_colour(tile, bonuses) >= other


@kernel
def coming(state: State) -> int:
    """A bit for each unclaimed tile that the seat has enough bonuses and points for."""
    bonuses, points = state.bonuses[state.turn], state.points[state.turn]
    places = 0
    for place in range(MAX_TILES):
        if comes_to(state.tiles[place], bonuses, points) and state.tile_owner[place] == NONE:
            places |= 1 << place
    return places


@kernel
def any_comes_to(state: State, bonuses: int, points: int) -> bool:
    """Whether these bonuses and points would bring a tile that is still on the table."""
    for place in range(MAX_TILES):
        if comes_to(state.tiles[place], bonuses, points) and state.tile_owner[place] == NONE:
            return True
    return False


@kernel
def tiles_of(state: State, seat: int) -> int:
    """How many tiles a seat has."""
    count = 0
    for place in range(MAX_TILES):
        count += state.tile_owner[place] == seat
    return count


@kernel
def several(places: int) -> bool:
    """More than one bit is set."""
    return places & (places - 1) != 0


@kernel
def welcome(state: State, place: int) -> None:
    """The tile goes to the seat and is not replaced. It changes the game, so passes are counted anew."""
    state.tile_owner[place] = state.turn
    state.passes = 0
    state.points[state.turn] += tile_points_of(state.tiles[place])


@kernel
def claim(state: State, action: int) -> None:
    """Of several tiles that would come, the chosen one comes."""
    welcome(state, action - CLAIM_TILE)


@kernel
def welcome_only(state: State, places: int) -> None:
    """A single tile comes by itself; it cannot be refused."""
    if places != 0:
        welcome(state, lowest_bit(places))
