"""From a View to the parts of a message. Everything a client is told about the cards is made here, from Views alone."""

from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from orjson import Fragment, dumps

from ..advantages import advantages
from ..events import market_slot
from ..game import Game, payments_of
from ..notation.move import PAYMENT, format_payment, plain_moves
from ..rules.actions import ACTIONS, BUY_RESERVED
from ..rules.buying import AVENGERS_POINTS
from ..rules.deal import ANY_START
from ..rules.gems import WILD
from ..rules.variants import CARDS, TILES, VARIANTS, Variant
from ..ruleset import FEWEST_PLAYERS, Ruleset
from ..search.analysis import Analysis, MoveStats
from ..view import View, Views

if TYPE_CHECKING:
    from .table import Seat, Table

MAX_HINT_MOVES, MIN_HINT_VISITS = 3, 20
NOT_FOR_STRANGERS: dict[str, None] = {"reveal": None, "rematch": None, "series": None}
PLACES = tuple(f"{tier}{place}" for tier in (1, 2, 3) for place in "abcd")


def packed(value: Any) -> Fragment:
    """JSON that is written once and put into many messages. A copy, since what orjson returns keeps its buffer of 1 to 4 KB."""
    return Fragment(bytes(memoryview(dumps(value))))


def view_out(view: View, last_round: bool) -> dict[str, Any]:
    """A ViewOut. The areas, tiles and reserved cards of a View are called alike and go out as they are."""
    return {
        "seat": view.seat,
        "start": view.start,
        "turn": view.turn,
        "turns": view.turns,
        "round": (view.turns - (view.stage == "over")) // view.rules.players + 1,
        "stage": view.stage,
        "last_round": last_round,
        "bank": view.bank,
        "market": view.market,
        "deck_sizes": view.deck_sizes,
        "tiles": view.tiles,
        "avengers": view.avengers,
        "areas": view.seats,
    }


@lru_cache(maxsize=1 << 14)
def price(variant: str, card: int, bonuses: tuple[int, ...]) -> tuple[int, ...]:
    """The cost of a card after bonuses."""
    return tuple([due - own if due > own else 0 for due, own in zip(CARDS[variant][card - 1].cost, bonuses, strict=True)])


def prices(view: View) -> dict[str, tuple[int, ...]]:
    """What the view's own seat would have to pay for every card it can see and buy."""
    if view.seat is None:
        return {}
    area, variant = view.seats[view.seat], view.rules.variant
    cards = zip(PLACES, (card for row in view.market for card in row), strict=True)
    known = [(place, card) for place, card in cards if card is not None]
    known += [(f"@{i}", held.card) for i, held in enumerate(area.reserve, 1) if held.card is not None]
    return {place: price(variant, card, area.bonuses) for place, card in known}


class Choices:
    """The legal moves of a position as texts, and for each purchase the ways to pay it with wild tokens, as texts too.

    `view` is that of the seat to decide, where it is there already.
    """

    def __init__(self, game: Game, view: View | None = None) -> None:
        self.game, self.shown, self.actions = game, view, tuple(game.legal_actions())
        self.legal = _legal_texts(game.variant, self.actions)

    @property
    def payments(self) -> dict[str, list[str]]:
        """By purchase. A seat without wild tokens pays the price as it stands, and is not asked."""
        view = self.shown or self.game.view(self.game.turn)
        if not view.seats[view.turn].tokens[WILD]:
            return {}
        moves = zip(self.actions, self.legal, strict=True)
        return {text: [text + way for way in _ways(view, action)] for action, text in moves if ACTIONS[action].is_purchase}

    def __contains__(self, text: str) -> bool:
        return text in self.legal or text in self.payments.get(text.partition(PAYMENT)[0], ())


@cache
def _texts(variant: str) -> tuple[str, ...]:
    """Every action as text."""
    return tuple(str(move) for move in plain_moves(variant))


@lru_cache(maxsize=1 << 12)
def _legal_texts(variant: str, actions: tuple[int, ...]) -> tuple[str, ...]:
    """These actions as texts. Kept: the same ones come often."""
    texts = _texts(variant)
    return tuple([texts[action] for action in actions])


