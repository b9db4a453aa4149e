"""The search: it sees a view only, changes nothing, keeps to its budget, plays legally, and proves what is near the end."""

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabochon import CabochonError, Game, Move, View, sample
from cabochon.batch import choose, deal, legal, play
from cabochon.bots import LEVELS, Budget, bot
from cabochon.bots.levels import ROLLOUT
from cabochon.rules.compile import kernel
from cabochon.rules.gems import pack, total, unpack
from cabochon.rules.play import is_legal
from cabochon.rules.play import play as play_action
from cabochon.rules.rng import seeded, stir
from cabochon.rules.state import OVER
from cabochon.ruleset import blank_states, ruleset
from cabochon.search import Style, analyse
from cabochon.search.analysis import GUIDED, STRONGEST, WELL_SEEN, Considered, assured, hides_something
from cabochon.search.linear_eval import PHASES, evaluate, policy, weigh, worth_of_hand, worth_of_taking
from cabochon.search.linear_features import AIM, EVERYTHING, FEATURES, MOST_AIMS, MOST_LISTED, list_aims, list_features
from cabochon.search.signature import signature
from cabochon.search.tree import BY_ROLLOUT, new_tree, plant, returns_in_order, think
from cabochon.search.weights import load_weights
from tests.support.pinned import PINNED
from tests.support.positions import position

GAMES = [(variant, players) for variant in ("classic", "marvel") for players in (2, 3, 4)]
STYLES = pytest.mark.parametrize("style", [STRONGEST, GUIDED, ROLLOUT.style], ids=["weights", "net", "rollouts"])
SEARCHED_MOVES = 1_000_000


def played(variant: str, players: int, seed: int, moves: int, **house: Any) -> Game:
    """A game after some random moves, or shortly before it is over."""
    game, rng = Game(variant, players, seed=seed, **house), np.random.default_rng(seed)
    for _ in range(moves):
        before = game.copy()
        game.play(game.legal_moves()[rng.integers(len(game.legal_moves()))])
        if game.is_over:
            return before
    return game


def own_view(game: Game) -> View:
    return game.view(game.turn)


def told(view: View, nodes: int, style: Style, threads: int = 1) -> Any:
    """Everything an analysis says but how long it took."""
    found = analyse(view, Budget(nodes=nodes), 3, style=style, threads=threads)
    return found.moves, found.values, found.line, found.nodes


@pytest.mark.parametrize("variant, players", GAMES)
@pytest.mark.parametrize("nodes", [1, 7, 300])
@STYLES
def test_the_same_nodes_and_seed_give_the_same_answer(variant: str, players: int, nodes: int, style: Style) -> None:
    view = own_view(played(variant, players, 5, 40))
    for threads in (1, 2):
        assert told(view, nodes, style, threads) == told(view, nodes, style, threads)


@pytest.mark.parametrize("variant, players", GAMES)
@STYLES
def test_hidden_cards_make_no_difference(variant: str, players: int, style: Style) -> None:
    seen_blind = False
    for seed in range(6):
        game = played(variant, players, seed, 30)
        view = own_view(game)
        seen_blind |= hides_something(view)
        other = Game.from_states(sample(view, np.random.default_rng(seed)))
        assert game.position() != other.position()
        assert told(view, 200, style) == told(own_view(other), 200, style)
    assert seen_blind


@STYLES
def test_the_game_is_left_as_it_was(style: Style) -> None:
    game = played("marvel", 3, 8, 25)
    before = game.states.tobytes()
    analyse(own_view(game), Budget(nodes=500), style=style)
    assert before == game.states.tobytes()


@pytest.mark.parametrize("variant, players", GAMES)
@STYLES
def test_nodes_are_counted(variant: str, players: int, style: Style) -> None:
    for nodes in (1, 63, 64, 999):
        found = analyse(own_view(played(variant, players, 9, 20)), Budget(nodes=nodes), style=style)
        assert nodes == found.nodes
        assert sum(one.visits for one in found.moves) == nodes


