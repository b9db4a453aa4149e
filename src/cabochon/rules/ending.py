"""The end of a turn, of a round and of the game, and who has won."""

from .compile import kernel
from .gems import TIME_LANE, minus
from .state import GOAL, MAIN, OVER, STALEMATE, State
from .tiles import tiles_of

MOST_CARDS = 127


@kernel
def fulfils_goal(state: State, seat: int) -> bool:
    """Points enough and, where the goal asks for it, a bonus of each colour and a Time token, or a tile."""
    held = state.bonuses[seat] + (state.tokens[seat] & TIME_LANE)
    if state.points[seat] < state.goal or minus(state.gauntlet, held) != 0:
        return False
    return state.goal_tiles == 0 or tiles_of(state, seat) >= state.goal_tiles


@kernel
def goal_reached(state: State) -> bool:
    """Somebody fulfils the goal now; at the end of a round this ends the game."""
    for seat in range(state.players):
        if fulfils_goal(state, seat):
            return True
    return False


@kernel
def end_game(state: State, reason: int) -> None:
    """No more moves."""
    state.stage = OVER
    state.reason = reason


@kernel
def end_turn(state: State) -> None:
    """The next seat is to play, unless the round is complete and the goal reached, or all passed in a row and no tile came."""
    state.turns += 1
    seat = state.turn + 1
    if seat == state.players:
        seat = 0
    state.turn = seat
    state.stage = MAIN
    if seat == state.start and goal_reached(state):
        end_game(state, GOAL)
    elif state.passes >= state.players:
        end_game(state, STALEMATE)


@kernel
def standing(state: State, seat: int) -> int:
    """A number to rank by: the goal fulfilled, points, the Avengers tile, fewest bought cards."""
    score = fulfils_goal(state, seat) << 8 | state.points[seat]
    return (score << 1 | (state.avengers == seat)) * (MOST_CARDS + 1) + MOST_CARDS - state.bought[seat]


@kernel
def rank(state: State, seat: int) -> int:
    """1 for the best; equals share a rank."""
    mine, better = standing(state, seat), 0
    for other in range(state.players):
        if standing(state, other) > mine:
            better += 1
    return better + 1
