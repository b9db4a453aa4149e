"""Bad input gets an error of its own type that names what is wrong, and changes nothing."""

import re
from typing import Any

import numpy as np
import pytest

import cabochon
from cabochon import (
    VARIANTS,
    CabochonError,
    Game,
    IllegalMove,
    Move,
    MoveSyntaxError,
    PositionError,
    RecordError,
    RulesetError,
    format_position,
    format_record,
    parse_position,
    parse_record,
)
from cabochon.server.settings import Settings


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("MAX_READS_PER_MINUTE", "0", "0.0 is not a number above 0"),
        ("MAX_READS_PER_MINUTE", "nan", "nan is not a number above 0"),
        ("MAX_READS_PER_MINUTE", "inf", "inf is not a number above 0"),
        ("TABLES_PER_MINUTE", "-1", "-1.0 is not a number above 0"),
        ("REQUESTS_PER_SECOND", "0", "0.0 is not a number above 0"),
        ("MAX_CONNECTIONS", "0", "0 is not a number above 0"),
        ("MAX_UNSENT", "-3", "-3 is not a number above 0"),
        ("TICK_SECONDS", "0", "0.0 is not a number above 0"),
        ("PING_SECONDS", "0", "0.0 is not a number above 0"),
        ("KEEP_WAITING_SECONDS", "-1", "-1.0 is below 0"),
        ("MAX_HEADERS", "many", "'many' is not a number"),
    ],
)
def test_bad_setting_of_a_server(name: str, text: str, message: str) -> None:
    with pytest.raises(CabochonError) as wrong:
        Settings.from_environment({f"CABOCHON_{name}": text})
    assert f"CABOCHON_{name}: {message}" == str(wrong.value)


