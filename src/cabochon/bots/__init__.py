"""Named opponents: a bot takes a View and a Budget and returns a Move. It is never shown what is hidden."""

from ..errors import CabochonError
from .simple import Bot, Budget, Greedy, Random, legal_moves

__all__ = ["BOTS", "Bot", "Budget", "Greedy", "Random", "bot", "legal_moves"]

BOTS: dict[str, Bot] = {player.name: player for player in (Random(), Greedy())}


def bot(name: str) -> Bot:
    """The bot of this name."""
    if name not in BOTS:
        raise CabochonError(f"unknown bot {name!r}: choose one of {', '.join(BOTS)}")
    return BOTS[name]
