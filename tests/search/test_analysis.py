"""The search: it sees a view only, changes nothing, keeps to its budget, plays legally, and proves what is near the end."""

import threading
from typing import Any

import numpy as np
import pytest

from cabochon import CabochonError, Game, Move, View, sample
from cabochon.bots import LEVELS, Budget, bot
from cabochon.bots.levels import ROLLOUT
from cabochon.search import MoveStats, SearchConfig, analyse
from cabochon.search.analysis import LINEAR_SEARCH, MIN_VISIT_SHARE, NET_SEARCH, has_hidden_cards, lower_bound
from cabochon.search.mcts import BY_ROLLOUT
from tests.support.positions import position

from .games import GAMES, own_view, played

CONFIGS = pytest.mark.parametrize("config", [LINEAR_SEARCH, NET_SEARCH, ROLLOUT.config], ids=["linear", "net", "rollouts"])


def told(view: View, nodes: int, config: SearchConfig, threads: int = 1) -> Any:
    """Everything an analysis says but how long it took."""
    found = analyse(view, Budget(nodes=nodes), 3, config=config, threads=threads)
    return found.moves, found.values, found.line, found.nodes


@pytest.mark.parametrize("variant, players", GAMES)
@pytest.mark.parametrize("nodes", [1, 7, 300])
@CONFIGS
def test_the_same_nodes_and_seed_give_the_same_answer(variant: str, players: int, nodes: int, config: SearchConfig) -> None:
    view = own_view(played(variant, players, 5, 40))
    for threads in (1, 2):
        assert told(view, nodes, config, threads) == told(view, nodes, config, threads)


@pytest.mark.parametrize("variant, players", GAMES)
@CONFIGS
def test_hidden_cards_make_no_difference(variant: str, players: int, config: SearchConfig) -> None:
    seen_blind = False
    for seed in range(6):
        game = played(variant, players, seed, 30)
        view = own_view(game)
        seen_blind |= has_hidden_cards(view)
        other = Game.from_states(sample(view, np.random.default_rng(seed)))
        assert game.position() != other.position()
        assert told(view, 200, config) == told(own_view(other), 200, config)
    assert seen_blind


@CONFIGS
def test_the_game_is_left_as_it_was(config: SearchConfig) -> None:
    game = played("marvel", 3, 8, 25)
    before = game.states.tobytes()
    analyse(own_view(game), Budget(nodes=500), config=config)
    assert before == game.states.tobytes()


@pytest.mark.parametrize("variant, players", GAMES)
@CONFIGS
def test_nodes_are_counted(variant: str, players: int, config: SearchConfig) -> None:
    for nodes in (1, 63, 64, 999):
        found = analyse(own_view(played(variant, players, 9, 20)), Budget(nodes=nodes), config=config)
        assert nodes == found.nodes
        assert sum(one.visits for one in found.moves) == nodes


@pytest.mark.parametrize("variant, players", GAMES)
def test_values_are_chances(variant: str, players: int) -> None:
    found = analyse(own_view(played(variant, players, 4, 30)), Budget(nodes=300))
    assert sum(found.values) == pytest.approx(1, abs=1e-4)
    assert sum(one.prior for one in found.moves) == pytest.approx(1, abs=1e-4)
    for one in found.moves:
        assert sum(one.values) == pytest.approx(1 if one.visits else 0, abs=1e-4)


@pytest.mark.parametrize("variant, players", GAMES)
def test_the_chances_are_those_with_the_best_move(variant: str, players: int) -> None:
    found = analyse(own_view(played(variant, players, 4, 5)), Budget(nodes=300), config=NET_SEARCH)
    assert len([one for one in found.moves if one.visits]) > 1
    assert found.moves[0].values == found.values


def test_the_best_move_begins_the_line() -> None:
    game = played("classic", 2, 6, 20)
    found = analyse(own_view(game), Budget(nodes=2000))
    assert found.best == found.line[0]
    assert found.moves[0].visits >= MIN_VISIT_SHARE * max(one.visits for one in found.moves)
    game.play(found.line[0])


