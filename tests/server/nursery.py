"""Servers that start at once: a process that has imported, compiled and tried everything forks them. Run by `Nursery`.

It reads what the next server is to be from a line, and writes the process id.
"""

import gc
import json
import os
import resource
import signal
import sys
import tempfile

from cabochon.server.app import create_app
from cabochon.server.database import open_engine
from cabochon.server.run import config, play
from cabochon.server.settings import Settings
from cabochon.warming import warm_up_rules


def rehearse() -> None:
    """What is only loaded when it is needed is loaded here, and not by each server again."""
    warm_up_rules()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database=f"sqlite:///{folder}/tables.db", bot_workers=0)
        app = create_app(settings)
        config(app, settings).load()
        app.state.service.repository.close()
    gc.collect()
    gc.freeze()  # so that no server looks at all of this again


def serve(port: int, database: str, environment: dict[str, str], log: str, is_worker: bool = False) -> None:
    """Be the server, or a worker of a cluster, in a new process."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sys.stdin.close()
    kept = os.open(log, os.O_WRONLY | os.O_APPEND)
    os.dup2(kept, sys.stdout.fileno())
    os.dup2(kept, sys.stderr.fileno())
    os.environ.update(environment)
    if "MAX_FILES" in environment:
        resource.setrlimit(resource.RLIMIT_NOFILE, (int(environment["MAX_FILES"]),) * 2)
    settings = Settings.from_environment(database=database)
    if is_worker:
        from cabochon.server.worker import work

        work(settings)
    else:
        play(settings, port, open_browser=False)


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries the dead
    rehearse()
    for line in sys.stdin:
        wanted = json.loads(line)
        if not wanted["database"].startswith("sqlite"):
            open_engine(wanted["database"]).dispose()  # loads the driver
        if "CABOCHON_BROKER" in wanted["environment"]:
            import cabochon.server.cluster
            import cabochon.server.worker  # noqa: F401
        child = os.fork()
        if child == 0:
            serve(**wanted)
            os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    main()
