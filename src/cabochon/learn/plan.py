"""What to train and for how long: the options of `cabochon learn` and `python -m cabochon.learn`, without torch."""

import math
from dataclasses import dataclass

from ..errors import CabochonError

MIN_WINDOW = 64
MIN_LAYERS = 2
ROUNDING_MINUTES = 0.5  # a run ends a little late


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
    layers: int = MIN_LAYERS  # hidden ones
    seed: int = 1
    every: float = 2.0  # minutes between checkpoints
    td_lambda: float = 1.0  # of a result, what is left of it a round earlier; the rest is the search's value there
    chain_minutes: float = 0.0  # of this run and all before and after it; 0: this run is planned by itself
    window: int = MIN_WINDOW  # steps kept besides those of a whole game; in a chain, at its end
    sparsity: float = 0.0  # the weight, beside the losses, of every thousand effective units, those that share in an answer
    revive: bool = False  # whether units that are never above zero get new weights when the run begins

    def part(self, minutes_before: float, minutes: float) -> float:
        """How much is over after some minutes of this run: of the chain, if there is one, so that the rate falls only once."""
        if not self.chain_minutes:
            return minutes / self.minutes
        return (minutes_before + minutes) / self.chain_minutes

    def steps(self, minutes_before: float) -> int:
        """The window of this run. It grows along a chain: what an early net played is sooner out of date."""
        grown = self.part(minutes_before, 0.0) if self.chain_minutes else 1.0
        return MIN_WINDOW + round((self.window - MIN_WINDOW) * grown)

    def check(self, minutes_before: float) -> None:
        """Refuse what makes no sense, such as a run that goes on after the end of its chain."""
        if self.window < MIN_WINDOW:
            raise CabochonError(f"a window of {self.window} steps is too small: at least {MIN_WINDOW}")
        if self.layers < MIN_LAYERS:
            raise CabochonError(f"a net has {MIN_LAYERS} hidden layers or more, not {self.layers}")
        if self.sparsity < 0:
            raise CabochonError(f"a sparsity of {self.sparsity:g} would reward units above zero: 0 or more")
        wanted = minutes_before + self.minutes
        if self.chain_minutes and wanted > self.chain_minutes + ROUNDING_MINUTES:
            raise CabochonError(
                f"{minutes_before:g} minutes before and {self.minutes:g} now are longer than the chain's {self.chain_minutes:g}: "
                f"say --chain-minutes {math.ceil(wanted)} or more"
            )


DEFAULTS = Plan("classic", (2,), 0)
