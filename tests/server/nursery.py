"""Servers that start at once: a process that has imported and compiled everything forks them. Run by `ForkedServer`.

It reads the port and the database of the next server from a line, and writes the process id.
"""

import os
import signal
import sys

from cabochon.server.bot_pool import play_a_little
from cabochon.server.run import play
from cabochon.server.settings import Settings


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries the dead
    play_a_little()
    for line in sys.stdin:
        port, database = line.split()
        child = os.fork()
        if child == 0:
            sys.stdin.close()
            play(Settings.from_environment(database=database), int(port), open_browser=False)
            os._exit(0)
        print(child, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
