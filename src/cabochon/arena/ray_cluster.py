"""The same match on a Ray cluster: one player for each of its cores. Every machine of it needs cabochon installed."""

from collections.abc import Generator, Sequence
from typing import Any

from ..errors import CabochonError
from .pairings import Fixture, Match
from .runner import Played, play_game, warm_up


class Player:
    """On a machine of the cluster: warm, and ready for one game after the other."""

    def __init__(self, match: Match) -> None:
        self.match = match
        warm_up(match)

    def play(self, fixture: Fixture) -> Played:
        """Play one game."""
        return play_game(self.match, fixture)


def play_on_cluster(match: Match, fixtures: Sequence[Fixture], address: str) -> Generator[Played]:
    """Games as they finish, from all cores of the cluster; the address `local` starts one on this machine."""
    ray = _ray()
    ours = not ray.is_initialized()
    if ours:
        _connect(ray, address)
    try:
        cores = int(ray.cluster_resources().get("CPU", 1))
        actor = ray.remote(num_cpus=1)(Player)
        players = [actor.remote(match) for _ in range(min(cores, len(fixtures)))]
        yield from ray.util.ActorPool(players).map_unordered(lambda player, fixture: player.play.remote(fixture), fixtures)
    finally:
        if ours:
            ray.shutdown()


def _ray() -> Any:
    try:
        import ray
        import ray.util
    except ImportError as missing:
        raise CabochonError("--ray: Ray is not installed here: pip install 'cabochon[ray]'") from missing
    return ray


def _connect(ray: Any, address: str) -> None:
    own = address == "local"
    try:
        ray.init(address=address, log_to_driver=False, logging_level="error", **({"include_dashboard": False} if own else {}))
    except (ConnectionError, ValueError, RuntimeError) as wrong:
        raise CabochonError(f"--ray {address}: {' '.join(str(wrong).split())}") from wrong
