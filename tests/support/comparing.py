"""Putting a Game and the referee side by side."""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cabochon import VARIANTS, Game, Move, Position, View
from cabochon.rules.actions import ACTION_COUNT
from cabochon.why_not import why_not
from tests.support.referee import Referee

PLAYER_COUNTS = (2, 3, 4)
MOST_DECISIONS = 600
# In most games whoever can buy does: random ones are nearly twice as long, most of it tokens taken and given back.
BUYERS_SHARE = 0.75


@dataclass(frozen=True)
class Case:
    """A game to be played at random: the same case is always the same game."""

    variant: str
    players: int
    seed: int
    house: tuple[tuple[str, Any], ...] = ()

    def game(self) -> Game:
        return Game(self.variant, self.players, seed=self.seed, **dict(self.house))


def cases(count: int, first_seed: int = 0, variants: Iterable[str] = VARIANTS) -> list[Case]:
    """Games of these variants, all player counts and all switches, half of them by the plain rules."""
    rng = random.Random(first_seed)
    tables = [(variant, players) for variant in variants for players in PLAYER_COUNTS]
    return [random_case(rng, *tables[i % len(tables)], first_seed + i) for i in range(count)]


def random_case(rng: random.Random, variant: str, players: int, seed: int) -> Case:
    return Case(variant, players, seed, random_house(rng, variant))


def random_house(rng: random.Random, variant: str) -> tuple[tuple[str, Any], ...]:
    if rng.random() < 0.5:
        return ()
    choices: dict[str, list[Any]] = {
        "take_fewer": [True],
        "goal": [1, 8, 21],
        "open_reserves": [False],
        "token_limit": [1, 5, 8, 12, 20],
        "hand_limit": [0, 1, 2],
    }
    if VARIANTS[variant].goal == 0:  # points end nothing there, so there is no other number to agree on
        del choices["goal"]
    names = rng.sample(list(choices), rng.randint(1, 3))
    return tuple((name, rng.choice(choices[name])) for name in sorted(names))


def referee_for(game: Game) -> Referee:
    """The referee at the same deal."""
    first = game.beginning().position()
    decks = [[*(card for card in row if card), *deck] for row, deck in zip(first.market, first.decks, strict=True)]
    house = {name: getattr(game.rules, name) for name in ("take_fewer", "goal", "open_reserves", "token_limit", "hand_limit")}
    tiles = [tile.number for tile in first.tiles]
    return Referee(game.variant, game.players, decks, tiles, first.start, **house)


def as_referee_says(shown: View) -> dict[str, Any]:
    """A view or position in the referee's form."""
    letters = shown.rules.letters
    lists: dict[str, Any] = {
        "variant": shown.rules.variant,
        "players": shown.rules.players,
        "start": shown.start,
        "turn": shown.turn,
        "stage": shown.stage,
        "turns": shown.turns,
        "passes": shown.passes,
        "bank": dict(zip(letters, shown.bank, strict=True)),
        "market": [list(row) for row in shown.market],
        "tiles": [None if tile.owner is not None else tile.number for tile in shown.tiles],
        "avengers": shown.avengers,
        "seats": [_seat(shown, seat) for seat in range(shown.rules.players)],
    }
    if isinstance(shown, Position):
        return lists | {"decks": [list(deck) for deck in shown.decks]}
    return lists | {"decks": list(shown.deck_sizes), "seat": shown.seat}


def _seat(shown: View, seat: int) -> dict[str, Any]:
    area, letters = shown.seats[seat], shown.rules.letters
    return {
        "tokens": dict(zip(letters, area.tokens, strict=True)),
        "tableau": list(area.tableau),
        "reserve": [{"card": held.card, "tier": held.tier, "blind": held.blind} for held in area.reserve],
        "tiles": sorted(tile.number for tile in shown.tiles if tile.owner == seat),
        "points": area.points,
        "bonuses": dict(zip(letters, area.bonuses, strict=False)),
        "symbols": area.symbols,
    }


def play_both(case: Case, payments_share: float = 0.1) -> int:
    """Play one random game with both; they must agree on everything. How many decisions it had."""
    game = case.game()
    referee = referee_for(game)
    rng = random.Random(case.seed)
    buys = rng.random() < BUYERS_SHARE
    for decision in range(MOST_DECISIONS):
        assert as_referee_says(game.position()) == referee.state(), (case, decision)
        if game.is_over:
            break
        payments = rng.random() < payments_share
        texts = [str(move) for move in game.legal_moves(payments=payments)]
        assert set(texts) == referee.legal_moves(payments=payments), (case, decision)
        assert len(set(texts)) == len(texts)
        if payments:
            for seat in (None, *range(game.players)):
                assert as_referee_says(game.view(seat)) == referee.view(seat), (case, decision, seat)
        text = rng.choice(buys_first(texts) if buys else texts)
        game.play(text)
        referee.play(text)
    assert _outcome(game) == referee.outcome(), case
    return len(game.moves)


def buys_first(texts: list[str]) -> list[str]:
    """Of the legal moves those that buy, if there are any."""
    return [text for text in texts if text.startswith("buy")] or texts


def _outcome(game: Game) -> dict[str, Any] | None:
    outcome = game.outcome
    if outcome is None:
        return None
    return {"ranks": list(outcome.ranks), "winners": list(outcome.winners), "reason": outcome.reason}


def explain_everything(case: Case) -> int:
    """Play one random game; in every position `why_not` and the mask must agree on all 73 actions. How many positions."""
    game = case.game()
    rng = random.Random(case.seed)
    every_move = [Move(action, None, game.variant) for action in range(ACTION_COUNT)]
    for position in range(MOST_DECISIONS):
        view = game.view(game.turn)
        legal = game.legal_moves()
        explained = [move for move in every_move if why_not(view, move) is None]
        assert explained == legal, (case, position)
        if game.is_over:
            break
        game.play(rng.choice(legal))
    return position + 1
