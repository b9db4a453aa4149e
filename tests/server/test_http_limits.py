"""One connection can neither keep the others waiting nor fill the memory: a real server, and clients that misbehave."""

import asyncio
import gc
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import httpx
import psutil
import pytest
from uvicorn.server import ServerState
from websockets.datastructures import Headers

from cabochon.errors import CabochonError
from cabochon.server.addresses import address_block, is_within, parse_networks
from cabochon.server.errors import Refused
from cabochon.server.http_limits import MIN_TAKEN_BYTES, Connections, LimitedHttp, LimitedSocket, UnreadWatch
from cabochon.server.run import config, open_files
from cabochon.server.settings import Settings
from tests.server.process import ForkedServer, Guest, Nursery, ServerProcess, run
from tests.server.raw import (
    ELSEWHERE,
    EMPTY_TEXT,
    FIRST_PART,
    GET,
    NEXT_PART,
    PING,
    UPGRADE,
    WAIT_SECONDS,
    connected,
    connections_of,
    read_all,
    send_while_taken,
    statuses,
)

MEGABYTE = 1 << 20
MAX_GROWTH = 32 * MEGABYTE
SHORT = {
    "bot_workers": 0,
    "bot_delay": 0,
    "tables_per_minute": 1e6,
    "max_connections": 40,
    "max_connections_per_address": 10,
    "max_header_seconds": 0.5,
    "max_reads_per_minute": 1_000_000,  # the tests themselves ask from one address
    "max_body_seconds": 0.5,
    "max_idle_seconds": 0.5,
    "max_unread_seconds": 0.5,
    "ping_seconds": 0.5,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("limits"), **SHORT).start()
    yield server
    server.stop()
    said = Path(server.log.name).read_text()
    assert "Traceback" not in said and "Exception" not in said, said


@pytest.fixture(scope="module")
def table(server: ServerProcess) -> str:
    async def opened() -> str:
        async with Guest(server.url, "Anna") as anna:
            return await anna.create(players=2)

    return run(opened())


@pytest.fixture(autouse=True)
def all_well(server: ServerProcess) -> Iterator[None]:
    """After each attack others are served, and the memory is what it was."""
    before = server.memory()
    yield
    assert 200 == httpx.get(f"{server.url}/api/me", timeout=WAIT_SECONDS, verify=False).status_code
    assert server.memory() - before < MAX_GROWTH


def until(is_so: Any) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "this never came"
        time.sleep(0.02)


# Size


@pytest.mark.slow
@pytest.mark.parametrize(
    "begin, block",
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n", b"X-A: " + b"b" * 2000 + b"\r\n"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n", b"a:\r\n" * 500),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-A: ", b"b" * 2000),
        (b"GET /", b"a" * 2000),
        (b"GET /\r\n", b"\r\n" * 1000),
        (b"\r\n", b"\r\n" * 1000),
        (b"\x16\x03\x01\x02", b"\x00\xff" * 1000),
    ],
    ids=["headers", "tiny headers", "one header", "path", "no version", "empty lines", "TLS"],
)
def test_a_head_without_end_is_refused(server: ServerProcess, begin: bytes, block: bytes) -> None:
    with connected(server.port) as client:
        client.sendall(begin)
        taken = send_while_taken(client, block * 50, 64 * MEGABYTE)
        assert taken < 16 * MEGABYTE
    with connected(server.port) as client:
        client.sendall(begin + block * 20)
        assert statuses(read_all(client))[0] in (400, 431)


@pytest.mark.slow
def test_too_many_headers_are_refused(server: ServerProcess) -> None:
    for number, status in ((99, 200), (101, 431)):
        with connected(server.port) as client:
            client.sendall(GET[:-2] + b"X-A: b\r\n" * (number - 1) + b"\r\n")
            assert [status] == statuses(read_all(client))


@pytest.mark.slow
@pytest.mark.parametrize("method", [b"PUT /api/me", b"GET /api/bots"])
def test_a_chunked_body_without_end_is_refused(server: ServerProcess, method: bytes) -> None:
    with connected(server.port) as client:
        head = b" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        client.sendall(method + head)
        assert send_while_taken(client, b"1\r\na\r\n" * 2000, 64 * MEGABYTE) < 16 * MEGABYTE


