"""The entrants of a match: a bot by name, a program by its command, or an object, with a budget."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..bots import BOTS, AnyBot, Bot, Budget, bot
from ..bots.external import ExternalBot
from ..bots.levels import Level
from ..bots.registry import as_bot, name_of
from ..errors import CabochonError, WrongType, quoted
from ..search.mcts import BY_NET, SearchConfig

COMMAND, NETS = "cmd:", "nets="
SEARCH_SETTINGS = frozenset(SearchConfig._fields) - {"method"}
OWN_BUDGET = Budget()  # no limit: the bot takes its default
MAX_LIMIT = 1e12  # of nodes or seconds: also refuses infinity and NaN


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot and its budget; without one the bot uses its own.

    `nets` is a folder of other nets, for a level that uses a net. `search` has other constants of the search, by the names of
    `SearchConfig`, so that an experiment can play against what is. `player` is a bot that is an object; `bot` is then its name
    in this match, by which entrants are told apart.
    """

    bot: str
    budget: Budget = OWN_BUDGET
    nets: str = ""
    search: tuple[tuple[str, float], ...] = ()
    player: Bot | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        settings = [f"{NETS}{self.nets}"] if self.nets else []
        settings += [f"{name}={value:g}" for name, value in self.search]
        if self.budget != OWN_BUDGET:
            settings.append(format_budget(self.budget))
        return "@".join([self.bot, ",".join(settings)]) if settings else self.bot

    def start(self) -> Bot:
        """The bot; if it is a program, it is started."""
        if self.player is not None:
            return self.player
        if not self.bot.startswith(COMMAND):
            found = _with_nets(bot(self.bot), self.nets) if self.nets else bot(self.bot)
            return _with_search(found, dict(self.search)) if self.search else found
        program = ExternalBot(self.bot.removeprefix(COMMAND))
        program.start()
        return program


def _with_nets(player: Bot, folder: str) -> Bot:
    """The same level with the nets of another folder, so that two nets can meet."""
    if not isinstance(player, Level) or player.config.method != BY_NET:
        raise CabochonError(f"{player.name} uses no net: {NETS}{folder} is for levels that do")
    return replace(player, nets=folder)


def _with_search(player: Bot, changes: dict[str, float]) -> Bot:
    """The same level with other constants of the search, each of the type that its field has."""
    if not isinstance(player, Level):
        raise CabochonError(f"{player.name} is no level of the search: {', '.join(changes)} cannot be set")
    typed = {name: type(SearchConfig._field_defaults[name])(value) for name, value in changes.items()}
    return replace(player, config=player.config._replace(**typed))


def parse_entrant(text: str, default: Budget = OWN_BUDGET) -> Entrant:
    """An entrant from its text; `default` is the budget if the text has none.

    `master`, `master@nodes=1000`, `master@seconds=0.1`, `legend@nets=FOLDER,seconds=0.1`, `legend@c_puct=0.5`,
    `cmd:python3 mybot.py`.
    """
    name, at, settings = text.rpartition("@")
    if not at or "=" not in settings:  # an @ may also be part of a command
        name, settings = text, ""
    if not name.startswith(COMMAND):
        bot(name)
    elif not name.removeprefix(COMMAND).strip():
        raise CabochonError(f"{text!r}: {COMMAND} needs a command")
    nets, search, budget = _split_settings(settings)
    entrant = Entrant(name, parse_budget(budget) if budget else default, nets, search)
    if name in BOTS and BOTS[name].default_budget is None:
        entrant = replace(entrant, budget=OWN_BUDGET)  # a budget has no effect, so it is not part of the name
    if search and name.startswith(COMMAND):
        raise CabochonError(f"{name} is no level of the search: {', '.join(dict(search))} cannot be set")
    if nets or search:
        entrant.start()  # raises now if this bot uses no net, or does not search
    return entrant


def entrants_of(bots: Sequence[str | AnyBot | Entrant], default: Budget = OWN_BUDGET) -> tuple[Entrant, ...]:
    """Entrants from texts and from objects. Two objects of one name are told apart by a number; one object twice is one."""
    if isinstance(bots, str) or not isinstance(bots, Sequence):
        raise WrongType(f"the bots of a match are a list, one for each seat, not {quoted(bots)}")
    found: list[Entrant] = []
    for player in bots:
        if isinstance(player, Entrant):
            found.append(player)
        elif isinstance(player, str):
            found.append(parse_entrant(player, default))
        else:
            found.append(_object_entrant(player, default, found, bots))
    return tuple(found)


def _object_entrant(player: AnyBot, budget: Budget, others: list[Entrant], bots: Sequence[object]) -> Entrant:
    for other, given in zip(others, bots, strict=False):
        if given is player:
            return other
    named = {parse_entrant(given).bot for given in bots if isinstance(given, str)}  # also those that come after it
    name, taken = name_of(player), named | {other.bot for other in others}
    name = next(text for text in (name, *(f"{name}-{i}" for i in range(2, len(bots) + 2))) if text not in taken)
    adapted = as_bot(name, player)
    return Entrant(name, OWN_BUDGET if adapted.default_budget is None else budget, player=adapted)


def _split_settings(text: str) -> tuple[str, tuple[tuple[str, float], ...], str]:
    """The folder of nets, constants of the search, and the rest, which is a budget."""
    parts = text.split(",") if text else []
    nets = [part.removeprefix(NETS) for part in parts if part.startswith(NETS)]
    named = [part for part in parts if part.partition("=")[0] in SEARCH_SETTINGS]
    search = tuple((part.partition("=")[0], _number(part)) for part in named)
    budget = ",".join(part for part in parts if not part.startswith(NETS) and part not in named)
    return (nets[-1] if nets else ""), search, budget


def _number(setting: str) -> float:
    """The value of NAME=VALUE."""
    try:
        return float(setting.partition("=")[2])
    except ValueError:
        raise CabochonError(f"{setting!r}: the value is a number") from None


def plain_name(text: str) -> str:
    """The name without a budget that is the bot's own: `master@seconds=1` is `master`."""
    name, _, settings = text.rpartition("@")
    if name not in BOTS or NETS in settings or any(f"{setting}=" in settings for setting in SEARCH_SETTINGS):
        return text
    return name if parse_budget(settings) == BOTS[name].default_budget else text


def format_budget(budget: Budget) -> str:
    """The text of a budget: `nodes=1000`, `seconds=0.1`, or both with a comma."""
    limits = {"nodes": budget.nodes, "seconds": budget.seconds}
    return ",".join(f"{name}={value:g}" if name == "seconds" else f"{name}={value}" for name, value in limits.items() if value)


def parse_budget(text: str) -> Budget:
    limits = dict(part.partition("=")[::2] for part in text.split(","))
    if not limits.keys() <= {"nodes", "seconds"}:
        raise CabochonError(f"{text!r} is not a budget like nodes=1000 or seconds=0.1")
    return checked_budget(limits.get("nodes"), limits.get("seconds"))


def checked_budget(nodes: str | int | None, seconds: str | float | None) -> Budget:
    """A budget whose limits are above 0."""
    try:
        budget = Budget(None if nodes is None else int(nodes), None if seconds is None else float(seconds))
    except ValueError:
        raise CabochonError(f"a budget is a whole number of nodes and a number of seconds, not {nodes or seconds}") from None
    if not all(limit is None or 0 < limit < MAX_LIMIT for limit in (budget.nodes, budget.seconds)):
        raise CabochonError("a budget must be above 0: nodes=1000, seconds=0.1")
    return budget
