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
TINY = 1e-6  # a divisor that is not zero
LAYERS = ("embedding", "hidden1", "hidden2", "value", "policy")  # those that every net file has


class NetOutput(NamedTuple):
    """What a net computes: logits of the seats, their final points, and logits of the policy."""

    value: torch.Tensor
    points: torch.Tensor
    policy: torch.Tensor

    def action_logits(self, policy_indices: torch.Tensor) -> torch.Tensor:
        """A logit for every action, given their policy indices; an index below zero is an action that is not legal."""
        chosen = torch.gather(self.policy.float(), 1, policy_indices.long().clamp_(min=0))
        return torch.where(policy_indices < 0, ILLEGAL_LOGIT, chosen)


def activated(inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """A layer with its ReLU, which takes no kernel of its own on a GPU where nothing is learnt."""
    if torch.is_grad_enabled():
        return torch.relu(functional.linear(inputs, weight, bias))
    found = torch._addmm_activation(bias, inputs.flatten(0, -2), weight.T)
    return found.unflatten(0, inputs.shape[:-1])


class Model(nn.Module):
    """An embedding of features, two hidden layers or more, and three outputs; `points` is auxiliary: it serves learning only.

    The hidden layers are as large as each other, unless `hidden2` says otherwise; `further` is how many there are behind hidden2.
    """

    def __init__(self, width: int = 256, hidden: int = 128, hidden2: int | None = None, further: int = 0) -> None:
        super().__init__()
        self.width, last = width, hidden2 or hidden
        self.embedding = nn.Linear(INPUT_COLUMNS, width)
        self.hidden1 = nn.Linear(MAX_SEATS * width, hidden)
        self.hidden2 = nn.Linear(hidden, last)
        self.further = nn.ModuleList(nn.Linear(last, last) for _ in range(further))
        self.value = nn.Linear(last, MAX_SEATS)
        self.points = nn.Linear(last, MAX_SEATS)
        self.policy = nn.Linear(last, POLICY_SIZE)
        nn.init.normal_(self.embedding.weight, std=0.1)  # few inputs are active: the usual scale, by their number, is too small
        nn.init.zeros_(self.policy.weight)  # the first policy and value are uniform: self-play begins without a prejudice
        nn.init.zeros_(self.value.weight)

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """The units of the embedding and of both hidden layers, and how many further layers there are."""
        return self.width, self.hidden1.out_features, self.hidden2.out_features, len(self.further)

    @property
    def layers(self) -> list[nn.Linear]:
        """The layers with units, from below."""
        return [self.embedding, self.hidden1, self.hidden2, *self.further]

    @property
    def outputs(self) -> list[nn.Linear]:
        """What the last of these leads to."""
        return [self.value, self.points, self.policy]

    def units(self, inputs: torch.Tensor) -> list[torch.Tensor]:
        """The units of all layers, after ReLU.

        Inputs: positions x seats x INPUT_COLUMNS, the seat to decide first; seats that are absent are left out.
        """
        seats, table = inputs.shape[1], self.embedding.weight
        embedded = activated(inputs.to(table.dtype), table, self.embedding.bias)
        weights = self.hidden1.weight[:, : seats * self.width]
        units = [embedded, activated(embedded.flatten(1), weights, self.hidden1.bias)]
        for layer in self.layers[2:]:
            units.append(activated(units[-1], layer.weight, layer.bias))
        return units

    def forward(self, inputs: torch.Tensor) -> NetOutput:
        """What the net says of positions, as `units` takes them."""
        return self.output_of(self.units(inputs)[-1])

    def output_of(self, hidden: torch.Tensor) -> NetOutput:
        """What the net says, given the units of its last hidden layer."""
        return NetOutput(self.value(hidden), self.points(hidden), self.policy(hidden))

    def silent_units(self, inputs: torch.Tensor) -> list[torch.Tensor]:
        """Which units of every layer are above zero in none of these positions."""
        return [(units.flatten(0, -2) <= 0).all(0) for units in self.units(inputs)]

    @torch.no_grad()
    def revive(self, silent: list[torch.Tensor]) -> None:
        """Begin anew with some units: random weights from below, none to above, so that the model says the same as before.

        A unit that is never above zero has no gradient, so it would stay so (dormant neurons: Sokar et al. 2023).
        """
        fresh = Model(*self.sizes).to(self.value.weight.device)
        above = [*([layer] for layer in self.layers[1:]), self.outputs]
        for layer, new, next_layers, units in zip(self.layers, fresh.layers, above, silent, strict=True):
            layer.weight[units], layer.bias[units] = new.weight[units], new.bias[units]
            for one in next_layers:
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
        of old units in their place (Net2Net) would get the same gradients as those and stay alike for long. A new layer begins
        as the identity: what comes in is not below zero, so ReLU leaves it as it is.
        """
        width, hidden = small.width, small.hidden1.out_features
        seats = self.hidden1.weight.view(-1, MAX_SEATS, self.width)
        seats[:hidden] = 0.0
        seats[:hidden, :, :width] = small.hidden1.weight.view(hidden, MAX_SEATS, width)
        self.embedding.weight[:width] = small.embedding.weight
        layers = [self.hidden2, *self.further[: len(small.further)], *self.outputs]
        for layer, known in zip(layers, [*small.layers[2:], *small.outputs], strict=True):
            layer.weight[: known.out_features] = 0.0
            layer.weight[: known.out_features, : known.in_features] = known.weight
        for layer, known in zip([self.embedding, self.hidden1, *layers], small.layers + small.outputs, strict=True):
            layer.bias[: known.out_features] = known.bias
        units = small.hidden2.out_features
        for layer in list(self.further)[len(small.further) :]:
            layer.weight[:units] = torch.eye(units, layer.in_features)
            layer.bias[:units] = 0.0

    @classmethod
    def from_state(cls, state: dict[str, torch.Tensor]) -> "Model":
        """The model whose `state_dict` this is."""
        state = current_names(state)
        further = sum(name.startswith("further.") and name.endswith(".bias") for name in state)
        width, hidden, hidden2 = (state[f"{layer}.bias"].numel() for layer in LAYERS[:3])
        model = cls(width, hidden, hidden2, further)
        model.load_state_dict(state)
        return model

    @classmethod
    @torch.no_grad()
    def from_net(cls, net: Net) -> "Model":
        """A model that computes what a net computes; its points are not in a net, so they begin at random."""
        model = cls(net.embedding_bias.size, net.hidden1_bias.size, net.hidden2_bias.size, len(net.further))
        model.embedding.weight.zero_()
        model.embedding.weight[:, : len(net.embedding)] = torch.from_numpy(net.embedding.T)  # new features begin without a weight
        model.hidden1.weight.copy_(torch.from_numpy(net.hidden1.T))
        model.hidden2.weight.copy_(torch.from_numpy(net.hidden2.T))
        for layer, weights, bias in zip(model.further, net.further, net.further_bias, strict=True):
            layer.weight.copy_(torch.from_numpy(weights.T))
            layer.bias.copy_(torch.from_numpy(bias))
        model.value.weight.copy_(torch.from_numpy(net.value))
        model.policy.weight.copy_(torch.from_numpy(net.policy))
        for name in LAYERS:
            getattr(model, name).bias.copy_(torch.from_numpy(getattr(net, f"{name}_bias")))
        return model

    def to_net(self) -> Net:
        """The parameters as the search uses them."""

        def array(tensor: torch.Tensor) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
            return np.ascontiguousarray(tensor.detach().float().cpu().numpy())

        units = self.hidden2.out_features
        further = [array(layer.weight.T) for layer in self.further]
        return Net(
            array(self.embedding.weight.T[:NET_FEATURES]), array(self.embedding.bias),
            array(self.hidden1.weight.T), array(self.hidden1.bias), array(self.hidden2.weight.T), array(self.hidden2.bias),
            np.array(further, np.float32).reshape(-1, units, units),
            np.array([array(layer.bias) for layer in self.further], np.float32).reshape(-1, units),
            array(self.value.weight), array(self.value.bias), array(self.policy.weight), array(self.policy.bias),
        )  # fmt: skip


def effective_units(units: torch.Tensor) -> torch.Tensor:
    """How many units of a layer share in what it says of each position: all of them if they are alike, one if it stands alone.

    (Sum)^2 / sum of squares, for units above zero. What they are scaled by makes no difference (Hoyer 2004).
    """
    flat = units.float().flatten(1)
    return flat.sum(1).square() / flat.square().sum(1).clamp(min=TINY)


def current_names(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """A `state_dict` by today's names; checkpoints of older versions have the layers' names that net files keep."""
    renamed = {FILE_NAMES[layer]: layer for layer in LAYERS}
    parts = [(*name.split(".", 1), array) for name, array in state.items()]
    return {f"{renamed.get(layer, layer)}.{kind}": array for layer, kind, array in parts}