@pytest.mark.slow
def test_a_body_that_is_too_large_is_refused_before_it_is_sent(server: ServerProcess) -> None:
    with connected(server.port) as client:
        client.sendall(b"PUT /api/me HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n" + b"x" * 100_000)
        assert [413] == statuses(read_all(client))


@pytest.mark.slow
def test_a_bad_chunk_is_refused_while_the_request_is_waited_for(server: ServerProcess) -> None:
    with connected(server.port) as client:
        client.sendall(b"PUT /api/me HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc")
        client.sendall(b"dexxxx\r\n")
        assert [400] == statuses(read_all(client))


# Time


@pytest.mark.slow
@pytest.mark.parametrize("source", ["127.0.0.1", ELSEWHERE])
def test_slow_heads_do_not_keep_anybody_waiting(server: ServerProcess, source: str) -> None:
    """Slowloris: a byte now and then. Each connection has its end all the same."""
    with ExitStack() as stack:
        clients = [stack.enter_context(connected(server.port, source)) for _ in range(8)]
        for client in clients:
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX")
        assert 200 == httpx.get(f"{server.url}/api/me", timeout=WAIT_SECONDS, verify=False).status_code
        for client in clients:
            assert [408] == statuses(drip(client))


def drip(client: socket.socket) -> bytes:
    """Send a byte now and then until the server has had enough; what it says."""
    client.settimeout(0.05)
    deadline, received = time.monotonic() + WAIT_SECONDS, b""
    while time.monotonic() < deadline:
        try:
            part = client.recv(4096)
            received += part
            if not part:
                return received
        except TimeoutError:
            client.send(b"x")
        except ConnectionError:
            return received
    raise AssertionError("the server waits for ever")


