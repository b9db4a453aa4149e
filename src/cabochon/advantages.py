"""Why a move is worth playing: what it brings, what it keeps from others, and what it makes possible.

Read from the view of the seat to decide and from its view after the move, so an advantage tells no more than that seat knows.
What somebody may buy or claim is asked of `why_not`: no rule is written here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .events import Event, drawn_tier, event_of, market_slot
from .game import Game, reaches_goal
from .notation.move import Move
from .rules.actions import ACTIONS
from .rules.buying import AVENGERS_POINTS
from .rules.gems import WILD
from .rules.variants import CARDS, TILES, VARIANTS, Card
from .view import SeatView, View, sample
from .why_not import why_not

MAX_ADVANTAGES = 2  # more would not be read
MAX_LEFT = 2  # tokens or bonuses that may be missing for something that has come near
MIN_CHEAPER = 3  # cards whose price falls, to be worth a word
PLACES = tuple(f"{tier}{place}" for tier in (1, 2, 3) for place in "abcd")

# Each code with its words for the terminal. The code is public: it is also the message key of the client (`hint_<code>`).
ADVANTAGES: dict[str, str] = {
    "wins": "wins the game",
    "goal": "reaches the goal",
    "tile": "completes a {kind} (+{points})",
    "avengers": "brings the Avengers tile (+{points})",
    "points": "brings points: {points}",
    "denies": "denies {name} points: {points}",
    "affords": "then {place} can be paid",
    "tile_nearer": "bonuses then missing for a {kind}: {left}",
    "nearer": "tokens then missing for {place}: {left}",
    "cheaper": "makes {cards} cards cheaper",
    "wild": "brings a wild token",
    "free": "costs nothing",
    "keeps": "keeps every card in reach",
}


@dataclass(frozen=True, slots=True)
class Advantage:
    """One thing that speaks for a move: its code, and the facts that its words mention."""

    code: str
    facts: Mapping[str, str | int]

    def sentence(self, names: Sequence[str], variant: str) -> str:
        """The advantage in English, with the names of the seats."""
        name = names[int(self.facts["seat"])] if "seat" in self.facts else ""
        return ADVANTAGES[self.code].format(**self.facts, name=name, kind=VARIANTS[variant].tile_kind)


def advantages(view: View, move: Move) -> list[Advantage]:
    """What speaks for a legal move of the seat whose view this is, the most important first."""
    game = Game.from_states(sample(view, np.random.default_rng(0)))  # what is hidden decides nothing that is told
    game.play(move)
    after = game.view(view.turn)
    event = event_of(view, after, move.action)
    found = [*_won(game, view, after), *_gained(view, after, event), *_denied(view, event), *_opened(view, after, event)]
    return found[:MAX_ADVANTAGES]


def _won(game: Game, view: View, after: View) -> Iterator[Advantage]:
    if game.outcome and view.turn in game.outcome.winners:
        yield Advantage("wins", {})
    elif reaches_goal(after, view.turn) and not reaches_goal(view, view.turn):
        yield Advantage("goal", {})


def _gained(view: View, after: View, event: Event) -> Iterator[Advantage]:
    """Points: from a tile, the Avengers tile, a card."""
    tiles = [event.tile] if event.tile else []
    if after.stage == "claim" != view.stage:
        tiles = _tiles_to_claim(after, view.turn, after.seats[view.turn])
    if tiles:
        best = max((TILES[view.rules.variant][number - 1] for number in tiles), key=lambda tile: tile.points)
        yield Advantage("tile", {"tile": best.number, "points": best.points})
    if event.avengers:
        yield Advantage("avengers", {"points": AVENGERS_POINTS})
    if ACTIONS[event.action].is_purchase and event.card and (points := _card(view, event.card).points):
        yield Advantage("points", {"points": points})


def _denied(view: View, event: Event) -> Iterator[Advantage]:
    """Points that somebody else could have had next, for the card that this move takes away."""
    slot = market_slot(event.action)
    if slot is None or event.card is None:
        return
    tier, place = slot
    others = [seat for seat in range(view.rules.players) if seat != view.turn]
    worth = {seat: _worth_to(view, seat, f"{tier + 1}{'abcd'[place]}", _card(view, event.card)) for seat in others}
    seat = max(others, key=lambda other: (worth[other], view.seats[other].points))
    if worth[seat]:
        yield Advantage("denies", {"seat": seat, "points": worth[seat]})


def _worth_to(view: View, seat: int, place: str, card: Card) -> int:
    """The points that a card would bring a seat now, with a tile that would come; 0 if the seat cannot pay it."""
    if why_not(replace(view, turn=seat, stage="main"), f"buy {place}") is not None:
        return 0
    area = view.seats[seat]
    bonuses = tuple(own + (letter == card.bonus) for letter, own in zip(view.rules.letters, area.bonuses, strict=False))
    tiles = _tiles_to_claim(view, seat, replace(area, bonuses=bonuses, points=area.points + card.points))
    return card.points + max((TILES[view.rules.variant][number - 1].points for number in tiles), default=0)


def _opened(view: View, after: View, event: Event) -> Iterator[Advantage]:
    """What the seat can do better afterwards."""
    seat, is_purchase = view.turn, ACTIONS[event.action].is_purchase
    left_before, left_after = _tokens_left(view, seat), _tokens_left(after, seat)
    hidden = None if drawn_tier(event.action) is None else event.card
    # Only cards that were seen before: those that come from a deck were drawn for the occasion.
    known = {card: left for card, (left, _place) in left_after.items() if card in left_before and card != hidden}
    nearer = [card for card, left in known.items() if left < left_before[card][0]]
    within = {card: left_after[card][1] for card in nearer if known[card] == 0}
    if within:
        card = max(within, key=lambda number: (_card(view, number).points, _card(view, number).tier))
        yield Advantage("affords", {"card": card, "place": within[card]})
    if is_purchase:
        yield from _tile_nearer(view, after)
    close = [card for card in nearer if 0 < known[card] <= MAX_LEFT]
    if close and not within:
        card = min(close, key=lambda number: (known[number], -_card(view, number).points))
        yield Advantage("nearer", {"card": card, "place": left_after[card][1], "left": known[card]})
    if is_purchase and (cards := _cheaper(view, after, known)) >= MIN_CHEAPER:
        yield Advantage("cheaper", {"cards": cards})
    if event.tokens[WILD] > 0:
        yield Advantage("wild", {})
    if is_purchase and not any(event.gems):
        yield Advantage("free", {})
    if view.stage == "return" and all(known[card] == 0 for card, (left, _place) in left_before.items() if left == 0):
        yield Advantage("keeps", {})


def _tokens_left(view: View, seat: int) -> dict[int, tuple[int, str]]:
    """For every card that the seat could buy: how many tokens are missing, and where it lies."""
    asked = replace(view, turn=seat, stage="main")
    held = [(f"@{i}", kept.card) for i, kept in enumerate(view.seats[seat].reserve, 1)]
    found = {}
    for place, card in [*zip(PLACES, (card for row in view.market for card in row), strict=True), *held]:
        if card is not None:
            reason = why_not(asked, f"buy {place}")
            found[card] = (0 if reason is None else int(reason.facts["short"]), place)
    return found


def _tile_nearer(view: View, after: View) -> Iterator[Advantage]:
    """A tile for which few bonuses are missing now. Those that ask for a colour of one's choice are left out."""
    for there in after.tiles:
        tile = TILES[view.rules.variant][there.number - 1]
        before, now = (_bonuses_left(tile.demand, shown.seats[view.turn]) for shown in (view, after))
        if there.owner is None and not tile.other and 0 < now <= MAX_LEFT and now < before:
            yield Advantage("tile_nearer", {"tile": tile.number, "left": now})
            return


def _bonuses_left(demand: Sequence[int], area: SeatView) -> int:
    return sum(max(0, wanted - own) for wanted, own in zip(demand, area.bonuses, strict=True))


def _cheaper(view: View, after: View, cards: Mapping[int, int]) -> int:
    """How many of these cards have a lower price with the new bonuses."""
    was, now = view.seats[view.turn], after.seats[view.turn]
    return sum(_bonuses_left(_card(view, card).cost, now) < _bonuses_left(_card(view, card).cost, was) for card in cards)


def _tiles_to_claim(view: View, seat: int, area: SeatView) -> list[int]:
    """The numbers of the tiles that a seat with this area may claim."""
    seats = (*view.seats[:seat], area, *view.seats[seat + 1 :])
    asked = replace(view, turn=seat, stage="claim", seats=seats)
    return [tile.number for place, tile in enumerate(view.tiles, 1) if why_not(asked, f"claim {place}") is None]


def _card(view: View, number: int) -> Card:
    return CARDS[view.rules.variant][number - 1]
