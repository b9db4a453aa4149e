"""Where friends find the server, and what it says where they cannot."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cabochon.server import addresses, run
from cabochon.server.addresses import is_local, join_origin, lan_address
from tests.support.serving import House, house

LAN = "192.168.1.20"


@pytest.fixture(autouse=True)
def in_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (addresses, run):
        monkeypatch.setattr(module, "lan_address", lambda: LAN)


@pytest.mark.parametrize(
    "opened_at, bound_to, public_url, origin",
    [
        ("127.0.0.1", "0.0.0.0", "", f"http://{LAN}:8765"),
        ("localhost", "::", "", f"http://{LAN}:8765"),
        ("127.0.0.1", "127.0.0.1", "", "http://127.0.0.1:8765"),
        ("192.168.1.7", "0.0.0.0", "", "http://192.168.1.7:8765"),
        ("games.example.org", "127.0.0.1", "", "http://games.example.org:8765"),
        ("::1", "::1", "", "http://[::1]:8765"),
        ("127.0.0.1", "0.0.0.0", "https://games.example.org/", "https://games.example.org"),
    ],
)
def test_where_friends_join(opened_at: str, bound_to: str, public_url: str, origin: str) -> None:
    assert origin == join_origin("http", opened_at, 8765, public_url, bound_to)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST", "play.localhost", "127.0.0.1", "127.1.2.3", "::1", "[::1]", "::ffff:127.0.0.1"]
)
def test_what_only_this_machine_can_open(host: str) -> None:
    assert is_local(host)
    assert not any(is_local(other) for other in ("192.168.1.20", "games.example.org", "localhost.example.org", "", "0.0.0.0"))


def test_without_a_way_out_the_name_of_the_machine_may_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "lan_address", lan_address)
    monkeypatch.setattr(addresses, "_address_by_route", lambda: None)
    monkeypatch.setattr(addresses, "_addresses_by_name", lambda: ["127.0.1.1", "10.42.0.1"])
    assert "10.42.0.1" == lan_address()
    monkeypatch.setattr(addresses, "_addresses_by_name", lambda: ["127.0.1.1"])
    assert lan_address() is None


@pytest.mark.parametrize(
    "host, public_url, sentence",
    [
        ("0.0.0.0", "", f"Friends in this network: http://{LAN}:8765/"),
        ("127.0.0.1", "", "Only this machine can open it; with --host 0.0.0.0 friends in your network can join."),
        ("192.168.1.7", "", "Friends: http://192.168.1.7:8765/"),
        ("127.0.0.1", "https://games.example.org", "Friends: https://games.example.org/"),
    ],
)
def test_the_command_says_where_friends_join(
    capsys: pytest.CaptureFixture[str], host: str, public_url: str, sentence: str
) -> None:
    run.Announcer(host, 8765, open_browser=False, public_url=public_url).progress(1, 1)
    assert sentence in capsys.readouterr().out.splitlines()


@pytest.fixture
def here(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[House]:
    with house(tmp_path, host=request.param) as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize(
    "here, origin, only_here",
    [("0.0.0.0", f"http://{LAN}:8765", False), ("127.0.0.1", "http://127.0.0.1:8765", True)],
    indirect=["here"],
)
def test_the_server_says_where_friends_join(here: House, origin: str, only_here: bool) -> None:
    answer = here.client.get("/api/join", headers={"Host": "127.0.0.1:8765"})
    assert {"origin": origin, "only_here": only_here} == answer.json()