@pytest.mark.slow
def test_a_slow_body_is_not_waited_for(server: ServerProcess) -> None:
    with connected(server.port) as client:
        client.sendall(b"PUT /api/me HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        assert [408] == statuses(drip(client))


@pytest.mark.slow
def test_a_body_nobody_wants_is_not_waited_for_either(server: ServerProcess) -> None:
    with connected(server.port) as client:
        client.sendall(b"GET /api/bots HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        assert [200] == statuses(drip(client))


@pytest.mark.slow
def test_a_connection_that_says_nothing_is_closed(server: ServerProcess) -> None:
    with connected(server.port) as client:
        assert b"" == read_all(client)


@pytest.mark.slow
def test_a_connection_that_says_nothing_more_is_closed(server: ServerProcess) -> None:
    with connected(server.port) as client:
        client.sendall(GET)
        assert [200] == statuses(read_all(client))


@pytest.mark.slow
def test_a_second_head_has_its_time_too(server: ServerProcess) -> None:
    with connected(server.port) as client:
        client.sendall(GET + b"GET /")
        assert [200, 408] == statuses(drip(client))


# Answers that nobody reads


@pytest.mark.slow
def test_pipelined_requests_are_answered_one_by_one(server: ServerProcess) -> None:
    with connected(server.port) as client:
        client.sendall(GET * 50)
        assert [200] * 50 == statuses(read_all(client))


@pytest.mark.slow
def test_pipelined_requests_whose_answers_are_not_read_are_not_read_either(server: ServerProcess) -> None:
    with connected(server.port) as client:
        most = 200_000 * len(GET)
        assert send_while_taken(client, GET * 1000, most) < most
        until(lambda: connections_of(psutil.Process(server.process.pid), client) == 0)


MANY = 10 * MIN_TAKEN_BYTES


@pytest.mark.parametrize(
    "seen, is_given_up",
    [
        ([(10, 10), (10, 10)], True),
        ([(10, 10), (10, 5)], True),
        ([(10, 10), (25, 15)], False),
        ([(10, 10), (MANY, MANY - 9)], True),
        ([(MANY, MANY), (MANY, MANY - MIN_TAKEN_BYTES + 1)], True),
        ([(MANY, MANY), (MANY, MANY - MIN_TAKEN_BYTES), (MANY, MANY - 2 * MIN_TAKEN_BYTES)], False),
        ([(MANY, MANY), (2 * MANY, 2 * MANY - MIN_TAKEN_BYTES)], False),
        ([(10, 0), (20, 10), (20, 0), (20, 0)], False),
    ],
    ids=["nothing", "not all", "all", "less than waited", "a little", "enough", "enough while more is written", "nothing waits"],
)
def test_a_client_that_takes_too_little_is_given_up(seen: list[tuple[int, int]], is_given_up: bool) -> None:
    """What is written meanwhile counts neither for nor against it."""
    loop, transport = Loop(), Transport(seen)
    UnreadWatch(transport, loop, 1.0)  # type: ignore[arg-type]
    for _ in seen:
        assert not transport.aborted
        transport.written = transport.seen[0][0]
        loop.callback()
    assert is_given_up == transport.aborted


class Loop:
    """An event loop whose time is ours."""

    def call_later(self, _seconds: float, callback: Any) -> None:
        self.callback = callback


class Transport:
    """A transport to which so much was written, of which so much is unread: one pair after the other."""

    def __init__(self, seen: list[tuple[int, int]]) -> None:
        self.seen, self.aborted, self.written = list(seen), False, 0

    def get_write_buffer_size(self) -> int:
        return self.seen.pop(0)[1]

    def abort(self) -> None:
        self.aborted = True


# Number


@pytest.mark.slow
def test_connections_are_counted_by_address_and_in_all(server: ServerProcess) -> None:
    def one_more_after(number: int, source: str) -> list[int]:
        """What one more connection is told. On a busy machine the server may have closed some of the others: they are silent."""
        with ExitStack() as stack:
            for _ in range(number):
                stack.enter_context(connected(server.port, source))
            with connected(server.port, source) as one_more:
                return statuses(read_all(one_more))

    until(lambda: one_more_after(10, ELSEWHERE) == [429])
    assert 200 == httpx.get(f"{server.url}/api/me", timeout=WAIT_SECONDS, verify=False).status_code
    until(lambda: one_more_after(40, "127.0.0.1") == [503])
    until(lambda: statuses(asked(server)) == [200])


def asked(server: ServerProcess) -> bytes:
    with connected(server.port) as client:
        client.sendall(GET)
        return client.recv(4096)


def test_a_proxy_is_counted_in_all_and_others_by_network() -> None:
    proxies = parse_networks(("127.0.0.1", "::1", "10.0.0.0/8"))
    connections = Connections(Settings(max_connections_per_address=2), 6, proxies)
    for host in ("10.1.2.3", "10.1.2.3", "10.1.2.3", "2001:db8::1", "2001:db8::ffff"):
        connections.enter(host)
    with pytest.raises(Refused, match="your address"):
        connections.enter("2001:db8::2")
    connections.enter("2001:db8:0:1::2")
    with pytest.raises(Refused, match="no room"):
        connections.enter("192.0.2.1")
    for host in ("10.1.2.3", "10.1.2.3", "10.1.2.3", "2001:db8::1", "2001:db8::ffff", "2001:db8:0:1::2"):
        connections.leave(host)
    assert (0, {}) == (connections.number, connections.by_address)


@pytest.mark.parametrize(
    "host, block",
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_addresses_that_belong_together(host: str, block: str) -> None:
    assert block == address_block(host)


def test_only_addresses_and_networks_are_trusted() -> None:
    assert is_within("::ffff:127.0.0.1", parse_networks(["127.0.0.1"]))
    assert not is_within("unix", parse_networks(["127.0.0.1"]))
    for text in ("*", "localhost", "10.0.0.1/8"):
        with pytest.raises(CabochonError, match="CABOCHON_TRUSTED_PROXIES"):
            parse_networks([text])


def test_there_are_files_for_all_connections() -> None:
    assert open_files(64) >= 64


@pytest.mark.parametrize(
    "proxy, counted",
    [
        ("127.0.0.1", "192.0.2.7"),
        ("::ffff:127.0.0.1", "192.0.2.7"),
        ("::ffff:10.1.2.3", "192.0.2.7"),
        ("2001:db8::5", "192.0.2.7"),
        ("127.0.0.2", "127.0.0.2"),
        ("::ffff:127.0.0.2", "::ffff:127.0.0.2"),
    ],
)
def test_a_proxy_is_believed_in_either_form_of_its_address(proxy: str, counted: str) -> None:
    """A socket that listens at :: sees IPv4 addresses as ::ffff:…"""
    seen: list[str] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope["client"][0])

    served = config(app, Settings(trusted_proxies=("127.0.0.1", "10.0.0.0/8", "2001:db8::/64")))
    served.load()
    headers = [(b"x-forwarded-for", b"192.0.2.7")]
    scope = {"type": "http", "client": (proxy, 1), "scheme": "http", "headers": headers}
    run(cast(Any, served.loaded_app)(scope, None, None))
    assert [counted] == seen


def test_a_client_that_is_gone_before_the_upgrade_is_counted_out() -> None:
    """Outside uvloop the address of a connection that was reset cannot be asked for again."""

    async def upgraded_and_lost() -> Connections:
        async def app(_scope: Any, receive: Any, _send: Any) -> None:
            while (await receive())["type"] != "websocket.disconnect":
                pass

        served = config(app, Settings())
        served.load()
        http = cast(LimitedHttp, served.http_protocol_class(config=served, server_state=ServerState(), app_state={}))  # type: ignore[call-arg]
        transport = ResettableTransport()
        http.connection_made(transport)
        assert {"192.0.2.7": 1} == http.open.by_address
        transport.is_reset = True
        http.data_received(b"GET /api/tables/x/socket HTTP/1.1\r\n" + UPGRADE)
        transport.protocol.connection_lost(None)
        await asyncio.sleep(0)
        return http.open

    connections = run(upgraded_and_lost())
    assert (0, {}) == (connections.number, connections.by_address)


class ResettableTransport(asyncio.Transport):
    """A connection that is there until it is reset."""

    is_reset = False
    protocol: Any = None

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self if name == "socket" else default

    def getpeername(self) -> tuple[str, int]:
        if self.is_reset:
            raise OSError
        return "192.0.2.7", 1

    def getsockname(self) -> tuple[str, int]:
        return "192.0.2.1", 80

    def set_protocol(self, protocol: Any) -> None:
        self.protocol = protocol

    def is_closing(self) -> bool:
        return self.is_reset

    def write(self, _data: Any) -> None:
        pass

    def close(self) -> None:
        pass

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


# WebSockets


TEXT, PART, LAST_PART, PING_FRAME = 0x81, 0x01, 0x80, 0x89


def masked(head: int, data: bytes) -> bytes:
    """A short frame of a client."""
    mask = b"\x80\x80\x00\x00"
    return bytes((head, 0x80 | len(data))) + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))


