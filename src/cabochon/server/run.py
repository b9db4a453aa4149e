"""Running the server from the command: find a port, tell how far the warm-up is, print the address, open a browser."""

import errno
import logging
import os
import signal
import socket
import sys
import threading
import webbrowser
from dataclasses import replace
from typing import Any

import uvicorn

from ..errors import CabochonError
from .addresses import EVERYWHERE, is_local, lan_address, with_mapped
from .app import create_app
from .gc_tuning import take_over
from .http_limits import protocols
from .logs import leave_out_repeats, set_up_logs
from .metrics import serve_metrics
from .rate_limit import MAX_MESSAGE_BYTES
from .service import Service
from .settings import Settings

DEFAULT_PORT = 8765
PORTS_TO_TRY = 20
BACKLOG = 2048
SHUTDOWN_SECONDS = 2
OTHER_FILES = 200  # the database, the bots' pipes, libraries
MIN_CONNECTIONS = 20
SWITCH_SECONDS = 0.001  # how long a thread waits for Python's lock: the one that writes waits about ten times for a commit


def bound_socket(host: str, port: int | None) -> socket.socket:
    """A socket at the port that was said; else at the first free one from the usual on."""
    ports = range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TO_TRY) if port is None else [port]
    for candidate in ports:
        try:
            return _bound(host, candidate)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise CabochonError(f"--host {host}: {error.strerror or error}") from error
    raise CabochonError(f"--port {ports[0]}: this port is in use")


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "nt":  # there SO_REUSEADDR would let two servers listen at one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)  # type: ignore[attr-defined]
        else:
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

    def __init__(self, host: str, port: int, open_browser: bool, public_url: str = "") -> None:
        self.host, self.port, self.open_browser, self.public_url = host, port, open_browser, public_url

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
        print(self._for_friends(), flush=True)
        print("Ctrl-C stops the server; games are kept.", flush=True)
        if self.open_browser:
            webbrowser.open(url)

    def _for_friends(self) -> str:
        """Where friends can join, or why they cannot."""
        if self.public_url:
            return f"Friends: {self.public_url.rstrip('/')}/"
        if self.host in EVERYWHERE:
            lan = lan_address()
            return (
                f"Friends in this network: http://{lan}:{self.port}/"
                if lan
                else "This machine is in no network: friends cannot join."
            )
        if is_local(self.host):
            return "Only this machine can open it; with --host 0.0.0.0 friends in your network can join."
        return f"Friends: {address(self.host, self.port)}"

    def _line(self, text: str) -> None:
        if sys.stdout.isatty():
            print(f"\r\033[K{text}", end="", flush=True)
        elif text:
            print(text.rstrip(), flush=True)


def open_files(wanted: int) -> int:
    """Ask for so many open files; how many there may be. (The soft limit is often 1024 where the hard one is far above it.)"""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft == resource.RLIM_INFINITY else soft


def config(app: Any, settings: Settings) -> uvicorn.Config:
    """How uvicorn serves: within limits, small messages, no compression of sockets, quiet."""
    files = open_files(settings.max_connections + OTHER_FILES)
    max_connections = min(settings.max_connections, files - OTHER_FILES)
    if max_connections < MIN_CONNECTIONS:
        raise CabochonError(f"only {files} files may be open: the server needs {OTHER_FILES + MIN_CONNECTIONS} (ulimit -n)")
    return uvicorn.Config(
        app,
        **protocols(settings, max_connections),
        forwarded_allow_ips=with_mapped(settings.trusted_proxies),
        log_level=logging.getLogger().getEffectiveLevel(),
        access_log=False,
        ws_max_size=MAX_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        backlog=BACKLOG,
    )


class Server(uvicorn.Server):
    """uvicorn, which lets the service drain before it closes what is open."""

    service: Service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop."""
        await self.service.drain()
        await super().shutdown(sockets)


def end_on_sigterm() -> None:
    """Let SIGTERM end the process as Ctrl-C does, with all its clean-up. Killed by it, Python warns of semaphores left behind.

    uvicorn has a handler of its own while it serves, and gives the signal to this one at the end.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))


def play(settings: Settings, port: int | None, open_browser: bool) -> None:
    """Serve until somebody stops it."""
    end_on_sigterm()
    with bound_socket(settings.host, port) as listener:
        announcer = Announcer(settings.host, listener.getsockname()[1], open_browser, settings.public_url)
        own = settings.public_url or address(settings.host, announcer.port)
        app = create_app(replace(settings), progress=announcer.progress, address=own)
        service: Service = app.state.service
        take_over()
        sys.setswitchinterval(SWITCH_SECONDS)
        set_up_logs(settings.log_format)
        leave_out_repeats()
        if settings.metrics_port:
            serve_metrics(service, settings.metrics_host, settings.metrics_port)
        server = Server(config(app, settings))
        server.service = service
        service.on_failure = lambda: setattr(server, "should_exit", True)
        server.run(sockets=[listener])
    if service.failure is not None:
        raise CabochonError(service.failure)
