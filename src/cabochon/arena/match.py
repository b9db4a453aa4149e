"""A match from the first deal to the result: resumed where it was stopped, ended early by the sequential test."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from pathlib import Path

from ..errors import CabochonError
from .entrant import checked_budget, parse_entrant
from .pairings import DEALS_PER_SEED, Fixture, Match, fixtures
from .results import Sheet
from .runner import Played, warm_up
from .statistics import PAIR_SCORES, Sprt
from .summary import Tally, deal_share, tally
from .workers import default_workers, play_here, play_in_processes

Progress = Callable[[int, int], None]


def _unseen(_done: int, _total: int) -> None:
    """Nobody watches."""


def match_of(
    bots: Sequence[str], variant: str = "classic", seed: int = 1, nodes: int | None = None, seconds: float | None = None
) -> Match:
    """A match as it is said on the command line."""
    budget = checked_budget(nodes, seconds)
    return Match(tuple(parse_entrant(bot, budget) for bot in bots), variant, seed)


def run_match(
    match: Match,
    games: int,
    *,
    workers: int | None = None,
    sprt: Sprt | None = None,
    file: Path | None = None,
    command: Sequence[str] = (),
    ray: str | None = None,
    progress: Progress = _unseen,
) -> Tally:
    """Play what has not been played yet, and count. The same seed gives the same games, whatever the number of workers."""
    if sprt and match.players != 2:
        raise CabochonError("--sprt: the sequential test is for two players; with more, choose a number of games")
    total = match.deals_for(games) * match.players
    sheet = Sheet(match, command, file)
    done = {(game.deal, game.rotation) for game in sheet.games}
    todo = [fixture for fixture in fixtures(match, match.deals_for(games)) if (fixture.deal, fixture.rotation) not in done]
    stopping = Stopping(sprt, sheet.games)
    progress(len(done), total)
    if todo and not stopping.verdict:
        with closing(_played(match, todo, workers or default_workers(), ray)) as finished:
            for game in finished:
                sheet.add(game)
                progress(len(sheet.games), total)
                stopping.add(game)
                if stopping.verdict:
                    break
    return tally([game for game in sheet.games if game.deal < stopping.deals], sprt)


class Stopping:
    """Watches the deals in their order, so that the test stops at the same one however the games come in."""

    def __init__(self, sprt: Sprt | None, games: Iterable[Played]) -> None:
        self.sprt, self.verdict = sprt, ""
        self.deals = 0 if sprt else DEALS_PER_SEED
        self.pairs = [0] * len(PAIR_SCORES)
        self.games: dict[tuple[int, int], Played] = {}
        for game in games:
            self.add(game)

    def add(self, game: Played) -> None:
        """Look at one more game, and at every deal that is whole now and follows those looked at."""
        if self.sprt is None:
            return
        self.games[game.deal, game.rotation] = game
        while not self.verdict and (self.deals, 0) in self.games and (self.deals, 1) in self.games:
            deal = [self.games[self.deals, 0], self.games[self.deals, 1]]
            self.pairs[round(deal_share(deal, deal[0].seats[0]) * (len(self.pairs) - 1))] += 1
            self.verdict = self.sprt.verdict(self.pairs)
            self.deals += 1


def _played(match: Match, todo: Sequence[Fixture], workers: int, ray: str | None) -> Generator[Played]:
    """Here, in processes of this machine, or on a cluster."""
    if ray is not None:
        from .ray_cluster import play_on_cluster

        return play_on_cluster(match, todo, ray)
    warm_up(match)
    if workers == 1 or len(todo) == 1:
        return play_here(match, todo)
    return play_in_processes(match, todo, min(workers, len(todo)))