class OpenSocket:
    """A LimitedSocket after its handshake, and what its application was given."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.transport = ResettableTransport()

    async def open(self) -> "OpenSocket":
        async def app(_scope: Any, receive: Any, send: Any) -> None:
            await receive()
            await send({"type": "websocket.accept"})
            while (message := await receive())["type"] != "websocket.disconnect":
                self.messages.append(message["text"])

        served = config(app, Settings())
        served.load()
        http = cast(LimitedHttp, served.http_protocol_class(config=served, server_state=ServerState(), app_state={}))  # type: ignore[call-arg]
        http.connection_made(self.transport)
        http.data_received(b"GET /api/tables/x/socket HTTP/1.1\r\n" + UPGRADE)
        self.protocol: LimitedSocket = self.transport.protocol
        while not self.protocol.handshake_complete:
            await asyncio.sleep(0)
        return self

    async def read(self, *pieces: bytes) -> list[Any]:
        """The messages in bytes that come in these pieces."""
        for piece in pieces:
            self.protocol.data_received(piece)
            await asyncio.sleep(0)
        while self.protocol.queue.qsize():
            await asyncio.sleep(0)
        self.protocol.connection_lost(None)
        return self.messages


def test_messages_are_the_same_wherever_they_are_cut() -> None:
    letters = "zaż".encode()
    parts = [masked(PART, letters[:3]), masked(PING_FRAME, b""), masked(LAST_PART, letters[3:])]
    texts = ["one", "zaż", "", "x" * 125, "\x01\x05\0\0\0\0inner"]  # as it is sent, the last is a frame within a frame
    frames = [masked(TEXT, text.encode()) for text in texts]
    stream = b"".join([frames[0], *parts, *frames[2:]])
    assert frames[-1].endswith(masked(TEXT, b"")[:1] + b"\x85\0\0\x80\x80in" + bytes((ord("n") ^ 0x80, ord("e") ^ 0x80)) + b"r")

    async def all_cuts() -> list[int]:
        cuts = range(len(stream) + 1)
        return [cut for cut in cuts if texts != await (await OpenSocket().open()).read(stream[:cut], stream[cut:])]

    assert [] == run(all_cuts())


def test_what_was_said_in_a_handshake_is_not_kept() -> None:
    async def whole() -> list[Headers]:
        here = [await OpenSocket().open() for _ in range(3)]
        gc.collect()
        assert all(one.protocol.handshake_complete and not one.protocol.scope["headers"] for one in here)
        return [one for one in gc.get_objects() if type(one) is Headers and one]

    assert [] == run(whole())


def upgraded(server: ServerProcess, table: str, client: socket.socket) -> None:
    client.sendall(f"GET /api/tables/{table}/socket HTTP/1.1\r\n".encode() + UPGRADE)
    received = b""
    while b"\r\n\r\n" not in received:
        received += client.recv(1)
    assert [101] == statuses(received)


@pytest.mark.slow
@pytest.mark.parametrize(
    "first, frame, code",
    [(b"", PING, 1008), (FIRST_PART, NEXT_PART, 1008), (b"", EMPTY_TEXT, 4400)],
    ids=["ping", "part", "text"],
)
def test_a_flood_of_tiny_frames_ends_the_socket(server: ServerProcess, table: str, first: bytes, frame: bytes, code: int) -> None:
    """As many as fit into one buffer of the event loop took seconds to parse."""
    with connected(server.port) as client:
        upgraded(server, table, client)
        client.sendall(first + frame * 10_000)
        assert code.to_bytes(2) in read_all(client)


@pytest.mark.slow
def test_a_socket_that_sends_without_reading_is_not_read_either(server: ServerProcess, table: str) -> None:
    with connected(server.port) as client:
        upgraded(server, table, client)
        assert send_while_taken(client, PING * 1000, 16 * MEGABYTE) < 16 * MEGABYTE
        until(lambda: connections_of(psutil.Process(server.process.pid), client) == 0)


@pytest.mark.slow
def test_a_socket_that_answers_no_ping_is_closed(server: ServerProcess, table: str) -> None:
    with connected(server.port) as client:
        upgraded(server, table, client)
        assert b"keepalive ping timeout" in read_all(client)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line, more",
    [
        (b"POST /api/tables/x/socket", b""),
        (b"GET /" + b"x" * 9000, b""),
        (b"GET /\x7e%00%ff", b""),
        (b"GET *", b""),
        (b"GET /api/tables/x/socket?since=" + b"9" * 5000, b""),
        (b"GET /api/tables/x/socket?since=%00", b""),
        (b"GET /api/tables/x/socket", b"X-A: " + b"b" * 9000 + b"\r\n"),
        (b"GET /api/tables/x/socket", b"X-A: \xff\xfe\r\n"),
        (b"GET /api/tables/x/socket", b"Sec-WebSocket-Version: 7\r\n"),
        (b"GET /api/tables/x/socket", b"Sec-WebSocket-Extensions: ,;=\xff\r\n"),
        (b"GET /api/tables/x/socket", b"Sec-WebSocket-Protocol: \xff\r\n"),
        (b"GET /api/tables/x/socket", b"Content-Length: 5\r\n"),
    ],
)
def test_an_odd_handshake_is_answered(server: ServerProcess, line: bytes, more: bytes) -> None:
    with connected(server.port) as client:
        client.sendall(line + b" HTTP/1.1\r\n" + more + UPGRADE)
        assert statuses(client.recv(4096))[0] in (101, 400, 403, 405, 414, 426, 431)


def test_a_server_with_few_file_handles(tmp_path: Path, nursery: Nursery) -> None:
    """It lets in fewer, keeps what it needs itself, and goes on when they have left."""
    server = ForkedServer(nursery, tmp_path, bot_workers=0)
    server.settings["MAX_FILES"] = "230"
    server.start()
    try:
        with ExitStack() as stack:
            lines = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 5)) for _ in range(60)]
            answers = []
            for line in lines:
                line.sendall(b"GET /api/me HTTP/1.1\r\nHost: localhost\r\n\r\n")
                answers.append(line.recv(12))
            assert {b"HTTP/1.1 200", b"HTTP/1.1 503"} == set(answers)
        assert "Too many open files" not in (tmp_path / "server.log").read_text()
        deadline = time.monotonic() + 20
        while not server.is_ready():
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        server.stop()


def test_too_few_file_handles_are_told_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.server.run.open_files", lambda _wanted: 100)
    with pytest.raises(CabochonError, match=r"only 100 files may be open: the server needs 220"):
        config(None, Settings())
