"""Who takes part: a bot by name, or a foreign program by its command, with a thinking allowance."""

from dataclasses import dataclass, replace

from ..bots import BOTS, Bot, Budget, bot
from ..bots.external import ForeignBot
from ..bots.levels import Level
from ..errors import CabochonError
from ..search.mcts import BY_NET

COMMAND, NETS = "cmd:", "nets="
OWN_BUDGET = Budget()
UNTHINKING = ("random", "greedy")  # they take no allowance, so none is part of what they are called


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot and its allowance; without one the bot uses its own. `nets` is a folder of other nets for a level that uses one."""

    bot: str
    budget: Budget = OWN_BUDGET
    nets: str = ""

    def __str__(self) -> str:
        settings = [f"{NETS}{self.nets}"] if self.nets else []
        if self.budget != OWN_BUDGET:
            settings.append(format_budget(self.budget))
        return "@".join([self.bot, ",".join(settings)]) if settings else self.bot

    def start(self) -> Bot:
        """The bot itself; a foreign program is started."""
        if not self.bot.startswith(COMMAND):
            return _with_nets(bot(self.bot), self.nets) if self.nets else bot(self.bot)
        program = ForeignBot(self.bot.removeprefix(COMMAND))
        program.start()
        return program


def _with_nets(player: Bot, folder: str) -> Bot:
    """The same level with the nets of another folder, so that two nets can meet."""
    if not isinstance(player, Level) or player.config.method != BY_NET:
        raise CabochonError(f"{player.name} uses no net: {NETS}{folder} is for levels that do")
    return replace(player, nets=folder)


def parse_entrant(text: str, otherwise: Budget = OWN_BUDGET) -> Entrant:
    """An entrant as it is written; `otherwise` is the budget of one that says none.

    `master`, `master@nodes=1000`, `master@seconds=0.1`, `legend@nets=FOLDER,seconds=0.1`, `cmd:python3 mybot.py`.
    """
    name, at, said = text.rpartition("@")
    if not at or "=" not in said:
        name, said = text, ""
    if not name.startswith(COMMAND):
        bot(name)
    elif not name.removeprefix(COMMAND).strip():
        raise CabochonError(f"{text!r}: {COMMAND} needs a command")
    if name in UNTHINKING:
        return Entrant(name)
    nets, allowance = _split_settings(said)
    entrant = Entrant(name, parse_budget(allowance) if allowance else otherwise, nets)
    if nets:
        entrant.start()  # says at once if this bot uses no net
    return entrant


def _split_settings(text: str) -> tuple[str, str]:
    """The folder of nets and the rest, which is a budget."""
    parts = text.split(",") if text else []
    nets = [part.removeprefix(NETS) for part in parts if part.startswith(NETS)]
    return (nets[-1] if nets else ""), ",".join(part for part in parts if not part.startswith(NETS))


def usual_name(text: str) -> str:
    """`master@seconds=1` is plain `master`: so long it looks if nothing is said."""
    name, _, said = text.rpartition("@")
    usual: Budget | None = getattr(BOTS.get(name), "usual", None)
    return name if usual and NETS not in said and parse_budget(said) == usual else text


def format_budget(budget: Budget) -> str:
    """As it is said: `nodes=1000`, `seconds=0.1`, or both with a comma."""
    limits = {"nodes": budget.nodes, "seconds": budget.seconds}
    return ",".join(f"{name}={value:g}" if name == "seconds" else f"{name}={value}" for name, value in limits.items() if value)


def parse_budget(text: str) -> Budget:
    """The allowance this text says."""
    said = dict(part.partition("=")[::2] for part in text.split(","))
    if not said.keys() <= {"nodes", "seconds"}:
        raise CabochonError(f"{text!r} is not a budget like nodes=1000 or seconds=0.1")
    return checked_budget(said.get("nodes"), said.get("seconds"))


def checked_budget(nodes: str | int | None, seconds: str | float | None) -> Budget:
    """A budget of whole nodes and of seconds, each more than none."""
    try:
        budget = Budget(None if nodes is None else int(nodes), None if seconds is None else float(seconds))
    except ValueError:
        raise CabochonError(f"a budget is a whole number of nodes and a number of seconds, not {nodes or seconds}") from None
    if not all(limit is None or 0 < limit < 1e12 for limit in (budget.nodes, budget.seconds)):
        raise CabochonError("a budget is more than none: nodes=1000, seconds=0.1")
    return budget
