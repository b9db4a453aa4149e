"""The build of wheels makes what is not in the sources: the browser client, and code that spares a first use most compiling."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

EDITABLE = "editable"


class PackageHook(BuildHookInterface[Any]):
    """Builds the client where it is missing or older than its sources, and the bitcode; or stops with a sentence."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        if version == EDITABLE:  # `make` builds the client of a checkout, which compiles at its first start
            return
        scripts = Path(self.root) / "scripts"
        spec = importlib.util.spec_from_file_location("client", scripts / "client.py")
        if spec is None or spec.loader is None or not (Path(self.root) / "web").exists():
            raise RuntimeError(f"{scripts}: missing; build from a clone or from the source distribution")
        client = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(client)
        if not client.is_current():
            client.run("bundle")
        if subprocess.run([sys.executable, str(scripts / "bitcode.py")], check=False).returncode:
            raise RuntimeError("bitcode: not made; see above. The build needs numba, numpy and safetensors")
