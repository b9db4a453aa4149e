# mypy: warn-return-any=False
"""What can be proven about a move: bounds on the share of the victory, by looking at every line of the next few turns.

It shares nothing with the search but the rules. From a view in which nobody else's card is hidden it looks at every move with
every payment and every return, and where a card is turned up at every card that may come, each equally likely. A share is 1 for
a win, 1/n for a victory shared by n, else 0. Lines that go on past the horizon count as 0 in a lower bound and as 1 in an upper
bound. So for every move of the seat to decide

    lower bound <= what the move is worth with best play from then on <= upper bound

Two players play against each other: the opponent takes the least. With three or four the lower bound lets all others play
against the seat, and the upper bound lets all of them help it: the bounds hold whatever the others do.

A card reserved blind is known to its owner only. Where that would help the owner's side of a bound it is treated as known to
all, which can only make the bound wider; where it would help the other side the card stays undecided until its owner is to
decide again, and is then the one that makes the bound widest.

Cut-offs are those of alpha and beta, at chance nodes too (star 1): what lies below the window that is asked for is still an upper
bound of the bound, what lies above it a lower one. What does not matter is not looked at: in the last turn before the horizon
tokens, payments and the card turned up, since whether the game is over and who has won does not depend on them.
"""

from typing import Any

import numpy as np

from ..game import Game
from ..notation.move import Move
from ..rules.actions import BUY, FIRST_ACTION, PASS, RESERVE_DECK, card_bought, deck_drawn_from
from ..rules.buying import COLOURS_FIRST
from ..rules.cards import DECK_START, NONE
from ..rules.compile import kernel
from ..rules.ending import rank
from ..rules.gems import COLOUR_COUNT, LANE_BITS, WILD, lane, minus, total
from ..rules.paying import colours_first, pays, price
from ..rules.play import after_action, legal, play
from ..rules.reserving import draw, take_wild
from ..rules.state import MAIN, OVER, RETURN, State, state_t

DEEPEST = 64
MOST_PAYMENTS = 256
TWO_PLAYERS = 2
LONG_DECK = 5  # cards: a shorter deck might run out where one of them is undecided
LOWER_BOUND, UPPER_BOUND = 0, 1
TIER_BITS, TIER_MASK = 2, 0b11  # of each seat in the first spare byte of the record
ME, LAST, UPPER, ONLY, LEFT, TASK = range(
    6
)  # places in a task: seat, turns at the horizon, which bound, first action, effort left
EFFORT = 20_000_000
SURE = 1e-9
UNKNOWN = -1.0

frame_t = np.dtype(
    [
        ("alpha", "f8"),
        ("beta", "f8"),
        ("best", "f8"),  # of the choices so far
        ("found", "f8"),  # the sum over the cards so far
        ("mask", "i8"),  # moves to look at
        ("bit", "i8"),  # the move, or the undecided card
        ("way", "i8"),  # of paying
        ("ways", "i8"),
        ("card", "i8"),  # turned up
        ("cards", "i8"),
        ("hopes", "i8"),  # whether the choice is the one that is best for the seat
        ("decides_card", "i8"),  # whether an undecided card is chosen, not a move
        ("undecided", "i8"),  # whether the move reserves one
        ("done", "i8"),
    ],
    align=True,
)


@kernel
def share(state: State, seat: int) -> float:
    """The part of the victory that is this seat's."""
    winners = 0
    for other in range(state.players):
        winners += rank(state, other) == 1
    return 1.0 / winners if rank(state, seat) == 1 else 0.0


@kernel
def tier_drawn(state: State, action: int) -> int:
    """The tier (from 0) of the card an action of the main stage turns up; -1 if there is none."""
    tier = deck_drawn_from(action)
    return tier if tier >= 0 and state.deck_size[tier] > 0 else -1


@kernel
def put_on_top(state: State, tier: int, i: int) -> None:
    """The i-th card of a deck changes places with the top."""
    at, top = DECK_START[tier] + i, DECK_START[tier] + state.deck_size[tier] - 1
    card = state.deck[at]
    state.deck[at] = state.deck[top]
    state.deck[top] = card


@kernel
def undecided_tier(state: Any, seat: int) -> int:
    """The tier (from 1) of a seat's card that is not decided yet; 0 if there is none."""
    return state.spare[0] >> TIER_BITS * seat & TIER_MASK


@kernel
def reserve_undecided(state: Any, tier: int) -> None:
    """Reserve blind; which card it is stays open, so none leaves the deck. Nobody can buy it, and `spare` says its tier."""
    seat = state.turn
    state.blind[seat] |= 1 << state.reserved[seat]
    state.reserve[seat, state.reserved[seat]] = NONE
    state.reserved[seat] += 1
    state.spare[0] |= tier + 1 << TIER_BITS * seat
    state.passes = 0
    take_wild(state)
    after_action(state)


