"""The net in torch: the same layers as `cabochon.search.net`, to learn with."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from ..rules.state import MAX_SEATS
from ..search.net import Net
from ..search.net_features import NAMES, SIGHTS

SIGHT_COLUMNS = 2176  # SIGHTS and some that are always zero: matrices like round sizes
NEVER = -1e9


class Said(NamedTuple):
    """What a net says: numbers for the seats, their points in the end, and for every name of a move."""

    value: torch.Tensor
    points: torch.Tensor
    names: torch.Tensor

    def policy(self, names: torch.Tensor) -> torch.Tensor:
        """A number for every action, given their names; a name below zero is a move that is not legal."""
        chosen = torch.gather(self.names.float(), 1, names.long().clamp_(min=0))
        return torch.where(names < 0, NEVER, chosen)


class Model(nn.Module):
    """A table of facts, two layers, and three answers; `points` serves learning only."""

    def __init__(self, width: int = 256, hidden: int = 128) -> None:
        super().__init__()
        self.width = width
        self.sights = nn.Linear(SIGHT_COLUMNS, width)
        self.first = nn.Linear(MAX_SEATS * width, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, MAX_SEATS)
        self.points = nn.Linear(hidden, MAX_SEATS)
        self.names = nn.Linear(hidden, NAMES)
        nn.init.normal_(self.sights.weight, std=0.1)
        nn.init.zeros_(self.names.weight)
        nn.init.zeros_(self.value.weight)

    def forward(self, sights: torch.Tensor) -> Said:
        """Sights: positions x seats x SIGHT_COLUMNS, the seat to decide first."""
        seats, table = sights.shape[1], self.sights.weight
        summed = torch.relu(functional.linear(sights.to(table.dtype), table, self.sights.bias)).flatten(1)
        hidden = torch.relu(functional.linear(summed, self.first.weight[:, : seats * self.width], self.first.bias))
        hidden = torch.relu(self.second(hidden))
        return Said(self.value(hidden), self.points(hidden), self.names(hidden))

    @torch.no_grad()
    def copy_opposite(self) -> None:
        """Look at the third and fourth seat like at the second, each a little less."""
        width, seats = self.width, MAX_SEATS
        opposite = self.first.weight[:, width : 2 * width] / 2
        self.first.weight[:, width:] = opposite.repeat(1, seats - 1)
        for layer in (self.value, self.points):
            layer.weight[2:], layer.bias[2:] = layer.weight[1], layer.bias[1]

    @torch.no_grad()
    def widen_from(self, small: "Model") -> None:
        """Say at first exactly what a smaller model says, with units to spare that can learn something new.

        The new units listen to everything, by their random first weights, but no old unit and no answer listens to them yet.
        Copies of old units in their place would get the same gradients as those and stay alike for long.
        """
        width, hidden = small.width, small.first.out_features
        seats = self.first.weight.view(-1, MAX_SEATS, self.width)
        seats[:hidden] = 0.0
        seats[:hidden, :, :width] = small.first.weight.view(hidden, MAX_SEATS, width)
        self.sights.weight[:width] = small.sights.weight
        pairs = (self.second, small.second), (self.value, small.value), (self.points, small.points), (self.names, small.names)
        for layer, known in pairs:
            rows = known.out_features
            layer.weight[:rows] = 0.0
            layer.weight[:rows, :hidden] = known.weight
        for layer, known in zip(self.children(), small.children(), strict=True):
            layer.bias[: known.out_features] = known.bias

    @classmethod
    def from_state(cls, state: dict[str, torch.Tensor]) -> "Model":
        """The model whose `state_dict` this is."""
        model = cls(state["sights.bias"].numel(), state["first.bias"].numel())
        model.load_state_dict(state)
        return model

    @classmethod
    @torch.no_grad()
    def from_net(cls, net: Net) -> "Model":
        """A model that says what a net says; what it would say about points is not in a net."""
        model = cls(net.start.shape[0], net.first.shape[1])
        model.sights.weight.zero_()
        model.sights.weight[:, :SIGHTS] = torch.from_numpy(net.sights.T)
        model.first.weight.copy_(torch.from_numpy(net.first.T))
        model.second.weight.copy_(torch.from_numpy(net.second.T))
        model.value.weight.copy_(torch.from_numpy(net.value))
        model.names.weight.copy_(torch.from_numpy(net.names))
        starts = (net.start, net.first_start, net.second_start, net.value_start, net.names_start)
        for layer, start in zip((model.sights, model.first, model.second, model.value, model.names), starts, strict=True):
            layer.bias.copy_(torch.from_numpy(start))
        return model

    def to_net(self) -> Net:
        """The numbers as the search uses them."""

        def array(tensor: torch.Tensor) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
            return np.ascontiguousarray(tensor.detach().float().cpu().numpy())

        return Net(
            array(self.sights.weight.T[:SIGHTS]), array(self.sights.bias), array(self.first.weight.T), array(self.first.bias),
            array(self.second.weight.T), array(self.second.bias), array(self.value.weight), array(self.value.bias),
            array(self.names.weight), array(self.names.bias),
        )  # fmt: skip
