"""What a move did: the card, the card turned up, tiles, tokens, the Avengers tile, and what others may not know of it.

The one place that reads this from two views. The log of the server, the sentences of the terminal, records and environments
are all made from it. Any viewer's views will do: an event holds no more than they show.
"""

from dataclasses import dataclass

from .rules.actions import ACTIONS, BUY, BUY_RESERVED, PASS, RESERVE, RESERVE_DECK
from .rules.gems import TIME
from .rules.state import SLOTS_PER_TIER
from .view import View


def market_slot(action: int) -> tuple[int, int] | None:
    """The tier and place (from 0) that a move takes a face-up card from."""
    if RESERVE <= action < RESERVE_DECK:
        return divmod(action - RESERVE, SLOTS_PER_TIER)
    if BUY <= action < BUY_RESERVED:
        return divmod(action - BUY, SLOTS_PER_TIER)
    return None


def drawn_tier(action: int) -> int | None:
    """The tier (from 0) of the deck whose top card a move reserves unseen."""
    return action - RESERVE_DECK if RESERVE_DECK <= action < BUY else None


def reserve_place(action: int) -> int | None:
    """The place (from 0) in the own reserve that a move buys from."""
    return action - BUY_RESERVED if BUY_RESERVED <= action < PASS else None


@dataclass(frozen=True, slots=True)
class Event:
    """What one move did, as far as a viewer saw it. Cards and tiles are printed numbers."""

    seat: int
    action: int
    card: int | None
    """The card bought or reserved; None if there is none, or the viewer did not see it."""
    turned_up: int | None
    """The card that took its place in the market."""
    is_hidden: bool
    """Only the seat itself may know `card` afterwards: drawn unseen, or reserved where reserves lie face down."""
    reveals: bool
    """Somebody learned a card that was hidden before: after that a move is not taken back without asking."""
    shown: tuple[int, ...]
    """The cards that a forced pass has shown and others had not in sight before, as far as the viewer can tell."""
    tile: int | None
    """The tile that came, by itself or because it was chosen."""
    tile_place: int | None
    """Where it lay, from 0."""
    tokens: tuple[int, ...]
    """By how many the seat's tokens changed, lane by lane: taken is positive, paid and returned negative."""
    avengers: bool
    """The Avengers tile came to the seat."""
    avengers_from: int | None
    """Who had it before; None if it lay in the middle, or did not move."""

    @property
    def gems(self) -> tuple[int, ...]:
        """The tokens taken, paid or returned. A Time token that comes with a purchase is none of these."""
        if ACTIONS[self.action].is_purchase:
            return tuple([-n if n < 0 else 0 for n in self.tokens])
        return tuple([abs(n) for n in self.tokens])

    @property
    def brings_time(self) -> bool:
        """A Time token came."""
        return any(self.tokens[TIME:])

    @property
    def made_known(self) -> int | None:
        """The card that a record says in brackets: the one turned up, or the one itself if it came from a deck or a reserve."""
        return self.card if market_slot(self.action) is None else self.turned_up

    def is_hidden_from(self, viewer: int | None) -> bool:
        """Whether a seat, or a spectator (None), may not know `card` afterwards."""
        return self.is_hidden and viewer != self.seat


def event_of(before: View, after: View, action: int) -> Event:
    """What a move did, from the same viewer's views before and after it."""
    seat = before.turn
    card, turned_up, is_hidden, reveals = _cards(before, after, action)
    shown = _shown(before, after) if action == PASS else ()
    place = next((i for i, was in enumerate(before.tiles) if was.owner != after.tiles[i].owner), None)
    avengers = after.avengers == seat != before.avengers
    return Event(
        seat=seat,
        action=action,
        card=card,
        turned_up=turned_up,
        is_hidden=is_hidden,
        reveals=reveals or bool(shown),
        shown=shown,
        tile=None if place is None else before.tiles[place].number,
        tile_place=place,
        tokens=tuple([has - had for had, has in zip(before.seats[seat].tokens, after.seats[seat].tokens, strict=True)]),
        avengers=avengers,
        avengers_from=before.avengers if avengers else None,
    )


def _shown(before: View, after: View) -> tuple[int, ...]:
    """The reserved cards of the seat that passed which lay face down for the others."""
    was, now = before.seats[before.turn].reserve, after.seats[before.turn].reserve
    is_open = before.rules.open_reserves
    return tuple([held.card for had, held in zip(was, now, strict=True) if held.card is not None and (had.blind or not is_open)])


def _cards(before: View, after: View, action: int) -> tuple[int | None, int | None, bool, bool]:
    """An event's card, turned_up, is_hidden and reveals."""
    was, now, open_reserves = before.seats[before.turn], after.seats[before.turn], before.rules.open_reserves
    slot = market_slot(action)
    if slot is not None:
        tier, place = slot
        turned_up = after.market[tier][place]
        return before.market[tier][place], turned_up, action < RESERVE_DECK and not open_reserves, turned_up is not None
    if drawn_tier(action) is not None:
        return now.reserve[-1].card, None, True, True
    held = reserve_place(action)
    if held is None:
        return None, None, False, False
    reserved = was.reserve[held]
    # Whoever did not see it in the reserve sees it now, among the bought cards.
    card = next(iter({*now.tableau} - {*was.tableau})) if reserved.card is None else reserved.card
    return card, None, False, reserved.blind or not open_reserves
