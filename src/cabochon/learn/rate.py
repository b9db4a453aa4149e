"""How strong a net is while it learns: matches against fixed levels of the ladder, on the processor, beside the training."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..arena.statistics import rating
from ..bots.ratings import ratings

OPPONENTS = ("greedy", "cutter")
NODES, GAMES = 64, 200  # of every match


class Ratings:
    """Starts a match against each opponent when a net is saved, and reads what came out of the last ones."""

    def __init__(self, workers: int) -> None:
        self.workers, self.seed = workers, 0
        self.running: list[tuple[str, subprocess.Popen[str]]] = []
        self.known: dict[str, Any] = {}

    def begin(self, folder: Path, variant: str) -> None:
        """Rate the net for two in this folder, unless the last one is still being rated."""
        if not self.latest_is_done():
            return
        self.seed += 1
        for opponent in OPPONENTS:
            command = [
                sys.executable, "-m", "cabochon.arena", f"legend@nodes={NODES}", opponent, "--variant", variant, "--json",
                "--games", str(GAMES), "--workers", str(self.workers), "--seed", str(self.seed),
            ]  # fmt: skip
            nets = {**os.environ, "CABOCHON_NETS": str(folder)}
            process = subprocess.Popen(command, env=nets, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            self.running.append((opponent, process))

    def latest_is_done(self) -> bool:
        """Whether no match is being played."""
        return all(process.poll() is not None for _, process in self.running)

    def latest(self) -> dict[str, Any]:
        """The shares and ratings known so far."""
        if self.running and self.latest_is_done():
            self.known = {}  # one that wins every game has no rating: the last one must not stay
            for opponent, process in self.running:
                self.known |= self._read(opponent, process)
            self.running = []
        return self.known

    def _read(self, opponent: str, process: "subprocess.Popen[str]") -> dict[str, Any]:
        text, _ = process.communicate()
        if process.returncode != 0:
            return {}
        share = next(one["share"] for one in json.loads(text)["standings"] if one["entrant"] != opponent)
        difference = rating(share)
        known: dict[str, Any] = {f"share_{opponent}": round(share, 3)}
        if difference is not None and opponent in ratings():
            known[f"rating_by_{opponent}"] = round(ratings()[opponent].rating + difference)
        return known
