"""The analysis board: positions as somebody knows them, moves played on them, drafts of an editor. Nothing here is stored."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from ..errors import CabochonError, IllegalMove, PositionError
from ..events import drawn_tier, event_of, market_slot, reserve_place
from ..game import Game, reaches_goal
from ..notation.move import Move, parse_move
from ..notation.position import format_position
from ..notation.record import Record, RecordedMove, format_record
from ..notation.replay import result_of
from ..notation.validity import check_known, fulfils_goal
from ..rules.buying import SYMBOLS_FOR_TILE
from ..rules.cards import TIER_COUNT, TIER_SIZES
from ..rules.gems import TIME
from ..rules.variants import CARDS, TILES
from ..ruleset import Ruleset
from ..search.analysis import Analysis
from ..study.known import (
    CardError,
    Step,
    as_known,
    completed,
    legal_moves,
    made_known_tier,
    parse_known,
    play,
    possible_cards,
    seen_by_turn,
)
from ..view import Reserved, TileOnTable, View, seat_view, unseen
from ..why_not import Reason
from .analysis_messages import MAX_NOTE, AnalysisIn, DraftIn, DraftSeatIn, NotedStepIn, StepIn
from .errors import Refused, forbidden, not_a_move
from .serialise import Choices, prices, view_out

MAX_MOVES_SHOWN = 5


class Problem(Exception):
    """What cannot be: a ProblemOut."""

    def __init__(self, code: str, sentence: str, facts: dict[str, Any], rule: dict[str, Any] | None = None) -> None:
        super().__init__(sentence)
        self.out: dict[str, Any] = {"code": code, "facts": facts, "sentence": sentence, "step": None, "rule": rule}


def unread(field: str, sentence: str) -> Problem:
    """Something that is no position; `field` is where it cannot be read."""
    return Problem("not_a_position", sentence, {"field": field})


def read(line: str) -> View:
    """The position of a line."""
    try:
        return parse_known(line)
    except PositionError as wrong:
        raise Problem(wrong.code, str(wrong), wrong.facts) from wrong
    except CabochonError as wrong:
        raise unread("", str(wrong)) from wrong


def played(shown: View, wanted: StepIn | NotedStepIn) -> Step:
    """A move, played."""
    try:
        move = parse_move(wanted.text, shown.rules.variant)
    except CabochonError as wrong:
        raise _forbidden(not_a_move(wanted.text, wrong)) from wrong
    if shown.stage == "over":
        raise Problem("rule", "the game is over", {}, {"code": "game_over", "facts": {}})
    try:
        return play(shown, move, wanted.card, draw=isinstance(wanted, StepIn) and wanted.draw)
    except CardError as wrong:
        raise Problem("card", str(wrong), {"card": wrong.card, "tier": wrong.tier}) from wrong
    except IllegalMove as wrong:
        raise _forbidden(forbidden(move, _rule(shown, move, wanted.card))) from wrong


def _rule(shown: View, move: Move, card: int | None) -> Reason:
    """The rule that forbids a move; `card` is the card of the own reserve that it names."""
    place = reserve_place(move.action)
    held = {(shown.turn, place): card} if place is not None and card is not None else None
    rule = Game.from_position(completed(shown, np.random.default_rng(0), held=held)).why_not(move)
    return rule or Reason("price_too_high", short="?", price="?")


def _forbidden(refusal: Refused) -> Problem:
    return Problem("rule", str(refusal), {}, refusal.rule)


def answer(asked: AnalysisIn) -> dict[str, Any]:
    """An AnalysisOut: moves are played until one cannot be."""
    steps: list[dict[str, Any]] = []
    problem: dict[str, Any] | None = None
    board = None
    try:
        shown = read(asked.position)
        for number, wanted in enumerate(asked.moves):
            try:
                step = played(shown, wanted)
            except Problem as wrong:
                problem = {**wrong.out, "step": number}
                break
            steps.append(played_out(shown, step))
            shown = step.after
        board = board_out(shown)
    except Problem as wrong:
        problem = wrong.out
    return {"problem": problem, "played": steps, "board": board}


def played_out(before: View, step: Step) -> dict[str, Any]:
    """A PlayedOut."""
    did = step.event
    entry = {
        "number": 0,
        "kind": "move",
        "seat": before.turn,
        "text": str(step.move),
        "card": did.card,
        "turned_up": did.turned_up,
        "shown": did.shown,
        "tile": did.tile,
        "avengers": did.avengers,
        "gems": did.gems,
        "undoes": None,
        "turns": before.turns,
        "at": 0.0,
        "thought": None,
    }
    return {"position": format_position(step.after), "entry": entry, "card": step.made_known}


def board_out(shown: View) -> dict[str, Any]:
    """A BoardOut."""
    rules, seen = shown.rules, replace(shown, seat=shown.turn)
    is_over = shown.stage == "over"
    moves = [] if is_over else legal_moves(shown)
    known = [move for move in moves if not _is_unknown(shown, move)]
    choices = Choices(Game.from_position(completed(shown, np.random.default_rng(0))))
    could_be = {str(move): possible_cards(shown, move) for move in moves if _is_unknown(shown, move)}
    tiers = {str(move): made_known_tier(shown, move) for move in moves}
    last_round = any(reaches_goal(shown, seat) for seat in range(rules.players))
    payments = {} if is_over else {text: ways for text, ways in choices.payments.items() if text in {str(move) for move in known}}
    return {
        "position": format_position(shown),
        "variant": rules.variant,
        "players": rules.players,
        "house": house_out(rules),
        "view": view_out(seen, last_round),
        "prices": prices(seen),
        "choices": {"legal": [str(move) for move in moves], "payments": payments},
        "reveals": {text: tier + 1 for text, tier in tiers.items() if tier is not None},
        "could_be": could_be,
        "stays_unseen": [str(move) for move in moves if drawn_tier(move.action) is not None],
        "unseen": unseen(shown),
        "end": end_out(shown) if is_over else None,
    }


def _is_unknown(shown: View, move: Move) -> bool:
    return reserve_place(move.action) is not None and made_known_tier(shown, move) is not None


def house_out(rules: Ruleset) -> dict[str, Any]:
    """HouseRules."""
    agreed = {name: getattr(rules, name) for name in ("take_fewer", "open_reserves", "token_limit", "hand_limit")}
    return {**agreed, "goal": None if rules.goal == rules.row.goal else rules.goal}


def end_out(shown: View) -> dict[str, Any]:
    """An EndOut."""
    ended = Game.from_position(completed(shown, np.random.default_rng(0))).outcome
    assert ended is not None
    return asdict(ended)


# the editor


def drafted(draft: DraftIn, rng: np.random.Generator) -> View:
    """The position of a draft: what follows from the rest is filled in. It may be one that cannot be."""
    try:
        rules = Ruleset(draft.variant, draft.players, **draft.house.model_dump(exclude_none=True))
    except CabochonError as wrong:
        raise unread("house", str(wrong)) from wrong
    _check_numbers(draft, rules)
    shown = _laid_out(draft, rules, rng)
    if draft.stage == "over":
        return _ended(shown, draft)
    if draft.stage == "claim":
        return replace(shown, stage="claim")
    limit_kept = sum(shown.seats[shown.turn].tokens) <= rules.token_limit
    return shown if limit_kept else replace(shown, stage="return")


def _ended(shown: View, draft: DraftIn) -> View:
    """A game that is over: by the goal, after a whole round, if somebody has reached it; else because all have passed."""
    players = draft.players
    if any(fulfils_goal(shown, seat) for seat in range(players)):
        return replace(shown, stage="over", reason="goal", turn=draft.start, turns=draft.round * players)
    return replace(shown, stage="over", reason="stalemate", passes=players, turns=max(shown.turns, players))


def _check_numbers(draft: DraftIn, rules: Ruleset) -> None:
    """Seats, cards and tiles that there are; anything else is asked later."""
    if len(draft.seats) != draft.players:
        raise unread("seats", f"{draft.players} players, and {len(draft.seats)} seats")
    seats = [draft.start, draft.turn, draft.avengers or 0, *(tile.owner or 0 for tile in draft.tiles)]
    if max(seats) >= draft.players:
        raise unread("seats", f"there is no seat {max(seats)}")
    if any(tile.number > len(TILES[rules.variant]) for tile in draft.tiles):
        raise unread("tiles", f"{rules.variant} has {len(TILES[rules.variant])} tiles")
    if any(len(seat.tokens) > len(rules.letters) for seat in draft.seats):
        raise unread("tokens", f"{rules.variant} has the tokens {rules.letters}")


def _laid_out(draft: DraftIn, rules: Ruleset, rng: np.random.Generator) -> View:
    tiles = tuple(TileOnTable(tile.number, tile.owner) for tile in draft.tiles)
    areas = [_tokens(seat, rules) for seat in draft.seats]
    supply = rules.supply()
    bank = [n - sum(area[lane] for area in areas) for lane, n in enumerate(supply)]
    for lane, left in enumerate(bank):
        if left < 0:
            facts = {"letter": rules.letters[lane], "there": supply[lane] - left, "wanted": supply[lane]}
            raise Problem("tokens_many", f"too many {rules.letters[lane]} tokens: {facts['there']}, not {supply[lane]}", facts)
    market = [list(row) for row in draft.market]
    if draft.fill:
        tiles = _with_tiles(tiles, rules, rng)
        _fill_market(market, draft, rules, rng)
    reserves = [
        tuple(Reserved(_tier(rules, one.card) or one.tier, one.blind, one.card) for one in seat.reserve) for seat in draft.seats
    ]
    avengers = _avengers(draft, rules)
    seats = tuple(
        seat_view(
            rules,
            tokens,
            seat.tableau,
            reserve,
            tile_points=sum(TILES[rules.variant][tile.number - 1].points for tile in tiles if tile.owner == number),
            has_avengers=avengers == number,
        )
        for number, (seat, tokens, reserve) in enumerate(zip(draft.seats, areas, reserves, strict=True))
    )
    lying = [*(card for row in market for card in row), *(card for seat in draft.seats for card in seat.tableau)]
    used = [_tier(rules, card) for card in lying if card] + [held.tier for reserve in reserves for held in reserve]
    return View(
        rules=rules,
        seat=None,
        start=draft.start,
        turns=(draft.round - 1) * draft.players + (draft.turn - draft.start) % draft.players,
        turn=draft.turn,
        stage="main",
        passes=0,
        reason="",
        bank=tuple(bank),
        market=tuple(tuple(row) for row in market),
        deck_sizes=tuple(max(0, size - used.count(tier)) for tier, size in enumerate(TIER_SIZES, 1)),
        tiles=tiles,
        avengers=avengers,
        seats=seats,
    )


def _tier(rules: Ruleset, card: int | None) -> int:
    return CARDS[rules.variant][card - 1].tier if card else 0


def _tokens(seat: DraftSeatIn, rules: Ruleset) -> tuple[int, ...]:
    """A seat's tokens. A Time token comes with the first card of the highest tier."""
    tokens = [*seat.tokens, *[0] * len(rules.letters)][: len(rules.letters)]
    if TIME < len(rules.letters):
        tokens[TIME] = int(any(_tier(rules, card) == TIER_COUNT for card in seat.tableau))
    return tuple(tokens)


