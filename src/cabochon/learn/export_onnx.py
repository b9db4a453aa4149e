"""A net as ONNX, for other programs: `python -m cabochon.learn.export_onnx NET.safetensors OUT.onnx`.

Input `sights`: positions x seats x SIGHTS, how often every fact of `search.net_features` is there, the seat to decide first.
Outputs: `value`, a number for every seat in the same order (softmax over the seats at the table gives their chances to win), and
`names`, a number for every name of a move (softmax over the legal ones gives the policy). An absent seat has no facts at all.
"""

import argparse
import logging
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ..rules.state import MAX_SEATS
from ..search.net import read_net, read_run
from ..search.net_features import MOST_SIGHTS, SIGHTS, list_sights
from .model import Model

OPSET = 20


class Exported(nn.Module):
    """A model as ONNX has it: with room for every seat, without the answer about points."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model

    def forward(self, sights: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Seats at the table have facts; what the table of facts begins with is not added for the others."""
        model = self.model
        summed = torch.relu(sights @ model.sights.weight[:, :SIGHTS].T + model.sights.bias)
        summed = summed * (sights.sum(-1, keepdim=True) > 0)
        hidden = torch.relu(model.second(torch.relu(model.first(summed.flatten(1)))))
        return model.value(hidden), model.names(hidden)


def sights_of(state: Any) -> NDArray[np.float32]:
    """What the seat to decide sees in a position, as the input of an exported net: seats x SIGHTS."""
    counts, facts = np.zeros((MAX_SEATS, SIGHTS), np.float32), np.empty(MOST_SIGHTS, np.int32)
    players, turn = int(state["players"]), int(state["turn"])
    for k in range(players):
        seen = facts[: list_sights(state, (turn + k) % players, facts)]
        counts[k] = np.bincount(seen, minlength=SIGHTS)
    return counts


def export(net: Path, out: Path) -> None:
    """Write a net file as ONNX, with the run that made it."""
    model = Exported(Model.from_net(read_net(net))).eval()
    logging.getLogger("torch.onnx._internal.exporter._registration").setLevel(logging.ERROR)  # it misses torchvision, we do not
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # the exporter calls what torch itself is about to drop
        program = torch.onnx.export(
            model, (torch.zeros(2, MAX_SEATS, SIGHTS),), dynamo=True, verbose=False, opset_version=OPSET,
            input_names=["sights"], output_names=["value", "names"], dynamic_shapes=({0: torch.export.Dim("positions")},),
        )  # fmt: skip
    program.model.metadata_props.update(read_run(net))
    out.parent.mkdir(parents=True, exist_ok=True)
    program.save(str(out), external_data=False)


def main() -> None:
    """Export."""
    parser = argparse.ArgumentParser("python -m cabochon.learn.export_onnx", description="Write a net as ONNX.")
    parser.add_argument("net", type=Path, metavar="NET.safetensors")
    parser.add_argument("out", type=Path, metavar="OUT.onnx")
    said = parser.parse_args()
    export(said.net, said.out)
    print(f"{said.out}: {said.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
