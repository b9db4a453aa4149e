"""The provenance of figures: the commit of the source and the machine."""

import os
import platform
import subprocess
from pathlib import Path

from ..version import __version__


def own_checkout(module: Path = Path(__file__)) -> Path | None:
    """The checkout this module lies in, as src/cabochon/tools; None if it is installed, even into somebody else's checkout."""
    root = module.resolve().parents[3]
    return root if (root / ".git").exists() and (root / "src" / "cabochon" / "tools") == module.resolve().parent else None


def commit() -> str:
    """The commit of our own checkout, with `+` if files have changed; without one, CABOCHON_COMMIT or the version."""
    checkout = own_checkout()
    installed = os.environ.get("CABOCHON_COMMIT", f"v{__version__}")
    if checkout is None:
        return installed
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty=+"], cwd=checkout, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return installed
    return described.stdout.strip()


def machine() -> str:
    """The processor, its cores, and the version of Python."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"
