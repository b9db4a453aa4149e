"""Thousands of odd requests: none ends in an error of the server, and nothing is logged as one."""

import logging
import random
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx
import pytest

from cabochon.server.app import create_app
from cabochon.server.settings import Settings
from tests.server.process import running
from tests.server.raw import connected, read_all, statuses
from tests.support.postgres import every_database

SEED = 7
REQUESTS, REQUESTS_ON_POSTGRESQL = 1500, 500
LENIENT = {"bot_workers": 0, "bot_delay": 0.0, "requests_per_second": 1e6, "tables_per_minute": 1e6}
METHODS = [b"GET"] * 6 + [
    b"HEAD",
    b"HEAD",
    b"PUT",
    b"PUT",
    b"POST",
    b"POST",
    b"DELETE",
    b"OPTIONS",
    b"PATCH",
    b"TRACE",
    b"CONNECT",
]
METHODS += [b"get", b"FOO", b"A" * 300, b"", b"G\x00T", b"G\xffT", b"PRI"]
PLACES = [
    b"/", b"/api/me", b"/api/tables", b"/api/bots", b"/api/health", b"/api/docs", b"/api/openapi.json", b"/api/data/classic",
    b"/api/data/ODD", b"/api/tables/TABLE", b"/api/tables/TABLE/qr.svg", b"/api/tables/TABLE/replay?seat=ODD",
    b"/api/tables/TABLE/record", b"/api/tables/TABLE/reveal", b"/api/tables/TABLE/link", b"/api/tables/TABLE/socket?since=ODD",
    b"/api/tables/ODD", b"/api/tables/ODD/qr.svg", b"/api/tables/ODD/socket", b"/api/tables/ODD/ODD", b"/api/ODD", b"/s/ODD",
    b"/s/SEAT", b"/api/seats/ODD", b"/api/seats/SEAT", b"/t/ODD",
    b"/ODD", b"/ODD/ODD?ODD=ODD", b"/assets/ODD", b"//ODD/", b"ODD", b"http://ODD/ODD", b"*", b"",
]  # fmt: skip
REAL_PLACES = [b"/", b"/api/me", b"/api/tables", b"/api/tables/TABLE", b"/api/tables/TABLE/qr.svg"]
ODD = [
    b"%00", b"a%00b", b"%ff", b"%ED%A0%80", b"%", b"%zz", b"%2e%2e%2f%2e%2e%2fetc%2fpasswd", b"../../../../etc/passwd", b"..",
    b"\xff", b"\x00", b"\xf0\x9f\x92\x8e", b"%F0%9F%92%8E", b"a b", b"a\tb", b"#x", b"?", b"&&;;==", b"-1", b"1e400", b"0x10",
    b"9" * 400, b"9" * 5000, b"x" * 300, b"x" * 9000, b"%0d%0aSet-Cookie:x=y", b"\\", b"'; drop table users; --", b"<script>",
    b"{}", b"[", b"index.html", b"%EF%BF%BE", b"1", b"",
]  # fmt: skip
HOSTS = [
    b"127.0.0.1", b"localhost:8765", b"[::1]:80", b"", b"[", b"[::1", b"[::::]", b"]", b"a:99999", b"a:b", b"a:", b"a b",
    b"\xff", b"x" * 300, b"x" * 9000, b"user:pass@host", b"host/path", b"host?query", b"a,b", b"%00", b"..", b"[v1.x]",
]  # fmt: skip
HEADERS = [
    b"Origin: http://[", b"Origin: null", b"Origin: \xff", b"Origin: http://127.0.0.1", b"Origin: " + b"x" * 5000,
    b"Cookie: cabochon_guest=x", b"Cookie: cabochon_guest=\xff.\xff", b"Cookie: =;=;\x22", b"Cookie: cabochon_guest=.eJw.x",
    b"Content-Length: -1", b"Content-Length: 1", b"Content-Length: 5000", b"Content-Length: " + b"9" * 5000,
    b"Content-Length: \xb2", b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip", b"Expect: 100-continue", b"Expect: x",
    b"Range: bytes=0-", b"If-None-Match: *", b"If-Modified-Since: yesterday", b"Accept-Encoding: gzip", b"Accept: \xff",
    b"Content-Type: text/\xff", b"Content-Type: application/json; charset=\xff", b"Content-Encoding: gzip",
    b"X-Forwarded-For: \xff", b"X-Forwarded-For: ,,,", b"X-Forwarded-For: 2001:db8::1", b"X-Forwarded-Proto: \xff",
    b"X-Forwarded-Proto: wss", b"Upgrade: h2c\r\nConnection: Upgrade", b"Upgrade: websocket\r\nConnection: Upgrade",
    b"Sec-WebSocket-Key: \xff", b"Sec-WebSocket-Version: 13", b"Connection: keep-alive",
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", b"X: y\r\n folded", b": empty", b"no colon", b"X\x00: y", b"X: \x00",
]  # fmt: skip
BODIES = [
    b"", b"{", b"[]", b"null", b'"x"', b'{"name": "\\ud800"}', b'{"\\ud800": 1, "name": "x"}', b'{"name": "\\u0000"}',
    b'{"name": "Eve"}', b'{"name": 1e999}', b"[" * 4000, b'{"players": ' + b"9" * 4000 + b"}",
    b'{"players": 2, "bots": ["\\u0000"]}', b"\xff\xfe{", b'{"players": 2}', b'{"players": 2, "house": {"goal": 1e308}}',
    b"x" * 5000, b"5\r\nhello\r\n0\r\n\r\n", b"zz\r\n",
]  # fmt: skip


