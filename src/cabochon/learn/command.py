"""What `cabochon learn` and `python -m cabochon.learn` both do. Importing it needs no torch."""

from pathlib import Path

from ..errors import CabochonError
from ..ruleset import ruleset
from .plan import Plan


def train(plan: Plan, out: Path, begin: Path | None, rate_with: int, device: str | None) -> None:
    """Train a net, or go on with the run in the folder `out`; what is wrong with the plan is told before torch is loaded."""
    for players in plan.players:
        ruleset(plan.variant, players, {})
    if device not in (None, "cuda", "cpu"):
        raise CabochonError(f"unknown device {device!r}: choose cuda or cpu")
    try:
        import torch
    except ImportError as error:
        raise CabochonError("training needs torch: pip install 'cabochon-game[learn]', with [gpu] for a GPU") from error
    from .device import Device
    from .net.train import TrainingRun
    from .rate import Ratings

    chosen = Device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    TrainingRun(plan, out, chosen, Ratings(rate_with) if rate_with else None, begin).train()
