"""A Polish reader tries every illegal move: the page says the rule, in Polish.

What the page offers is clicked. A move that it does not offer takes the place of one that it sends, on the way to the server.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, WebSocketRoute, expect

from cabochon import Game
from cabochon.server.errors import REFUSALS, RULE_CODES
from cabochon.why_not import RULES
from tests.browser.staged import Stage, stage
from tests.server.test_refusals import MESSAGES
from tests.support.positions import position

pytestmark = pytest.mark.slow
WORD = re.compile(r"[^\W\d_]+")
HELD = "g 3r, k 3g, u 3k"
THREE_CARDS: dict[str, Any] = {"reserve": HELD}
TWO_TILES: dict[str, Any] = {"bonuses": "3w3u3g3r", "tiles": "3w3u3g, 3u3g3r"}


def words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)}


def texts(locale: str, *, refusals: bool) -> str:
    """The messages of a language: those about refusals, or all others. A message is a text, or one text for each form."""
    kept = [text for key, text in MESSAGES[locale].items() if key.startswith(("rule_", "refused_")) == refusals]
    forms = [[text] if isinstance(text, str) else [form for one in text for form in one["match"].values()] for text in kept]
    return re.sub(r"{.*?}", " ", " ".join(form for several in forms for form in several))


ENGLISH = words(texts("en", refusals=True)) | words(str(RULES)) | words(str(REFUSALS))
ENGLISH -= words(texts("pl", refusals=False))  # such as "bot", "limit" and "to", which are Polish as well


def after(game: Game, *moves: str) -> Game:
    for move in moves:
        game.play(move)
    return game


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("staged")) as running:
        yield running


@pytest.fixture(scope="module")
def reader(browser: Browser, staged: Stage) -> Iterator[BrowserContext]:
    context = browser.new_context(
        base_url=staged.url, viewport={"width": 1280, "height": 800}, reduced_motion="reduce", locale="pl"
    )
    yield context
    context.close()


def sit_down(reader: BrowserContext, staged: Stage, game: Game, sends: str | None = None) -> Page:
    """At this position; `sends` takes the place of the next move that the page sends."""
    page = reader.new_page()
    if sends:
        page.route_web_socket(re.compile("/socket"), lambda socket: exchange(socket, sends))
    page.goto(staged.set_table(reader, game))
    page.wait_for_selector("[data-testid='turn-bar'].mine")
    return page


def exchange(socket: WebSocketRoute, text: str) -> None:
    server = socket.connect_to_server()

    def pass_on(message: str | bytes) -> None:
        sent = json.loads(message)
        server.send(json.dumps({**sent, "text": text} if sent["type"] == "move" else sent))

    socket.on_message(pass_on)


def check(page: Page, key: str) -> None:
    """The page says this message in Polish, and nothing in English."""
    alert = page.locator("[data-testid='turn-bar'] [role='alert']")
    expect(alert).to_contain_text(re.split(r"[{(]", MESSAGES["pl"][key])[0].strip())
    said = alert.inner_text()
    assert set() == words(said) & ENGLISH, said
    assert not re.search(r"[{}]|undefined", said), said
    page.close()


def click(test_id: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_test_id(test_id).click()


def keys(text: str) -> Callable[[Page], None]:
    return lambda page: page.keyboard.type(text)


def confirm(page: Page) -> None:
    """Take two black tokens, which is possible in every position where something else is sent instead."""
    page.keyboard.type("kk")
    page.keyboard.press("Enter")


CLICKED: dict[str, tuple[Game, Callable[[Page], None]]] = {
    "rule_pile_for_two": (position(bank="3w3u3k"), keys("kk")),
    "rule_not_in_the_bank": (position(bank="3w3u3r3k"), keys("g")),
    "rule_enough": (position(), keys("wugr")),
    "rule_deck_empty": (position(deck2="-"), click("deck-2")),
    "rule_reserve_full": (position(**THREE_CARDS), click("card-3a")),
    "rule_price_too_high": (position(**THREE_CARDS), click("reserve-1")),
}

SENT_MAIN: dict[str, tuple[Game, str]] = {
    "rule_return_above_the_limit": (position(tokens="3w"), "return w"),
    "rule_claim_among_several": (position(), "claim 1"),
    "rule_three_colours": (position(), "take wu"),
    "rule_place_empty": (position(market={"1a": "-"}, deck1="-"), "reserve 1a"),
    "rule_not_in_the_reserve": (position(), "buy @2"),
    "rule_pay_tokens_in_hand": (position(market={"1a": "g 3r"}, tokens="3r"), "buy 1a with *rr"),
    "rule_overpaying": (position(market={"1a": "g 3r"}, tokens="4r"), "buy 1a with rrrr"),
    "rule_whole_price": (position(market={"1a": "g 3r"}, tokens="3r"), "buy 1a with rr"),
    "rule_can_still_move": (position(), "pass"),
    "rule_not_a_move": (position(), "take kkk"),
}

SENT_LATER: dict[str, tuple[Game, Callable[[Page], None], str]] = {
    "rule_return_first": (after(position(tokens="9w"), "take ugr"), keys("ww\n"), "take wug"),
    "rule_return_tokens_in_hand": (after(position(tokens="9w"), "take rr"), keys("w\n"), "return k"),
    "rule_time_never_returned": (after(position("marvel", tokens="8y1t"), "take pbr"), keys("yy\n"), "return t"),
    "rule_time_never_spent": (position("marvel", market={"1a": "Rocket"}, tokens="1y2r1t"), keys("yy\n"), "buy 1a with yrt"),
    "rule_claim_first": (after(position(**TWO_TILES), "take wug"), keys("1"), "take wug"),
    "rule_no_tile_there": (after(position(**TWO_TILES), "take wug"), keys("1"), "claim 3"),
    "rule_demand_not_met": (
        after(position(bonuses="4w4u3g", tiles="3w3u3g, 4r4k, 4w4u"), "take wug"),
        keys("1"),
        "claim 2",
    ),
    "rule_other_colour_not_met": (
        after(position("cities", bonuses="2w2u2g2r2k", points=17, tiles="13+ 2w2u2g2r2k, 12+ 6 other, 17+"), "take wug"),
        keys("1"),
        "claim 2",
    ),
    "rule_points_not_met": (
        after(position("cities", bonuses="2w2u2g2r2k", points=16, tiles="13+ 2w2u2g2r2k, 16+ 1w1u1g1r1k, 17+"), "take wug"),
        keys("1"),
        "claim 3",
    ),
}


@pytest.mark.parametrize("key", CLICKED)
def test_what_the_page_lets_one_try(reader: BrowserContext, staged: Stage, key: str) -> None:
    game, act = CLICKED[key]
    page = sit_down(reader, staged, game)
    act(page)
    check(page, key)


@pytest.mark.parametrize("key", SENT_MAIN)
def test_what_the_page_does_not_offer(reader: BrowserContext, staged: Stage, key: str) -> None:
    game, text = SENT_MAIN[key]
    page = sit_down(reader, staged, game, sends=text)
    confirm(page)
    check(page, key)


@pytest.mark.parametrize("key", SENT_LATER)
def test_the_other_stages_of_a_turn(reader: BrowserContext, staged: Stage, key: str) -> None:
    game, act, text = SENT_LATER[key]
    page = sit_down(reader, staged, game, sends=text)
    act(page)
    check(page, key)


def test_every_rule_is_tried() -> None:
    """The server knows that a game is over before it asks the rules."""
    tried = {*CLICKED, *SENT_MAIN, *SENT_LATER}
    assert {f"rule_{code}" for code in RULE_CODES} - tried == {"rule_game_over"}
