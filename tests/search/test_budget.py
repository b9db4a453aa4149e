"""A budget takes numbers alone."""

from typing import Any

import numpy as np
import pytest

from cabochon import WrongType
from cabochon.search.budget import Budget, require_budget


@pytest.mark.parametrize("limits", [{"nodes": "5"}, {"nodes": 1.5}, {"nodes": True}, {"seconds": "x"}, {"seconds": True}])
def test_what_is_no_number_is_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(WrongType, match=f"the {next(iter(limits))} of a budget are a"):
        Budget(**limits)


def test_numbers_of_numpy_are_numbers() -> None:
    nodes: Any = np.int64(5)
    seconds: Any = np.float32(0.5)
    assert Budget(nodes, seconds) == Budget(5, 0.5)


@pytest.mark.parametrize("budget", [5, 0.5, None])
def test_a_plain_number_is_no_budget(budget: object) -> None:
    with pytest.raises(WrongType, match=r"a budget is written Budget\(nodes=1000\) or"):
        require_budget(budget)
