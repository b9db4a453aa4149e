"""What Prometheus may read of a server, on a port of its own: moves, waiting times, sockets, jobs, troubles, memory.

Nothing is counted here: at each visit the numbers that the server keeps anyway are read. (Needs prometheus-client.)
"""

import logging
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import CabochonError
from ..version import __version__

if TYPE_CHECKING:
    from wsgiref.simple_server import WSGIServer

    from .service import Service

BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
LOGGERS = ("cabochon.server", "uvicorn.error")
READY = "1 if requests are served"


class Waits:
    """A histogram of waiting times."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """One more."""
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.total += seconds

    def cumulative(self) -> list[tuple[str, float]]:
        """As Prometheus counts: how many took no longer than each bound."""
        found, so_far = [], 0
        for bound, count in zip([*map(str, BUCKETS), "+Inf"], self.counts, strict=True):
            so_far += count
            found.append((bound, float(so_far)))
        return found


class Troubles(logging.Handler):
    """Counts what is told to the log."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.counts: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        """One more."""
        self.counts[record.levelname.lower()] += 1


class Collector:
    """Reads a server's own numbers."""

    def __init__(self, service: "Service") -> None:
        self.service = service
        self.troubles = Troubles()
        for name in LOGGERS:
            logging.getLogger(name).addHandler(self.troubles)

    def collect(self) -> Iterator[Any]:
        """All metrics, at one visit."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, InfoMetricFamily

        service = self.service
        yield InfoMetricFamily("cabochon", "the version", {"version": __version__})
        if not service.is_started:
            yield GaugeMetricFamily("cabochon_ready", READY, 0)
            return
        bots, writer = service.bots, service.writer
        counters = {
            "entries": ("lines of the log that were stored", writer.stored),
            "commits": ("transactions", writer.commits),
            "conflicts": ("changes that another node came before", writer.conflicts),
            "bot_restarts": ("processes that think which had to be started again", bots.restarts),
            "bot_replaced": ("moves that a simple bot made in place of another", bots.replaced),
        }
        gauges = {
            "tables": ("tables in memory", len(service.rooms)),
            "sockets": ("open sockets", service.socket_count),
            "ready": (READY, int(service.is_ready)),
            "bot_workers": ("processes that think", len(bots.workers)),
            "bot_free": ("those of them with nothing to do", bots.ready),
            "bot_waiting": ("moves and hints that wait for one", bots.health()["waiting"]),
        }
        if service.cluster:
            jobs, broker = service.cluster.jobs, service.cluster.broker
            counters["jobs_asked"] = "jobs that were asked for here", jobs.asked
            counters["jobs_done"] = "jobs that were done here", jobs.done
            counters["jobs_failed"] = "jobs that could not be done", jobs.failed
            counters["broker_sent"] = "messages to other nodes", broker.sent
            counters["broker_received"] = "messages from other nodes", broker.received
            gauges["broker_up"] = "1 if the broker is there", int(broker.is_up)
            gauges["nodes"] = "nodes and workers that run", len(service.cluster.live)
        for name, (words, value) in counters.items():
            yield CounterMetricFamily(f"cabochon_{name}", words, value)
        for name, (words, value) in gauges.items():
            yield GaugeMetricFamily(f"cabochon_{name}", words, value)
        yield HistogramMetricFamily(
            "cabochon_store_seconds", "from a change to its commit", service.waits.cumulative(), service.waits.total
        )
        troubles = CounterMetricFamily("cabochon_troubles", "warnings and errors told to the log", labels=["level"])
        for level, count in self.troubles.counts.items():
            troubles.add_metric([level], count)
        yield troubles


def serve_metrics(service: "Service", host: str, port: int) -> "WSGIServer":
    """Answer Prometheus in a thread, from now on: also while the server starts."""
    try:
        from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
    except ImportError as error:
        raise CabochonError("--metrics-port: prometheus-client is missing (pip install 'cabochon-game[cluster]')") from error
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(Collector(service))
    try:
        serving, _thread = start_http_server(port, host, registry=registry)
    except OSError as error:
        raise CabochonError(f"--metrics-port {port}: {error.strerror or error}") from error
    return serving
