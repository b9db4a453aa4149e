"""A match from the first deal to the result. It is resumed where it was stopped, and the SPRT may end it early."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from pathlib import Path

from ..bots import AnyBot
from ..errors import CabochonError, WrongType, quoted
from ..ruleset import is_count
from .entrant import Entrant, checked_budget, entrants_of
from .pairings import DEALS_PER_SEED, Fixture, Match, fixtures
from .results import ResultsFile
from .runner import GameResult, warm_up
from .statistics import PAIR_SCORES, Sprt
from .summary import Summary, deal_share, summarise
from .workers import default_workers, play_here, play_in_processes

Progress = Callable[[int, int], None]  # games done, of how many


def _no_progress(_done: int, _total: int) -> None:
    return


def parse_match(
    bots: Sequence[str], variant: str = "classic", seed: int = 1, nodes: int | None = None, seconds: float | None = None
) -> Match:
    """A match from the arguments of the command line."""
    return Match(entrants_of(bots, checked_budget(nodes, seconds)), variant, seed)


def play_match(
    bots: Sequence[str | AnyBot | Entrant],
    games: int = 400,
    *,
    variant: str = "classic",
    seed: int = 1,
    nodes: int | None = None,
    seconds: float | None = None,
    workers: int = 1,
    sprt: Sprt | None = None,
    file: Path | str | None = None,
    progress: Progress = _no_progress,
) -> Summary:
    """Let bots play a match, one for each seat, and sum it up.

    A bot is a text as on the command line, an object, or a function of view, budget and seed. With one worker the games are
    played in this process; more are processes of their own, which a script starts only under `if __name__ == "__main__":`.
    """
    match = Match(entrants_of(bots, checked_budget(nodes, seconds)), variant, seed)
    return run_match(match, games, workers=workers, sprt=sprt, file=Path(file) if file else None, progress=progress)


def run_match(
    match: Match,
    games: int,
    *,
    workers: int | None = None,
    sprt: Sprt | None = None,
    file: Path | None = None,
    command: Sequence[str] = (),
    ray: str | None = None,
    progress: Progress = _no_progress,
) -> Summary:
    """Play the games that are missing, and sum up. The same seed gives the same games, whatever the number of workers."""
    if sprt is not None and not isinstance(sprt, Sprt):
        raise WrongType(f"sprt is written Sprt(0, 20), not {quoted(sprt)}")
    if workers is not None and not (is_count(workers) and workers >= 0):
        raise CabochonError(f"workers must be a whole number, 0 for one on each core, not {quoted(workers)}")
    if sprt and match.players != 2:
        raise CabochonError("--sprt: the sequential test is for two players; with more, choose a number of games")
    total = match.deals_for(games) * match.players
    results = ResultsFile(match, command, file)
    done = {(game.deal, game.rotation) for game in results.games}
    todo = [fixture for fixture in fixtures(match, match.deals_for(games)) if (fixture.deal, fixture.rotation) not in done]
    sprt_stop = SprtStop(sprt, results.games)
    progress(len(done), total)
    if todo and not sprt_stop.verdict:
        with closing(_play_all(match, todo, workers or default_workers(), ray)) as finished:
            for game in finished:
                results.add(game)
                progress(len(results.games), total)
                sprt_stop.add(game)
                if sprt_stop.verdict:
                    break
    return summarise([game for game in results.games if game.deal < sprt_stop.deals], sprt)


class SprtStop:
    """Decides when the SPRT ends a match.

    It counts the deals in their order, so that it stops at the same one in whatever order the games finish.
    """

    def __init__(self, sprt: Sprt | None, games: Iterable[GameResult]) -> None:
        self.sprt, self.verdict = sprt, ""
        self.deals = 0 if sprt else DEALS_PER_SEED
        self.pairs = [0] * len(PAIR_SCORES)
        self.games: dict[tuple[int, int], GameResult] = {}
        for game in games:
            self.add(game)

    def add(self, game: GameResult) -> None:
        """Take one more game, and count every deal that is complete now and next in order."""
        if self.sprt is None:
            return
        self.games[game.deal, game.rotation] = game
        while not self.verdict and (self.deals, 0) in self.games and (self.deals, 1) in self.games:
            deal = [self.games[self.deals, 0], self.games[self.deals, 1]]
            self.pairs[round(deal_share(deal, deal[0].seats[0]) * (len(self.pairs) - 1))] += 1
            self.verdict = self.sprt.verdict(self.pairs)
            self.deals += 1


def _play_all(match: Match, todo: Sequence[Fixture], workers: int, ray: str | None) -> Generator[GameResult]:
    """Play in this process, in processes of this machine, or on a cluster."""
    if ray is not None:
        from .ray_cluster import play_on_cluster

        return play_on_cluster(match, todo, ray)
    warm_up(match)
    if workers == 1 or len(todo) == 1:
        return play_here(match, todo)
    return play_in_processes(match, todo, min(workers, len(todo)))