def _ways(view: View, action: int) -> tuple[str, ...]:
    """What a purchase may say of its payment. The first keeps the most wild: it is what the move pays if it says nothing."""
    area, slot = view.seats[view.turn], market_slot(action)
    card = area.reserve[action - BUY_RESERVED].card if slot is None else view.market[slot[0]][slot[1]]
    assert card is not None
    cost = price(view.rules.variant, card, area.bonuses)
    useful = (*map(min, cost, area.tokens), min(sum(cost), area.tokens[WILD]))
    return _payments(view.rules.letters, cost, useful)


@lru_cache(maxsize=1 << 13)
def _payments(letters: str, cost: tuple[int, ...], tokens: tuple[int, ...]) -> tuple[str, ...]:
    """The ways to pay as texts, those with the least wild first. Kept as texts, since the same ones are sent often."""
    ways = sorted(payments_of(cost, tokens), key=itemgetter(WILD))
    return tuple([format_payment(way, letters) for way in ways])


def outcome_out(table: "Table") -> dict[str, Any] | None:
    """An OutcomeOut of a finished table, with each seat's points by source."""
    outcome = table.outcome
    if outcome is None:
        return None
    view = table.views.view(None)
    points = [_points(view, seat.seat) for seat in table.seats]
    resigned = [seat.seat for seat in table.seats if seat.resigned]
    named = {"ranks": outcome.ranks, "winners": outcome.winners, "reason": outcome.reason}
    return {**named, "points": points, "resigned": resigned}


def result_out(table: "Table") -> dict[str, Any] | None:
    """A ResultOut of a finished table, as it is stored for the lists of games."""
    outcome = table.outcome
    if outcome is None or table.game is None:
        return None
    ended = table.log[-1].entry.at if table.log else table.created
    result = {"points": table.game.points, "winners": outcome.winners, "reason": outcome.reason, "ended": ended}
    return {**result, "rounds": table.game.round}


def _points(view: View, seat: int) -> dict[str, int]:
    faces = TILES[view.rules.variant]
    tiles = sum(faces[tile.number - 1].points for tile in view.tiles if tile.owner == seat)
    avengers = AVENGERS_POINTS if view.avengers == seat else 0
    return {"cards": view.seats[seat].points - tiles - avengers, "tiles": tiles, "avengers": avengers}


def hint_out(found: Analysis, view: View) -> dict[str, Any]:
    """The moves and chances of a HintOut. What was hardly looked at, or only seems better than the best, is left out."""
    seat = view.turn
    best, *rest = found.moves
    others = [one for one in rest if one.visits >= MIN_HINT_VISITS and one.values[seat] <= best.values[seat]]
    others = sorted(others[: MAX_HINT_MOVES - 1], key=lambda one: one.values[seat], reverse=True)
    return {"moves": [_advice(view, one) for one in (best, *others)], "chances": best.values}


def _advice(view: View, found: MoveStats) -> dict[str, Any]:
    """An AdviceOut."""
    why = [{"code": one.code, "facts": one.facts} for one in advantages(view, found.move)]
    return {"text": str(found.move), "chance": found.values[view.turn], "why": why}


class PositionViews:
    """One position of a game as it is shown: each view, and what is made from it, is made once.

    What the move before has left as it was is not written again: `parts` has the last value of each part, and its text.
    """

    __slots__ = ("any_view", "game", "last_round", "moves", "parts", "seen", "views")

    def __init__(self, game: Game, before: "PositionViews | None" = None) -> None:
        self.game = game
        self.views = Views(game.state)
        self.any_view = self.views.of(game.turn)
        most = max([area.points for area in self.any_view.seats])
        self.last_round = most >= (game.rules.goal or 0) and game.is_last_round
        self.seen: dict[int | None, View] = {self.any_view.turn: self.any_view}
        self.parts: dict[object, tuple[object, Fragment]] = before.parts if before else {}
        self.moves: Choices | None = None

    def view(self, seat: int | None) -> View:
        """What this seat may know."""
        if seat not in self.seen:
            self.seen[seat] = self.views.of(seat)
        return self.seen[seat]

    def out(self, seat: int | None) -> tuple[dict[str, Any], Fragment]:
        """The view and the prices for this seat, ready to be written."""
        view = self.view(seat)
        # An area with nothing hidden is the same for its own seat and for the others.
        areas = [self._part((i, area is self.views.own[i]), area) for i, area in enumerate(view.seats)]
        out = view_out(view, self.last_round)
        out["areas"], out["tiles"] = areas, self._part("tiles", view.tiles)
        return out, self._prices(view)

    def _part(self, name: object, value: object) -> Fragment:
        """A part that is the same object as long as nothing in it changes."""
        known = self.parts.get(name)
        if known is None or known[0] is not value:
            known = self.parts[name] = value, packed(value)
        return known[1]

    def _prices(self, view: View) -> Fragment:
        """The prices, which most moves leave as they are."""
        area = None if view.seat is None else view.seats[view.seat]
        depends_on = area and (view.market, area.reserve, area.bonuses)
        known = self.parts.get(("prices", view.seat))
        if known is None or known[0] != depends_on:
            known = self.parts["prices", view.seat] = depends_on, packed(prices(view))
        return known[1]

    @property
    def choices(self) -> Choices:
        """What the seat to decide may do."""
        if self.moves is None:
            self.moves = Choices(self.game, self.any_view)
        return self.moves


