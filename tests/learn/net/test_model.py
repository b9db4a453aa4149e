"""The net in torch says what the compiled one says, and so does its ONNX file."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from cabochon.learn.export_onnx import export, features_of
from cabochon.learn.net.model import INPUT_COLUMNS, Model
from cabochon.rules.state import MAX_SEATS
from cabochon.search.models.net import load_net, net_path, read_net, save_net
from cabochon.search.net import Net, random_net
from cabochon.search.net_features import NET_FEATURES, POLICY_SIZE
from tests.support.net_inputs import first_evaluation, policy_indices, positions

GAMES = [(variant, players) for variant in ("classic", "marvel") for players in (2, 3, 4)]

# The compiled net has whole numbers in place of floats: chances, and priors, whose logits are large.
ROUNDED, ROUNDED_POLICY = 0.01, 0.04


def softmax(numbers: Any) -> Any:
    chances = np.exp(numbers - np.max(numbers))
    return chances / chances.sum()


def torch_output(model: Model, state: Any) -> tuple[Any, Any]:
    """The logits of the seats at the table and of the whole policy."""
    rows = torch.zeros(1, int(state["players"]), INPUT_COLUMNS)
    rows[0, :, :NET_FEATURES] = torch.from_numpy(features_of(state))[: state["players"]]
    with torch.no_grad():
        output = model(rows)
    return output.value[0, : state["players"]].numpy(), output.policy[0].numpy()


def check_agrees(state: Any, net: Net, value: Any, policy_logits: Any) -> None:
    """The chances and the policy that follow from these numbers are those of the compiled net."""
    chances, policy = first_evaluation(state, net)
    by_seat = np.roll(softmax(value), int(state["turn"]))
    assert chances == pytest.approx(by_seat.tolist(), abs=ROUNDED)
    if set(policy) == set(policy_indices(state)):  # the search leaves out orders of returning that come to the same
        mine = dict(zip(policy_indices(state), softmax(policy_logits[policy_indices(state)]).tolist(), strict=True))
        assert policy == pytest.approx(mine, abs=ROUNDED_POLICY)


@pytest.mark.parametrize("variant, players", GAMES)
def test_the_model_and_the_compiled_net_agree(variant: str, players: int) -> None:
    net = load_net(variant, players)
    model = Model.from_net(net)
    for state in positions(variant, players):
        check_agrees(state, net, *torch_output(model, state))


@pytest.mark.parametrize("further", [0, 2])
def test_a_net_made_a_model_and_a_net_again_is_the_same(further: int) -> None:
    net = random_net(24, 8, further=further)
    for before, after in zip(net, Model.from_net(net).to_net(), strict=True):
        np.testing.assert_array_equal(before, after)


def test_further_layers_agree_with_the_compiled_net() -> None:
    net = random_net(24, 8, hidden2=16, further=2)
    for state in positions("classic", 3)[::3]:
        check_agrees(state, net, *torch_output(Model.from_net(net), state))


def test_a_net_that_began_with_one_for_two_looks_at_all_others_alike() -> None:
    model = Model.from_net(random_net(24, 8))
    model.copy_opposite()
    inputs = torch.randint(0, 2, (5, MAX_SEATS, INPUT_COLUMNS)).float()
    output, turned = model(inputs), model(inputs[:, [0, 2, 3, 1]])
    torch.testing.assert_close(output.value, turned.value)
    torch.testing.assert_close(output.value[:, 1], output.value[:, 3])


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every net of the package as ONNX."""
    folder, nets = tmp_path_factory.mktemp("onnx"), {net_path(variant, players) for variant, players in GAMES}
    for net in sorted(nets):
        export(net, folder / f"{net.stem}.onnx")
    return {net.stem: folder / f"{net.stem}.onnx" for net in nets}


