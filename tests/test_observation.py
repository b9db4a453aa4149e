"""An observation says what the view says, number by number, and nothing else."""

from typing import Any

import numpy as np
import pytest

from cabochon import CARDS, TILES, VARIANTS, Game, View, batch, deal, legal_table, observe, sample
from cabochon.envs.rendering import render
from cabochon.game import reaches_goal
from cabochon.notation.svg import svg
from cabochon.observation import (
    ASKED,
    CARD,
    SEAT,
    TILE,
    action_masks,
    by_name,
    fields,
    observation_size,
)
from cabochon.rules.state import STAGES
from cabochon.view import view
from tests.envs.games import random_actions, random_game, reserving_games, with_other_hidden_cards

CASES = [(variant, players, seed) for variant in VARIANTS for players in (2, 3, 4) for seed in range(6)]


def said(numbers: Any, parts: Any) -> dict[str, Any]:
    return {name: piece.tolist() if piece.size > 1 else piece.item() for name, piece in by_name(numbers, parts).items()}


def missing(view: View, cost: tuple[int, ...], seat: int) -> int:
    area = view.seats[seat]
    short = sum(max(0, due - own - held) for due, own, held in zip(cost, area.bonuses, area.tokens, strict=False))
    return max(0, short - area.tokens[5])


def card(view: View, number: int | None, seat: int, tier: int = 0) -> dict[str, Any]:
    if number is None:
        return {
            "cost": [0] * 5,
            "points": 0,
            "symbols": 0,
            "missing": 0,
            "bonus": [0] * 5,
            "tier": [tier == t for t in (1, 2, 3)],
        }
    face = CARDS[view.rules.variant][number - 1]
    return {
        "cost": list(face.cost),
        "points": face.points,
        "symbols": face.symbols,
        "missing": missing(view, face.cost, seat),
        "bonus": [letter == face.bonus for letter in view.rules.letters[:5]],
        "tier": [face.tier == t for t in (1, 2, 3)],
    }


def tile(view: View, place: int, seat: int) -> dict[str, Any]:
    if place >= len(view.tiles):
        return {"demand": [0] * 5, "points": 0, "open": 0, "owner": 0}
    number, owner = view.tiles[place].number, view.tiles[place].owner
    face = TILES[view.rules.variant][number - 1]
    place_of_owner = 0 if owner is None else (owner - seat) % view.rules.players + 1
    return {"demand": list(face.demand), "points": face.points, "open": owner is None, "owner": place_of_owner}


def asked(view: View, seat: int) -> dict[str, Any]:
    """What tiles ask for, from the printed faces."""
    faces = [TILES[view.rules.variant][tile.number - 1] for tile in view.tiles]
    bonuses, empty = view.seats[seat].bonuses, [0] * (5 - len(faces))
    missing = []
    for face in faces:
        unnamed = [held for due, held in zip(face.demand, bonuses, strict=True) if not due]
        named = sum(max(0, due - held) for due, held in zip(face.demand, bonuses, strict=True))
        missing.append(named + max(0, face.other - max(unnamed, default=0)))
    return {
        "tile_prestige": [face.prestige for face in faces] + empty,
        "tile_other": [face.other for face in faces] + empty,
        "tile_missing": missing + empty,
        "goal_tiles": view.rules.row.goal_tiles,
    }


def in_front(view: View, seat: int) -> dict[str, Any]:
    area = view.seats[seat]
    held = [card(view, kept.card, seat, kept.tier) for kept in area.reserve]
    return {
        "tokens": [*area.tokens, 0][:7],
        "token_count": sum(area.tokens),
        "bonuses": list(area.bonuses),
        "cards": len(area.tableau),
        "points": area.points,
        "symbols": area.symbols,
        "avengers": view.avengers == seat,
        "reserved": len(area.reserve),
        "fulfils_goal": reaches_goal(view, seat),
        "to_decide": view.turn == seat and view.stage != "over",
        "began": view.start == seat,
        "blind": [i < len(area.reserve) and area.reserve[i].blind for i in range(3)],
        "reserve": held + [card(view, None, seat)] * (3 - len(held)),
    }


