"""Training a net needs torch, which `make test` does not install: `make test-learn` does, and fails where it is missing."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

has_torch = find_spec("torch") is not None
needs_torch = ["test_calibrate.py", "test_gpu.py", "test_plots.py", "test_ppo.py", "net/test_*.py", "linear/test_gpu.py"]
collect_ignore_glob = [] if has_torch else needs_torch

if has_torch:
    torch: Any = import_module("torch")
    torch.set_num_threads(1)  # the nets are tiny: on a busy machine threads that wait for each other take forty times as long
