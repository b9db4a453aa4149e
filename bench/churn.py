"""`make churn`: sockets that come and go at one table while two people play there, on this machine.

Prints how the players' moves were answered: the time from sending a move to its stored acknowledgement (p50, p99).
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

import uvloop

from cabochon.tools.provenance import commit, machine
from tests.server.churn import AT_ONCE, NO_ADDRESS_LIMITS, churn
from tests.server.process import ServerProcess


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sockets", type=int, default=1000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = ServerProcess(Path(folder), **NO_ADDRESS_LIMITS).start()
        try:
            start = time.monotonic()
            seen = uvloop.run(churn(server.url, options.sockets))
            took = time.monotonic() - start
        finally:
            server.stop()
    times = sorted(seen.times)
    print(f"sockets {options.sockets}, {AT_ONCE} at a time, in {took:.1f} s; turned away {seen.turned_away}")
    print(f"moves {len(times)}, refused {len(seen.refused)}, players lost {seen.lost}")
    if times:
        print(f"from sending to the stored acknowledgement: p50 {statistics.median(times) * 1000:.1f} ms, "
              f"p99 {times[int(len(times) * 0.99)] * 1000:.1f} ms, most {times[-1] * 1000:.1f} ms")  # fmt: skip
    print(f"commit {commit()}; {machine()}; load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