@pytest.mark.parametrize("variant, players", GAMES)
def test_onnx_torch_and_the_compiled_net_agree(variant: str, players: int, exported: dict[str, Path]) -> None:
    net, states = load_net(variant, players), positions(variant, players)
    session = onnxruntime.InferenceSession(exported[net_path(variant, players).stem], providers=["CPUExecutionProvider"])
    values, policy_logits = session.run(["value", "policy"], {"features": np.stack([features_of(state) for state in states])})
    assert (len(states), MAX_SEATS) == values.shape
    assert (len(states), POLICY_SIZE) == policy_logits.shape
    model = Model.from_net(net)
    for state, value, logits in zip(states, values, policy_logits, strict=True):
        by_torch = torch_output(model, state)
        assert value[:players] == pytest.approx(by_torch[0], abs=1e-3)
        assert logits == pytest.approx(by_torch[1], abs=1e-3)
        check_agrees(state, net, value[:players], logits)


def test_onnx_has_further_layers(tmp_path: Path) -> None:
    net = random_net(24, 16, hidden2=8, further=2)
    save_net(tmp_path / "classic-2.safetensors", net, {})
    export(tmp_path / "classic-2.safetensors", tmp_path / "deep.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "deep.onnx", providers=["CPUExecutionProvider"])
    model, states = Model.from_net(read_net(tmp_path / "classic-2.safetensors")), positions("classic", 2)[:9]
    values, policy_logits = session.run(["value", "policy"], {"features": np.stack([features_of(state) for state in states])})
    for state, value, logits in zip(states, values, policy_logits, strict=True):
        expected = torch_output(model, state)
        assert value[:2] == pytest.approx(expected[0], abs=1e-3)
        assert logits == pytest.approx(expected[1], abs=1e-3)


def test_onnx_takes_any_number_of_positions_and_says_where_it_comes_from(exported: dict[str, Path]) -> None:
    file = onnx.load(exported["classic-2"])
    onnx.checker.check_model(file)
    session = onnxruntime.InferenceSession(exported["classic-2"], providers=["CPUExecutionProvider"])
    for count in (1, 3, 50):
        value, _ = session.run(None, {"features": np.zeros((count, MAX_SEATS, NET_FEATURES), np.float32)})
        assert count == len(value)
    run = json.loads({prop.key: prop.value for prop in file.metadata_props}["runs"])[-1]
    assert "classic" == run["variant"]


@pytest.mark.parametrize("width, hidden, further", [(24, 16, 1), (16, 24, 1), (40, 32, 1), (24, 16, 2), (40, 32, 3)])
def test_a_wider_or_deeper_model_says_the_same_and_can_learn_more(width: int, hidden: int, further: int) -> None:
    torch.manual_seed(5)
    small, wide = Model.from_net(random_net(16, 16, further=1)), Model(width, hidden, further=further)
    inputs = (torch.rand(6, 3, INPUT_COLUMNS) < 0.03).float()
    wide.widen_from(small)
    for output, expected in zip(wide(inputs), small(inputs), strict=True):
        torch.testing.assert_close(output, expected)
    wide(inputs).policy.square().sum().backward()
    outgoing = (
        wide.policy.weight.grad[:, 16:] if hidden > 16 else wide.hidden1.weight.grad.view(hidden, MAX_SEATS, width)[:16, :3, 16:]
    )
    assert outgoing is not None
    assert outgoing.abs().sum() > 0


def test_revived_units_say_nothing_yet_and_can_learn() -> None:
    torch.manual_seed(1)
    model, inputs = Model(24, 16, further=1), torch.rand(50, 3, INPUT_COLUMNS).round()
    torch.nn.init.normal_(model.policy.weight)
    silenced = (5, 6, 7, 8)
    for layer, unit in zip(model.layers, silenced, strict=True):
        layer.bias.data[unit] = -1e4
    silent = model.silent_units(inputs)
    for units, unit in zip(silent, silenced, strict=True):
        assert units[unit]
        assert not units.all()
    before = model(inputs)
    model.revive(silent)
    for one, other in zip(before, model(inputs), strict=True):
        torch.testing.assert_close(one, other)
    assert not any(units[unit] for units, unit in zip(model.silent_units(inputs), silenced, strict=True))
    model(inputs).policy.square().sum().backward()
    assert model.hidden1.weight.grad is not None
    assert model.hidden1.weight.grad[:, [5, 24 + 5, 48 + 5]].any(), "what goes out of a new unit learns at once"
