"""How much thinking is allowed."""

import numbers
from dataclasses import dataclass

from ..errors import WrongType, quoted
from ..ruleset import is_count


@dataclass(frozen=True, slots=True)
class Budget:
    """A thinking allowance: nodes to search, seconds, both, or neither if the default is meant."""

    nodes: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.nodes is not None and not is_count(self.nodes):
            raise WrongType(f"the nodes of a budget are a whole number, not {quoted(self.nodes)}")
        if self.seconds is not None and (isinstance(self.seconds, bool) or not isinstance(self.seconds, numbers.Real)):
            raise WrongType(f"the seconds of a budget are a number, not {quoted(self.seconds)}")


def require_budget(budget: object) -> Budget:
    """The budget itself, if it is one: a plain number could be meant as nodes or as seconds."""
    if not isinstance(budget, Budget):
        raise WrongType(f"a budget is written Budget(nodes=1000) or Budget(seconds=0.5), not {quoted(budget)}")
    return budget
