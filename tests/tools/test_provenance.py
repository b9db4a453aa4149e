"""Where figures come from."""

import subprocess
from typing import Any

import pytest

from cabochon.tools import provenance
from cabochon.version import __version__


def test_without_a_checkout_the_environment_says_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_git(*_arguments: Any, **_settings: Any) -> Any:
        raise FileNotFoundError("git")

    monkeypatch.setattr(subprocess, "run", no_git)
    monkeypatch.delenv("CABOCHON_COMMIT", raising=False)
    assert f"v{__version__}" == provenance.commit()
    monkeypatch.setenv("CABOCHON_COMMIT", "1234567")
    assert "1234567" == provenance.commit()


def test_the_machine_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 5)
    assert ", 5 cores, Python 3." in provenance.machine()
