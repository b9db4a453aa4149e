"""A server beside a running program, such as a notebook: it serves from a thread, and the caller's bots play at its tables."""

import tempfile
import threading
import time
import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import uvicorn

from ..bots import AnyBot, add_bot
from ..bots.registry import name_of
from ..errors import CabochonError
from .app import create_app
from .run import address, bound_socket, config
from .service import Service
from .settings import Settings

WAIT_SECONDS, STOP_SECONDS = 600.0, 10.0  # the first start compiles
POLL_SECONDS = 0.05


class RunningServer:
    """A server that runs. `url` is its address; `stop()` ends it, and so does the end of a `with` block."""

    def __init__(self, settings: Settings, port: int | None, folder: tempfile.TemporaryDirectory[str] | None) -> None:
        self._folder, self._failure = folder, ""
        self._listener = bound_socket(settings.host, port)
        self.url = address(settings.host, self._listener.getsockname()[1])
        app = create_app(settings, address=settings.public_url or self.url)
        self._service: Service = app.state.service
        self._server = uvicorn.Server(config(app, settings))
        self._thread = threading.Thread(target=self._run, name="cabochon server", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._server.run(sockets=[self._listener])
        except BaseException as error:
            self._failure = f"{type(error).__name__}: {error}"
            raise
        finally:
            self._listener.close()

    def wait(self) -> None:
        """Return when people can play."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not (self._server.started and self._service.is_ready):
            if not self._thread.is_alive() or time.monotonic() > deadline:
                self.stop()
                raise CabochonError(f"the server did not start: {self._failure or self._service.failure or 'it took too long'}")
            time.sleep(POLL_SECONDS)

    def stop(self) -> None:
        """End the server; its tables are gone unless it had a database of its own."""
        self._server.should_exit = True
        self._thread.join(STOP_SECONDS)
        if self._folder is not None:
            self._folder.cleanup()

    def __enter__(self) -> "RunningServer":
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<cabochon server at {self.url}>"


def start_server(
    bots: Mapping[str, AnyBot] | Sequence[AnyBot] = (),
    *,
    port: int | None = None,
    database: str | None = None,
    browser: bool = False,
    workers: int = 0,
    **settings: Any,
) -> RunningServer:
    """Serve from a thread of this process; returns when people can play.

    `bots` are objects or functions, by name or with their own names; at a table they are chosen like any other bot, and think in
    this process. Without a database the tables last as long as the server. The package's bots think in a thread, or with
    `workers` in processes of their own. Other settings are those of `Settings`.
    """
    for name, player in bots.items() if isinstance(bots, Mapping) else [(name_of(player), player) for player in bots]:
        add_bot(name, player)
    folder = None if database else tempfile.TemporaryDirectory(prefix="cabochon-")
    url = database or f"sqlite:///{Path(folder.name) / 'tables.db' if folder else ''}"
    server = RunningServer(Settings.from_environment(database=url, bot_workers=workers, **settings), port, folder)
    server.wait()
    if browser:
        webbrowser.open(server.url)
    return server
