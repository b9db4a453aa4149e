"""The record: a whole game, hidden cards included, in 312 bytes.

    byte  size  field          what it is
       0     8  bank           gems in the common supply
       8    32  tokens[4]      gems held, by seat
      40    32  bonuses[4]     permanent discounts, by seat
      72    64  tableau[4][2]  bought cards as a bit set over card numbers 1-64 and 65-90, by seat
     136     8  gauntlet       what the goal asks besides points: one bonus of each colour and a Time token, or nothing
     144     4  turns          turns completed
     148    90  deck           the three decks one after the other (40, 30, 20); the top is the last of `deck_size`
     238    12  market         face-up cards, four a tier
     250    12  reserve[4][3]  reserved cards, by seat
     262     3  deck_size[3]   cards left in each deck
     265     5  tiles[5]       tiles on the table, by place
     270     5  tile_owner[5]  the seat a tile went to
     275     4  points[4]
     279     4  bought[4]      cards bought
     283     4  reserved[4]    cards reserved now
     287     4  blind[4]       a bit for each reserved card that came unseen from a deck and was not shown since
     291     4  symbols[4]     Avengers symbols
     295     1  avengers       the seat with the Avengers tile
     296     1  variant        row of VARIANTS
     297     1  players
     298     1  start          the seat that began
     299     1  turn           the seat to decide
     300     1  stage          MAIN, RETURN, CLAIM or OVER
     301     1  passes         passes in a row in which no tile came
     302     1  reason         why the game is over: GOAL or STALEMATE
     303     1  goal           points that end the game
     304     1  token_limit    tokens at the end of a turn
     305     1  hand_limit     reserved cards
     306     1  take_fewer     house rule: fewer than three by choice
     307     1  open_reserves  cards reserved face-up stay shown
     308     1  goal_tiles     tiles that the goal asks for
     309     3  spare          always zero: named, because NumPy does not copy bytes between fields

A card, tile or seat that is not there is NONE (255). The ruleset (from `gauntlet` and `goal` on) lies in the record, so a
rule asks `state.token_limit` and never which game is played.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

MAX_SEATS = 4
MARKET_SIZE = 12
SLOTS_PER_TIER = 4
MAX_RESERVED = 3
MAX_TILES = 5

MAIN, RETURN, CLAIM, OVER = range(4)
STAGES = ("main", "return", "claim", "over")
GOAL, STALEMATE = 1, 2
REASONS = ("", "goal", "stalemate")

state_t = np.dtype(
    [
        ("bank", "i8"),
        ("tokens", "i8", MAX_SEATS),
        ("bonuses", "i8", MAX_SEATS),
        ("tableau", "i8", (MAX_SEATS, 2)),
        ("gauntlet", "i8"),
        ("turns", "i4"),
        ("deck", "u1", 90),
        ("market", "u1", MARKET_SIZE),
        ("reserve", "u1", (MAX_SEATS, MAX_RESERVED)),
        ("deck_size", "u1", 3),
        ("tiles", "u1", MAX_TILES),
        ("tile_owner", "u1", MAX_TILES),
        ("points", "u1", MAX_SEATS),
        ("bought", "u1", MAX_SEATS),
        ("reserved", "u1", MAX_SEATS),
        ("blind", "u1", MAX_SEATS),
        ("symbols", "u1", MAX_SEATS),
        ("avengers", "u1"),
        ("variant", "u1"),
        ("players", "u1"),
        ("start", "u1"),
        ("turn", "u1"),
        ("stage", "u1"),
        ("passes", "u1"),
        ("reason", "u1"),
        ("goal", "u1"),
        ("token_limit", "u1"),
        ("hand_limit", "u1"),
        ("take_fewer", "u1"),
        ("open_reserves", "u1"),
        ("goal_tiles", "u1"),
        ("spare", "u1", 3),
    ],
    align=True,
)


class State(Protocol):
    """One record, as the rules see it (for readers and type checkers; at run time it is an element of a NumPy array)."""

    bank: int
    tokens: NDArray[np.int64]
    bonuses: NDArray[np.int64]
    tableau: NDArray[np.int64]
    gauntlet: int
    turns: int
    deck: NDArray[np.uint8]
    market: NDArray[np.uint8]
    reserve: NDArray[np.uint8]
    deck_size: NDArray[np.uint8]
    tiles: NDArray[np.uint8]
    tile_owner: NDArray[np.uint8]
    points: NDArray[np.uint8]
    bought: NDArray[np.uint8]
    reserved: NDArray[np.uint8]
    blind: NDArray[np.uint8]
    symbols: NDArray[np.uint8]
    avengers: int
    variant: int
    players: int
    start: int
    turn: int
    stage: int
    passes: int
    reason: int
    goal: int
    token_limit: int
    hand_limit: int
    take_fewer: int
    open_reserves: int
    goal_tiles: int
