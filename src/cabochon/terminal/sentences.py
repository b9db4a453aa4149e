"""Moves and outcomes as English sentences."""

from collections.abc import Iterator, Sequence

from ..events import Event, drawn_tier, event_of
from ..game import Game, reaches_goal
from ..notation.ascii import draw_tile
from ..notation.move import Move
from ..rules.buying import AVENGERS_POINTS
from ..rules.gems import COLOUR_COUNT, WILD
from ..rules.variants import CARDS, TILES
from ..view import View
from .vocabulary import NUMBERS, TASKS, YOU, capitalise, conjugate, join_words, plural


def headline(view: View, names: Sequence[str]) -> str:
    """The game, the round, and whose turn it is."""
    rules = view.rules
    house = "".join(f", {name}={value}" for name, value in rules.house_rules().items())
    if view.stage == "over":
        return f"{rules.variant}, {rules.players} players{house}: over"
    last = ", the last one" if any(reaches_goal(view, seat) for seat in range(rules.players)) else ""
    where = f"{rules.variant}, {rules.players} players{house}, round {view.turns // rules.players + 1}{last}"
    verb = "are" if names[view.turn] == YOU else "is"
    return f"{where}: {names[view.turn]} {verb} to {TASKS[view.stage]}"


def describe_move(before: View, after: View, move: Move, name: str) -> str:
    """What a move did, from the views of one seat before and after it: so it tells nothing that this seat may not know."""
    did = event_of(before, after, move.action)
    return capitalise(" ".join([_action_sentence(before, did, move, name), *_effects(before, did, move, name)]))


def _action_sentence(before: View, did: Event, move: Move, name: str) -> str:
    word = str(move).split()[1] if move.kind != "pass" else ""
    if move.kind == "take":
        return f"{conjugate(name, 'take')} {_colours(before, did.gems)}."
    if move.kind == "reserve":
        return f"{conjugate(name, 'reserve')} {_reserved_card(before, did, word)}{_with_wild(before, did)}."
    if move.kind == "buy":
        paid = " ".join(f"{n}{letter}" for n, letter in zip(did.gems, before.rules.letters, strict=True) if n)
        price = f"for {paid or 'nothing'}"
        buys = conjugate(name, before.rules.row.words["buy"])
        return f"{buys} {_bought_card(before, did, word)} {price}."
    if move.kind == "return":
        return f"{conjugate(name, 'return')} a {_token_word(before, word)} token."
    if move.kind == "claim":
        return f"{conjugate(name, 'choose')} {tile_text(before, int(word) - 1)}."
    shown = join_words([_card_text(before, number) for number in did.shown])
    return f"{conjugate(name, 'pass')}." + (f" Shown: {shown}." if did.shown else "")


def _colours(view: View, taken: Sequence[int]) -> str:
    words = view.rules.row.colours
    return join_words([word if n == 1 else f"{NUMBERS[n]} {word}" for word, n in zip(words, taken, strict=False) if n > 0])


def _token_word(view: View, letter: str) -> str:
    lane = view.rules.letters.index(letter)
    return view.rules.row.colours[lane] if lane < COLOUR_COUNT else view.rules.row.words["wild"]


def _card_text(view: View, number: int) -> str:
    """The name of a card if it has one, its colour and points."""
    card = CARDS[view.rules.variant][number - 1]
    colour = view.rules.row.colours[view.rules.letters.index(card.bonus)]
    points = f", {plural(card.points, 'point')}" if card.points else ""
    return f"{card.name} ({colour}{points})" if card.name else f"a {colour} card{points}"


def _reserved_card(before: View, did: Event, word: str) -> str:
    text = _card_text(before, did.card) if did.card else ""
    if drawn_tier(did.action) is None:
        return f"{word}, {text}"
    return f"the top card of deck {word[0]}" + (f": {text}" if text else ", unseen")


def _with_wild(before: View, did: Event) -> str:
    word = before.rules.row.words["wild"]
    return f", with a {word} token" if did.tokens[WILD] > 0 else f" (no {word} is left)"


def _bought_card(before: View, did: Event, word: str) -> str:
    assert did.card is not None, "everybody sees a bought card"
    return f"{'a reserved card' if word[0] == '@' else word}, {_card_text(before, did.card)},"


def tile_text(view: View, place: int) -> str:
    """The place, name and demand of a tile."""
    tile = TILES[view.rules.variant][view.tiles[place].number - 1]
    name = f" {tile.name}" if tile.name else ""
    return f"{view.rules.row.tile_kind} {place + 1}{name} ({draw_tile(view.rules.variant, tile.number)})"


def _effects(before: View, did: Event, move: Move, name: str) -> Iterator[str]:
    """What the turn brought besides: a tile, a Time token, the Avengers tile."""
    if did.tile is not None and did.tile_place is not None and move.kind != "claim":
        points = TILES[before.rules.variant][did.tile - 1].points
        yield capitalise(f"{tile_text(before, did.tile_place)} comes to {name}{f': {points} points' if points else ''}.")
    if did.brings_time:
        yield "A Time token comes with it."
    if did.avengers:
        yield f"The Avengers tile goes to {name}: {AVENGERS_POINTS} points."


# the end


def describe_outcome(game: Game, names: Sequence[str]) -> Iterator[str]:
    """How the game ended, who won and why, and every seat by rank."""
    outcome, view = game.outcome, game.position()
    if outcome is None:
        yield f"Not finished: round {game.round}, {names[game.turn]} to play."
        return
    reached = game.rules.row.words["goal"].format(goal=game.rules.goal)
    played_out = f"{reached}, and the round is played out"
    yield f"The game is over: {played_out if outcome.reason == 'goal' else 'nobody can move any more'}."
    yield _winners(view, outcome.ranks, outcome.winners, names)
    yield ""
    for seat in sorted(range(game.players), key=lambda seat: outcome.ranks[seat]):
        yield f"  {outcome.ranks[seat]}. {names[seat]:<12} {', '.join(_merits(view, seat))}"


def _winners(view: View, ranks: Sequence[int], winners: Sequence[int], names: Sequence[str]) -> str:
    who = join_words([names[seat] for seat in winners])
    if len(winners) > 1:
        return capitalise(f"{who} share the victory.")
    second = min((seat for seat in range(len(ranks)) if seat != winners[0]), key=lambda seat: ranks[seat])
    return capitalise(f"{conjugate(who, 'win')} {_because(view, winners[0], second)}.")


def _because(view: View, first: int, second: int) -> str:
    """Why the first is ranked before the second."""
    best, next_best = view.seats[first], view.seats[second]
    if reaches_goal(view, first) != reaches_goal(view, second) and best.points <= next_best.points:
        return f"with {view.rules.row.words['prize']}"
    if best.points != next_best.points:
        return f"with {best.points} points to {next_best.points}"
    if view.avengers == first:
        return "on equal points with the Avengers tile"
    return f"on equal points with fewer cards ({len(best.tableau)} to {len(next_best.tableau)})"


def _merits(view: View, seat: int) -> Iterator[str]:
    area = view.seats[seat]
    yield plural(area.points, "point")
    yield plural(len(area.tableau), "card")
    if view.avengers == seat:
        yield "the Avengers tile"
    if "prize" in view.rules.row.words:
        yield view.rules.row.words["prize" if reaches_goal(view, seat) else "no_prize"]
