"""A match on a Ray cluster: one actor for each core. Every machine of the cluster needs cabochon installed."""

from collections.abc import Generator, Sequence
from typing import Any

from ..errors import CabochonError
from .pairings import Fixture, Match, fixture
from .runner import GameResult, play_game, warm_up


class Player:
    """An actor: warmed up once, it plays one game after the other."""

    def __init__(self, match: Match) -> None:
        self.match = match
        warm_up(match)

    def play(self, deal: int, rotation: int) -> GameResult:
        return play_game(self.match, fixture(self.match, deal, rotation))


def play_on_cluster(match: Match, fixtures: Sequence[Fixture], address: str) -> Generator[GameResult]:
    """Yield the games as they finish. The address `local` starts a cluster on this machine."""
    ray = _ray()
    is_ours = not ray.is_initialized()
    if is_ours:
        _connect(ray, address)
    try:
        cores = int(ray.cluster_resources().get("CPU", 1))
        actor = ray.remote(num_cpus=1)(Player)
        players = [actor.remote(match) for _ in range(min(cores, len(fixtures)))]
        yield from ray.util.ActorPool(players).map_unordered(
            lambda player, game: player.play.remote(game.deal, game.rotation), fixtures
        )
    finally:
        if is_ours:
            ray.shutdown()


def _ray() -> Any:
    try:
        import ray
        import ray.util
    except ImportError as missing:
        raise CabochonError("--ray: Ray is not installed here: pip install 'cabochon-game[ray]'") from missing
    return ray


def _connect(ray: Any, address: str) -> None:
    own = address == "local"
    try:
        ray.init(address=address, log_to_driver=False, logging_level="error", **({"include_dashboard": False} if own else {}))
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise CabochonError(f"--ray {address}: {' '.join(str(error).split())}") from error
