"""The server posts only to push services that it trusts, and to those only in the public internet."""

import socket
from typing import Any

import pytest

from cabochon.server.push_services import NotPublic, PushServices, public_address
from cabochon.server.settings import PUSH_SERVICES
from tests.support.push_service import push_service

KNOWN = PushServices(PUSH_SERVICES)


@pytest.mark.parametrize(
    "endpoint, trusted",
    [
        ("https://fcm.googleapis.com/fcm/send/abc:def", True),
        ("https://FCM.googleapis.com:443/fcm/send/abc", True),
        ("https://updates.push.services.mozilla.com/wpush/v2/abc", True),
        ("https://web.push.apple.com/abc", True),
        ("https://wns2-par02p.notify.windows.com/w/?token=abc%3d", True),
        ("http://fcm.googleapis.com/fcm/send/abc", False),
        ("https://fcm.googleapis.com:8443/fcm/send/abc", False),
        ("https://fcm.googleapis.com.example.org/", False),
        ("https://evilpush.apple.com/", False),
        ("https://push.apple.com/", False),
        ("https://example.org/#fcm.googleapis.com", False),
        ("https://fcm.googleapis.com@10.0.0.1/", False),
        ("https://me:secret@fcm.googleapis.com/", False),
        ("https://fcm.googleapis.com/a b", False),
        ("https://fcm.googleapis.com/\r\nHost: inside", False),
        ("https://fcm.googleapis.com/#part", False),
        ("https://127.0.0.1/", False),
        ("http://127.0.0.1:8765/api/health", False),
        ("http://[::1]:8765/", False),
        ("https://[::1", False),
        ("file:///etc/passwd", False),
        ("https://fcm.googleapis.com/" + "x" * 1000, False),
        ("", False),
    ],
)
def test_which_addresses_are_trusted(endpoint: str, trusted: bool) -> None:
    assert trusted == KNOWN.trusts(endpoint)


def test_a_host_may_name_a_service_of_their_own() -> None:
    own = PushServices(("http://127.0.0.1:9000", "Push.Example.org"))
    assert own.trusts("http://127.0.0.1:9000/for/anna") and own.trusts("https://push.example.org/x")
    assert not own.trusts("http://127.0.0.1:9001/for/anna") and not own.trusts("http://push.example.org/x")
    assert not own.trusts("https://fcm.googleapis.com/fcm/send/abc"), "only what is named is trusted"
    assert own and not PushServices(())


def found(*addresses: str) -> Any:
    return lambda *_args, **_kinds: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]


@pytest.mark.parametrize(
    "addresses",
    [
        ("127.0.0.1",),
        ("10.0.0.8",),
        ("169.254.169.254",),
        ("::1",),
        ("::ffff:10.0.0.8",),
        ("fe80::1%eth0",),
        ("8.8.8.8", "192.168.1.1"),
        (),
    ],
)
def test_a_name_that_leads_into_a_private_network_is_refused(monkeypatch: pytest.MonkeyPatch, addresses: tuple[str, ...]) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", found(*addresses))
    with pytest.raises(NotPublic):
        public_address("fcm.googleapis.com")
    with pytest.raises(NotPublic):
        KNOWN.post("https://fcm.googleapis.com/fcm/send/abc", {}, b"")


def test_a_public_name_is_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def refused(address: tuple[str, int], _timeout: float) -> None:
        asked.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", found("8.8.8.8"))
    monkeypatch.setattr(socket, "create_connection", refused)
    with pytest.raises(ConnectionRefusedError):
        KNOWN.post("https://fcm.googleapis.com/fcm/send/abc", {}, b"")
    assert [("8.8.8.8", 443)] == asked, "by its address: a second answer for the name could be another one"


def test_a_redirection_is_not_followed() -> None:
    with push_service() as service:
        anna, ben = service.browser("anna"), service.browser("ben")
        service.status, service.headers = 307, {"Location": ben.endpoint}
        assert 307 == PushServices((service.origin,)).post(anna.endpoint, {"TTL": "60"}, b"words")
        posted = service.next_for(anna)
        assert (b"words", "60", 0) == (posted.body, posted.headers["TTL"], service.waiting_for(ben))
        with pytest.raises(NotPublic):
            KNOWN.post(anna.endpoint, {}, b"")
