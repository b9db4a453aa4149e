"""Raw sockets to a server, for what no HTTP library would send."""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

WAIT_SECONDS = 30
LOOPBACK = "127.0.0.1"
ELSEWHERE = "127.0.0.2"  # on Linux all of 127.0.0.0/8 is this machine: an address that is no trusted proxy
GET = b"GET /api/bots HTTP/1.1\r\nHost: x\r\n\r\n"
UPGRADE = (
    b"Host: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
PING, EMPTY_TEXT, FIRST_PART, NEXT_PART = (bytes([first, 0x80, 0, 0, 0, 0]) for first in (0x89, 0x81, 0x01, 0x00))


@contextmanager
def connected(port: int, source: str = LOOPBACK) -> Iterator[socket.socket]:
    with socket.create_connection((LOOPBACK, port), WAIT_SECONDS, (source, 0)) as connection:
        yield connection


def read_all(connection: socket.socket) -> bytes:
    """Everything until the server closes."""
    received = b""
    try:
        while part := connection.recv(65_536):
            received += part
    except ConnectionResetError:
        pass
    return received


def statuses(answers: bytes) -> list[int]:
    """The status lines in what was received."""
    return [int(status) for status in re.findall(rb"HTTP/1.1 (\d{3}) ", answers)]


def send_while_taken(connection: socket.socket, block: bytes, most: int) -> int:
    """Send and do not read, until so much is sent, the connection ends, or nothing is taken for a while; the bytes taken."""
    connection.settimeout(0.5)
    taken = 0
    try:
        while taken < most:
            taken += connection.send(block)
    except OSError:
        pass
    connection.settimeout(WAIT_SECONDS)
    return taken


def connections_of(process: Any, connection: socket.socket) -> int:
    """How many sockets a process still has that lead to this one."""
    own = connection.getsockname()
    return sum(found.raddr == own for found in process.net_connections("tcp") if found.raddr)
