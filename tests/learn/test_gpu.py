"""Where there is a GPU it sees and searches like the processor; elsewhere it says that there is none, and is simulated."""

import os
import subprocess
import sys

import numba.cuda
import pytest
import torch

from cabochon import CabochonError
from cabochon.learn.device import Device

from . import gpu_check


@pytest.mark.parametrize("variant, players", [("classic", 2), ("marvel", 3), ("marvel", 4), ("cities", 2)])
def test_gpu_and_processor_agree_or_there_is_no_gpu(variant: str, players: int) -> None:
    if torch.cuda.is_available():
        assert gpu_check.check(variant, players) >= gpu_check.ALIKE
    else:
        with pytest.raises(CabochonError, match="no CUDA GPU was found"):
            gpu_check.check(variant, players)


def test_without_numba_cuda_a_gpu_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(numba.cuda, "implementation", "Built-in")
    with pytest.raises(CabochonError, match=r"numba-cuda, which the extra \[gpu\] brings"):
        Device("cuda")


def test_simulated_threads_see_what_the_processor_sees() -> None:
    simulated = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, "-m", "tests.learn.simulated"]
    assert "the same\n" == subprocess.run(command, env=simulated, check=True, capture_output=True, text=True).stdout