def table(view: View) -> dict[str, Any]:
    rules = view.rules
    return {
        "stage": [view.stage == stage for stage in STAGES],
        "decks": list(view.deck_sizes),
        "last_round": any(reaches_goal(view, seat) for seat in range(rules.players)),
        "goal": rules.goal,
        "token_limit": rules.token_limit,
        "hand_limit": rules.hand_limit,
        "take_fewer": rules.take_fewer,
        "open_reserves": rules.open_reserves,
        "passes": view.passes,
        "round": min(127, view.turns // rules.players),
        "game": rules.row.index,
        "bank": [*view.bank, 0][:7],
        "players": rules.players,
    }


@pytest.mark.parametrize(("variant", "players", "seed"), CASES)
def test_every_number_says_what_the_view_says(variant: str, players: int, seed: int) -> None:
    game = random_game(variant, players, seed, 25 * seed)
    for seat in range(players):
        view, row = game.view(seat), observe(game.states, seat)[0]
        shown, values = by_name(row, fields(players, variant)), said(row, fields(players, variant))
        assert table(view) == {name: value for name, value in values.items() if name in table(view)}
        tells = asked(view, seat) if len(row) > observation_size(players) else {}
        assert tells == {name: value for name, value in values.items() if name in asked(view, seat)}
        market = [number for cards in view.market for number in cards]
        assert [card(view, number, seat) for number in market] == [said(face, CARD) for face in shown["market"]]
        assert [tile(view, place, seat) for place in range(5)] == [said(face, TILE) for face in shown["tiles"]]
        for i in range(players):
            area = said(shown["seats"][i], SEAT)
            area["reserve"] = [said(face, CARD) for face in by_name(shown["seats"][i], SEAT)["reserve"]]
            assert in_front(view, (seat + i) % players) == area


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("open_reserves", [True, False])
def test_what_is_hidden_is_not_in_it(variant: str, players: int, open_reserves: bool) -> None:
    rng, reserves, decks = np.random.default_rng(players), 0, 0
    for decisions in (0, 7, 20, 40, 70):
        states = reserving_games(variant, players, 25, decisions, open_reserves=open_reserves)
        for seat in range(players):
            twins = with_other_hidden_cards(states, seat, rng)
            np.testing.assert_array_equal(observe(states, seat), observe(twins, seat))
            deciding = states["turn"] == seat
            np.testing.assert_array_equal(action_masks(states)[deciding], action_masks(twins)[deciding])
            reserves += int((states["reserve"] != twins["reserve"]).any(axis=(1, 2)).sum())
            decks += int((states["deck"] != twins["deck"]).any(axis=1).sum())
    assert reserves > 50 and decks > 50


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_what_is_hidden_is_not_drawn(variant: str, players: int) -> None:
    rng, states = np.random.default_rng(players), reserving_games(variant, players, 8, 20)
    for seat in range(players):
        for state, twin in zip(states, with_other_hidden_cards(states, seat, rng), strict=True):
            assert svg(view(state, seat)) == svg(view(twin, seat))
            assert render(state, seat, "ansi") == render(twin, seat, "ansi")


@pytest.mark.parametrize(("variant", "players", "seed"), CASES)
def test_a_sampled_state_looks_the_same(variant: str, players: int, seed: int) -> None:
    game, rng = random_game(variant, players, seed, 20 + 20 * seed), np.random.default_rng(seed)
    for seat in range(players):
        twin = sample(game.view(seat), rng)
        np.testing.assert_array_equal(observe(game.states, seat), observe(twin, seat))


def test_a_hidden_card_can_be_told_by_its_owner() -> None:
    game = Game("classic", 2, seed=1, start=0, moves="reserve 3?; take wug")
    view, rng = game.view(1), np.random.default_rng(1)
    others = [sample(view, rng) for _ in range(20)]
    assert 1 == len({observe(states, 1).tobytes() for states in others})
    assert 5 < len({observe(states, 0).tobytes() for states in others})


@pytest.mark.parametrize("variant", VARIANTS)
def test_looking_changes_nothing(variant: str) -> None:
    game = random_game(variant, 4, 3, 60)
    before = game.states.tobytes()
    for seat in range(4):
        observe(game.states, seat)
    action_masks(game.states)
    assert before == game.states.tobytes()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_masks_and_ranges_through_whole_games(variant: str, players: int) -> None:
    states, rng = deal(variant, players, np.arange(200)), np.random.default_rng(1)
    stages = set()
    for _ in range(260):
        masks, rows = action_masks(states), observe(states)
        np.testing.assert_array_equal(legal_table(states), masks)
        assert rows.min() >= 0
        assert (len(states), observation_size(players, variant)) == rows.shape
        going = masks.any(axis=1)
        stages |= set(states["stage"].tolist())
        batch.play(states, np.where(going, random_actions(masks, rng), -1))
    assert {0, 1, 3} <= stages


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_pieces_fill_the_row(variant: str, players: int) -> None:
    assert observation_size(players, variant) == sum(field.size for field in fields(players, variant))
    has_more = any(tile.prestige or tile.other for tile in TILES[variant])
    assert fields(players, variant) == fields(players) + (ASKED if has_more else ())


def test_the_observations_of_published_games_keep_their_sizes() -> None:
    sizes = {variant: [observation_size(players, variant) for players in (2, 3, 4)] for variant in ("classic", "marvel")}
    assert {"classic": [400, 472, 544], "marvel": [400, 472, 544]} == sizes


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_city_can_be_told_from_the_others(players: int) -> None:
    """Whoever reads the tiles of a row knows which faces lie there."""
    for seed in range(8):
        game = Game("cities", players, seed=seed)
        row = by_name(observe(game.states, 0)[0], fields(players, "cities"))
        for place, tile_here in enumerate(game.view(0).tiles):
            demand = tuple(by_name(row["tiles"][place], TILE)["demand"].tolist())
            read = demand, int(row["tile_prestige"][place]), int(row["tile_other"][place])
            assert [tile_here.number] == [
                face.number for face in TILES["cities"] if read == (face.demand, face.prestige, face.other)
            ]
