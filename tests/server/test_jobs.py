"""The queue of jobs: how it is connected to. What its jobs do is tested where there are workers (tests/cluster/test_jobs.py)."""

from psycopg.conninfo import conninfo_to_dict

from cabochon.server.jobs import connection_to_queue


def test_the_queue_has_the_limits_of_all_connections() -> None:
    line = conninfo_to_dict(connection_to_queue("postgresql+psycopg://anna:secret@db/games"))
    assert ("anna", "secret", "db", "games") == tuple(line[name] for name in ("user", "password", "host", "dbname"))
    limits = [str(line[name]) for name in ("application_name", "tcp_user_timeout", "connect_timeout")]
    assert ["cabochon-jobs", "8000", "5"] == limits
    assert "statement_timeout=5s" in str(line["options"])


def test_what_the_address_says_comes_first() -> None:
    url = "postgresql+psycopg://anna@db/games?connect_timeout=2&options=-c%20statement_timeout%3D2s"
    line = conninfo_to_dict(connection_to_queue(url))
    assert "2" == str(line["connect_timeout"])
    assert str(line["options"]).endswith("-c statement_timeout=2s"), "the last one counts"
