"""What whoever runs a server can see of it: metrics, logs in JSON, probes."""

import logging
from pathlib import Path

import httpx
import orjson
import pytest

from cabochon import CabochonError
from cabochon.server.app import create_app
from cabochon.server.logs import JsonLines, doing, set_up_logs
from cabochon.server.metrics import LOGGERS, Collector, Waits, serve_metrics
from tests.server.process import free_port
from tests.support.serving import TestClient, house, settings, two_players


def test_metrics_are_the_numbers_that_the_server_keeps(tmp_path: Path) -> None:
    with house(tmp_path) as here, two_players(here) as (_, anna, ben):
        anna.play("take wug")
        ben.play("take wug")
        collector = Collector(here.service)
        logging.getLogger("cabochon.server").warning("something")
        found = {sample.name: sample.value for metric in collector.collect() for sample in metric.samples if not sample.labels}
        assert (2, 2, 1, 1) == tuple(found[f"cabochon_{name}"] for name in ("entries_total", "sockets", "tables", "ready"))
        assert found["cabochon_store_seconds_count"] >= 4 and found["cabochon_store_seconds_sum"] > 0
        labelled = [sample for metric in collector.collect() for sample in metric.samples if sample.labels.get("level")]
        assert ("warning", 1) == (labelled[0].labels["level"], labelled[0].value)
        for name in LOGGERS:
            logging.getLogger(name).removeHandler(collector.troubles)


def test_metrics_are_served_from_the_start_on(tmp_path: Path) -> None:
    app, port = create_app(settings(tmp_path)), free_port()
    serving = serve_metrics(app.state.service, "127.0.0.1", port)
    with pytest.raises(CabochonError, match=f"--metrics-port {port}: Address already in use"):
        serve_metrics(app.state.service, "127.0.0.1", port)

    def read() -> list[str]:
        return httpx.get(f"http://127.0.0.1:{port}/metrics").text.splitlines()

    try:
        assert "cabochon_ready 0.0" in read()
        with TestClient(app):
            lines = read()
            assert {"cabochon_ready 1.0", "cabochon_entries_total 0.0"} <= set(lines)
            assert any(line.startswith("process_resident_memory_bytes ") for line in lines)
    finally:
        serving.shutdown()
        serving.server_close()


def test_waiting_times_are_counted_by_their_bounds() -> None:
    waits = Waits()
    for seconds in (0.001, 0.004, 0.005, 60.0):
        waits.add(seconds)
    counted = dict(waits.cumulative())
    assert (1, 3, 3, 4) == (counted["0.002"], counted["0.005"], counted["5.0"], counted["+Inf"])


def test_a_line_of_the_log_names_the_table_and_the_request() -> None:
    record = logging.LogRecord("cabochon.server", logging.WARNING, "", 0, "table %s: a bot could not move", ("abc",), None)
    token = doing.set({"request": 7, "table": "abc", "asked": 3})
    line = orjson.loads(JsonLines().format(record))
    doing.reset(token)
    assert ("table abc: a bot could not move", "warning") == (line["message"], line["level"])
    assert (7, "abc", 3) == (line["request"], line["table"], line["asked"])
    with pytest.raises(CabochonError, match="neither text nor json"):
        set_up_logs("xml")


def test_probes_tell_a_server_that_runs_from_one_that_serves(tmp_path: Path) -> None:
    with house(tmp_path) as here:
        assert [200, 200] == [here.client.get(f"/api/{probe}").status_code for probe in ("live", "ready")]
        here.service.is_draining = True
        assert [200, 503] == [here.client.get(f"/api/{probe}").status_code for probe in ("live", "ready")]
        assert "stopping" == here.client.get("/api/ready").json()["status"]
