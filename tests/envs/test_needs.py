"""Without the libraries of an extra, a sentence names it."""

import subprocess
import sys

# In a process of its own, where no environment is imported yet. None in the list of modules: as if it were not installed.
IMPORT_ALL = """
import importlib, sys

for module, library in {pairs}:
    sys.modules[library] = None
    try:
        importlib.import_module(f"cabochon.envs.{{module}}")
    except ModuleNotFoundError as error:
        print(error)
    del sys.modules[library]
"""
NEEDED = [
    ("gymnasium", "gymnasium", "envs"),
    ("vector", "gymnasium", "envs"),
    ("splendor_v0", "pettingzoo", "envs"),
    ("openspiel", "pyspiel", "openspiel"),
    ("stable_baselines", "stable_baselines3", "ppo"),
]


def test_a_missing_library_is_named_with_its_extra() -> None:
    code = IMPORT_ALL.format(pairs=[(module, library) for module, library, _ in NEEDED])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [
        f"this needs {library}: pip install 'cabochon-game[{extra}]'" for _, library, extra in NEEDED
    ] == done.stdout.splitlines()
