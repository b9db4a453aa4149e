"""What to train and for how long: the options of `cabochon learn` and `python -m cabochon.learn`, without torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """A training run. Its fields are written into the metadata of the net that it makes."""

    variant: str
    players: tuple[int, ...]
    minutes: float
    games: int = 32768  # at once, of two players; fewer of more
    simulations: int = 32
    batch: int = 8192
    updates: int = 8  # a step
    rate: float = 1.5e-3
    width: int = 256
    hidden: int = 128
    seed: int = 1
    every: float = 2.0  # minutes between checkpoints
    td_lambda: float = 1.0  # of a result, what is left of it a round earlier; the rest is the search's value there


DEFAULTS = Plan("classic", (2,), 0)
