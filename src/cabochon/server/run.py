"""Running the server from the command: find a port, tell how far the warm-up is, print the address, open a browser."""

import errno
import socket
import sys
import webbrowser
from dataclasses import replace
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..errors import CabochonError
from .app import create_app
from .limits import LARGEST_MESSAGE
from .pages import EVERYWHERE, lan_address
from .settings import Settings
from .tidying import take_over

DEFAULT_PORT = 8765
PORTS_TO_TRY = 20
BACKLOG = 2048
GOODBYE_SECONDS = 2


def bound_socket(host: str, port: int | None) -> socket.socket:
    """A socket at the port that was said; else at the first free one from the usual on."""
    ports = range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TO_TRY) if port is None else [port]
    for candidate in ports:
        try:
            return _bound(host, candidate)
        except OSError as wrong:
            if wrong.errno != errno.EADDRINUSE:
                raise CabochonError(f"--host {host}: {wrong.strerror or wrong}") from wrong
    raise CabochonError(f"--port {ports[0]}: this port is in use")


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def address(host: str, port: int) -> str:
    """What to type into a browser on this machine."""
    shown = "127.0.0.1" if host in EVERYWHERE else host
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"


class Announcer:
    """Tells on the terminal how far the start is and, at its end, where to go."""

    def __init__(self, host: str, port: int, open_browser: bool) -> None:
        self.host, self.port, self.open_browser = host, port, open_browser

    def progress(self, done: int, total: int) -> None:
        """First the rules, then the address, then the bots."""
        if done == 0:
            self._line("Warming up the rules")
        elif done == 1:
            self._announce()
        if 0 < done < total:
            self._line(f"Warming up the bots: {done - 1} of {total - 1} ready")
        elif done == total > 1:
            self._line("The bots are ready.\n")

    def _announce(self) -> None:
        self._line("")
        url = address(self.host, self.port)
        print(f"Play at {url}", flush=True)
        lan = lan_address() if self.host in EVERYWHERE else None
        if lan:
            print(f"Friends in this network: http://{lan}:{self.port}/", flush=True)
        print("Ctrl-C stops the server; games are kept.", flush=True)
        if self.open_browser:
            webbrowser.open(url)

    def _line(self, text: str) -> None:
        if sys.stdout.isatty():
            print(f"\r\033[K{text}", end="", flush=True)
        elif text:
            print(text.rstrip(), flush=True)


class HttpProtocol(HttpToolsProtocol):
    """A connection that lets go of its parser when it becomes a WebSocket: the two refer to each other."""

    def handle_websocket_upgrade(self) -> None:
        """From now on the connection is the WebSocket's."""
        super().handle_websocket_upgrade()
        self.parser = None  # type: ignore[assignment]


def config(app: Any) -> uvicorn.Config:
    """How uvicorn serves: small messages, no compression of sockets, quiet."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        http=HttpProtocol,
        ws="websockets-sansio",
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        server_header=False,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
        backlog=BACKLOG,
    )


def play(settings: Settings, port: int | None, open_browser: bool) -> None:
    """Serve until somebody stops it."""
    listener = bound_socket(settings.host, port)
    announcer = Announcer(settings.host, listener.getsockname()[1], open_browser)
    app = create_app(replace(settings), progress=announcer.progress)
    take_over()
    uvicorn.Server(config(app)).run(sockets=[listener])
