"""Nodes of a cluster count together what a guest does at each of them."""

from orjson import dumps

from cabochon.server.rate_limit import Buckets
from cabochon.server.shared_limits import SharedLimits

NOW = 1000.0


def test_what_one_node_lets_pass_counts_at_the_other() -> None:
    here, there = Buckets(0.001, 10), Buckets(0.001, 10)
    one, other = SharedLimits("one"), SharedLimits("other")
    one.add(reads=here)
    other.add(reads=there)
    assert one.spent() is None
    assert all(here.take("anna", NOW) for _ in range(6)) and here.take("ben", NOW, 2)
    told = dumps(one.spent())
    assert one.spent() is None, "it is told once"
    one.hear(told)  # its own words change nothing
    assert here.take("anna", NOW, 4) and not here.take("anna", NOW)
    other.hear(told)
    other.hear(b"no JSON")
    assert there.take("anna", NOW, 4) and not there.take("anna", NOW)
    assert there.take("ben", NOW, 8) and not there.take("ben", NOW)


def test_a_single_server_remembers_nothing_for_others() -> None:
    buckets = Buckets(1, 10)
    assert buckets.take("anna", NOW) and buckets.taken is None
