"""Many games at once do what one game does, on one core or several."""

import random
from itertools import pairwise

import numpy as np
import pytest

import cabochon
from cabochon import FIRST_ACTION, NO_ACTION, VARIANTS, Game, batch
from cabochon.rules.state import state_t
from cabochon.ruleset import States


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_arrays_play_like_games(variant: str, players: int) -> None:
    seeds = np.arange(20)
    states = cabochon.deal(variant, players, seeds)
    games = [Game(variant, players, seed=int(seed)) for seed in seeds]
    rng = np.random.default_rng(1)
    for _ in range(80):
        masks = cabochon.legal(states)
        actions = cabochon.choose(states, masks, rng)
        cabochon.play(states, actions)
        for game, action in zip(games, actions, strict=True):
            if action != NO_ACTION:
                game.play(cabochon.Move(int(action), None, variant))
        assert b"".join(game.states.tobytes() for game in games) == states.tobytes()


def test_several_cores_play_like_one() -> None:
    def run(cores: int) -> bytes:
        rng = np.random.default_rng(2)
        with batch.cores(cores):
            states = cabochon.deal("marvel", 3, np.arange(3 * batch.GAMES_PER_THREAD + 5))
            for _ in range(30):
                cabochon.play(states, cabochon.choose(states, rng=rng))
        return states.tobytes()

    assert run(1) == run(3)


def test_legal_table_agrees_with_masks() -> None:
    states = cabochon.deal("marvel", 2, np.arange(100))
    rng = np.random.default_rng(3)
    stages = set()
    for _ in range(150):
        masks, table = cabochon.legal(states), cabochon.legal_table(states)
        for state, mask, row in zip(states, masks, table, strict=True):
            stages.add(int(state["stage"]))
            first = FIRST_ACTION[state["stage"]]
            assert [first + bit for bit in range(63) if mask >> bit & 1] == list(np.flatnonzero(row))
        cabochon.play(states, cabochon.choose(states, masks, rng))
    assert {0, 1, 3} <= stages


def test_start_seat_is_drawn_from_the_seed() -> None:
    drawn = cabochon.deal("classic", 4, np.arange(4000))["start"]
    assert all(900 < count < 1100 for count in np.bincount(drawn, minlength=4))
    assert {2} == set(cabochon.deal("classic", 4, np.arange(10), start=2)["turn"].tolist())


def test_every_card_is_equally_likely_on_top() -> None:
    states = cabochon.deal("classic", 2, np.arange(40_000))
    counts = np.bincount(states["market"][:, 0], minlength=40)
    assert 40 == len(counts)
    assert abs(counts - 1000).max() < 150


def test_record_size() -> None:
    assert state_t.itemsize <= 384
    assert state_t.itemsize == sum(state_t[name].itemsize for name in state_t.names or ()), "no hidden bytes between fields"


def test_chosen_actions_are_equally_likely() -> None:
    states = cabochon.deal("classic", 2, [random.Random(1).randint(0, 99)] * 30_000)
    actions = cabochon.choose(states, seeds=np.arange(30_000))
    counts = np.bincount(actions)
    legal = counts[counts > 0]
    assert len(legal) == bin(int(cabochon.legal(states[:1])[0])).count("1")
    assert abs(legal - 1000).max() < 150


def share_repeated(draws: list[np.ndarray]) -> float:
    """How often a game draws what its neighbour drew one step before, where both draw from as many moves."""
    same = [np.mean(now[:-1] == before[1:]) for before, now in pairwise(draws)]
    return float(np.mean(same))


def test_neighbours_do_not_repeat_each_others_draws() -> None:
    """Seeds that move on by one, as in `np.arange(n) + step`, gave every game the draws of its neighbour."""
    states, draws = cabochon.deal("classic", 2, np.arange(2000)), []
    for step in range(12):
        masks = cabochon.legal(states)
        actions = cabochon.choose(states, masks, seeds=np.arange(2000) + step)
        count = np.bitwise_count(masks)
        place = np.bitwise_count(masks & (np.int64(1) << (actions - FIRST_ACTION[states["stage"]])) - 1)
        draws.append((8 * place) // count)  # which eighth of the legal moves it was drawn from
        cabochon.play(states, actions)
    assert share_repeated(draws) < 0.2  # an eighth by chance


def test_choose_needs_no_more_than_the_states() -> None:
    states = cabochon.deal("classic", 2, np.arange(500))
    assert cabochon.legal_table(states)[np.arange(500), cabochon.choose(states)].all()
    first, again = (cabochon.choose(states, rng=np.random.default_rng(5)) for _ in range(2))
    assert first.tolist() == again.tolist()
    assert first.tolist() != cabochon.choose(states).tolist()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 4])
def test_arrays_tell_what_games_tell(variant: str, players: int) -> None:
    states, rng = cabochon.deal(variant, players, np.arange(30)), np.random.default_rng(4)
    for step in range(400):
        if step % 80 == 0:
            check_facts(states, players)
        cabochon.play(states, cabochon.choose(states, rng=rng))
    assert cabochon.is_over(states).any()
    check_facts(states, players)


def check_facts(states: States, players: int) -> None:
    """Compare what is told about all games with what each game tells."""
    games = [Game.from_states(states[i : i + 1]) for i in range(len(states))]
    assert [game.is_over for game in games] == cabochon.is_over(states).tolist()
    assert [list(game.points) for game in games] == cabochon.points(states).tolist()
    won, ranks = cabochon.winners(states), cabochon.ranks(states)
    for i, game in enumerate(games):
        shown = game.position()
        letters = len(game.rules.letters)
        assert [area.tokens for area in shown.seats] == [tuple(row[:letters]) for row in cabochon.tokens(states)[i].tolist()]
        assert [area.bonuses for area in shown.seats] == [tuple(row[:5]) for row in cabochon.bonuses(states)[i].tolist()]
        assert shown.bank == tuple(cabochon.bank(states)[i][:letters].tolist())
        if game.outcome:
            assert list(game.outcome.ranks) == ranks[i].tolist()
            assert list(game.outcome.winners) == np.flatnonzero(won[i]).tolist()
        else:
            assert not won[i].any()
        assert (cabochon.observe(states)[i] == cabochon.observe(game.states, game.turn)[0]).all()
    assert (len(states), players, 7) == cabochon.tokens(states).shape


def test_no_games_are_no_error() -> None:
    none = cabochon.deal("classic", 2, np.arange(0))
    assert (0, 2) == cabochon.ranks(none).shape == cabochon.points(none).shape
    assert (0, 400) == cabochon.observe(none).shape
    assert 0 == len(cabochon.choose(none)) == len(cabochon.legal(none))


def test_cores_are_counted() -> None:
    for wrong in (0, -1, 1.5, "x"):
        with pytest.raises(cabochon.CabochonError, match="cores must be a whole number from 1"), batch.cores(wrong):  # type: ignore[arg-type]
            pass