@pytest.mark.parametrize("variant, players", GAMES)
def test_values_are_chances(variant: str, players: int) -> None:
    found = analyse(own_view(played(variant, players, 4, 30)), Budget(nodes=300))
    assert sum(found.values) == pytest.approx(1, abs=1e-4)
    assert sum(one.prior for one in found.moves) == pytest.approx(1, abs=1e-4)
    for one in found.moves:
        assert sum(one.values) == pytest.approx(1 if one.visits else 0, abs=1e-4)


def test_the_best_move_begins_the_line() -> None:
    game = played("classic", 2, 6, 20)
    found = analyse(own_view(game), Budget(nodes=2000))
    assert found.best == found.line[0]
    assert found.moves[0].visits >= WELL_SEEN * max(one.visits for one in found.moves)
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


def test_a_tree_that_is_full_is_still_looked_at() -> None:
    weights, style = load_weights("classic", 2), Style()
    tree = new_tree(50)
    plant(tree, deal("classic", 2, [1]), 1, style, weights.worths)
    assert 500 == think(tree, style, *weights, 500)
    assert 500 == tree.nodes[0]["visits"]


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


@kernel
def _moves_in_order(tokens: int, limit: int, states: Any, last: int, found: Any, count: int) -> int:
    """Every hand that ordered returns lead to."""
    state = states[0]
    state.tokens[0] = tokens
    state.token_limit = limit
    if total(tokens) <= limit:
        found[count] = tokens
        return count + 1
    moves = returns_in_order(state, 0b111111, last)
    for kind in range(6):
        if moves >> kind & 1 and tokens >> 8 * kind & 0xFF:
            count = _moves_in_order(tokens - (1 << 8 * kind), limit, states, kind, found, count)
    return count


def _all_hands(tokens: tuple[int, ...], limit: int) -> set[tuple[int, ...]]:
    if sum(tokens) <= limit:
        return {tokens}
    fewer = [(*tokens[:i], tokens[i] - 1, *tokens[i + 1 :]) for i in range(6) if tokens[i]]
    return {hand for left in fewer for hand in _all_hands(left, limit)}


@settings(deadline=None)
@given(st.lists(st.integers(0, 4), min_size=6, max_size=6), st.integers(1, 3))
def test_returns_in_order_lead_to_every_hand_once(counts: list[int], over: int) -> None:
    tokens = (*counts, 0)
    limit = max(0, sum(tokens) - over)
    found = np.zeros(500, np.int64)
    count = _moves_in_order(pack(tokens), limit, blank_states(ruleset("classic", 2, {}), 1), 0, found, 0)
    hands = [unpack(hand) for hand in found[:count].tolist()]
    assert sorted(_all_hands(tokens, limit)) == sorted(hands)


def _positions(variant: str, players: int, count: int, moves: int) -> Any:
    states, rng = deal(variant, players, np.arange(count)), np.random.default_rng(1)
    for _ in range(moves):
        play(states, choose(states, legal(states), rng.integers(0, 2**60, count)))
    return states[states["stage"] != OVER]


@pytest.mark.slow
@pytest.mark.parametrize("variant, players", GAMES)
def test_facts_stay_in_their_table(variant: str, players: int) -> None:
    aims, facts = np.empty((MOST_AIMS, AIM), np.int64), np.empty(MOST_LISTED + 1, np.int32)
    for moves in (0, 20, 60, 90):
        for state in _positions(variant, players, 60, moves):
            for seat in range(players):
                facts[:] = -1
                count = list_features(state, seat, aims, facts)
                assert count <= MOST_LISTED
                assert facts[:count].min() >= 0
                assert facts[:count].max() < FEATURES


@pytest.mark.slow
@pytest.mark.parametrize("variant, players", GAMES)
def test_the_short_way_to_weigh_a_hand_agrees_with_the_list(variant: str, players: int) -> None:
    weights = np.random.default_rng(2).normal(size=(PHASES, FEATURES)).astype(np.float32)
    aims, facts = np.empty((MOST_AIMS, AIM), np.int64), np.empty(MOST_LISTED, np.int32)
    for state in _positions(variant, players, 60, 50):
        tokens, points = int(state["tokens"][0]), int(state["points"][0])
        count = list_aims(state, 0, int(state["bonuses"][0]), EVERYTHING, aims)
        listed = worth_of_hand(weights, 3, aims, count, tokens, points, facts)
        assert listed == pytest.approx(worth_of_taking(weights, 3, aims, count, tokens, points), abs=1e-4)


