"""A session: questions, commands and whole games, with nothing shown that the seat may not know."""

import io

import pytest
from rich.console import Console

from cabochon import CARDS, Game
from cabochon.bots import Budget, bot
from cabochon.terminal import (
    Session,
    help_text,
    parse_line,
)
from cabochon.view import unseen
from tests.support.positions import position

NO_LIMIT = Budget()


def sit(variant: str, players: int, seat: int, seed: int = 3, width: int = 80, names: str = "greedy") -> Session:
    out = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    bots = {other: bot(names) for other in range(players) if other != seat}
    return Session(out, Game(variant, players, seed=seed), seat, bots, seed)


def printed(session: Session) -> str:
    assert isinstance(session.out.file, io.StringIO)
    return session.out.file.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(
    "variant, players, seat, names", [("classic", 2, 0, "greedy"), ("marvel", 4, 2, "random"), ("marvel", 2, 1, "greedy")]
)
def test_a_whole_game_shows_only_what_the_seat_may_know(
    monkeypatch: pytest.MonkeyPatch, variant: str, players: int, seat: int, names: str
) -> None:
    session = sit(variant, players, seat, names=names)

    def type_greedy_move(_question: str) -> str:
        seen_by_now = printed(session)
        hidden = [CARDS[variant][number - 1].name for tier in unseen(session.view()) for number in tier]
        assert not [name for name in hidden if name and f" {name} " in seen_by_now.replace("\n", " ")]
        return str(bot("greedy").choose(session.view(), NO_LIMIT, 1))

    monkeypatch.setattr("builtins.input", type_greedy_move)
    session.run()
    assert session.game.is_over
    assert "The game is over" in printed(session)
    assert max(len(line) for line in printed(session).split("\n") if " left " in line or line.startswith("tiles")) <= 80


def test_undo_goes_back_to_the_previous_own_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    session = sit("classic", 3, 1)
    lines = iter(["reserve 1a", "reserve 1b", "undo", "undo", "undo", "quit"])
    monkeypatch.setattr("builtins.input", lambda _question: next(lines))
    session.run()
    assert "Taken back: reserve 1b." in printed(session)
    assert "Taken back: reserve 1a." in printed(session)
    assert "there is no move of yours to take back" in printed(session)
    assert 1 == session.game.turn
    assert session.seat not in session.deciders


def ask_at(monkeypatch: pytest.MonkeyPatch, game: Game, *lines: str) -> tuple[str, Game]:
    """The questions and the output when the person types these lines at this position."""
    questions: list[str] = []
    typed = iter([*lines, "quit"])

    def answer(question: str) -> str:
        questions.append(question)
        return next(typed)

    monkeypatch.setattr("builtins.input", answer)
    session = sit(game.variant, game.players, game.turn)
    session.game = game
    session.run()
    return "\n".join([*questions, printed(session)]), game


@pytest.mark.parametrize(
    "line, tokens",
    [
        ("r", "wwwwuuggrrk"),
        ("R", "wwwwuuggrrk"),
        ("rk", "wwwwuuggrr"),
        ("return rk", "wwwwuuggrr"),
        ("return r k", "wwwwuuggrr"),
        ("rrr", None),
        ("take wug", None),
        ("z", None),
    ],
)
def test_returning(monkeypatch: pytest.MonkeyPatch, line: str, tokens: str | None) -> None:
    output, game = ask_at(monkeypatch, position(stage="return", tokens="4w2u2g3r1k"), line)
    assert "You hold 12 tokens. Return 2 of w u g r k: " in output
    held = "".join(letter * n for letter, n in zip("wugrk*", game.view(0).seats[0].tokens, strict=True))
    assert (tokens or "wwwwuuggrrrk") == held


@pytest.mark.parametrize("line, points", [("2", 3), ("claim 2", 3), ("3", 0), ("take wug", 0)])
def test_choosing_a_tile(monkeypatch: pytest.MonkeyPatch, line: str, points: int) -> None:
    start = position(stage="claim", bonuses="4w4u4g", tiles="4w4u, 4u4g, 4r4k")
    output, game = ask_at(monkeypatch, start, line)
    assert "You may choose noble 1 (4w4u) or noble 2 (4u4g). Its number: " in output
    assert points == game.points[0]


@pytest.mark.parametrize(
    "stage, line, moves",
    [
        ("main", "take w u g", ["take wug"]),
        ("main", "buy 1a with *u", ["buy 1a with *u"]),
        ("return", "kk", ["return k", "return k"]),
        ("return", "return k", ["return k"]),
        ("return", "take wug", ["take wug"]),
        ("claim", "2", ["claim 2"]),
    ],
)
def test_parse_line(stage: str, line: str, moves: list[str]) -> None:
    assert moves == parse_line(position(stage=stage).view(0), line)


@pytest.mark.parametrize("variant", ["classic", "marvel"])
def test_the_help_fits(variant: str) -> None:
    assert max(len(line) for line in help_text(variant).split("\n")) < 80