@pytest.fixture
def address(database: str) -> Iterator[str]:
    with running(create_app(Settings(database=database, **LENIENT))) as url:  # type: ignore[arg-type]
        yield url


class Fuzzer:
    """Makes requests, some nearly right."""

    def __init__(self, seed: int, table: bytes, seat_link: bytes) -> None:
        self.rng = random.Random(seed)
        self.table, self.token = table, seat_link.rpartition(b"/")[2]

    def target(self) -> bytes:
        place = self.rng.choice(PLACES).replace(b"TABLE", self.table).replace(b"SEAT", self.token)
        while b"ODD" in place:
            place = place.replace(b"ODD", self.rng.choice(ODD), 1)
        return place

    def request(self) -> bytes:
        return self.nearly_right() if self.rng.random() < 0.5 else self.nonsense()

    def nearly_right(self) -> bytes:
        """One thing is odd: the place, the host, a header or the body."""
        rng = self.rng
        what = rng.choice(["place", "host", "header", "body"])
        place = self.target() if what == "place" else rng.choice(REAL_PLACES).replace(b"TABLE", self.table)
        headers = [b"Host: " + (rng.choice(HOSTS) if what == "host" else b"127.0.0.1"), b"Connection: close"]
        headers += [rng.choice(HEADERS)] if what == "header" else []
        method, body = rng.choice([b"GET", b"GET", b"HEAD"]), b""
        if what == "body":
            method, place = rng.choice([(b"PUT", b"/api/me"), (b"POST", b"/api/tables")])
            body = rng.choice(BODIES)
            headers += [b"Content-Type: application/json", b"Content-Length: %d" % len(body)]
        return b"\r\n".join([method + b" " + place + b" HTTP/1.1", *headers, b"", b""]) + body

    def nonsense(self) -> bytes:
        """Many things are odd at once."""
        rng = self.rng
        body = rng.choice(BODIES) if rng.random() < 0.5 else b""
        headers = [b"Host: " + (rng.choice(HOSTS) if rng.random() < 0.3 else b"127.0.0.1")]
        headers += rng.sample(HEADERS, rng.choice([0, 0, 1, 2, 3]))
        if body and rng.random() < 0.8:
            headers += [b"Content-Type: application/json", b"Content-Length: %d" % len(body)]
        if rng.random() < 0.9:
            headers.append(b"Connection: close")
        line = b" ".join([rng.choice(METHODS), self.target(), rng.choice([b"HTTP/1.1"] * 9 + [b"HTTP/1.0", b"HTTP/2.0", b""])])
        return b"\r\n".join([line, *headers, b"", b""]) + body


def ask(port: int, request: bytes) -> bytes:
    """What is answered to a request after which nothing more comes."""
    with connected(port) as client:
        try:
            client.sendall(request)
            client.shutdown(socket.SHUT_WR)
        except OSError:  # the server has answered and closed already
            pass
        return read_all(client)


@contextmanager
def heard(handler: logging.Handler) -> Iterator[None]:
    """Hear what uvicorn logs too, which it keeps from others."""
    logging.getLogger("uvicorn").addHandler(handler)
    yield
    logging.getLogger("uvicorn").removeHandler(handler)


@pytest.mark.slow
@every_database
def test_no_request_ends_in_an_error(address: str, database: str, caplog: pytest.LogCaptureFixture) -> None:
    created = httpx.post(f"{address}/api/tables", json={"players": 2}).json()
    fuzzer = Fuzzer(SEED, created["id"].encode(), created["seat_link"].encode())
    port, seen = urlsplit(address).port or 0, Counter[int]()
    with caplog.at_level(logging.INFO), heard(caplog.handler):
        for _ in range(REQUESTS if database.startswith("sqlite") else REQUESTS_ON_POSTGRESQL):
            request = fuzzer.request()
            answered = statuses(ask(port, request))
            assert all(status < 500 or status == 503 for status in answered), (answered, request)
            seen.update(answered)
    assert [] == [record for record in caplog.records if record.levelno >= logging.WARNING or record.exc_info]
    assert {200, 400, 403, 404, 405, 413, 422} <= set(seen), seen
