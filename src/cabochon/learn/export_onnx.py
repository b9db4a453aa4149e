"""A net as ONNX, for other programs: `python -m cabochon.learn.export_onnx NET.safetensors OUT.onnx`.

Input `features`: positions x seats x NET_FEATURES, how often every feature of `search.net_features` is there, the seat to decide
first; an absent seat has none at all. Outputs: `value`, a logit for every seat in the same order (softmax over the seats at the
table gives their probabilities to win), and `policy`, a logit for every policy index (softmax over the legal ones).
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
from ..search.models.net import read_net, read_run
from ..search.net_features import MAX_NET_ACTIVE, NET_FEATURES, list_net_features
from .net.model import Model

OPSET = 20


class ExportedModel(nn.Module):
    """A model as ONNX has it: with room for every seat, without the auxiliary output of points."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """An absent seat is told by its zeros: it gets no bias of the embedding either."""
        model = self.model
        embedded = torch.relu(features @ model.embedding.weight[:, :NET_FEATURES].T + model.embedding.bias)
        embedded = embedded * (features.sum(-1, keepdim=True) > 0)
        hidden = embedded.flatten(1)
        for layer in model.layers[1:]:
            hidden = torch.relu(layer(hidden))
        return model.value(hidden), model.policy(hidden)


def features_of(state: Any) -> NDArray[np.float32]:
    """The input of an exported net for a position, as the seat to decide knows it: seats x NET_FEATURES."""
    counts, features = np.zeros((MAX_SEATS, NET_FEATURES), np.float32), np.empty(MAX_NET_ACTIVE, np.int32)
    players, turn = int(state["players"]), int(state["turn"])
    for k in range(players):
        active = features[: list_net_features(state, (turn + k) % players, features)]
        counts[k] = np.bincount(active, minlength=NET_FEATURES)
    return counts


def export(net: Path, out: Path) -> None:
    """Write a net file as ONNX, with the run that made it."""
    model = ExportedModel(Model.from_net(read_net(net))).eval()
    logging.getLogger("torch.onnx._internal.exporter._registration").setLevel(logging.ERROR)  # it misses torchvision, we do not
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # the exporter calls what torch itself is about to drop
        program = torch.onnx.export(
            model, (torch.zeros(2, MAX_SEATS, NET_FEATURES),), dynamo=True, verbose=False, opset_version=OPSET,
            input_names=["features"], output_names=["value", "policy"], dynamic_shapes=({0: torch.export.Dim("positions")},),
        )  # fmt: skip
    program.model.metadata_props.update(read_run(net))
    out.parent.mkdir(parents=True, exist_ok=True)
    program.save(str(out), external_data=False)


def main() -> None:
    """Export."""
    parser = argparse.ArgumentParser("python -m cabochon.learn.export_onnx", description="Write a net as ONNX.")
    parser.add_argument("net", type=Path, metavar="NET.safetensors")
    parser.add_argument("out", type=Path, metavar="OUT.onnx")
    options = parser.parse_args()
    export(options.net, options.out)
    print(f"{options.out}: {options.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