def _avengers(draft: DraftIn, rules: Ruleset) -> int | None:
    """Who has the tile: whoever has most symbols, if it is one seat alone; if several have, whoever was said."""
    symbols = [sum(CARDS[rules.variant][card - 1].symbols for card in seat.tableau) for seat in draft.seats]
    most = [seat for seat, n in enumerate(symbols) if n == max(symbols) and n >= SYMBOLS_FOR_TILE]
    return most[0] if len(most) == 1 or (most and draft.avengers not in most) else draft.avengers if most else None


def _with_tiles(tiles: tuple[TileOnTable, ...], rules: Ruleset, rng: np.random.Generator) -> tuple[TileOnTable, ...]:
    faces, wanted = rules.row.faces, rules.row.tiles[rules.players - 2]
    pieces = {(tile.number - 1) // faces for tile in tiles}
    left = [piece for piece in range(len(TILES[rules.variant]) // faces) if piece not in pieces]
    drawn = rng.permutation(np.array(left, int))[: max(0, wanted - len(tiles))].tolist()
    return (*tiles, *(TileOnTable(faces * piece + int(rng.integers(faces)) + 1, None) for piece in drawn))


def _fill_market(market: list[list[int | None]], draft: DraftIn, rules: Ruleset, rng: np.random.Generator) -> None:
    used = {card for row in market for card in row} | {card for seat in draft.seats for card in seat.tableau}
    used |= {held.card for seat in draft.seats for held in seat.reserve}
    for tier, row in enumerate(market, 1):
        free = [card.number for card in CARDS[rules.variant] if card.tier == tier and card.number not in used]
        drawn = iter(rng.permutation(np.array(free, int)).tolist())
        row[:] = [next(drawn, None) if card is None else card for card in row]


def draft_answer(draft: DraftIn) -> dict[str, Any]:
    """An AnalysisOut of a draft."""
    try:
        shown = drafted(draft, np.random.default_rng())
        try:
            check_known(shown)
        except PositionError as wrong:
            raise Problem(wrong.code, str(wrong), wrong.facts) from wrong
    except Problem as problem:
        return {"problem": problem.out, "played": [], "board": None}
    return {"problem": None, "played": [], "board": board_out(shown)}


# games


def record_line_out(record: Record, game: Game) -> dict[str, Any]:
    """A GameLineOut of a record, with its comments as notes. A card that it does not know is unseen."""
    unseen_at = () if record.is_complete else [i for i, one in enumerate(record.moves) if one.card is None]
    names = record.names or ("",) * game.players
    notes = [one.comment[:MAX_NOTE] for one in record.moves]
    return game_line_out(
        game.beginning(), [str(move) for move in game.moves], names, None, whole=True, hidden=unseen_at, notes=notes
    )


def game_line_out(
    first: Game,
    moves: Sequence[str],
    names: Sequence[str],
    viewer: int | None,
    *,
    whole: bool,
    hidden: Collection[int] = (),
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """A GameLineOut. `whole`: the game is over, and everything may be known; else what this viewer saw.

    `hidden`: moves, from 0, whose card was not seen, if it was drawn from a deck.
    """
    table, steps = first, []
    start = as_known(table.position() if whole else table.view(viewer))
    known = start
    for number, move in enumerate(parse_move(text, first.variant) for text in moves):
        before, seen = table.position(), table.view(viewer)
        table.play(move)
        did = event_of(before, table.position(), move.action) if whole else event_of(seen, table.view(viewer), move.action)
        stays_unseen = number in hidden and drawn_tier(move.action) is not None
        card = did.made_known if made_known_tier(known, move) is not None and not stays_unseen else None
        known = play(known, move, card).after
        steps.append({"text": str(move), "card": card, "note": notes[number] if notes else ""})
    return {"position": format_position(start), "moves": steps, "names": list(names)}


def record_text_of(line: str, moves: Sequence[NotedStepIn], names: Sequence[str]) -> str:
    """The record of a line of moves from a deal on, as of a game at a real table: cards are known when they are turned up."""
    known = start = read(line)
    if start.turns or start.stage != "main" or any(area.tableau or area.reserve or any(area.tokens) for area in start.seats):
        raise Refused("no_deal")
    recorded: list[RecordedMove] = []
    for number, wanted in enumerate(moves):
        try:
            step = played(known, wanted)
        except Problem as problem:
            raise Refused("not_understood", problem=f"move {number + 1}: {problem}") from problem
        known = step.after
        recorded.append(RecordedMove(step.move, step.made_known, " ".join(wanted.note.split()).replace("}", ")")))
    ended = Game.from_position(completed(known, np.random.default_rng(0)))
    decks = tuple((*row, *[None] * size) for row, size in zip(start.market, start.deck_sizes, strict=True))
    tiles = tuple(tile.number for tile in start.tiles)
    shown = tuple(" ".join(name.split()) for name in names) if any(names) else ()
    return format_record(Record(start.rules, start.start, tiles, decks, tuple(recorded), shown, result=result_of(ended)))


# what the engine finds


def found_out(view: View, found: Analysis) -> dict[str, Any]:
    """Chances and moves of a FoundOut."""
    first, *others = found.moves[:MAX_MOVES_SHOWN]
    best = [first, *sorted((one for one in others if one.visits), key=lambda one: one.values[view.turn], reverse=True)]
    return {
        "nodes": found.nodes,
        "seconds": round(found.seconds, 2),
        "chances": [round(value, 4) for value in best[0].values],
        "moves": [
            {
                "text": str(one.move),
                "chances": [round(value, 4) for value in one.values],
                "visits": one.visits,
                "proven": one.is_proven,
                "line": list(line_out(view, one.line or (one.move,))),
            }
            for one in best
        ],
    }


def line_out(view: View, line: Sequence[Move]) -> Iterator[dict[str, Any]]:
    """LineMoveOuts. A card is named as long as it is the one that lies there now: what comes later was drawn in the search."""
    seat, is_first = view.turn, True
    market = [list(row) for row in view.market]
    reserves: list[list[tuple[int | None, int]]] = [[(held.card, held.tier) for held in area.reserve] for area in view.seats]
    for move in line:
        if not is_first and move.kind not in ("return", "claim"):
            seat = (seat + 1) % view.rules.players
        is_first = False
        card, tier = _taken(market, reserves[seat], move)
        yield {"seat": seat, "text": str(move), "card": card, "tier": tier}


def _taken(market: list[list[int | None]], reserve: list[tuple[int | None, int]], move: Move) -> tuple[int | None, int | None]:
    """The card and tier that a move is about, if there is one; the places change with it."""
    slot, drawn, place = market_slot(move.action), drawn_tier(move.action), reserve_place(move.action)
    if place is not None:
        return reserve.pop(place) if place < len(reserve) else (None, None)
    if drawn is not None:
        reserve.append((None, drawn + 1))
        return None, drawn + 1
    if slot is None:
        return None, None
    card, market[slot[0]][slot[1]] = market[slot[0]][slot[1]], None
    if move.kind == "reserve":
        reserve.append((card, slot[0] + 1))
    return card, slot[0] + 1


def searched_view(line: str) -> View:
    """What the seat to decide may know of a position: all that a search gets."""
    shown = read(line)
    if shown.stage == "over":
        raise Refused("over")
    return seen_by_turn(shown)
