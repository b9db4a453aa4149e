"""What a move did, and from whom it is hidden."""

from typing import Any

import pytest

from cabochon import CARDS, Game
from cabochon.events import Event, drawn_tier, event_of, market_slot, reserve_place
from cabochon.notation.move import Move
from tests.support.golden import FOLDER, GOLDEN
from tests.support.positions import DEMANDS, card, position


def played(game: Game, move: str, viewer: int | None = 0) -> Event:
    """What a move did, as a viewer saw it."""
    before = game.view(viewer)
    game.play(move)
    return event_of(before, game.view(viewer), game.moves[-1].action)


@pytest.mark.parametrize(
    "game, move, expected",
    [
        (position(), "take wug", {"card": None, "gems": (1, 1, 1, 0, 0, 0), "reveals": False}),
        (
            position(market={"1a": "g 3r"}, deck1="k 3g"),
            "reserve 1a",
            {"card": card("g 3r"), "turned_up": card("k 3g"), "gems": (0, 0, 0, 0, 0, 1), "reveals": True, "is_hidden": False},
        ),
        (
            position(market={"1a": "g 3r"}, deck1="-", tokens="3r1*"),
            "buy 1a with *rr",
            {"card": card("g 3r"), "turned_up": None, "gems": (0, 0, 0, 2, 0, 1), "reveals": False},
        ),
        (
            position(deck1="k 3g"),
            "reserve 1?",
            {"card": card("k 3g"), "turned_up": None, "is_hidden": True, "reveals": True, "made_known": card("k 3g")},
        ),
        (position(reserve="g 3r?", tokens="3r"), "buy @1", {"card": card("g 3r"), "is_hidden": False, "reveals": True}),
        (position(reserve="g 3r", tokens="3r"), "buy @1", {"card": card("g 3r"), "reveals": False}),
        (position(bank="-", reserve="g 3r, k 3g, r 3w"), "pass", {"shown": (), "reveals": False, "card": None}),
        (position(bank="-", reserve="g 3r?, k 3g, r 3w"), "pass", {"shown": (card("g 3r"),), "reveals": True}),
        (
            position(bank="-", reserve="g 3r, k 3g, r 3w", open_reserves=False),
            "pass",
            {"shown": (card("g 3r"), card("k 3g"), card("r 3w")), "reveals": True},
        ),
        (
            position(market={"1a": "g 3r"}, open_reserves=False),
            "reserve 1a",
            {"card": card("g 3r"), "is_hidden": True},
        ),
        (
            position(bonuses="3w3u3g", tiles="4r4k, 3w3u3g"),
            "take wug",
            {"tile": DEMANDS["classic"]["3w3u3g"], "tile_place": 1, "avengers": False},
        ),
        (
            position("marvel", market={"3a": "Thor"}, bonuses="7y7p7b7r7o"),
            "buy 3a",
            {"card": card("Thor", "marvel"), "gems": (0,) * 7, "brings_time": True, "tokens": (0, 0, 0, 0, 0, 0, 1)},
        ),
    ],
)
def test_what_a_move_did(game: Game, move: str, expected: dict[str, Any]) -> None:
    did = played(game, move)
    assert expected == {name: getattr(did, name) for name in expected}


@pytest.mark.parametrize("owner, seat", [(None, 0), (1, 0)])
def test_from_whom_the_avengers_tile_comes(owner: int | None, seat: int) -> None:
    symbols = next(one for one in CARDS["marvel"] if one.symbols and one.tier == 1)
    game = position(
        "marvel",
        market={"1a": symbols.name},
        bonuses="7y7p7b7r7o",
        symbols=4,
        symbols1=4 if owner == 1 else 0,
        avengers="-" if owner is None else str(owner),
    )
    did = played(game, "buy 1a")
    assert (True, owner, seat) == (did.avengers, did.avengers_from, did.seat)


def test_from_whom_a_card_is_hidden() -> None:
    for viewer in (0, 1, None):
        did = played(position(deck1="k 3g"), "reserve 1?", viewer)
        assert (viewer != 0, viewer != 0) == (did.card is None, did.is_hidden_from(viewer))


def test_who_did_not_see_a_reserved_card_sees_it_bought() -> None:
    for viewer in (0, 1, None):
        did = played(position(reserve="g 3r?", tokens="3r"), "buy @1", viewer)
        assert (card("g 3r"), False) == (did.card, did.is_hidden_from(viewer))


def test_a_forced_pass_shows_cards_to_everybody() -> None:
    for viewer in (0, 1, None):
        did = played(position(bank="-", reserve="g 3r?, k 3g, r 3w?"), "pass", viewer)
        assert (card("g 3r"), card("r 3w")) == did.shown


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_all_viewers_agree_on_what_they_see(golden: Any) -> None:
    game = Game.from_record((FOLDER / f"{golden.name}.game").read_text())
    again = game.beginning()
    for move in game.moves:
        viewers = [None, *range(game.players)]
        before = {viewer: again.view(viewer) for viewer in viewers}
        again.play(move)
        events = {viewer: event_of(before[viewer], again.view(viewer), move.action) for viewer in viewers}
        own = events[before[None].turn]
        for viewer, did in events.items():
            unseen = own.is_hidden_from(viewer) and drawn_tier(move.action) is not None
            assert (None if unseen else own.card) == did.card
            assert (own.turned_up, own.tile, own.tokens, own.avengers) == (did.turned_up, did.tile, did.tokens, did.avengers)
            assert (own.shown, own.reveals) == (did.shown, did.reveals)


def test_every_action_with_a_card_takes_it_from_one_place() -> None:
    for action in range(73):
        sources = [find(action) is not None for find in (market_slot, drawn_tier, reserve_place)]
        assert (Move(action).kind in ("reserve", "buy")) == (sum(sources) == 1)
        assert sum(sources) <= 1
