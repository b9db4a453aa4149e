"""Programs that end with this process, however that ends (`setpriv --pdeathsig`).

The system ends them already with the *thread* that started them, so they are all started by one thread that stays.
"""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import Any

_starter = ThreadPoolExecutor(1, "children")


def start_child(command: list[str], **options: Any) -> "subprocess.Popen[bytes]":
    """A program that is started by a thread that stays."""
    return _starter.submit(lambda: subprocess.Popen(command, **options)).result()
