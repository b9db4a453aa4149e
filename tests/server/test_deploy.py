"""The files in deploy/ say what the server understands: settings, commands, probes and metrics that are there."""

import configparser
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from cabochon.cli import app as cabochon
from cabochon.server.metrics import Collector
from cabochon.server.middleware import PROBES
from cabochon.server.rate_limit import UPLOADS
from cabochon.server.settings import ENVIRONMENT_PREFIX, Settings
from tests.support.serving import house

DEPLOY = Path(__file__).parent.parent.parent / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())


def understood(command: list[str], settings: dict[str, Any]) -> str:
    """The subcommand, if its options and settings are ours."""
    known = get_command(cabochon).commands  # type: ignore[attr-defined]
    known[command[0]].make_context(command[0], command[1:], resilient_parsing=False)
    ours = {name: str(value) for name, value in settings.items() if name.startswith(ENVIRONMENT_PREFIX)}
    fields = {f"{ENVIRONMENT_PREFIX}{name.upper()}" for name in Settings.__slots__}
    assert ours.keys() <= fields
    Settings.from_environment(ours)
    return command[0]


def test_the_compose_file_starts_two_nodes_and_two_workers() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    ours = [part for part in services.values() if part.get("image") == "cabochon"]
    assert ["play", "play", "worker", "worker"] == sorted(understood(part["command"][1:], part["environment"]) for part in ours)
    assert {"cabochon"} == {part["command"][0] for part in ours}
    assert {"caddy", "postgres", "valkey"} < services.keys()
    probe = re.search(r"http://127.0.0.1:8765(/api/\w+)", str(services["node1"]["healthcheck"]))
    upstream = re.search(r"health_uri (\S+)", (DEPLOY / "Caddyfile").read_text())
    assert probe and upstream and {"/api/ready"} == {probe[1], upstream[1]} <= set(PROBES)


def test_the_image_starts_what_there_is() -> None:
    image = (DEPLOY.parent / "Dockerfile").read_text()
    commands = [json.loads(command) for command in re.findall(r"^CMD (.*)", image, re.MULTILINE)]
    assert ["cabochon"] == [command[0] for command in commands]
    assert "play" == understood(commands[0][1:], dict(re.findall(r"(CABOCHON_\w+)=(\S+)", image)))
    probe = re.search(r"http://127.0.0.1:8765(/api/\w+)", image)
    assert probe and probe[1] in PROBES and "8765" in commands[0]


@pytest.mark.parametrize("name", ["compose.yaml", "compose-small.yaml"])
def test_a_compose_file_names_what_there_is(name: str) -> None:
    compose = yaml.safe_load((DEPLOY / name).read_text())
    services = compose["services"]
    for part in services.values():
        assert {"image", "build"} & part.keys() and set(part.get("depends_on", ())) <= services.keys()
        for mounted in part.get("volumes", ()):
            source = mounted.split(":")[0]
            assert (DEPLOY / source).exists() if source.startswith(".") else source in compose["volumes"]
        probe = part.get("healthcheck", {"disable": True})
        assert probe.get("disable") or ("CMD" == probe["test"][0] and all(isinstance(word, str) for word in probe["test"]))
        waited_for = part["depends_on"].items() if isinstance(part.get("depends_on"), dict) else ()
        assert all("test" in services[other]["healthcheck"] for other, how in waited_for if how["condition"] == "service_healthy")


def test_proxies_let_through_what_the_server_accepts() -> None:
    texts = {name: (DEPLOY.parent / name).read_text() for name in ("deploy/Caddyfile", "docs/hosting.md")}
    found = [re.search(r"max_size (\d+)MB", text) for text in texts.values()]
    found.append(re.search(r"client_max_body_size (\d+)m;", texts["docs/hosting.md"]))
    assert all(limit is not None and int(limit[1]) * 1_000_000 >= max(UPLOADS.values()) for limit in found)


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_starts_what_there_is(path: Path) -> None:
    unit = configparser.RawConfigParser(strict=False, dict_type=dict)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read_string(path.read_text())
    program, *command = shlex.split(unit["Service"]["ExecStart"].replace("%i", "8765"))
    said = dict(
        line.removeprefix("Environment=").split("=", 1)
        for line in path.read_text().splitlines()
        if line.startswith("Environment=")
    )
    assert "/srv/cabochon/.venv/bin/cabochon" == program and understood(command, said) in path.name.replace("node", "play")


def test_the_dashboard_shows_metrics_that_there_are(tmp_path: Path) -> None:
    expressions = [
        target["expr"] for panel in json.loads((DEPLOY / "dashboard.json").read_text())["panels"] for target in panel["targets"]
    ]
    wanted = set(re.findall(r"cabochon_\w+", " ".join(expressions)))
    of_a_cluster = {name for name in wanted if re.search("jobs|broker|nodes", name)}
    with house(tmp_path) as here:
        found = {sample.name for metric in Collector(here.service).collect() for sample in metric.samples} | {
            "cabochon_troubles_total"
        }
    assert wanted - of_a_cluster <= found