@pytest.mark.slow
def test_strength_is_the_sum_of_the_facts() -> None:
    weights = np.random.default_rng(2).normal(size=(PHASES, FEATURES)).astype(np.float32) / 10
    aims, facts, values = np.empty((MOST_AIMS, AIM), np.int64), np.empty(MOST_LISTED, np.int32), np.zeros(4)
    for state in _positions("marvel", 3, 20, 50):
        evaluate(state, weights, aims, facts, values)
        row = min(int(state["points"].max()), PHASES - 1)
        sums = [weigh(weights, row, facts, list_features(state, seat, aims, facts)) for seat in range(3)]
        assert values[:3] == pytest.approx(np.exp(sums) / np.exp(sums).sum(), abs=1e-4)


@pytest.mark.slow
def test_priors_cover_the_legal_moves() -> None:
    weights = load_weights("classic", 2)
    aims, facts = np.empty((MOST_AIMS, AIM), np.int64), np.empty(MOST_LISTED, np.int32)
    actions, priors = np.empty(64, np.int32), np.empty(64)
    for state in _positions("classic", 2, 60, 50):
        mask = int(legal(np.array([state]))[0])
        count = policy(state, mask, *weights, aims, facts, actions, priors)
        assert mask.bit_count() == count
        assert priors[:count].sum() == pytest.approx(1)


@kernel
def _play_searched(tree: Any, states: Any, style: Any, worths: Any, habits: Any, nodes: int, moves: int, seed: int) -> int:
    """Play games by tiny searches, any visited move; how many moves were not legal."""
    wrong = 0
    state, random = states[0], seeded(seed)
    fresh = states[1]
    for _ in range(moves):
        random = stir(random)
        if state.stage == OVER or state.turns > 300:
            states[0] = fresh
        plant(tree, states, random, style, worths)
        think(tree, style, worths, habits, nodes)
        root = tree.nodes[0]
        edge = tree.edges[root.first_edge + (random >> 20 & 0xFFFF) % min(nodes, root.edge_count)]
        action = edge.action
        if is_legal(state, action):
            play_action(state, action)
        else:
            wrong += 1
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("variant, players", GAMES)
def test_a_million_searched_moves_are_legal(variant: str, players: int) -> None:
    weights = load_weights(variant, players)
    states = deal(variant, players, [3, 3], start=0)
    tree, style = new_tree(16), Style()
    assert 0 == _play_searched(tree, states, style, *weights, 2, SEARCHED_MOVES // len(GAMES) + 1, 5)


def test_rollouts_search_too() -> None:
    game = played("classic", 2, 6, 20)
    found = analyse(own_view(game), Budget(nodes=400), style=Style(method=BY_ROLLOUT, curiosity=0.7))
    assert 400 == found.nodes
    game.play(found.best)


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_levels_play_legally(level: Any) -> None:
    game = played("marvel", 3, 6, 20)
    for seed in range(5):
        move = bot(level.name).choose(own_view(game), Budget(nodes=20), seed)
        assert game.why_not(move) is None


@pytest.mark.slow
@pytest.mark.parametrize("name, style", [("linear", STRONGEST), ("net", GUIDED)])
def test_the_signature_is_pinned(name: str, style: Style) -> None:
    """A commit that changes what the search plays writes the new signature into the file and says why."""
    _, moves, number = signature(style)
    assert 3 * len(GAMES) == len(moves)
    assert PINNED[name] == f"{number:08x}"


def test_a_small_chance_is_better_than_a_proven_loss() -> None:
    lost = Considered(Move.parse("take wug", "classic"), 0.5, 100, (0.0, 1.0), is_proven=True)
    hope = Considered(Move.parse("take wur", "classic"), 0.5, 100, (0.01, 0.99), is_proven=False)
    assert max((lost, hope), key=lambda one: assured(one, 0, 100)) is hope
