"""Golden games: one for each game and player count, and one for each rare case. `make golden` writes them anew."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from cabochon import Game, format_record
from cabochon.notation.gems import format_counts
from cabochon.tools.perft import perft
from tests.support.hunting import BUYER, HOARDER, UNIFORM, hunted_game

FOLDER = Path(__file__).parent.parent / "golden"
PERFT_FILE = FOLDER / "perft.csv"
PERFT_DEPTH = 4


class Golden(NamedTuple):
    """A golden game by the seed and style that make it; the name ends in the rare case it shows."""

    name: str
    players: int
    seed: int
    style: int

    @property
    def variant(self) -> str:
        return self.name.split("-")[0]


GOLDEN = [
    *(Golden(f"{variant}-{players}-players", players, 2026, BUYER) for variant in ("classic", "marvel") for players in (2, 3, 4)),
    Golden("classic-two-colours-left", 2, 0, UNIFORM),
    Golden("classic-one-colour-left", 2, 0, HOARDER),
    Golden("classic-no-colours-left", 3, 0, HOARDER),
    Golden("classic-reserve-without-wild", 3, 0, UNIFORM),
    Golden("classic-blind-reserve-at-ten", 4, 1, HOARDER),
    Golden("classic-two-tiles-at-once", 2, 1, HOARDER),
    Golden("classic-tile-on-a-token-turn", 2, 3, HOARDER),
    Golden("classic-empty-decks", 4, 0, HOARDER),
    Golden("classic-forced-pass", 3, 0, UNIFORM),
    Golden("classic-forced-pass-shows-unseen-cards", 2, 2, HOARDER),
    Golden("classic-tile-on-a-pass", 4, 1537, HOARDER),
    Golden("classic-stalemate", 3, 27, HOARDER),
    Golden("classic-equal-points", 4, 20, UNIFORM),
    Golden("classic-shared-victory", 2, 8, UNIFORM),
    Golden("marvel-two-colours-left", 2, 0, UNIFORM),
    Golden("marvel-one-colour-left", 2, 0, UNIFORM),
    Golden("marvel-no-colours-left", 2, 0, UNIFORM),
    Golden("marvel-reserve-without-wild", 3, 0, UNIFORM),
    Golden("marvel-blind-reserve-at-ten", 4, 1, HOARDER),
    Golden("marvel-two-tiles-at-once", 2, 10, UNIFORM),
    Golden("marvel-tile-on-a-token-turn", 3, 25, HOARDER),
    Golden("marvel-empty-decks", 4, 3, BUYER),
    Golden("marvel-forced-pass", 2, 0, HOARDER),
    Golden("marvel-forced-pass-shows-unseen-cards", 3, 1, HOARDER),
    Golden("marvel-tile-on-a-pass", 4, 2680, HOARDER),
    Golden("marvel-stalemate", 3, 8, UNIFORM),
    Golden("marvel-equal-points", 4, 5, HOARDER),
    Golden("marvel-shared-victory", 4, 96, BUYER),
    Golden("marvel-free-tier-three-at-ten", 3, 9, HOARDER),
    Golden("marvel-avengers-taken-away-and-game-goes-on", 2, 13, BUYER),
    Golden("marvel-end-triggered-anew-in-the-same-round", 3, 1329, BUYER),
    # Cities has the cards of classic, and a seed deals the same decks in both: other seeds, so that other games are played.
    # No city on a token turn or a pass: in a game from the deal a city comes only with a purchase: nothing else brings points.
    *(Golden(f"cities-{players}-players", players, 2027, BUYER) for players in (2, 3, 4)),
    Golden("cities-two-colours-left", 2, 3000, UNIFORM),
    Golden("cities-one-colour-left", 3, 3000, HOARDER),
    Golden("cities-no-colours-left", 4, 3000, HOARDER),
    Golden("cities-reserve-without-wild", 4, 3001, BUYER),
    Golden("cities-blind-reserve-at-ten", 3, 3001, HOARDER),
    Golden("cities-two-tiles-at-once", 2, 3002, BUYER),
    Golden("cities-empty-decks", 4, 3016, BUYER),
    Golden("cities-forced-pass", 3, 3001, UNIFORM),
    Golden("cities-forced-pass-shows-unseen-cards", 3, 3005, HOARDER),
    Golden("cities-stalemate", 2, 3013, HOARDER),
    Golden("cities-equal-points", 3, 3047, UNIFORM),
    Golden("cities-shared-victory", 2, 3291, UNIFORM),
    Golden("cities-one-other-colour", 3, 3002, BUYER),
    Golden("cities-fifteen-points-end-nothing", 3, 3053, BUYER),
    Golden("cities-several-owners", 4, 3013, BUYER),
    Golden("cities-most-points-without-a-city", 2, 3014, BUYER),
]


def playthrough(game: Game) -> Iterator[str]:
    """A line a decision: who, in which stage, of how many legal moves, which, and how things stand after it."""
    again = game.beginning()
    for move in game.moves:
        seat, stage, choices = again.turn, again.stage, len(again.legal_moves())
        again.play(move)
        shown = again.position()
        tokens = format_counts(shown.seats[seat].tokens, shown.rules.letters)
        bank = format_counts(shown.bank, shown.rules.letters)
        points = " ".join(f"{points:2}" for points in again.points)
        yield f"{seat} {stage:6} {choices:2}  {move!s:24} points {points}  bank {bank:20} tokens {tokens}".rstrip()
    outcome = again.outcome
    assert outcome is not None
    owners = " ".join("-" if tile.owner is None else str(tile.owner) for tile in again.position().tiles)
    tiles = f", tiles {owners}" if again.rules.row.goal_tiles else ""  # where tiles decide, who has which of them
    yield f"over: {outcome.reason}, ranks {' '.join(str(rank) for rank in outcome.ranks)}{tiles}"


def perft_positions(games: Mapping[str, Game]) -> Iterator[tuple[str, int]]:
    """Named positions: a golden game and a number of decisions; beginnings, rare cases in their middle, last rounds of Cities."""
    for golden in GOLDEN:
        if golden.name.endswith("players"):
            yield from ((golden.name, at) for at in (0, 20, 60))
        elif golden.name.endswith(("at-once", "at-ten", "colours-left", "empty-decks")):
            yield golden.name, 50
        if golden.variant == "cities" and golden.name.endswith(("at-once", "owners", "other-colour")):
            yield golden.name, len(games[golden.name].moves) - golden.players


def game_at(game: Game, decisions: int) -> Game:
    """A game after its first so many decisions."""
    again = game.beginning()
    again.play_all(game.moves[:decisions])
    return again


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    games = {golden.name: hunted_game(golden.variant, golden.players, golden.seed, golden.style) for golden in GOLDEN}
    for name, game in games.items():
        (FOLDER / f"{name}.game").write_text(format_record(game.record()))
        (FOLDER / f"{name}.txt").write_text("\n".join(playthrough(game)) + "\n")
    rows = ["game,decisions," + ",".join(f"depth {depth}" for depth in range(1, PERFT_DEPTH + 1))]
    for name, decisions in perft_positions(games):
        counts = [perft(game_at(games[name], decisions), depth) for depth in range(1, PERFT_DEPTH + 1)]
        rows.append(f"{name},{decisions}," + ",".join(str(count) for count in counts))
    PERFT_FILE.write_text("\n".join(rows) + "\n")
    print(f"{len(games)} games and {len(rows) - 1} perft positions written to {FOLDER}")


if __name__ == "__main__":
    main()
