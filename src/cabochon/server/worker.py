"""`cabochon worker`: a process that does the jobs of a cluster. It serves nobody, and may run on a machine of its own."""

import asyncio
import contextlib
import signal
import socket

from ..errors import CabochonError
from .app import quiet
from .gc_tuning import take_over
from .logs import leave_out_repeats, set_up_logs
from .metrics import serve_metrics
from .service import Service
from .settings import Settings, Sources

STOPPING = (signal.SIGTERM, signal.SIGINT)


def work(settings: Settings) -> None:
    """Do jobs until somebody stops it."""
    if not settings.broker:
        raise CabochonError("--broker: a worker belongs to a cluster; a single server thinks by itself")
    service = Service(settings, Sources(), quiet, is_worker=True)
    service.prepare(f"worker on {socket.gethostname()}")
    take_over()
    set_up_logs(settings.log_format)
    leave_out_repeats()
    asyncio.run(_work(service))
    if service.failure is not None:
        raise CabochonError(service.failure)


async def _work(service: Service) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in STOPPING:
        with contextlib.suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, stop.set)
    service.on_failure = stop.set
    await service.start()
    if service.settings.metrics_port:
        serve_metrics(service, service.settings.metrics_host, service.settings.metrics_port)
    print("Working; Ctrl-C stops this worker.", flush=True)
    await stop.wait()
    await service.stop()
