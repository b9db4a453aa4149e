"""The net in torch: the same layers as `cabochon.search.net`, to learn with."""

from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from ...rules.state import MAX_SEATS
from ...search.models.net import FILE_NAMES
from ...search.net import Net
from ...search.net_features import NET_FEATURES, POLICY_SIZE

INPUT_COLUMNS = 3072  # NET_FEATURES and some that are always zero: a multiple of 128, which matrix products on a GPU are fast for
ILLEGAL_LOGIT = -1e9
LAYERS = ("embedding", "hidden1", "hidden2", "value", "policy")  # those that a net file has


class NetOutput(NamedTuple):
    """What a net computes: logits of the seats, their final points, and logits of the policy."""

    value: torch.Tensor
    points: torch.Tensor
    policy: torch.Tensor

    def action_logits(self, policy_indices: torch.Tensor) -> torch.Tensor:
        """A logit for every action, given their policy indices; an index below zero is an action that is not legal."""
        chosen = torch.gather(self.policy.float(), 1, policy_indices.long().clamp_(min=0))
        return torch.where(policy_indices < 0, ILLEGAL_LOGIT, chosen)


class Model(nn.Module):
    """An embedding of features, two hidden layers, and three outputs; `points` is auxiliary: it serves learning only."""

    def __init__(self, width: int = 256, hidden: int = 128) -> None:
        super().__init__()
        self.width = width
        self.embedding = nn.Linear(INPUT_COLUMNS, width)
        self.hidden1 = nn.Linear(MAX_SEATS * width, hidden)
        self.hidden2 = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, MAX_SEATS)
        self.points = nn.Linear(hidden, MAX_SEATS)
        self.policy = nn.Linear(hidden, POLICY_SIZE)
        nn.init.normal_(self.embedding.weight, std=0.1)  # few inputs are active: the usual scale, by their number, is too small
        nn.init.zeros_(self.policy.weight)  # the first policy and value are uniform: self-play begins without a prejudice
        nn.init.zeros_(self.value.weight)

    def units(self, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The units of all layers, after ReLU.

        Inputs: positions x seats x INPUT_COLUMNS, the seat to decide first; seats that are absent are left out.
        """
        seats, table = inputs.shape[1], self.embedding.weight
        embedded = torch.relu(functional.linear(inputs.to(table.dtype), table, self.embedding.bias))
        weights = self.hidden1.weight[:, : seats * self.width]
        hidden1 = torch.relu(functional.linear(embedded.flatten(1), weights, self.hidden1.bias))
        return embedded, hidden1, torch.relu(self.hidden2(hidden1))

    def forward(self, inputs: torch.Tensor) -> NetOutput:
        """What the net says of positions, as `units` takes them."""
        hidden = self.units(inputs)[-1]
        return NetOutput(self.value(hidden), self.points(hidden), self.policy(hidden))

    def silent_units(self, inputs: torch.Tensor) -> list[torch.Tensor]:
        """Which units of every layer are above zero in none of these positions."""
        return [(units.flatten(0, -2) <= 0).all(0) for units in self.units(inputs)]

    @torch.no_grad()
    def revive(self, silent: list[torch.Tensor]) -> None:
        """Begin anew with some units: random weights from below, none to above, so that the model says the same as before.

        A unit that is never above zero has no gradient, so it would stay so (dormant neurons: Sokar et al. 2023).
        """
        fresh = Model(self.width, self.hidden1.out_features).to(self.value.weight.device)
        above = (self.hidden1,), (self.hidden2,), (self.value, self.points, self.policy)
        for name, layers, units in zip(("embedding", "hidden1", "hidden2"), above, silent, strict=True):
            layer, new = getattr(self, name), getattr(fresh, name)
            layer.weight[units], layer.bias[units] = new.weight[units], new.bias[units]
            for one in layers:
                one.weight[:, units.repeat(one.in_features // len(units))] = 0.0

    @torch.no_grad()
    def copy_opposite(self) -> None:
        """Begin with the third and fourth seat like the second, each with half of its weights."""
        width, seats = self.width, MAX_SEATS
        opposite = self.hidden1.weight[:, width : 2 * width] / 2
        self.hidden1.weight[:, width:] = opposite.repeat(1, seats - 1)
        for layer in (self.value, self.points):
            layer.weight[2:], layer.bias[2:] = layer.weight[1], layer.bias[1]

    @torch.no_grad()
    def widen_from(self, small: "Model") -> None:
        """Compute at first exactly what a smaller model computes, with units to spare that can learn something new.

        The new units have random weights from everything below, but no old unit and no output has a weight from them yet. Copies
        of old units in their place (Net2Net) would get the same gradients as those and stay alike for long.
        """
        width, hidden = small.width, small.hidden1.out_features
        seats = self.hidden1.weight.view(-1, MAX_SEATS, self.width)
        seats[:hidden] = 0.0
        seats[:hidden, :, :width] = small.hidden1.weight.view(hidden, MAX_SEATS, width)
        self.embedding.weight[:width] = small.embedding.weight
        pairs = (self.hidden2, small.hidden2), (self.value, small.value), (self.points, small.points), (self.policy, small.policy)
        for layer, known in pairs:
            rows = known.out_features
            layer.weight[:rows] = 0.0
            layer.weight[:rows, :hidden] = known.weight
        for layer, known in zip(self.children(), small.children(), strict=True):
            layer.bias[: known.out_features] = known.bias

    @classmethod
    def from_state(cls, state: dict[str, torch.Tensor]) -> "Model":
        """The model whose `state_dict` this is."""
        state = current_names(state)
        model = cls(state["embedding.bias"].numel(), state["hidden1.bias"].numel())
        model.load_state_dict(state)
        return model

    @classmethod
    @torch.no_grad()
    def from_net(cls, net: Net) -> "Model":
        """A model that computes what a net computes; its points are not in a net, so they begin at random."""
        model = cls(net.embedding_bias.shape[0], net.hidden1.shape[1])
        model.embedding.weight.zero_()
        model.embedding.weight[:, : len(net.embedding)] = torch.from_numpy(net.embedding.T)  # new features begin without a weight
        model.hidden1.weight.copy_(torch.from_numpy(net.hidden1.T))
        model.hidden2.weight.copy_(torch.from_numpy(net.hidden2.T))
        model.value.weight.copy_(torch.from_numpy(net.value))
        model.policy.weight.copy_(torch.from_numpy(net.policy))
        for layer in LAYERS:
            getattr(model, layer).bias.copy_(torch.from_numpy(getattr(net, f"{layer}_bias")))
        return model

    def to_net(self) -> Net:
        """The parameters as the search uses them."""

        def array(tensor: torch.Tensor) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
            return np.ascontiguousarray(tensor.detach().float().cpu().numpy())

        return Net(
            array(self.embedding.weight.T[:NET_FEATURES]), array(self.embedding.bias),
            array(self.hidden1.weight.T), array(self.hidden1.bias), array(self.hidden2.weight.T), array(self.hidden2.bias),
            array(self.value.weight), array(self.value.bias), array(self.policy.weight), array(self.policy.bias),
        )  # fmt: skip


def current_names(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """A `state_dict` by today's names; checkpoints of older versions have the layers' names that net files keep."""
    renamed = {FILE_NAMES[layer]: layer for layer in LAYERS}
    parts = [(*name.split("."), array) for name, array in state.items()]
    return {f"{renamed.get(layer, layer)}.{kind}": array for layer, kind, array in parts}
