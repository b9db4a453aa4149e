"""The pages of the rules: every rule has a test of its name and an example, and every example is played."""

import re
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import pytest

from cabochon import TILES, VARIANTS, Game, MoveSyntaxError
from cabochon.notation.ascii import draw_tile
from cabochon.notation.position import parse_switches
from cabochon.rules.compile import VARIANTS_FOLDER
from cabochon.ruleset import SWITCHES
from cabochon.why_not import RULES as REASONS
from tests import test_rules, test_why_not
from tests.support.positions import SLOT, look, position, read, why_not

REFUSALS = "refusals.md"
PAGES = sorted(VARIANTS_FOLDER.rglob("*.md"))
EXAMPLE = re.compile(r"^```example\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
HEADER = re.compile(rf"({'|'.join(VARIANTS)}), ([234]) players")
SETUP = re.compile(r"([a-z_]+(?: \d)?|[123][abcd]): (.+)")


class Section(NamedTuple):
    """A heading of a page and the text below it. Chapters are `##`, rules are `###`."""

    page: str
    level: int
    heading: str
    text: str

    @property
    def test(self) -> str:
        """The test of this name."""
        return "test_" + re.sub(r"[^a-z0-9]+", "_", self.heading.lower()).strip("_")


def name_of(page: Path) -> str:
    return str(page.relative_to(VARIANTS_FOLDER))


def sections() -> Iterator[Section]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        prose = re.sub(r"^```.*?^```$", lambda fence: " " * len(fence.group()), text, flags=re.DOTALL | re.MULTILINE)
        headings = list(HEADING.finditer(prose))
        ends = [heading.start() for heading in headings[1:]] + [len(text)]
        for heading, end in zip(headings, ends, strict=True):
            yield Section(name_of(page), len(heading[1]), heading[2], text[heading.end() : end])


SECTIONS = list(sections())
RULES = [section for section in SECTIONS if section.level == 3]
EXAMPLES = [
    pytest.param(example, id=f"{section.page}:{section.heading}")
    for section in SECTIONS
    for example in EXAMPLE.findall(section.text)
]


def set_up(header: str, lines: list[str]) -> Game:
    """`classic, 2 players`, then lines like `bank: 3w`, `tokens 1: 2*`, `1a: g 3r`, `goal: 21`."""
    table = HEADER.fullmatch(header)
    assert table, f"an example begins like 'classic, 2 players', not {header!r}"
    said = {key(name): value for name, value in (line.split(": ", 1) for line in lines)}
    slots = {name: said.pop(name) for name in list(said) if SLOT.fullmatch(name)}
    house = parse_switches({name: said.pop(name) for name in list(said) if name in SWITCHES})
    laid = {"market": slots} if slots else {}
    return position(table[1], int(table[2]), **laid, **house, **said)


def key(name: str) -> str:
    """`tokens 1` as the field `tokens1`, `deck sizes` as `deck_sizes`."""
    return re.sub(r" (?=\d)", "", name).replace(" ", "_")


def play(game: Game, move: str) -> None:
    game.play(move)


def try_move(game: Game, move: str, verdict: str) -> None:
    try:
        rule = why_not(game, move)
    except MoveSyntaxError:
        assert verdict == "not a move"
    else:
        assert verdict == ("ok" if rule is None else f"no: {rule}")


def check(game: Game, name: str, value: str) -> None:
    if name in ("winners", "ranks"):
        assert game.outcome, "the game goes on"
        assert value == ", ".join(str(number) for number in getattr(game.outcome, name))
    else:
        assert read(key(name), value, game.rules) == look(game.position(), key(name)), name


def check_view(game: Game, seat: str, name: str, value: str) -> None:
    assert read(key(name), value, game.rules) == look(game.view(int(seat)), key(name)), name


STEPS: list[tuple[re.Pattern[str], Callable[..., None]]] = [
    (re.compile(r"> (.+)"), play),
    (re.compile(r"now (.+?): (.+)"), check),
    (re.compile(r"seat (\d) sees (.+?): (.+)"), check_view),
    (re.compile(r"(\S.*?) {2,}(ok|no: .+|not a move)"), try_move),
]


def run(example: str) -> None:
    """Set the table, then do what each line says."""
    header, *lines = example.strip().splitlines()
    setup = list(takewhile(SETUP.fullmatch, lines))
    game = set_up(header, setup)
    for line in lines[len(setup) :]:
        matches = ((form.fullmatch(line), do) for form, do in STEPS)
        found, do = next(((found, do) for found, do in matches if found), (None, None))
        assert found and do, f"not a line of an example: {line!r}"
        do(game, *found.groups())


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_holds(example: str) -> None:
    run(example)


@pytest.mark.parametrize(
    "lines",
    [
        "take kk   ok",
        "take wug   no: two of one colour need a pile of four",
        "take wug   not a move",
        "take kk   no: the game is over",
        "> take wug\nnow tokens: 3w",
        "> take wug\nnow turn: 0",
        "now stage: over",
        "now winners: 0",
        "now ranks: 1, 2",
        "now 1a: -",
        "seat 1 sees reserve: -",
        "take wug ok",
        "something else",
    ],
)
def test_a_wrong_example_fails(lines: str) -> None:
    setup = "classic, 2 players\nbank: 3w3u3g3r3k\nreserve: g 3r\n"
    run(setup + "take kk   no: two of one colour need a pile of four")
    with pytest.raises(AssertionError):
        run(setup + lines)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.page}:{rule.heading}")
