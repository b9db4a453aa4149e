"""Entrants: a bot and its budget as text."""

import pytest

from cabochon import CabochonError
from cabochon.arena import Entrant, parse_entrant
from cabochon.arena.entrant import plain_name
from cabochon.bots import Budget
from cabochon.bots.levels import Level
from cabochon.search.analysis import NET_SEARCH

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
        ("master@c_puct=0.5", Entrant("master", Budget(nodes=9), "", (("c_puct", 0.5),))),
        (
            "legend@nets=runs/a,max_chance_children=3,c_puct=2,seconds=0.1",
            Entrant("legend", Budget(seconds=0.1), "runs/a", (("max_chance_children", 3.0), ("c_puct", 2.0))),
        ),
    ],
)
def test_an_entrant_is_a_bot_and_a_budget(text: str, entrant: Entrant) -> None:
    assert entrant == parse_entrant(text, Budget(nodes=9))
    assert entrant == parse_entrant(str(entrant), Budget(nodes=1))


def test_constants_of_the_search_are_set_in_their_own_type() -> None:
    player = parse_entrant("legend@max_chance_children=3,has_common_cards=1,c_puct=2").start()
    assert isinstance(player, Level)
    assert NET_SEARCH._replace(max_chance_children=3, has_common_cards=True, c_puct=2.0) == player.config


@pytest.mark.parametrize(
    "text, message",
    [
        ("master@c_puct=much", "the value is a number"),
        ("cmd:a@c_puct=1", "is no level of the search"),
        ("master@method=2", "is not a budget"),
    ],
)
def test_what_cannot_be_set_is_refused(text: str, message: str) -> None:
    with pytest.raises(CabochonError, match=message):
        parse_entrant(text)


def test_who_is_told_its_usual_budget_is_itself() -> None:
    assert ["master", "virtuoso"] == [plain_name(name) for name in ("master@seconds=1", "virtuoso@nodes=16")]
    for name in (
        "master",
        "master@seconds=0.1",
        "virtuoso@seconds=1",
        "master@c_puct=2,seconds=1",
        "random",
        "cmd:python3 a@b.py",
    ):
        assert name == plain_name(name)


@pytest.mark.parametrize("text", ["greedy@foo=1", "greedy@nodes=x", "random@c_puct=1", "greedy@nets=here"])
def test_settings_of_a_bot_that_does_not_search_are_checked_too(text: str) -> None:
    with pytest.raises(CabochonError):
        parse_entrant(text)
