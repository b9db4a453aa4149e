"""What was backed up is there again, in either kind of database; half a backup is refused."""

import gzip
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cabochon import CabochonError
from cabochon.cli import app as cabochon
from cabochon.server.backup import backup, restore
from tests.support.postgres import every_database
from tests.support.serving import house, two_players


def played(folder: Path, database: str) -> tuple[str, list[str]]:
    """A game that is under way, and its moves."""
    with house(folder, database=database) as here, two_players(here) as (table, first, second):
        first.play("take wug")
        second.play("take wug")
        backup(database, folder / "running.gz")  # while the server runs
        return table, ["take wug", "take wug"]


@every_database
def test_a_backup_is_restored_into_sqlite(database: str, tmp_path: Path) -> None:
    table, moves = played(tmp_path, database)
    assert 0o600 == stat.S_IMODE((tmp_path / "running.gz").stat().st_mode)
    other = f"sqlite:///{tmp_path / 'other.db'}"
    said = CliRunner().invoke(cabochon, ["restore", str(tmp_path / "running.gz"), "--database", other])
    assert (0, "1 tables, 2 lines of their logs\n") == (said.exit_code, said.output)
    with house(tmp_path, database=other) as here:
        replay = here.guest("Carl").get(f"/api/tables/{table}/replay").json()
        assert moves == [entry["text"] for entry in replay["entries"]]
    with pytest.raises(CabochonError, match="into an empty one"):
        restore(other, tmp_path / "running.gz")


@pytest.mark.sqlite
def test_a_backup_of_sqlite_is_restored_into_postgresql(database: str, postgres_url: str, tmp_path: Path) -> None:
    table, _ = played(tmp_path, database)
    assert {"tables": 1, "seats": 2, "holders": 2}.items() <= restore(postgres_url, tmp_path / "running.gz").items()
    with house(tmp_path, database=postgres_url) as here:
        assert 200 == here.guest().get(f"/api/tables/{table}").status_code


def test_half_a_backup_changes_nothing(database: str, tmp_path: Path) -> None:
    played(tmp_path, database)
    lines = gzip.decompress((tmp_path / "running.gz").read_bytes()).splitlines(keepends=True)
    other = f"sqlite:///{tmp_path / 'other.db'}"
    for name, part in (
        ("short.gz", lines[:-1]),
        ("none.gz", [b'{"kind": "something"}\n']),
        ("old.gz", [lines[0].replace(b'"form":"00', b'"form":"xx')]),
    ):
        (tmp_path / name).write_bytes(gzip.compress(b"".join(part)))
        with pytest.raises(CabochonError, match=r"not complete|no backup|with that version"):
            restore(other, tmp_path / name)
    (tmp_path / "cut.gz").write_bytes((tmp_path / "running.gz").read_bytes()[:-200])
    with pytest.raises(CabochonError, match=r"cut\.gz"):
        restore(other, tmp_path / "cut.gz")
    assert restore(other, tmp_path / "running.gz")["tables"] == 1


@pytest.mark.sqlite
def test_what_is_not_there_is_said_and_nothing_is_made(tmp_path: Path) -> None:
    none = tmp_path / "none.db"
    with pytest.raises(CabochonError, match=r"none\.db: there is no such file"):
        backup(f"sqlite:///{none}", tmp_path / "none.gz")
    with pytest.raises(CabochonError, match=r"^.*none\.gz: .*No such file"):
        restore(f"sqlite:///{none}", tmp_path / "none.gz")
    assert [] == list(tmp_path.iterdir())


@every_database
def test_a_database_that_no_server_has_used_is_not_backed_up(database: str, tmp_path: Path) -> None:
    (tmp_path / "games.db").touch()
    with pytest.raises(CabochonError, match="nothing to back up: no server has used this database"):
        backup(database, tmp_path / "games.gz")
    assert not list(tmp_path.glob("games.gz*"))