def test_every_rule_has_an_example_and_a_test_of_its_name(rule: Section) -> None:
    tests = test_why_not if rule.page == REFUSALS else test_rules
    assert hasattr(tests, rule.test), f"{rule.page}: {rule.heading}: there is no {rule.test}"
    assert EXAMPLE.search(rule.text), f"{rule.page}: {rule.heading}: no example"


def test_every_test_has_a_heading() -> None:
    tests = {name for name in vars(test_rules) if name.startswith("test_")}
    assert set() == tests - {rule.test for rule in RULES}


def test_every_code_of_a_refusal_is_a_heading() -> None:
    """In the order of the table, so that the page can be read beside it."""
    headings = [rule.test.removeprefix("test_") for rule in RULES if rule.page == REFUSALS]
    assert list(REASONS) == headings


def test_headings_are_good_section_names() -> None:
    for page in PAGES:
        headings = [section.heading.lower() for section in SECTIONS if section.page == name_of(page)]
        assert len(headings) == len(set(headings)), name_of(page)
        assert "<" not in page.read_text(encoding="utf-8"), "plain Markdown, no HTML"


# What no printed rulebook says, or says otherwise. Where one edition alone says it, the page says which: *Edition*.
RULINGS = {
    "classic/rules.md": {
        "The start player is random",
        "Fewer colours left in the bank",
        "Gold cannot be declined",
        "Gold may be paid by choice",
        "Overpaying is not allowed",
        "Who passes shows the reserved cards",
        "Gold counts towards the limit",
        "The noble comes after returning",
        "Stalemate",
        "Nobles that are due come before a stalemate",
        "Endless play",
        "What everybody sees",
        "A card reserved face up is known to all",
    },
    "marvel/rules.md": {
        "The start player is random",
        "Fewer colours left in the bank",
        "Grey comes with a reservation",
        "Grey stands for any colour",
        "Overpaying is not allowed",
        "Pass only when nothing else is possible",
        "Who passes shows the reserved cards",
        "The location comes after returning",
        "Locations are not replaced",
        "Stalemate",
        "Stalemate with and without the Gauntlet",
        "Endless play",
        "What everybody sees",
        "A card reserved face up is known to all",
    },
    "cities/rules.md": {"Ranks without a city", "Stalemate"},
    "house-rules.md": {"Open reserves"},
}


@pytest.mark.parametrize("page", [name_of(page) for page in PAGES])
def test_rulings_are_marked_as_such(page: str) -> None:
    marked = {rule.heading for rule in RULES if rule.page == page and re.search(r"^\*Ruling", rule.text, re.MULTILINE)}
    assert RULINGS.get(page, set()) == marked


def test_the_page_lists_every_city() -> None:
    (page,) = (section for section in SECTIONS if section.heading == "A city has two faces")
    rows = re.findall(r"^\| \d \| `(.+?)` \| `(.+?)` \|$", page.text, re.MULTILINE)
    assert [draw_tile("cities", tile.number) for tile in TILES["cities"]] == [face for row in rows for face in row]
