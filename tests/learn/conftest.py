"""Training needs torch, which `make test` does not install: `make test-learn` does, and fails where it is missing."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["test_*.py"]
