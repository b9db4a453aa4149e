"""A position as somebody knows it who studies it: unseen cards are unseen, and any reserved card may be known or not.

It is a View without a seat. Moves are played on it for every seat; the card that a move turns up is said, or drawn from those
that nobody has seen. What the seat to decide may know of it (`seen_by_turn`) is all that a search gets.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..errors import CabochonError
from ..events import Event, drawn_tier, event_of, market_slot, reserve_place
from ..game import Game
from ..notation.move import Move, parse_move
from ..notation.position import read_position
from ..notation.validity import check_known
from ..rules.actions import ACTIONS
from ..rules.variants import CARDS
from ..view import Position, Reserved, SeatView, View, unseen

VIEW_FIELDS = tuple(field.name for field in fields(View))
Place = tuple[int, int]  # a seat, and a place in its reserve from 0


class CardError(CabochonError):
    """A card that cannot be the one that a move makes known."""

    def __init__(self, card: int, tier: int) -> None:
        super().__init__(f"card {card} is not among the unseen cards of tier {tier}")
        self.card, self.tier = card, tier

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.card, self.tier)


@dataclass(frozen=True, slots=True)
class Step:
    """A move that was played: what it did, the card it made known (if it did), and the position after it."""

    move: Move
    event: Event
    made_known: int | None
    after: View


def parse_known(text: str) -> View:
    """The position that a line says: a whole one, whose decks are not looked at, or a view with any reserved cards named."""
    shown = as_known(read_position(text))
    check_known(shown)
    return shown


def as_known(shown: View) -> View:
    """A position without the order of its decks, or a view without its seat."""
    return View(**{name: getattr(shown, name) for name in VIEW_FIELDS if name != "seat"}, seat=None)


def seen_by_turn(shown: View) -> View:
    """What the seat to decide may know of a position: its own reserve, and of the others' what lies face up."""
    is_open = shown.rules.open_reserves
    seats = tuple(
        area if seat == shown.turn else _covered(area, lambda held: is_open and not held.blind)
        for seat, area in enumerate(shown.seats)
    )
    return replace(shown, seat=shown.turn, seats=seats)


def _covered(area: SeatView, is_shown: Callable[[Reserved], bool]) -> SeatView:
    return replace(area, reserve=tuple(held if is_shown(held) else replace(held, card=None) for held in area.reserve))


def completed(
    shown: View, rng: np.random.Generator, top: Mapping[int, int] | None = None, held: Mapping[Place, int] | None = None
) -> Position:
    """A whole position that fits, at random. `top` names the top cards of decks (by tier from 0), `held` reserved cards."""
    named = {*(top or {}).values(), *(held or {}).values()}
    pools = [[card for card in pool if card not in named] for pool in unseen(shown)]
    return _filled_in(shown, [rng.permutation(np.array(pool, int)).tolist() for pool in pools], top or {}, held or {})


def dealt(shown: View, decks: Sequence[Sequence[int]]) -> Position:
    """A whole position that fits: its unseen cards come in the order they have in these decks, which hold all cards."""
    pools = [set(pool) for pool in unseen(shown)]
    return _filled_in(shown, [[card for card in deck if card in pool] for deck, pool in zip(decks, pools, strict=True)], {}, {})


def _filled_in(shown: View, pools: list[list[int]], top: Mapping[int, int], held: Mapping[Place, int]) -> Position:
    """Reserved cards that are not known are those of the pools that come last, and the rest are the decks."""
    reserves = [list(area.reserve) for area in shown.seats]
    for seat, reserve in enumerate(reserves):
        for i, one in enumerate(reserve):
            if one.card is None:
                reserve[i] = replace(one, card=held[seat, i] if (seat, i) in held else pools[one.tier - 1].pop())
    decks = tuple((top[tier], *pool) if tier in top else tuple(pool) for tier, pool in enumerate(pools))
    seats = tuple(replace(area, reserve=tuple(reserve)) for area, reserve in zip(shown.seats, reserves, strict=True))
    return Position(**{name: getattr(shown, name) for name in VIEW_FIELDS if name != "seats"}, seats=seats, decks=decks)


def rotated(shown: View, first: int) -> View:
    """The same position with the seats numbered from this one on."""
    players = shown.rules.players

    def now(seat: int) -> int:
        return (seat - first) % players

    tiles = tuple(replace(tile, owner=None if tile.owner is None else now(tile.owner)) for tile in shown.tiles)
    avengers = None if shown.avengers is None else now(shown.avengers)
    seats = shown.seats[first:] + shown.seats[:first]
    return replace(shown, start=now(shown.start), turn=now(shown.turn), tiles=tiles, avengers=avengers, seats=seats)


