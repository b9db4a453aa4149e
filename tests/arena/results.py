"""Games with made-up results, for tests of the arena."""

from dataclasses import replace
from typing import Any

from cabochon.arena import Entrant, GameResult, Match

GREEDY, RANDOM = Entrant("greedy"), Entrant("random")


def duel(variant: str = "classic", seed: int = 1) -> Match:
    return Match((GREEDY, RANDOM), variant, seed)


def game(deal: int, rotation: int, seats: str, ranks: tuple[int, ...], **fields: Any) -> GameResult:
    """A finished game of bots with one letter each."""
    nothing = (0.0,) * len(seats)
    plain_game = GameResult(deal, rotation, deal, tuple(seats), ranks, (0,) * len(seats), 50, 50, "goal", "", nothing, nothing)
    return replace(plain_game, **fields)


def deals_of(scores: list[float]) -> list[GameResult]:
    """Two-player deals of a against b in which a scores this share: 0, ¼, ½, ¾ or 1."""
    ranks = {0.0: [(2, 1), (1, 2)], 0.25: [(2, 1), (1, 1)], 0.5: [(1, 2), (1, 2)], 0.75: [(1, 2), (1, 1)], 1.0: [(1, 2), (2, 1)]}
    return [game(i, turn, "ab" if turn == 0 else "ba", ranks[score][turn]) for i, score in enumerate(scores) for turn in (0, 1)]


def untimed(games: list[GameResult]) -> list[GameResult]:
    ordered = sorted(games, key=lambda played: (played.deal, played.rotation))
    return [replace(played, seconds=(), slowest=()) for played in ordered]
