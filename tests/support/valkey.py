"""A broker of our own for the tests: Valkey or Redis, in memory only, on a free port, gone at the end."""

import importlib.util
import socket
import subprocess
import time
from pathlib import Path

from tests.support.children import start_child

ROOT = Path(__file__).parent.parent.parent
START_SECONDS = 20


def _program() -> str:
    found = subprocess.run([ROOT / "scripts/valkey", "find"], capture_output=True, text=True, check=False).stdout.strip()
    return found if importlib.util.find_spec("redis") and importlib.util.find_spec("procrastinate") else ""


PROGRAM = _program()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Valkey:
    """A running broker. It ends with this process, however that ends, and can be killed and started again."""

    def __init__(self, port: int | None = None) -> None:
        self.port = port or free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        command = ["setpriv", "--pdeathsig=KILL", PROGRAM, "--port", str(self.port), "--bind", "127.0.0.1"]
        command += ["--save", "", "--appendonly", "no"]
        self.process = start_child(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self.process.poll() is None and time.monotonic() < deadline, "the broker did not start"
            time.sleep(0.02)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as line:
                line.sendall(b"PING\r\n")
                return line.recv(16).startswith(b"+PONG")
        except OSError:
            return False

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
