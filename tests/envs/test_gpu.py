"""Where there is a GPU it brings the numbers of the CPU; elsewhere it says that there is none."""

import pytest

from cabochon import CabochonError
from cabochon.envs.gpu import SplendorGpu

from . import gpu_check


@pytest.mark.parametrize("opponents", ["random", "greedy"])
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("variant", ["marvel", "cities"])
def test_gpu_and_cpu_agree_or_there_is_no_gpu(opponents: str, mode: str, variant: str) -> None:
    if gpu_check.cuda.is_available():
        ends = gpu_check.check(variant, 3, opponents, mode, games=300, steps=60, turn_limit=60)
        assert all(ends.values())
    else:
        with pytest.raises(CabochonError, match="no CUDA GPU was found"):
            SplendorGpu(variant, opponents=opponents, autoreset_mode=mode)
