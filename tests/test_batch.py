"""Many games at once do what one game does, on one core or several."""

import random

import numpy as np
import pytest

import cabochon
from cabochon import FIRST_ACTION, NO_ACTION, VARIANTS, Game, batch
from cabochon.rules.state import state_t


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_arrays_play_like_games(variant: str, players: int) -> None:
    seeds = np.arange(20)
    states = cabochon.deal(variant, players, seeds)
    games = [Game(variant, players, seed=int(seed)) for seed in seeds]
    rng = np.random.default_rng(1)
    for _ in range(80):
        masks = cabochon.legal(states)
        actions = cabochon.choose(states, masks, rng.integers(0, 2**62, len(states)))
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
                cabochon.play(states, cabochon.choose(states, cabochon.legal(states), rng.integers(0, 2**62, len(states))))
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
        cabochon.play(states, cabochon.choose(states, masks, rng.integers(0, 2**62, len(states))))
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
    actions = cabochon.choose(states, cabochon.legal(states), np.arange(30_000))
    counts = np.bincount(actions)
    legal = counts[counts > 0]
    assert len(legal) == bin(int(cabochon.legal(states[:1])[0])).count("1")
    assert abs(legal - 1000).max() < 150
