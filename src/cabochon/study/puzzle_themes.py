"""Themes of a puzzle: what its move is about, by rules that look at the position and the move alone.

What somebody may buy, reach or claim is asked of the rules. A theme that a game has not got, such as the Gauntlet, never comes up
there: it asks for what the game says about itself, not for its name.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..events import Event, event_of, market_slot
from ..game import Game, reaches_goal
from ..notation.move import Move
from ..rules.actions import ACTIONS
from ..rules.gems import COLOUR_COUNT, unpack
from ..rules.state import MAIN
from ..rules.variants import CARDS
from ..view import View, sample, state_of

MIN_DENIED = 3  # points that a blocked card would bring
MAX_MISSING = 1  # things that the Gauntlet still lacks after a move of that theme
POINTS_NEAR_GOAL = 0.6  # the share of the goal's points from where on the Gauntlet is a theme


@dataclass(frozen=True)
class Story:
    """A position, a move in it, and what the rules say about both."""

    view: View
    move: Move

    @cached_property
    def game(self) -> Game:
        """After the move. What is hidden is drawn at random: no theme depends on it."""
        game = Game.from_states(sample(self.view, np.random.default_rng(0)))
        game.play(self.move)
        return game

    @cached_property
    def after(self) -> View:
        """What the seat sees after the move."""
        return self.game.view(self.view.turn)

    @cached_property
    def event(self) -> Event:
        """What the move did."""
        return event_of(self.view, self.after, self.move.action)

    @property
    def seat(self) -> int:
        """Who decides."""
        return self.view.turn

    @property
    def others(self) -> list[int]:
        """The other seats."""
        return [seat for seat in range(self.view.rules.players) if seat != self.seat]

    def wins(self) -> bool:
        """The move ends the game with a win, or reaches the goal."""
        if self.game.outcome is not None:
            return self.seat in self.game.outcome.winners
        return reaches_goal(self.after, self.seat) and not reaches_goal(self.view, self.seat)

    def blocks(self) -> bool:
        """The move takes a card from the market that another seat can pay, worth MIN_DENIED points or the goal to it."""
        slot = market_slot(self.move.action)
        if slot is None:
            return False
        place = f"{slot[0] + 1}{'abcd'[slot[1]]}"
        return any(self.gains(seat, f"buy {place}") for seat in self.others)

    def gains(self, seat: int, purchase: str) -> bool:
        """Whether a purchase by this seat now would bring MIN_DENIED points or the goal."""
        game = turn_of(self.view, seat)
        if purchase not in map(str, game.legal_moves()):
            return False
        game.play(purchase)
        points = game.points[seat] - self.view.seats[seat].points
        return points >= MIN_DENIED or game.stage == "claim" or reaches_goal(game.position(), seat)

    def races(self) -> bool:
        """Another seat has reached the goal, or can reach it with its next purchase."""
        return any(reaches_goal(self.view, seat) or can_reach_goal(self.view, seat) for seat in self.others)

    def brings_tile(self) -> bool:
        """A tile comes, or is chosen."""
        return self.event.tile is not None or "claim" in (self.view.stage, self.after.stage)

    def reserves(self) -> bool:
        """A card is reserved."""
        return self.move.kind == "reserve"

    def completes_gauntlet(self) -> bool:
        """Near the goal, the move brings a kind that the goal asks for besides points; at most MAX_MISSING are missing then."""
        missing, left = self.missing(self.view), self.missing(self.after)
        near = self.after.seats[self.seat].points >= POINTS_NEAR_GOAL * (self.view.rules.goal or 0)
        return left < missing and left <= MAX_MISSING and near

    def missing(self, view: View) -> int:
        """How many kinds the goal asks for besides points, and the seat has not got."""
        area, asked = view.seats[self.seat], unpack(view.rules.row.gauntlet)
        has = (*area.bonuses, *area.tokens[COLOUR_COUNT:])
        return sum(bool(wanted) and not own for wanted, own in zip(asked, has, strict=False))

    def is_about_avengers(self) -> bool:
        """The Avengers tile comes, or whoever holds it buys a card with another symbol."""
        more = self.after.seats[self.seat].symbols > self.view.seats[self.seat].symbols
        return self.event.avengers or (self.view.avengers == self.seat and more)

    def wins_time(self) -> bool:
        """Tokens or a purchase make it possible to pay a card with points that could not be paid before."""
        if self.reserves():
            return False
        before, after = (payable(view, self.seat) for view in (self.view, self.after))
        known = {card for card in after - before if card in cards_in_sight(self.view, self.seat)}
        return any(CARDS[self.view.rules.variant][card - 1].points for card in known)


THEMES: dict[str, Callable[[Story], bool]] = {
    "win": Story.wins,
    "block": Story.blocks,
    "race": Story.races,
    "tile": Story.brings_tile,
    "reserve": Story.reserves,
    "gauntlet": Story.completes_gauntlet,
    "avengers": Story.is_about_avengers,
    "tempo": Story.wins_time,
}


def themes_of(view: View, move: Move) -> tuple[str, ...]:
    """The themes of a move, in the order of THEMES. A move without another theme is about tempo."""
    story = Story(view, move)
    return tuple(name for name, applies in THEMES.items() if applies(story)) or ("tempo",)


def turn_of(view: View, seat: int) -> Game:
    """The game as if it were this seat's turn. What the seat to decide does not know is drawn at random."""
    turns = view.turns + (seat - view.turn) % view.rules.players
    states = sample(view, np.random.default_rng(0))
    states["turn"], states["turns"], states["stage"] = seat, turns, MAIN
    return Game.from_states(states)


def known_purchases(view: View, seat: int, game: Game) -> list[Move]:
    """The purchases of a seat, of cards that the view shows."""
    reserve = view.seats[seat].reserve
    hidden = {f"buy @{i}" for i, held in enumerate(reserve, 1) if held.card is None}
    return [move for move in game.legal_moves() if ACTIONS[move.action].is_purchase and str(move) not in hidden]


def can_reach_goal(view: View, seat: int) -> bool:
    """Whether a seat, if it were its turn, could reach the goal with a purchase that the view shows."""
    game = turn_of(view, seat)
    for move in known_purchases(view, seat, game):
        game.play(move)
        reached = reaches_goal(game.position(), seat) or (game.stage == "claim" and bool(view.rules.row.goal_tiles))
        game.undo()
        if reached:
            return True
    return False


def cards_in_sight(view: View, seat: int) -> set[int]:
    """The cards that a seat could buy if it could pay them."""
    market = {card for row in view.market for card in row if card is not None}
    return market | {held.card for held in view.seats[seat].reserve if held.card is not None}


def payable(view: View, seat: int) -> set[int]:
    """The cards in sight that a seat could pay, if it were its turn."""
    game = Game.from_states(state_of(replace(view, turn=seat, stage="main")))
    market = [card for row in view.market for card in row]
    reserve = [held.card for held in view.seats[seat].reserve]
    found = set()
    for move in known_purchases(view, seat, game):
        kind, place = ACTIONS[move.action]
        card = market[place] if kind.size == len(market) else reserve[place]
        if card is not None:
            found.add(card)
    return found
