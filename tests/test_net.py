"""The net: it sees what its seat may know and nothing else, no order matters to it, and the search with it keeps its promises."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from cabochon import CabochonError, Game
from cabochon.bots import Budget
from cabochon.rules.cards import NONE
from cabochon.rules.state import SLOTS_PER_TIER
from cabochon.search import analyse
from cabochon.search.analysis import GUIDED
from cabochon.search.net import load_net, random_net, read_net, read_run, save_net
from cabochon.search.net_features import MOST_SIGHTS, NAMES, SIGHTS
from tests.support.positions import position
from tests.support.seeing import first_thoughts, names, positions, sights

from .envs.games import reserving_games, with_other_hidden_cards

GAMES = [(variant, players) for variant in ("classic", "marvel") for players in (2, 3, 4)]


@pytest.mark.parametrize("house", [{}, {"open_reserves": False}], ids=["open", "closed"])
@pytest.mark.parametrize("variant, players", GAMES)
def test_nothing_hidden_is_seen(variant: str, players: int, house: dict[str, bool]) -> None:
    rng, differing = np.random.default_rng(7), 0
    states = positions(variant, players, **house)
    for seat in range(players):
        own = states[states["turn"] == seat]
        for state, twin in zip(own, with_other_hidden_cards(own, seat, rng), strict=True):
            differing += state["reserve"].tobytes() != twin["reserve"].tobytes()
            assert sights(state) == sights(twin)
            assert names(state) == names(twin)
    assert differing > 5, "cards that others hold unseen are among what was dealt anew"


@pytest.mark.parametrize("variant, players", GAMES)
def test_facts_stay_in_their_table(variant: str, players: int) -> None:
    for state in positions(variant, players):
        for facts in sights(state):
            assert len(facts) <= MOST_SIGHTS
            assert 0 <= facts[0] <= facts[-1] < SIGHTS


@pytest.mark.parametrize("variant, players", GAMES)
def test_every_legal_action_has_its_own_name(variant: str, players: int) -> None:
    for state in positions(variant, players):
        named = names(state)
        assert len(named) == len(set(named))
        assert all(0 <= name < NAMES for name in named)


def in_another_order(state: Any, rng: np.random.Generator) -> Any:
    """The same position with the cards of every tier of the market, and of every reserve, in another order."""
    other = state.copy()
    for first in range(0, len(state["market"]), SLOTS_PER_TIER):
        tier = slice(first, first + SLOTS_PER_TIER)
        other["market"][tier] = rng.permutation(state["market"][tier])
    for seat in range(state["players"]):
        order = rng.permutation(int(state["reserved"][seat]))
        other["reserve"][seat, : len(order)] = state["reserve"][seat, order]
        other["blind"][seat] = sum((int(state["blind"][seat]) >> int(old) & 1) << new for new, old in enumerate(order))
    return other


@pytest.mark.parametrize("variant, players", GAMES)
def test_the_order_of_cards_makes_no_difference(variant: str, players: int) -> None:
    rng, net, moved = np.random.default_rng(3), load_net(variant, players), 0
    for state in positions(variant, players):
        other = in_another_order(state, rng)
        moved += state["reserve"].tobytes() != other["reserve"].tobytes()
        assert sights(state) == sights(other)
        values, policy = first_thoughts(state, net)
        other_values, other_policy = first_thoughts(other, net)
        assert values == pytest.approx(other_values, abs=1e-5)
        assert policy == pytest.approx(other_policy, abs=1e-5)
    assert moved > 5


def test_a_card_in_the_market_and_one_in_the_reserve_are_not_the_same() -> None:
    states = reserving_games("classic", 2, 40, 25)
    state = next(state for state in states if state["reserved"][state["turn"]] and state["stage"] == 0)
    other, turn = state.copy(), int(state["turn"])
    slot = int(np.flatnonzero(state["market"] != NONE)[0])
    other["market"][slot], other["reserve"][turn, 0] = state["reserve"][turn, 0], state["market"][slot]
    assert sights(state) != sights(other)


@pytest.mark.parametrize("variant, players", GAMES)
def test_the_net_gives_chances_and_a_policy_on_legal_moves(variant: str, players: int) -> None:
    for state in positions(variant, players)[::4]:
        values, policy = first_thoughts(state, load_net(variant, players))
        assert sum(values) == pytest.approx(1, abs=1e-5)
        assert sum(policy.values()) == pytest.approx(1, abs=1e-5)
        assert set(policy) <= set(names(state))


def test_a_win_is_proven_and_played() -> None:
    slots = {"1a": "w1 4g", "1b": "w 3u"}
    market = {f"{tier}{place}": slots.get(f"{tier}{place}", "-") for tier in (1, 2, 3) for place in "abcd"}
    game = position(market=market, tokens="4g3u", points=14, points1=14, turn=1, tokens1="4g3u")
    found = analyse(game.view(game.turn), Budget(nodes=50), style=GUIDED)
    assert "buy 1a" == str(found.best)
    assert (0.0, 1.0) == found.moves[0].values
    assert found.moves[0].is_proven


def test_a_net_is_kept_in_half_precision_with_its_run(tmp_path: Path) -> None:
    net, path = random_net(16, 8), tmp_path / "classic-2.safetensors"
    save_net(path, net, {"minutes": "3"})
    for kept, array in zip(read_net(path), net, strict=True):
        assert kept == pytest.approx(array, abs=1e-3)
    assert {"minutes": "3"} == read_run(path)


def test_a_folder_of_ones_own_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packaged = load_net("classic", 3)
    save_net(tmp_path / "classic-3-4.safetensors", random_net(16, 8), {})
    monkeypatch.setenv("CABOCHON_NETS", str(tmp_path))
    assert (SIGHTS, 16) == load_net("classic", 3).sights.shape
    assert load_net("classic", 4) is load_net("classic", 3)
    monkeypatch.delenv("CABOCHON_NETS")
    assert packaged is load_net("classic", 3)


@pytest.mark.parametrize(
    "files, message",
    [
        ({}, "there is no net for classic with 2 players in"),
        ({"marvel-2": b"", "classic-3-4": b""}, "there is no net for classic with 2 players in"),
        ({"classic-2": b"no net at all"}, "classic-2.safetensors is not a net"),
        ({"classic-2": {"sights": np.zeros((3, 4))}}, "classic-2.safetensors is not a net"),
        ({"classic-2": random_net(16, 8)._replace(sights=np.zeros((7, 16), np.float32))._asdict()}, "a net of another make"),
    ],
    ids=["no folder", "other games", "no net", "half a net", "another make"],
)
def test_a_folder_without_the_net_is_refused(
    files: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CABOCHON_NETS", str(tmp_path / "nets"))
    for name, content in files.items():
        path = tmp_path / "nets" / f"{name}.safetensors"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content) if isinstance(content, bytes) else save_file(content, path)
    with pytest.raises(CabochonError, match=message):
        analyse(Game(seed=1).view(0), Budget(nodes=1), style=GUIDED)
