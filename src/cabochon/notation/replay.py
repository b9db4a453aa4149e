"""Between a stored game and a game that can be played: replaying a record, and writing one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import CabochonError, RecordError, WrongType, quoted
from ..events import drawn_tier, event_of, market_slot, reserve_place
from ..rules.actions import PASS, RESERVE_DECK
from ..rules.cards import TIER_COUNT
from ..rules.state import SLOTS_PER_TIER
from ..rules.variants import CARDS, TILES
from ..ruleset import is_count
from ..view import Position, TileOnTable, View, position, seat_view
from .record import Record, RecordedMove, Resignation

if TYPE_CHECKING:
    from ..game import Game

UNFINISHED = "unfinished"


def first_position(record: Record) -> Position:
    """The table before the first move. Every card must be known."""
    rules = record.rules
    decks = tuple(tuple(card for card in deck if card is not None) for deck in record.decks)
    from_bank = tuple(0 for _ in rules.letters)
    area = seat_view(rules, from_bank, (), (), tile_points=0, has_avengers=False)
    return Position(
        rules=rules,
        seat=None,
        start=record.start,
        turns=0,
        turn=record.start,
        stage="main",
        passes=0,
        reason="",
        bank=rules.supply(),
        market=tuple(deck[:SLOTS_PER_TIER] for deck in decks),
        deck_sizes=tuple(len(deck) - SLOTS_PER_TIER for deck in decks),
        tiles=tuple(TileOnTable(tile, None) for tile in record.tiles),
        avengers=None,
        seats=(area,) * rules.players,
        decks=tuple(deck[SLOTS_PER_TIER:] for deck in decks),
    )


def check_order(record: Record) -> None:
    """Raise unless the decks hold every card of their tier once, the tiles are different ones, and the start seat is there."""
    rules = record.rules
    cards = [sorted(card.number for card in CARDS[rules.variant] if card.tier == tier) for tier in range(1, TIER_COUNT + 1)]
    if len(record.decks) != TIER_COUNT:
        raise RecordError(f"there are {TIER_COUNT} decks, not {len(record.decks)}")
    for tier, (deck, own) in enumerate(zip(record.decks, cards, strict=True), 1):
        if not all(is_count(card) for card in deck) or sorted(card for card in deck if card is not None) != own:
            raise RecordError(f"deck {tier}: it must hold each of the cards {own[0]} to {own[-1]} once")
    wanted, faces = rules.row.tiles[rules.players - 2], len(TILES[rules.variant])
    pieces = {(tile - 1) // rules.row.faces for tile in record.tiles if is_count(tile) and 1 <= tile <= faces}
    if not len(pieces) == len(record.tiles) == wanted:
        raise RecordError(f"tiles: {rules.players} players have {wanted} different tiles, from 1 to {faces}")
    if not is_count(record.start) or not 0 <= record.start < rules.players:
        raise RecordError(f"start: there is no seat {quoted(record.start)}: seats are 0 to {rules.players - 1}")


def result_of(game: "Game", resigned: Sequence[Resignation] = ()) -> str:
    """The result line of a record."""
    outcome = game.outcome_without({one.seat for one in resigned})
    if outcome is None:
        return UNFINISHED
    winners, points = (" ".join(str(n) for n in numbers) for numbers in (outcome.winners, game.points))
    return f"won by {winners}; reason {outcome.reason}; points {points}"


def is_deal(first: View) -> bool:
    """Whether nothing has been played yet."""
    areas = first.seats
    return not first.turns and first.stage == "main" and not any(one.tableau or one.reserve or any(one.tokens) for one in areas)


def record_of(
    game: "Game",
    names: tuple[str, ...] = (),
    date: str = "",
    comments: tuple[str, ...] = (),
    resigned: tuple[Resignation, ...] = (),
) -> Record:
    """The record of a game from its deal on, or from the position where it began."""
    first = position(game.beginning().state)
    dealt = is_deal(first)
    decks = tuple((*_known(row), *deck) for row, deck in zip(first.market, first.decks, strict=True))
    remarks = (*comments, *[""] * len(game.moves))
    return Record(
        game.rules,
        first.start,
        tiles=tuple(tile.number for tile in first.tiles) if dealt else (),
        decks=decks if dealt else (),
        moves=tuple(RecordedMove(move, None, remark) for move, remark in zip(game.moves, remarks, strict=False)),
        names=names,
        date=date,
        result=result_of(game, resigned),
        resigned=resigned,
        position=None if dealt else first,
    )


def _known(row: tuple[int | None, ...]) -> Iterator[int]:
    yield from (card for card in row if card is not None)


def replay(record: Record, begin: "Callable[[Position], Game]") -> "Game":
    """Begin a game and play a record move by move; anything that cannot have happened is an error that names the line."""
    if not isinstance(record, Record):
        raise WrongType(f"a record is a text or a Record, not {quoted(record)}")
    game = begin(record.position or first_position(complete(record)))
    for recorded in record.moves:
        _replay(game, recorded)
    if not record.result:
        raise RecordError(f"record: the result is missing: the record was cut off (a running game says 'result: {UNFINISHED}')")
    given = result_of(game, record.resigned)
    goes_on = record.result == UNFINISHED and not game.is_over  # while bots play for who has resigned
    if record.result != given and not goes_on:
        raise RecordError(f"record: it says 'result: {record.result}', but the moves give 'result: {given}'")
    return game


def _replay(game: "Game", recorded: RecordedMove) -> None:
    before = None if recorded.card is None else game.view(game.turn)  # a view takes longer than the move itself
    try:
        game.play(recorded.move)
    except CabochonError as wrong:
        raise RecordError(f"record: line {recorded.line}: {wrong}") from wrong
    if before is not None:
        shown = event_of(before, game.position(), recorded.move.action).made_known
        if shown != recorded.card:
            raise RecordError(f"record: line {recorded.line}: it says card {recorded.card}, but it was {shown}")


def complete(record: Record) -> Record:
    """The same game with every deck filled in: by what the moves made known, then by any cards that are left."""
    if record.is_complete:
        return record
    decks = _Watcher(record).decks()
    for tier, deck in enumerate(decks, 1):
        rest = iter([card.number for card in CARDS[record.rules.variant] if card.tier == tier and card.number not in deck])
        deck[:] = [next(rest) if card is None else card for card in deck]
    return replace(record, decks=tuple(tuple(deck) for deck in decks))


class _Watcher:
    """Follows a game at a real table: which move turned up which card of which deck."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.known = [list(deck) for deck in record.decks]
        self.drawn = [SLOTS_PER_TIER] * TIER_COUNT
        self.reserves: list[list[tuple[int, int] | None]] = [[] for _ in range(record.rules.players)]
        self.turns = 0

    def decks(self) -> list[list[int | None]]:
        for recorded in self.record.moves:
            if recorded.move.action <= PASS:
                seat = (self.record.start + self.turns) % self.record.rules.players
                self.watch(recorded, self.reserves[seat])
                self.turns += 1
        return self.known

    def watch(self, recorded: RecordedMove, reserve: list[tuple[int, int] | None]) -> None:
        action = recorded.move.action
        held, drawn, slot = reserve_place(action), drawn_tier(action), market_slot(action)
        if held is not None:
            place = reserve.pop(held) if held < len(reserve) else None
            if place:
                self.learn(place, recorded, must=True)
        elif drawn is not None:
            place = self.draw(drawn)
            reserve.append(place)
            if place:
                self.learn(place, recorded, must=False)
        elif slot is not None:
            place = self.draw(slot[0])
            if action < RESERVE_DECK:
                reserve.append(None)
            if place:
                self.learn(place, recorded, must=True)

    def draw(self, tier: int) -> tuple[int, int] | None:
        if self.drawn[tier] >= len(self.known[tier]):
            return None
        self.drawn[tier] += 1
        return tier, self.drawn[tier] - 1

    def learn(self, place: tuple[int, int], recorded: RecordedMove, must: bool) -> None:
        tier, at = place
        if self.known[tier][at] is not None:
            return
        card = recorded.card
        if card is None:
            if must:
                raise RecordError(f"record: line {recorded.line}: {recorded.move}: say in [brackets] the card it made known")
            return
        if CARDS[self.record.rules.variant][card - 1].tier != tier + 1:
            raise RecordError(f"record: line {recorded.line}: card {card} is not of tier {tier + 1}")
        if card in self.known[tier]:
            raise RecordError(f"record: line {recorded.line}: card {card} was known already")
        self.known[tier][at] = card