def made_known_tier(shown: View, move: Move) -> int | None:
    """The tier (from 0) of the unseen card that a move makes known, or may make known; None if there is none."""
    slot, drawn, place = market_slot(move.action), drawn_tier(move.action), reserve_place(move.action)
    if place is not None:
        reserve = shown.seats[shown.turn].reserve
        return reserve[place].tier - 1 if place < len(reserve) and reserve[place].card is None else None
    tier = slot[0] if slot is not None else drawn
    return tier if tier is not None and shown.deck_sizes[tier] else None


def possible_cards(shown: View, move: Move) -> list[int]:
    """The unseen cards that a move may make known. One that is bought from the reserve must be one that can be paid."""
    tier = made_known_tier(shown, move)
    if tier is None:
        return []
    place = reserve_place(move.action)
    pool = unseen(shown)[tier]
    if place is None:
        return pool
    rng = np.random.default_rng(0)
    return [
        card for card in pool if Game.from_position(completed(shown, rng, held={(shown.turn, place): card})).why_not(move) is None
    ]


def legal_moves(shown: View) -> list[Move]:
    """Every move that the seat to decide may play. A reserved card that is not known may be any that it could be."""
    game = Game.from_position(completed(shown, np.random.default_rng(0)))
    moves = [move for move in game.legal_moves() if not _buys_unknown(shown, move)]
    reserve = shown.seats[shown.turn].reserve if shown.stage == "main" else ()
    unknown = [parse_move(f"buy @{i}", shown.rules.variant) for i, held in enumerate(reserve, 1) if held.card is None]
    return sorted([*moves, *(move for move in unknown if possible_cards(shown, move))], key=lambda move: move.action)


def _buys_unknown(shown: View, move: Move) -> bool:
    return reserve_place(move.action) is not None and made_known_tier(shown, move) is not None


def play(
    shown: View, move: str | Move, card: int | None = None, rng: np.random.Generator | None = None, *, draw: bool = False
) -> Step:
    """Play a move for the seat to decide. `card` is the card it makes known; without one it is drawn at random.

    A card reserved from a deck stays unseen, unless it is named or `draw` is said.
    """
    decided = move if isinstance(move, Move) else parse_move(move, shown.rules.variant)
    rng = np.random.default_rng() if rng is None else rng
    tier, drawn = made_known_tier(shown, decided), drawn_tier(decided.action)
    if card is not None and (tier is None or card not in unseen(shown)[tier]):
        raise CardError(card, _tier_of(shown, card) if tier is None else tier + 1)
    place = reserve_place(decided.action)
    if card is None and place is not None and tier is not None:
        possible = possible_cards(shown, decided)
        card = int(rng.choice(possible)) if possible else None
    if card is None or tier is None:
        before = completed(shown, rng)
    elif place is not None:
        before = completed(shown, rng, held={(shown.turn, place): card})
    else:
        before = completed(shown, rng, top={tier: card})
    game = Game.from_position(before)
    game.play(decided)
    after = game.position()
    event = event_of(before, after, decided.action)
    stays_unseen = drawn is not None and card is None and not draw
    event = replace(
        event,
        card=None if stays_unseen else event.card,
        shown=tuple(number for number in event.shown if number in _named(shown)),
    )
    known = _still_unknown(shown, after, decided, stays_unseen)
    return Step(decided, event, None if tier is None else event.made_known, known)


def _tier_of(shown: View, card: int) -> int:
    cards = CARDS[shown.rules.variant]
    return cards[card - 1].tier if 1 <= card <= len(cards) else 0


def _named(shown: View) -> set[int | None]:
    return {held.card for held in shown.seats[shown.turn].reserve}


def _still_unknown(before: View, after: Position, move: Move, stays_unseen: bool) -> View:
    """The position after a move, as it is known: a card that was filled in for an unknown one is unknown again."""
    unknown = [[held.card is None for held in area.reserve] for area in before.seats]
    own, place = unknown[before.turn], reserve_place(move.action)
    if place is not None:
        own.pop(place)
    elif ACTIONS[move.action].kind.verb == "reserve":
        own.append(stays_unseen)
    seats = tuple(
        replace(
            area,
            reserve=tuple(replace(held, card=None) if hidden else held for held, hidden in zip(area.reserve, row, strict=True)),
        )
        for area, row in zip(after.seats, unknown, strict=True)
    )
    return replace(as_known(after), seats=seats)