def test_settings_that_may_be_0_or_less() -> None:
    names = ("KEEP_WAITING_SECONDS", "KEEP_FINISHED_SECONDS", "COMMIT_WINDOW", "BOT_DELAY", "BOT_WORKERS")
    found = Settings.from_environment({f"CABOCHON_{name}": "0" for name in names})
    assert [0] * len(names) == [getattr(found, name.lower()) for name in names]
    assert -1 == Settings.from_environment({"CABOCHON_BOT_WORKERS": "-1"}).bot_workers


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("unknown variant 'chess': choose one of classic, marvel", {"variant": "chess"}),
        ("players must be 2, 3 or 4, not 1", {"players": 1}),
        ("players must be 2, 3 or 4, not 5", {"players": 5}),
        ("players must be 2, 3 or 4, not 2.0", {"players": 2.0}),
        ("players must be 2, 3 or 4, not True", {"players": True}),
        ("goal must be a number from 1 to 100, not 0", {"goal": 0}),
        ("hand_limit must be a number from 0 to 3, not 4", {"hand_limit": 4}),
        ("token_limit must be a number from 1 to 40, not 'ten'", {"token_limit": "ten"}),
        ("take_fewer must be True or False, not 'yes'", {"take_fewer": "yes"}),
        ("unknown house rule 'jokers': choose from take_fewer", {"jokers": 3}),
        ("start must be a seat from 0 to 1, not 2", {"start": 2}),
        ("seed must be a whole number that fits 64 bits, not 'x'", {"seed": "x"}),
        ("seed must be a whole number that fits 64 bits, not 9999", {"seed": 99999999999999999999}),
    ],
)
def test_bad_ruleset(message: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(RulesetError) as wrong:
        Game(**arguments)
    assert message in str(wrong.value)


@pytest.mark.parametrize(
    ("column", "expected", "text"),
    [
        (1, "one of take, reserve", ""),
        (1, "one of take, reserve", "grab wug"),
        (3, "one of take, reserve", "  grab"),
        (5, "one to three different", "take"),
        (7, "one of the colours wugrk", "take wx"),
        (6, "one to three different", "take wwu"),
        (6, "one to three different", "take wugr"),
        (9, "a place like 2c", "reserve 4a"),
        (9, "a place like 2c", "reserve 2e"),
        (5, "a place like 1a", "buy 1?"),
        (5, "a place like 1a", "buy @4"),
        (8, "'with' and a payment", "buy 1a using w"),
        (12, "a payment like *w", "buy 1a with"),
        (13, "a payment like *w", "buy 1a with wq"),
        (13, "a payment like *w", "buy 1a with 99999w"),
        (13, "a payment like *w", "buy 1a with -"),
        (15, "the end", "buy 1a with w w"),
        (8, "one of wugrk*", "return t"),
        (8, "one of wugrk*", "return kk"),
        (7, "the number of a tile", "claim 6"),
        (6, "the end", "pass now"),
        (100, "the end", "take " + "w" * 200),
    ],
)
def test_text_that_is_no_move(column: int, expected: str, text: str) -> None:
    game = Game(seed=1)
    before = game.states.tobytes()
    with pytest.raises(MoveSyntaxError) as wrong:
        game.play(text)
    assert column == wrong.value.column
    assert f"column {column}: expected {expected}" in str(wrong.value)
    assert before == game.states.tobytes()


def test_illegal_move_says_the_rule() -> None:
    game = Game(seed=1)
    with pytest.raises(IllegalMove) as wrong:
        game.play("take wu")
    assert "take wu: three different colours, or all that are left (5 colours left)" == str(wrong.value)
    assert "three different colours" in wrong.value.rule


def test_move_of_the_other_game() -> None:
    with pytest.raises(CabochonError, match="is a move of marvel, and this game is classic"):
        Game(seed=1).play(Move.parse("take ypb", "marvel"))


def test_action_out_of_range() -> None:
    with pytest.raises(CabochonError, match="an action is a number from 0 to 72, not 73"):
        Move(73)


@pytest.mark.parametrize("payment", [(-1, 2), (0, 0, 0, 0, 0, 0, 1), (64,)])
def test_payment_that_is_none(payment: tuple[int, ...]) -> None:
    with pytest.raises(CabochonError, match="a payment is up to 6 counts from 0 to 63"):
        Move(45, payment)


def test_only_a_purchase_has_a_payment() -> None:
    with pytest.raises(CabochonError, match="only a purchase has a payment"):
        Move(6, (1,))


def test_undo_at_the_beginning() -> None:
    with pytest.raises(CabochonError, match="no move to take back"):
        Game(seed=1).undo()


def test_no_such_seat() -> None:
    with pytest.raises(RulesetError, match="there is no seat 2: seats are 0 to 1"):
        Game(seed=1).view(2)


GOOD = format_position(Game("classic", seed=1, start=0, moves="take wug; reserve 2a; take rr").position())
MARVEL = format_position(Game("marvel", seed=1, start=0).position())
SEEN = format_position(Game("classic", seed=1, start=0, moves="reserve 1?").view(1))


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("is not a position", ""),
        ("position: unknown variant 'chess'", GOOD.replace("classic", "chess")),
        ("position: players must be 2, 3 or 4", GOOD.replace("classic 2", "classic 9")),
        ("position: players must be 2, 3 or 4", GOOD.replace("classic 2", "classic two")),
        ("position: too many w tokens: 5", GOOD.replace("bank:3w", "bank:4w")),
        ("position: too few w tokens: 3", GOOD.replace("bank:3w", "bank:2w")),
        ("position: bank: '3w!': '!' is none of the gems wugrk*", GOOD.replace("bank:3w", "bank:3w! x:")),
        ("position: goal must be a number from 1 to 100, not 0", GOOD.replace("start:0", "goal:0 start:0")),
        ("position: start: 'x' is not a number from 0 to 1", GOOD.replace("start:0", "start:x")),
        ("position: start is missing", GOOD.replace("start:0 ", "")),
        ("position: turns stands twice", GOOD + " turns:3"),
        ("position: unknown field 'colour'", GOOD + " colour:red"),
        ("position: 'nonsense' is not a field", GOOD + " nonsense"),
        ("position: stage: 'sleep' is none of main", GOOD.replace("stage:main", "stage:sleep")),
        ("position: market: a row has four places", GOOD.replace("market:", "market:17,")),
        ("position: market: expected 3 parts", GOOD.replace("market:", "market:1/")),
        ("position: seat0: expected 3 parts", GOOD.replace("seat0:", "seat0:-|")),
        ("position: seat1: 'q' is not a number", GOOD.replace("seat1:1*|-", "seat1:1*|q")),
        ("stage return, the limit is 10", GOOD.replace("stage:main", "stage:return")),
        ("position: stage claim: fewer than two tiles", GOOD.replace("stage:main", "stage:claim")),
        ("position: reason: a game that is over has a reason", GOOD.replace("stage:main", "stage:over")),
        ("position: tiles: 2 players have 3 tiles, here are 2", GOOD.replace("tiles:1,", "tiles:")),
        ("position: tiles: tile 9 is there twice", GOOD.replace("tiles:1,", "tiles:9,")),
        ("position: tiles: seat0 does not meet the demand of tile 1", GOOD.replace("tiles:1,", "tiles:1@0,")),
        ("position: avengers: seat1 cannot have the tile with 0 symbols", MARVEL + " avengers:1"),
        ("a Time token comes with the first tier-3 card", MARVEL.replace("5*2t", "5*1t").replace("seat0:-|", "seat0:1t|")),
        ("position: seat0: cards are numbered from 1", GOOD.replace("|-|- seat1", "|0|- seat1")),
        ("position: card 63 is not of tier 1", SEEN.replace("market:18,", "market:63,").replace("/63,", "/18,")),
    ],
)
def test_bad_position(message: str, text: str) -> None:
    with pytest.raises(PositionError) as wrong:
        parse_position(text)
    assert message in str(wrong.value)


