"""`make perft`: counts from the named positions, by the kernel and by the referee."""

import csv

from cabochon import Game
from cabochon.tools.perft import perft
from tests.support.comparing import referee_for
from tests.support.golden import FOLDER, PERFT_DEPTH, PERFT_FILE, game_at
from tests.support.referee import Referee

REFEREE_DEPTH = 3


def rows() -> list[dict[str, str]]:
    with PERFT_FILE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def named_game(row: dict[str, str]) -> Game:
    game = Game.from_record((FOLDER / f"{row['game']}.game").read_text())
    return game_at(game, int(row["decisions"]))


def referee_at(game: Game) -> Referee:
    """The referee after the same moves."""
    referee = referee_for(game)
    for move in game.moves:
        referee.play(str(move))
    return referee


def referee_perft(referee: Referee, depth: int) -> int:
    moves = referee.legal_moves()
    if depth == 1:
        return len(moves)
    found = 0
    for move in moves:
        after = referee.copy()
        after.play(move)
        found += referee_perft(after, depth - 1)
    return found


def main() -> None:
    wrong = 0
    for row in rows():
        game = named_game(row)
        for depth in range(1, PERFT_DEPTH + 1):
            counts = {"file": int(row[f"depth {depth}"]), "kernel": perft(game, depth)}
            if depth <= REFEREE_DEPTH:
                counts["referee"] = referee_perft(referee_at(game), depth)
            agreed = len(set(counts.values())) == 1
            wrong += not agreed
            print(
                f"{row['game']:48} {row['decisions']:>3} depth {depth} {counts['file']:>12,} {'ok' if agreed else counts}",
                flush=True,
            )
    raise SystemExit(wrong)


if __name__ == "__main__":
    main()
