"""How much thinking is allowed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """A thinking allowance: nodes to search, seconds, both, or neither if the default is meant."""

    nodes: int | None = None
    seconds: float | None = None