LONG = "1" * 5000  # Python itself reads and writes no number of so many digits
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def without_ascii_digits(text: str, field: str) -> str:
    """The same text with the digits of another script in one field."""
    return re.sub(rf"(?<={field})[^ \n]+", lambda found: found[0].translate(ARABIC), text, count=1)


FIELDS = ["start:", "turns:", "bank:", "market:", "decks:", "tiles:", "seat0:"]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("field", [f" {field}" for field in FIELDS])
def test_a_number_in_a_position_is_short_and_has_ascii_digits(variant: str, field: str) -> None:
    text = format_position(Game(variant, seed=1, start=0, moves="reserve 1a").position())
    assert text == format_position(parse_position(text))
    for wrong in (text.replace(field, f"{field}{LONG}"), without_ascii_digits(text, field)):
        assert wrong != text
        with pytest.raises(PositionError) as error:
            parse_position(wrong)
        assert len(str(error.value)) < 200


@pytest.mark.parametrize("number", [LONG, "٢", "²", "2_0", "+2", "2.0"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_number_of_players_or_a_house_rule_is_short_and_has_ascii_digits(variant: str, number: str) -> None:
    game = Game(variant, seed=1, start=0)
    position, record = format_position(game.position()), format_record(game.record())
    for wrong in (
        position.replace(f"{variant} 2", f"{variant} {number}"),
        position.replace("start:", f"token_limit:{number} start:"),
    ):
        with pytest.raises(PositionError, match=r"players must be|token_limit must be"):
            parse_position(wrong)
    for wrong in (record.replace("players: 2", f"players: {number}"), record.replace("start:", f"hand_limit: {number}\nstart:")):
        with pytest.raises(RecordError, match=r"players must be|hand_limit must be"):
            parse_record(wrong)


@pytest.mark.parametrize("header", ["start: ", "tiles: ", "deck 1: ", "deck 3: "])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_number_in_a_record_is_short_and_has_ascii_digits(variant: str, header: str) -> None:
    text = format_record(Game(variant, seed=1, start=0).record())
    for wrong in (text.replace(header, header + LONG), without_ascii_digits(text, header)):
        assert wrong != text
        with pytest.raises(RecordError, match="record: line"):
            parse_record(wrong)


@pytest.mark.parametrize("payment", [f"{LONG}w", "٢w", "²w"])
def test_a_number_in_a_payment_is_short_and_has_ascii_digits(payment: str) -> None:
    with pytest.raises(MoveSyntaxError):
        Move.parse(f"buy 1a with {payment}"[:90])


def test_card_twice() -> None:
    first, second = GOOD.split("market:")[1].split(",")[:2]
    with pytest.raises(PositionError, match=f"card {first} stands twice: in market and in market"):
        parse_position(GOOD.replace(f"market:{first},{second},", f"market:{first},{first},"))


def test_card_missing() -> None:
    decks = GOOD.split("decks:")[1].split("/")[0]
    with pytest.raises(PositionError, match=r"tier 1 has 40 cards, here are 39; card \d+ is nowhere"):
        parse_position(GOOD.replace(decks, decks.partition(",")[2]))


def test_own_reserve_is_known() -> None:
    with pytest.raises(PositionError, match="a seat knows its own reserved cards"):
        parse_position(SEEN.replace("seen:1", "seen:0"))


def test_a_view_is_no_game() -> None:
    with pytest.raises(CabochonError, match="a view does not say what is hidden"):
        Game.from_position(SEEN)


RECORD = format_record(Game("classic", seed=3, start=0, moves="take wug; reserve 1?; take rr").record())


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("record: line 1: a record begins with 'cabochon game 1'", ""),
        ("record: line 1: a record begins with", RECORD.replace("cabochon game", "some file")),
        ("record: line 1: version 9 is not known here", RECORD.replace("cabochon game 1", "cabochon game 9")),
        ("record: the header 'variant:' is missing", RECORD.replace("variant: classic\n", "")),
        ("record: unknown variant", RECORD.replace("variant: classic", "variant: chess")),
        ("players must be 2, 3 or 4", RECORD.replace("players: 2", "players: 7")),
        ("start: '5' is not a number from 0 to 1", RECORD.replace("start: 0", "start: 5")),
        ("unknown header 'weather'", RECORD.replace("start: 0", "start: 0\nweather: fine")),
        ("'start' stands twice", RECORD.replace("start: 0", "start: 0\nstart: 1")),
        ("is not a header like", RECORD.replace("start: 0", "start 0")),
        ("the record stops before its moves", RECORD.split("\n\n")[0]),
        ("the result is missing: the record was cut off", RECORD.split("result")[0]),
        ("the result is missing: the record was cut off", RECORD.split("take rr")[0]),
        ("it says 'result: won by 1; reason goal; points 15 20', but the moves give 'result: unfinished'",
         RECORD.replace("unfinished", "won by 1; reason goal; points 15 20")),
        ("line 10: take wu: three different colours", RECORD.replace("take wug", "take wu")),
        ("line 10: 'take wugg' is not a move: column 6", RECORD.replace("take wug", "take wugg")),
        ("line 11: it says card 77, but it was", RECORD.replace("reserve 1?", "reserve 1? [77]")),
        ("'Batman' is no card of classic", RECORD.replace("reserve 1?", "reserve 1? [Batman]")),
        ("is not a move with a [card] and a {comment}", RECORD.replace("take wug", "take wug {open")),
        ("nothing may follow the result", RECORD + "take wug\n"),
        ("deck 1: card 71 is not of tier 1", RECORD.replace("deck 1: ", "deck 1: 71, ")),
        ("line 7: deck 2: the four cards turned up at the start must be known", RECORD.replace("deck 2: ", "deck 2: ?, ")),
        ("tiles: '77' is not a number from 1 to 10", RECORD.replace("tiles: ", "tiles: 77, ")),
    ],
)  # fmt: skip
def test_bad_record(message: str, text: str) -> None:
    with pytest.raises(RecordError) as wrong:
        Game.from_record(text)
    assert message in str(wrong.value)