def table_out(table: "Table", people_here: Collection[int], spectators: int) -> dict[str, Any]:
    """A TableOut."""
    return {
        "id": table.id,
        "options": Fragment(table.options.model_dump_json()),
        "status": table.status,
        "seats": [seat_out(seat, connected=seat.seat in people_here) for seat in table.seats],
        "host": table.host,
        "watchers": spectators,
        "commitment": table.origin.commitment,
        "deal": deal_out(table),
        "shared": shared_of(table.origin.shared, table.counts),
        "reveal": table.origin.out() if table.status == "finished" else None,
        "rematch": table.rematch,
        "series": table.series_now.out() if table.series_now.games else None,
        "created": table.created,
    }


def strangers_out(table: "Table", people_here: Collection[int], spectators: int) -> dict[str, Any]:
    """A TableOut for somebody who may not watch: nothing of the game and of what comes after it."""
    out = table_out(table, people_here, spectators)
    seats = [{**seat, "resigned": False, "rematch": False} for seat in out["seats"]]
    return {**out, **NOT_FOR_STRANGERS, "seats": seats}


def seat_out(seat: "Seat", *, connected: bool) -> dict[str, Any]:
    """A SeatOut."""
    played = {"seat": seat.seat, "kind": seat.kind, "name": seat.name, "bot": seat.played_by, "connected": connected}
    return {**played, "resigned": seat.resigned, "rematch": seat.rematch}


def deal_out(table: "Table") -> dict[str, Any]:
    """A DealOut."""
    origin = table.origin
    start = None if origin.start == ANY_START else origin.start
    return {"format": origin.format, "start": start, **table.dealing.out(table.options.players)}


def shared_of(deal: str | None, counts: bool) -> dict[str, Any] | None:
    """A SharedOut, from the name of a deal that several tables share."""
    if deal is None:
        return None
    kind, _, name = deal.partition(" ")
    return {"kind": kind, "name": name, "counts": counts}


def choices_out(table: "Table", viewer: int | None) -> dict[str, Any] | None:
    """A ChoicesOut for a viewer who is to decide."""
    if viewer is None or viewer != table.decides or not table.seats[viewer].is_human:
        return None
    choices = table.views.choices
    return {"legal": choices.legal, "payments": choices.payments}


def variant_out(variant: Variant) -> dict[str, str]:
    """A VariantOut."""
    return {"name": variant.name, "title": variant.title, "theme": variant.theme}


def game_data_out(variant: str) -> dict[str, Any]:
    """A GameDataOut: the numbers of a variant, what it has, and its printed cards and tiles."""
    row, rules = VARIANTS[variant], Ruleset(variant, FEWEST_PLAYERS)
    has_symbols = any(card.symbols for card in CARDS[variant])
    return {
        "variant": variant,
        "title": row.title,
        "theme": row.theme,
        "letters": row.letters,
        "colours": row.colours,
        "words": row.words,
        "goal": row.goal,
        "goal_kind": row.goal_kind,
        "token_limit": rules.token_limit,
        "hand_limit": rules.hand_limit,
        "supply": {"each_colour": row.tokens_each, "wild": row.wild, "time": row.time},
        "tile_kind": row.tile_kind,
        "tiles_dealt": row.tiles,
        "tile_faces": row.faces,
        "has_time": any(row.time),
        "has_symbols": has_symbols,
        "has_avengers": has_symbols,  # the Avengers tile goes to who has most symbols
        "cards": _dicts(CARDS[variant]),
        "tiles": _dicts(TILES[variant]),
    }


def _dicts(printed: Iterable[Any]) -> list[dict[str, Any]]:
    return [face._asdict() for face in printed]
