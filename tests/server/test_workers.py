"""The processes in which bots think end with their server, however it ends."""

import signal
from pathlib import Path

import psutil
import pytest

from tests.server.process import ServerProcess

ENDED_SECONDS = 20


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_their_server(tmp_path: Path, how: signal.Signals) -> None:
    server = ServerProcess(tmp_path, bot_workers=1).start()
    assert server.process
    children = psutil.Process(server.process.pid).children(recursive=True)
    assert children
    server.process.send_signal(how)
    server.process.wait(ENDED_SECONDS)
    _, alive = psutil.wait_procs(children, ENDED_SECONDS)
    for child in alive:
        child.kill()
    assert [] == alive
    server.log.close()