def test_deck_with_a_card_twice() -> None:
    line = next(line for line in RECORD.splitlines() if line.startswith("deck 3"))
    cards = line.removeprefix("deck 3: ").split(", ")
    twice = "deck 3: " + ", ".join([cards[0], *cards[:-1]])
    with pytest.raises(RecordError, match=f"deck 3: card {cards[0]} stands twice"):
        Game.from_record(RECORD.replace(line, twice))


def test_deck_with_a_card_too_many() -> None:
    text = RECORD.replace("\ndeck 3", ", ?, ?\ndeck 3")
    with pytest.raises(RecordError, match=r"line 7: deck 2: 32 cards, tier 2 has 30"):
        Game.from_record(text)


def test_bad_arrays() -> None:
    states = cabochon.deal("classic", 2, range(3))
    before, take = states.tobytes(), Move.parse("take wug").action
    with pytest.raises(IllegalMove, match="action 60 in game 1: not legal in this position"):
        cabochon.play(states, [take, 60, take])
    with pytest.raises(IllegalMove, match="action 99 in game 0"):
        cabochon.play(states, [99, -1, -1])
    with pytest.raises(CabochonError, match="actions must be 3 whole numbers"):
        cabochon.play(states, [1, 2])
    with pytest.raises(CabochonError, match="actions must be 3 whole numbers"):
        cabochon.play(states, [0.5, 1.0, 2.0])
    masks, seeds = cabochon.legal(states), np.arange(3)
    wrong: Any
    for wrong in (masks[:2], masks.reshape(3, 1), masks.astype(float), [masks, [1]]):
        with pytest.raises(CabochonError, match="masks must be 3 whole numbers, one for each game"):
            cabochon.choose(states, wrong, seeds=seeds)
    for wrong in (seeds[:2], np.arange(4), 7, ["a", "b", "c"]):
        with pytest.raises(CabochonError, match="seeds must be 3 whole numbers, one for each game"):
            cabochon.choose(states, masks, seeds=wrong)
    assert list(cabochon.choose(states, masks, seeds=seeds)) == list(cabochon.choose(states, masks.tolist(), seeds=[0, 1, 2]))
    with pytest.raises(CabochonError, match="states must be a one-dimensional array of records"):
        cabochon.legal(np.zeros(3))  # type: ignore[arg-type]
    with pytest.raises(CabochonError, match="this is one record: take"):
        cabochon.is_over(states[0])
    with pytest.raises(CabochonError, match="of a Game that is"):
        cabochon.ranks(Game(seed=1))  # type: ignore[arg-type]
    with pytest.raises(CabochonError, match="this array is read-only"):
        cabochon.play(np.frombuffer(states.tobytes(), states.dtype), [take] * 3)
    for wrong in (2, -1, [0, 1, 2], [0, 1], 0.5, "a"):
        with pytest.raises(CabochonError, match="seats must be numbers from 0 to 1"):
            cabochon.observe(states, wrong)
    with pytest.raises(CabochonError, match="different numbers of players"):
        cabochon.observe(np.concatenate([states, cabochon.deal("classic", 3, [1])]))
    with pytest.raises(cabochon.WrongType, match="rng must be a generator"):
        cabochon.choose(states, rng=7)  # type: ignore[arg-type]
    with pytest.raises(CabochonError, match="rng and seeds: give one of them"):
        cabochon.choose(states, rng=np.random.default_rng(1), seeds=seeds)
    with pytest.raises(CabochonError, match="seeds must be whole numbers"):
        cabochon.deal("classic", 2, ["a"])
    with pytest.raises(RulesetError, match="players must be"):
        cabochon.deal("classic", 6, [1])
    assert before == states.tobytes()
