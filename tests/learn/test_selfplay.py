"""Games of a net against itself, on the processor: what is kept of them is what happened."""

from typing import Any

import numpy as np
import pytest
import torch

from cabochon import Game
from cabochon.learn.batch import Device
from cabochon.learn.determinize import imagine
from cabochon.learn.model import SIGHT_COLUMNS, Model
from cabochon.learn.selfplay import CONSIDERED, Spreader, Tables, halving
from cabochon.rules.cards import NONE
from cabochon.rules.rng import seeded
from cabochon.search.net import load_net
from cabochon.search.net_features import MOST_SIGHTS
from tests.support.seeing import positions

SEATED, STEPS = 12, 130
SIMULATIONS = 8


@pytest.fixture(scope="module", params=[("classic", 2), ("marvel", 3)], ids=["classic-2", "marvel-3"])
def tables(request: pytest.FixtureRequest) -> Tables:
    """Games of a trained net, some of them over."""
    variant, players = request.param
    torch.manual_seed(1)
    found = Tables(Device("cpu"), Model.from_net(load_net(variant, players)), variant, players, SEATED, SIMULATIONS, 300)
    for _ in range(STEPS):
        found.advance()
    return found


def test_policies_are_on_legal_moves_only(tables: Tables) -> None:
    policy, names = tables.history.policy[:STEPS], tables.names[:STEPS]
    torch.testing.assert_close(policy.sum(-1), torch.ones(STEPS, SEATED))
    assert (policy >= 0).all()
    assert 0 == policy[names < 0].sum()
    assert (policy.max(-1).values < 0.99).any()


def test_guesses_and_results_are_chances(tables: Tables) -> None:
    known = tables.history.is_known[:STEPS].bool()
    torch.testing.assert_close(tables.history.guess[:STEPS].sum(-1), torch.ones(STEPS, SEATED), atol=1e-4, rtol=0)
    torch.testing.assert_close(tables.history.result[:STEPS][known].sum(-1), torch.ones(int(known.sum())))


def test_known_positions_are_those_of_games_that_are_over(tables: Tables) -> None:
    assert tables.ended.sum() > 0
    for game in range(SEATED):
        still_open = int(tables.moves[game])
        expected = [1] * (STEPS - still_open) + [0] * still_open
        assert expected == tables.history.is_known[:STEPS, game].tolist()


def test_the_winner_has_most_points(tables: Tables) -> None:
    known = tables.history.is_known[:STEPS].bool()
    results, points = tables.history.result[:STEPS][known], tables.history.points[:STEPS][known]
    assert (points.max(-1).values == (points * (results > 0)).max(-1).values).float().mean() > 0.9


def test_a_game_that_goes_on_for_too_long_is_ranked_as_it_stands() -> None:
    tables = Tables(Device("cpu"), Model(16, 8), "classic", 2, 4, 2, 200)
    tables.longest = 7
    for _ in range(14):
        tables.advance()
    assert [2] * 4 == tables.ended.tolist()
    assert tables.history.is_known[:14].all()
    torch.testing.assert_close(tables.history.result[:14].sum(-1), torch.ones(14, 4))


@pytest.mark.parametrize("house", [{}, {"open_reserves": False}], ids=["open", "closed"])
@pytest.mark.parametrize("variant, players", [("classic", 2), ("marvel", 4)])
def test_imagining_changes_hidden_cards_only(variant: str, players: int, house: dict[str, bool]) -> None:
    states = positions(variant, players, **house)
    changed = 0
    for i in range(len(states)):
        before, state = states[i].copy(), states[i]
        imagine(state, seeded(i))
        seat = int(before["turn"])
        changed += before["reserve"].tobytes() != state["reserve"].tobytes()
        assert shown(before, seat) == shown(state, seat)
        assert all_cards(before) == all_cards(state)
    assert changed > 5


def shown(state: Any, seat: int) -> Any:
    return Game.from_states(np.array([state])).view(seat)


def all_cards(state: Any) -> list[int]:
    """What lies in the decks and reserves."""
    return sorted(card for card in [*state["deck"].tolist(), *state["reserve"].ravel().tolist()] if card != NONE)


def test_imagined_cards_are_any_that_are_unseen() -> None:
    states = positions("classic", 2)
    state = next(state for state in states if any(state["blind"][1 - state["turn"]] >> i & 1 for i in range(3)))
    owner = 1 - int(state["turn"])
    place = next(i for i in range(3) if state["blind"][owner] >> i & 1)
    found = set()
    for random in range(400):
        other = np.array([state])
        imagine(other[0], seeded(random))
        found.add(int(other[0]["reserve"][owner, place]))
    assert len(found) > 5


@pytest.mark.parametrize("simulations", [2, 5, 8, 16, 32, 64])
@pytest.mark.parametrize("count", range(1, CONSIDERED + 1))
def test_halving_uses_every_simulation_and_ends_with_the_best_two(count: int, simulations: int) -> None:
    order = halving(simulations)[count]
    assert simulations == len(order)
    visits = [0] * count  # the first is best, the second next, and so on
    for wanted in order:
        visits[visits.index(wanted)] += 1
    assert simulations == sum(visits)
    if simulations >= 2 * count > 2:
        assert visits == sorted(visits, reverse=True)
        assert visits[0] - visits[1] <= 1
        assert all(visits[1] > fewer for fewer in visits[2:])


def test_facts_are_spread_as_counts() -> None:
    rng = np.random.default_rng(5)
    facts = torch.from_numpy(rng.integers(0, 12, (6, 3, MOST_SIGHTS)).astype(np.int16))
    counts = torch.from_numpy(rng.integers(0, 40, (6, 3)).astype(np.int16))
    facts[0, 0, :16], counts[0, 0] = 7, 16
    rows = Spreader(Device("cpu"), facts, counts)().float()
    for i in np.ndindex(6, 3):
        expected = np.bincount(facts[i][: counts[i]].numpy(), minlength=SIGHT_COLUMNS)
        np.testing.assert_array_equal(expected, rows[i].numpy())
