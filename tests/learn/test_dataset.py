"""Training data: the columns say what was played."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from cabochon import CabochonError, Game, observe
from cabochon.cli import app
from cabochon.learn.dataset import Plan, make_dataset, write_dataset
from cabochon.rules.state import state_t


@pytest.mark.parametrize(("variant", "players"), [("classic", 2), ("marvel", 3)])
def test_the_columns_replay_the_games(variant: str, players: int) -> None:
    columns = make_dataset(Plan(variant, players, games=4, stray=0.2, seed=3))
    assert {0, 1, 2, 3} == set(columns["game"].tolist())
    for number in range(4):
        mine = {name: column[columns["game"] == number] for name, column in columns.items()}
        game = Game(variant, players, seed=3_000_000 + number)
        for i, action in enumerate(mine["action"].tolist()):
            assert (i, game.turn) == (mine["decision"][i], mine["seat"][i])
            assert game.states.tobytes() == mine["state"][i].tobytes()
            assert mine["action_mask"][i, action]
            np.testing.assert_array_equal(observe(game.states)[0], mine["observation"][i])
            game.play(action)
        assert game.outcome is not None
        assert game.outcome.ranks == tuple(int(mine["rank"][mine["seat"] == seat][0]) for seat in range(players))
        assert game.points == tuple(mine["final_points"][0].tolist())
        ahead = [sum((other > rank) - (other < rank) for other in game.outcome.ranks) for rank in game.outcome.ranks]
        np.testing.assert_allclose([ahead[seat] / (players - 1) for seat in mine["seat"]], mine["reward"])
    assert 0.1 < columns["is_stray"].mean() < 0.3


def test_a_bot_that_explains_itself_gives_policies_and_values() -> None:
    columns = make_dataset(Plan(games=1, bot="cutter", nodes=16, stray=0.0))
    np.testing.assert_allclose(1.0, columns["values"].sum(axis=1), atol=1e-5)
    np.testing.assert_allclose(1.0, columns["policy"].sum(axis=1), atol=1e-5)
    assert not columns["policy"][~columns["action_mask"]].any()


def test_the_command_writes_what_numpy_reads(tmp_path: Path) -> None:
    file = tmp_path / "games.npz"
    answer = CliRunner().invoke(app, ["dataset", str(file), "--games", "3", "--bot", "random"])
    assert answer.output.endswith("decisions of 3 games\n")
    with np.load(file) as read:
        assert "random" == json.loads(str(read["about"]))["bot"]
        states = read["state"].view(state_t)[:, 0]
        np.testing.assert_array_equal(observe(states), read["observation"])


def test_wrong_plans_and_files_are_refused(tmp_path: Path) -> None:
    wrong: dict[str, Any]
    for wrong in ({"bot": "deep"}, {"players": 7}, {"games": 0}, {"stray": 2.0}):
        with pytest.raises(CabochonError):
            Plan(**wrong)
    with pytest.raises(CabochonError, match=r"ends with \.npz or \.parquet"):
        write_dataset(Plan(games=1), tmp_path / "games.csv")
    if find_spec("pyarrow") is None:
        with pytest.raises(CabochonError, match="Parquet needs pyarrow"):
            write_dataset(Plan(games=1), tmp_path / "games.parquet")


if find_spec("pyarrow"):

    def test_parquet_has_the_same_columns(tmp_path: Path) -> None:
        from pyarrow import parquet

        plan = Plan(games=3)
        write_dataset(plan, tmp_path / "games.parquet")
        table, columns = parquet.read_table(tmp_path / "games.parquet"), make_dataset(plan)
        assert list(columns) == table.column_names
        for name, column in columns.items():
            np.testing.assert_array_equal(column, np.array(table[name].to_pylist()))


@pytest.mark.parametrize(
    "wrong", [{"games": "5"}, {"games": 1.5}, {"stray": "x"}, {"seed": "x"}, {"seed": 1 << 60}, {"nodes": "x"}]
)
def test_numbers_of_a_plan_are_numbers(wrong: dict[str, Any]) -> None:
    with pytest.raises(CabochonError):
        Plan(**wrong)


def test_the_file_may_be_a_text_and_its_folder_is_looked_for_first(tmp_path: Path) -> None:
    assert write_dataset(Plan(games=1), str(tmp_path / "games.npz"))

    def nothing_is_played(_done: int, _total: int) -> None:
        raise AssertionError

    with pytest.raises(CabochonError, match="cannot be written"):
        write_dataset(Plan(games=1), tmp_path / "nowhere" / "games.npz", nothing_is_played)