def test_it_stops_when_told() -> None:
    stop = threading.Event()
    view = own_view(played("classic", 2, 6, 20))
    found: list[Any] = []
    thinker = threading.Thread(target=lambda: found.append(analyse(view, Budget(nodes=1 << 40), stop=stop)))
    thinker.start()
    stop.set()
    thinker.join(60)
    assert not thinker.is_alive()
    assert found[0].best in Game.from_states(sample(view, np.random.default_rng(1))).legal_moves()


@pytest.mark.parametrize(
    "game, move",
    [
        (position(bank="-", market="-", deck1="-", deck2="-", deck3="-"), "pass"),
        (position(bank="1w", market="-", deck1="-", deck2="-", deck3="-"), "take w"),
        (position(tokens="11w", bank="4u", stage="return"), "return w"),
    ],
    ids=["no move", "one move", "one return"],
)
def test_nothing_to_choose(game: Game, move: str) -> None:
    for budget in (Budget(nodes=1), Budget(nodes=100), Budget(seconds=0.01)):
        assert move == str(analyse(own_view(game), budget).best)


def test_a_win_is_proven_and_played() -> None:
    slots = {"1a": "w1 4g", "1b": "w 3u"}
    market = {f"{tier}{place}": slots.get(f"{tier}{place}", "-") for tier in (1, 2, 3) for place in "abcd"}
    game = position(market=market, tokens="4g3u", points=14, points1=14, turn=1, tokens1="4g3u")
    found = analyse(own_view(game), Budget(nodes=50))
    assert "buy 1a" == str(found.best)
    assert (0.0, 1.0) == found.moves[0].values
    assert found.moves[0].is_proven


@pytest.mark.parametrize("budget", [Budget(), Budget(nodes=0), Budget(seconds=0.0), Budget(nodes=-3)])
def test_a_budget_of_nothing_is_refused(budget: Budget) -> None:
    with pytest.raises(CabochonError, match="budget"):
        analyse(own_view(Game(seed=1)), budget)


def test_a_view_of_another_seat_is_refused() -> None:
    game = Game(seed=1)
    with pytest.raises(CabochonError, match=f"seat {game.turn} is to decide"):
        analyse(game.view(1 - game.turn), Budget(nodes=5))


def test_rollouts_search_too() -> None:
    game = played("classic", 2, 6, 20)
    found = analyse(own_view(game), Budget(nodes=400), config=SearchConfig(method=BY_ROLLOUT, c_puct=0.7))
    assert 400 == found.nodes
    game.play(found.best)


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_levels_play_legally(level: Any) -> None:
    game = played("marvel", 3, 6, 20)
    for seed in range(5):
        move = bot(level.name).choose(own_view(game), Budget(nodes=20), seed)
        assert game.why_not(move) is None


def test_a_small_chance_is_better_than_a_proven_loss() -> None:
    lost = MoveStats(Move.parse("take wug", "classic"), 0.5, 100, (0.0, 1.0), is_proven=True)
    hope = MoveStats(Move.parse("take wur", "classic"), 0.5, 100, (0.01, 0.99), is_proven=False)
    assert max((lost, hope), key=lambda one: lower_bound(one, 0, 100)) is hope


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"position": 5}, "a search needs a Game or the View"),
        ({"position": Game(seed=1).states}, "a search needs a Game or the View"),
        ({"budget": 5}, "a budget is written"),
        ({"budget": None}, "a budget is written"),
        ({"seed": "x"}, "seed must be a whole number, not 'x'"),
        ({"threads": "2"}, "threads must be a whole number, not '2'"),
        ({"threads": 0}, "threads must be at least 1, not 0"),
        ({"lines": 1.5}, "lines must be a whole number, not 1.5"),
        ({"config": "net"}, "config is LINEAR_SEARCH, NET_SEARCH or"),
    ],
)
def test_wrong_settings_are_refused_by_name(settings: dict[str, Any], message: str) -> None:
    usual: dict[str, Any] = {"position": Game(seed=1), "budget": Budget(nodes=5)}
    with pytest.raises(CabochonError, match=message):
        analyse(**usual | settings)


def test_an_analysis_has_plain_numbers_and_as_many_lines_as_asked_for() -> None:
    found = analyse(Game(seed=1), Budget(nodes=50), lines=-1)
    assert {float} == {type(one.prior) for one in found.moves}
    assert {()} == {one.line for one in found.moves}
