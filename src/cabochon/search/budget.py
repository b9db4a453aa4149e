"""How much thinking is allowed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """A thinking allowance: positions looked at, seconds, both, or none said."""

    nodes: int | None = None
    seconds: float | None = None
