"""Training a net needs torch, which `make test` does not install: `make test-learn` does, and fails where it is missing."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

has_torch = find_spec("torch") is not None
collect_ignore_glob = [] if has_torch else ["test_*.py", "net/test_*.py", "linear/test_gpu.py"]

if has_torch:
    torch: Any = import_module("torch")
    torch.set_num_threads(1)  # the nets are tiny: on a busy machine threads that wait for each other take forty times as long
