"""The provenance of figures: the commit of the source and the machine."""

import os
import platform
import subprocess
from pathlib import Path


def commit() -> str:
    """The commit of this checkout, with `+` if files have changed; without a checkout, the value of CABOCHON_COMMIT."""
    here = Path(__file__).parent
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty=+"], cwd=here, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return os.environ.get("CABOCHON_COMMIT", "unknown")
    return described.stdout.strip()


def machine() -> str:
    """The processor, its cores, and the version of Python."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"
