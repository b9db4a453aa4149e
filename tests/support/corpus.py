"""A corpus of 2,000 recorded games: both games, all house rules, payments by choice. Written by `python -m tests.support.corpus`.

It was written before the engine was rearranged, so it shows that a change of the code is no change of the rules. Only public
names are used here, for the same reason. Each game is its record and a digest of everything that could be seen on the way.
"""

import hashlib
import lzma
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cabochon import Game, Move, format_position, format_record

FILE = Path(__file__).parent.parent / "golden" / "corpus.txt.xz"
GAMES = 2000
SEPARATOR = "\f\n"
DIGEST = "digest: "
MAX_DECISIONS = 160
LOOK_EVERY = 24  # decisions between two looks at every seat's view: a view takes longer to write than a move to play


def _house_rules(chance: random.Random) -> dict[str, Any]:
    """Half of the games by the book, the others with any house rules."""
    if chance.random() < 0.5:
        return {}
    every = {
        "take_fewer": chance.random() < 0.5,
        "goal": chance.choice([1, 8, 12, 18, 21, 30]),
        "open_reserves": chance.random() < 0.5,
        "token_limit": chance.choice([1, 5, 8, 9, 11, 15, 40]),
        "hand_limit": chance.choice([0, 1, 2, 3]),
    }
    return {name: value for name, value in every.items() if chance.random() < 0.6}


def _choose(game: Game, chance: random.Random, love_of_buying: float) -> Move:
    moves = game.legal_moves()
    purchases = [move for move in moves if str(move).startswith("buy")]
    if purchases and chance.random() < love_of_buying:
        move = chance.choice(purchases)
        return chance.choice(game.ways_to_pay(move)) if chance.random() < 0.5 else move
    return chance.choice(moves)


def random_game(number: int) -> Game:
    """The game with this number; a few are broken off."""
    chance = random.Random(number)
    variant, players = ("classic", "marvel")[number % 2], 2 + number // 2 % 3
    game = Game(variant, players, seed=number, start=chance.randrange(players), **_house_rules(chance))
    love_of_buying = chance.choice([0.2, 0.7, 0.95])
    for _ in range(MAX_DECISIONS):
        if game.is_over:
            break
        game.play(_choose(game, chance, love_of_buying))
    return game


def digest(game: Game) -> str:
    """A short digest of every legal move and points of a game, of the views on the way, and of its end."""
    again, found = game.beginning(), hashlib.sha256()
    for number, move in enumerate(game.moves):
        seen = [again.turn, again.stage, again.points, [str(legal) for legal in again.legal_moves()]]
        found.update(repr(seen).encode())
        if number % LOOK_EVERY == 0:
            for seat in (None, *range(again.players)):
                found.update(format_position(again.view(seat)).encode())
        again.play(move)
    found.update(format_position(again.position()).encode() + repr(again.outcome).encode())
    return found.hexdigest()[:16]


def write() -> None:
    """Write the corpus."""
    games = [random_game(number) for number in range(GAMES)]
    texts = [f"{DIGEST}{digest(game)}\n{format_record(game.record())}" for game in games]
    FILE.write_bytes(lzma.compress(SEPARATOR.join(texts).encode(), preset=9 | lzma.PRESET_EXTREME))


def read() -> Iterator[tuple[str, str]]:
    """Every game as its digest and its record."""
    for text in lzma.decompress(FILE.read_bytes()).decode().split(SEPARATOR):
        first, _, record = text.partition("\n")
        yield first.removeprefix(DIGEST), record


if __name__ == "__main__":
    write()