@kernel
def decide_card(state: Any, i: int) -> None:
    """The card reserved blind by the seat to decide was the i-th of its deck."""
    seat = state.turn
    tier = undecided_tier(state, seat) - 1
    put_on_top(state, tier, i)
    state.reserve[seat, state.reserved[seat] - 1] = draw(state, tier)
    state.spare[0] ^= tier + 1 << TIER_BITS * seat


@kernel
def list_payments(state: State, action: int, payments: Any) -> int:
    """Every way to pay for a card, colours first at the beginning; how many there are."""
    seat = state.turn
    card = card_bought(state, action)
    due = price(state, seat, card)
    payments[0] = colours_first(state, seat, due)
    if due == 0 or lane(state.tokens[seat], WILD) == 0:
        return 1
    count, most = 1, due - minus(due, state.tokens[seat])
    paid = 0
    while True:
        payment = paid + (total(due) - total(paid) << LANE_BITS * WILD)
        if payment != payments[0] and pays(state, seat, due, payment) and count < MOST_PAYMENTS:
            payments[count] = payment
            count += 1
        colour = 0
        while colour < COLOUR_COUNT and lane(paid, colour) == lane(most, colour):
            paid -= lane(paid, colour) << LANE_BITS * colour
            colour += 1
        if colour == COLOUR_COUNT:
            return count
        paid += 1 << LANE_BITS * colour


@kernel
def worth_a_look(state: State, task: Any, level: int, least: int) -> int:
    """The legal moves as a mask, without those that come to the same as another."""
    mask, is_last = legal(state), state.turns + 1 >= task[LAST]
    if level == 0:
        return mask & 1 << task[ONLY] - FIRST_ACTION[state.stage]
    if state.stage == RETURN:
        mask = mask >> least << least
        return mask & -mask if is_last else mask
    if state.stage == MAIN and is_last:
        buys = mask >> BUY << BUY
        rest = mask - buys
        return buys | rest & -rest
    return mask


@kernel
def enter(stack: Any, frames: Any, level: int, task: Any, least: int, alpha: float, beta: float) -> float:
    """Begin with the record on this level: its bound if that needs no look ahead, else UNKNOWN and a frame to work through."""
    state, upper = stack[level], task[UPPER]
    if state.stage == OVER:
        return share(state, task[ME])
    if (state.stage == MAIN and state.turns >= task[LAST]) or task[LEFT] <= 0:
        return 1.0 * upper
    task[LEFT] -= 1
    frame = frames[level]
    frame.alpha, frame.beta, frame.done = alpha, beta, 0
    frame.way = frame.ways = frame.card = frame.cards = 0
    frame.decides_card = state.stage == MAIN and undecided_tier(state, state.turn) != 0
    if frame.decides_card != 0:
        frame.hopes = upper
        frame.bit = state.deck_size[undecided_tier(state, state.turn) - 1]
    else:
        frame.hopes = state.turn == task[ME] or (upper == 1 and state.players > TWO_PLAYERS)
        frame.bit = PASS + 1
        frame.mask = worth_a_look(state, task, level, least)
    frame.best = 0.0 if frame.hopes != 0 else 1.0
    return UNKNOWN


@kernel
def next_choice(state: State, frame: Any, payments: Any, level: int, task: Any) -> bool:
    """Go on to the next payment, move or undecided card, if there is one."""
    frame.way += 1
    if frame.way < frame.ways:
        return True
    frame.way, frame.ways, frame.cards = 0, 1, 1
    frame.bit -= 1
    if frame.decides_card != 0:
        return frame.bit >= 0
    while frame.bit >= 0 and frame.mask >> frame.bit & 1 == 0:
        frame.bit -= 1
    if frame.bit < 0:
        return False
    action, is_last, mine = FIRST_ACTION[state.stage] + frame.bit, state.turns + 1 >= task[LAST], state.turn == task[ME]
    payments[0] = COLOURS_FIRST
    if BUY <= action < PASS and not is_last and (level > 0 or task[UPPER] == 1):
        frame.ways = list_payments(state, action, payments)
    against_me = not mine and task[UPPER] == 0
    for_me = mine and task[UPPER] == 1 and state.players == TWO_PLAYERS
    frame.undecided = RESERVE_DECK <= action < BUY and (against_me or for_me)
    tier = tier_drawn(state, action)
    if tier >= 0 and not is_last and frame.undecided == 0:
        frame.cards = state.deck_size[tier]
    return True


@kernel
def next_child(stack: Any, frames: Any, payments: Any, level: int, task: Any) -> bool:
    """Lay the next record to look at on the level above, if there is one."""
    frame = frames[level]
    frame.card += 1
    if frame.card >= frame.cards:
        frame.card, frame.found = 0, 0.0
        if frame.done != 0 or not next_choice(stack[level], frame, payments[level], level, task):
            return False
    stack[level + 1] = stack[level]
    child = stack[level + 1]
    if frame.decides_card != 0:
        decide_card(child, frame.bit)
        return True
    action = FIRST_ACTION[child.stage] + frame.bit
    tier = tier_drawn(child, action)
    if frame.undecided != 0:
        if child.deck_size[tier] < LONG_DECK:
            child.turns = task[LAST]
        else:
            reserve_undecided(child, tier)
        return True
    if frame.cards > 1:
        put_on_top(child, tier, frame.card)
    play(child, action, payments[level, frame.way])
    return True


