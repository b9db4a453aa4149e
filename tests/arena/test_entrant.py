"""Entrants: a bot and its budget as text."""

import pytest

from cabochon.arena import Entrant, parse_entrant
from cabochon.arena.entrant import plain_name
from cabochon.bots import Budget

from .results import GREEDY

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "text, entrant",
    [
        ("greedy", GREEDY),
        ("greedy@nodes=5", GREEDY),
        ("cmd:python3 a@b.py", Entrant("cmd:python3 a@b.py", Budget(nodes=9))),
        ("cmd:python3 a.py --level=3", Entrant("cmd:python3 a.py --level=3", Budget(nodes=9))),
        ("cmd:a@nodes=1000", Entrant("cmd:a", Budget(nodes=1000))),
        ("cmd:a@seconds=0.1", Entrant("cmd:a", Budget(seconds=0.1))),
        ("cmd:a@nodes=7,seconds=2", Entrant("cmd:a", Budget(nodes=7, seconds=2))),
        ("legend@nets=runs/a,nodes=3", Entrant("legend", Budget(nodes=3), "runs/a")),
        ("legend@nets=runs/a", Entrant("legend", Budget(nodes=9), "runs/a")),
    ],
)
def test_an_entrant_is_a_bot_and_a_budget(text: str, entrant: Entrant) -> None:
    assert entrant == parse_entrant(text, Budget(nodes=9))
    assert entrant == parse_entrant(str(entrant), Budget(nodes=1))


def test_who_is_told_its_usual_budget_is_itself() -> None:
    assert ["master", "virtuoso"] == [plain_name(name) for name in ("master@seconds=1", "virtuoso@nodes=16")]
    for name in ("master", "master@seconds=0.1", "virtuoso@seconds=1", "random", "cmd:python3 a@b.py"):
        assert name == plain_name(name)