@kernel
def receive(frame: Any, value: float, is_over: bool) -> None:
    """Add what a child is worth. A game that is over does not depend on the card; enough may be known after a few cards."""
    rest = frame.cards - 1 - frame.card
    low, high = frame.alpha * frame.cards - frame.found - rest, frame.beta * frame.cards - frame.found
    if is_over:
        frame.found, rest = value * frame.cards, 0
    elif value >= high:
        frame.found, rest = frame.found + value, 0
    elif value <= low:
        frame.found, rest = frame.found + value + rest, 0
    else:
        frame.found += value
    if rest > 0:
        return
    frame.card = frame.cards
    mean = frame.found / frame.cards
    if frame.hopes != 0:
        frame.best = max(frame.best, mean)
        frame.alpha = max(frame.alpha, frame.best)
        frame.done = frame.best >= min(frame.beta, 1.0)
    else:
        frame.best = min(frame.best, mean)
        frame.beta = min(frame.beta, frame.best)
        frame.done = frame.best <= max(frame.alpha, 0.0)
    if frame.done != 0:
        frame.ways = 0


@kernel
def bound(stack: Any, frames: Any, payments: Any, task: Any, alpha: float, beta: float) -> float:
    """A bound on the seat's share from the record at the bottom of the stack. Numba cannot keep a recursive function on disk."""
    level, value = 0, enter(stack, frames, 0, task, 0, alpha, beta)
    while level >= 0:
        if value != UNKNOWN:
            level -= 1
            if level >= 0:
                receive(frames[level], value, stack[level + 1].stage == OVER)
        if level >= 0:
            frame = frames[level]
            value = frame.best
            if next_child(stack, frames, payments, level, task):
                rest = frame.cards - 1 - frame.card
                low, high = frame.alpha * frame.cards - frame.found - rest, frame.beta * frame.cards - frame.found
                least = frame.bit if stack[level].stage == RETURN and stack[level + 1].stage == RETURN else 0
                level += 1
                value = enter(stack, frames, level, task, least, low, high)
    return value


class Prover:
    """Bounds for the moves of one position, looking at a number of turns."""

    def __init__(self, game: Game, turns: int, effort: int = EFFORT) -> None:
        assert not any(game.state["blind"]), "somebody holds a card that others have not seen"
        self.game, self.turns, self.effort = game, turns, effort
        self.stack, self.frames = np.zeros(DEEPEST, state_t), np.zeros(DEEPEST, frame_t)
        self.payments = np.zeros((DEEPEST, MOST_PAYMENTS), np.int64)
        self.spent = 0

    def _bound(self, move: Move, upper: int, alpha: float, beta: float) -> float:
        task = np.array([self.game.turn, int(self.game.state["turns"]) + self.turns, upper, move.action, self.effort], np.int64)
        self.stack[0] = self.game.state
        value = float(bound(self.stack, self.frames, self.payments, task, alpha, beta))
        self.spent += self.effort - int(task[LEFT])
        return value

    def lower(self, move: Move, alpha: float = 0.0, beta: float = 1.0) -> float:
        """The share this move makes sure of, colours paid first."""
        return self._bound(move, LOWER_BOUND, alpha, beta)

    def upper(self, move: Move, alpha: float = 0.0, beta: float = 1.0) -> float:
        """The most this move can bring, whatever it is paid with."""
        return self._bound(move, UPPER_BOUND, alpha, beta)


# A move that is provably better than every other.

FURTHEST = 3  # turns looked ahead
PROVING_EFFORT = 200_000  # positions for each bound: what takes longer is left out
CLEAR = 0.15  # of the victory: by how much the best move must be better
WORTH_IT = 0.3  # what it must make sure of; or every other move loses for certain


def proven_best(game: Game, effort: int = PROVING_EFFORT) -> Move | None:
    """The one move that is provably better than every other, by the shortest look ahead that is enough; None if there is none.

    Either it makes sure of more than any other move can bring, by CLEAR at least; or every other move loses for certain, and it
    does not within the horizon.
    """
    if any(game.state["blind"]):
        return None
    return next((best for turns in range(1, FURTHEST + 1) if (best := _best_within(game, turns, effort))), None)


def _best_within(game: Game, turns: int, effort: int) -> Move | None:
    prover, moves = Prover(game, turns, effort), game.legal_moves()
    lower = {move: prover.lower(move) for move in moves}
    best = max(moves, key=lambda move: lower[move])
    sure = lower[best]
    if sure < SURE:
        alive = [move for move in moves if prover.upper(move, 0.0, SURE) >= SURE]
        return alive[0] if len(alive) == 1 else None
    if sure < WORTH_IT:
        return None
    limit = sure - CLEAR
    return best if all(prover.upper(move, 0.0, limit) < limit for move in moves if move != best) else None
