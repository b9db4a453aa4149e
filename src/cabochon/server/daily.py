"""The deal of the day, and duels: who may play a shared deal, and how everybody did."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from orjson import dumps, loads

from ..rules.deal import ANY_START
from .commitment import commitment_3
from .errors import Refused
from .messages import TableOptions
from .repository import NUL, seats, tables
from .room import Room
from .service import Service
from .shared_deals import DUEL, SharedDeal, bots_of_day, deal_of_day, exact_bots
from .table import Table
from .tries import add_duel, duels, tries

MAX_DAYS_BACK = 30
MAX_RANKED = 20
MAX_TRIES_READ = 10_000
DUEL_SIDES = 2
RANKS = {"won": 3, "shared": 2, "lost": 1, "resigned": 0}
Score = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Try:
    """A try that counts, as it is stored: its player, table and, once it is over, its score."""

    user: str
    table: str
    name: str
    score: Score | None

    def own_out(self) -> dict[str, Any]:
        """An OwnTryOut."""
        return {"table": self.table, "score": self.score}


def score_out(result: dict[str, Any], seat: int = 0) -> Score:
    """A ScoreOut of a game's result, for one of its seats."""
    points, winners = result["points"], result["winners"]
    best = max(points[:seat] + points[seat + 1 :])
    if seat in winners:
        ended = "shared" if len(winners) > 1 else "won"
    else:
        ended = "resigned" if result["reason"] == "resigned" else "lost"
    return {"result": ended, "points": points[seat], "best": best, "rounds": result.get("rounds")}


def rank_of(score: Score) -> tuple[int, int, int]:
    """What is better: to win, then the greater lead over the best bot, then fewer rounds."""
    return RANKS[score["result"]], score["points"] - score["best"], -(score["rounds"] or 0)


class SharedGames:
    """What the service does for tables that share a deal."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.opening = asyncio.Lock()  # between looking for a try and storing one

    # the deal of the day

    def today(self) -> date:
        """The day it is in UTC, so that it is the same on every server."""
        return datetime.fromtimestamp(self.service.sources.clock(), UTC).date()

    def _checked_day(self, text: str | None) -> date:
        today = self.today()
        try:
            day = today if text is None else date.fromisoformat(text)
        except ValueError:
            day = date.max
        if not today - timedelta(days=MAX_DAYS_BACK) <= day <= today:
            raise Refused("nothing_there", path=f"/daily?date={text}")
        return day

    async def day(self, variant: str, text: str | None, user: str | None) -> dict[str, Any]:
        """A DayOut."""
        day = self._checked_day(text)
        deal, options = deal_of_day(day, variant), day_options(day, variant)
        found = await asyncio.to_thread(self.tries_of, deal.name, variant)
        own = next((one for one in found if one.user == user), None)
        is_today = day == self.today()
        is_shown = not is_today or (own is not None and own.score is not None)
        return {
            "variant": variant,
            "date": day.isoformat(),
            "today": is_today,
            "next": self._seconds_left(),
            "previous": (day - timedelta(days=1)).isoformat(),
            "players": options.players,
            "bots": options.bots,
            "commitment": commitment_3(deal.name, variant, options.players, ANY_START, deal.secret),
            "own": own and own.own_out(),
            "results": results_out(found, user) if is_shown else None,
        }

    def _seconds_left(self) -> float:
        tomorrow = datetime.combine(self.today() + timedelta(days=1), datetime.min.time(), UTC)
        return max(0.0, tomorrow.timestamp() - self.service.sources.clock())

    async def begin_day(self, variant: str, text: str | None, practice: bool, user: str, address: str) -> Room:
        """A table with the deal of a day: the first try counts, if it is today's."""
        day = self._checked_day(text)
        name, at = await self.service.name_of(user), self.service.sources.clock()
        async with self.opening:
            own = await self._own_try(deal_of_day(day, variant), user)
            is_past = day != self.today()
            if own is not None and not practice:
                raise Refused("tried")
            if practice and not is_past and (own is None or own.score is None):
                raise Refused("tried")
            counts = not practice and not is_past
            deal = deal_of_day(day, variant, user if counts else None, at)
            return await self.service.open_shared(day_options(day, variant, counts=counts), user, name, address, deal)

    async def _own_try(self, deal: SharedDeal, user: str) -> Try | None:
        found = await asyncio.to_thread(self.tries_of, deal.name, deal.variant, user)
        return found[0] if found else None

    def tries_of(self, deal: str, variant: str, user: str | None = None) -> list[Try]:
        """The tries of a deal that count, the oldest first; or those of one guest."""
        query = (
            sa.select(tries.c.user_id, tries.c.table_id, seats.c.name, tables.c.status, tables.c.result)
            .join(tables, tables.c.id == tries.c.table_id)
            .join(seats, (seats.c.table_id == tries.c.table_id) & (seats.c.seat == 0))
            .where(tries.c.deal == deal, tries.c.variant == variant)
        )
        if user is not None:
            query = query.where(tries.c.user_id == user)
        with self.service.repository.reading() as connection:
            rows = connection.execute(query.order_by(tries.c.at).limit(MAX_TRIES_READ)).all()
        return [_read_try(*row) for row in rows]

    # duels

    async def make_duel(self, variant: str, bots: Sequence[str], user: str, address: str) -> str:
        """A new duel: its deal is fixed now, before anybody has seen it."""
        exact = exact_bots()
        for bot in bots:
            if bot not in exact:
                raise Refused("unknown_bot", bot=bot, known=", ".join(exact))
        self.service.charge_table(address)
        sources = self.service.sources
        values = {"id": sources.table_id(), "variant": variant, "bots": dumps(list(bots)).decode(), "secret": sources.secret()}
        await self.service.store_at_once(*add_duel(**values, creator=user, created=sources.clock()))
        return str(values["id"])

    async def duel(self, duel_id: str, user: str | None) -> dict[str, Any]:
        """A DuelOut: nobody sees how the other did before the own game is over."""
        row, found = await asyncio.to_thread(self._duel, duel_id)
        own = next((one for one in found if one.user == user), None)
        is_done = own is not None and own.score is not None
        players = _sides(row["creator"], found)
        sides: list[dict[str, Any]] = [
            {
                "name": one.name if one else await self.service.name_of(row["creator"]) if place == 0 else "",
                "you": user is not None and (one.user == user if one else place == 0 and row["creator"] == user),
                "status": "waiting" if one is None else "running" if one.score is None else "finished",
                "score": one.score if one and is_done else None,
                "table": one.table if one and own is not None and _both_over(found) else None,
            }
            for place, one in enumerate(players)
        ]
        options, deal = duel_options(row), _duel_deal(row)
        return {
            "id": duel_id,
            "variant": row["variant"],
            "players": options.players,
            "bots": options.bots,
            "commitment": commitment_3(deal.name, deal.variant, options.players, ANY_START, deal.secret),
            "sides": sides,
            "own": own and own.own_out(),
            "may_play": own is None and _has_place(row["creator"], found, user),
            "better": better_side([side["score"] for side in sides]),
        }

    async def begin_duel(self, duel_id: str, user: str, address: str) -> Room:
        """The own table of a duel."""
        name = await self.service.name_of(user)
        async with self.opening:
            row, found = await asyncio.to_thread(self._duel, duel_id)
            if any(one.user == user for one in found):
                raise Refused("tried")
            if not _has_place(row["creator"], found, user):
                raise Refused("duel_full")
            deal = _duel_deal(row, user, self.service.sources.clock())
            return await self.service.open_shared(duel_options(row), user, name, address, deal)

    def _duel(self, duel_id: str) -> tuple[Any, list[Try]]:
        if NUL in duel_id:
            raise Refused("nothing_there", path=f"/duel/{duel_id}")
        with self.service.repository.reading() as connection:
            row = connection.execute(sa.select(duels).where(duels.c.id == duel_id)).mappings().first()
        if row is None:
            raise Refused("nothing_there", path=f"/duel/{duel_id}")
        return row, self.tries_of(f"{DUEL}{duel_id}", row["variant"])


def _read_try(user: str, table: str, name: str, status: str, result: str | None) -> Try:
    is_over = status == "finished" and result is not None
    return Try(user, table, name, score_out(loads(result)) if is_over and result else None)


async def may_see(service: Service, table: Table, user: str | None) -> bool:
    """Whether a user may see a game. That of the other in a duel may be seen when both are over."""
    deal = table.origin.shared
    if table.may_watch(user):
        return True
    if user is None or table.status != "finished" or deal is None or not deal.startswith(DUEL):
        return False
    found = await asyncio.to_thread(SharedGames(service).tries_of, deal, table.options.variant)
    return _both_over(found) and any(one.user == user for one in found)


def _both_over(found: Sequence[Try]) -> bool:
    return len(found) == DUEL_SIDES and all(one.score is not None for one in found)


def day_options(day: date, variant: str, *, counts: bool = False) -> TableOptions:
    """The table of a day. Nothing is taken back in a try that counts."""
    bots = list(bots_of_day(day))
    return TableOptions(variant=variant, players=len(bots) + 1, bots=bots, takeback="never" if counts else "free", watch="link")


def results_out(found: Sequence[Try], user: str | None) -> dict[str, Any]:
    """A ResultsOut."""
    ended = [(one, one.score) for one in found if one.score is not None]
    ended.sort(key=lambda pair: rank_of(pair[1]), reverse=True)
    ranked, place, last = [], 0, None
    for number, (one, score) in enumerate(ended, 1):
        if rank_of(score) != last:
            place, last = number, rank_of(score)
        if number <= MAX_RANKED or one.user == user:
            ranked.append({"place": place, "name": one.name, "you": one.user == user, "score": score})
    bars = Counter((score["points"], RANKS[score["result"]] > RANKS["lost"]) for _, score in ended)
    reached = sorted({points for points, _ in bars})
    return {
        "finished": len(ended),
        "won": sum(RANKS[score["result"]] > RANKS["lost"] for _, score in ended),
        "best": ranked,
        "bars": [{"points": points, "won": bars[points, True], "lost": bars[points, False]} for points in reached],
    }


def duel_options(row: Any) -> TableOptions:
    """The table of a duel: nobody watches it, also not the other."""
    bots = loads(row["bots"])
    return TableOptions(variant=row["variant"], players=len(bots) + 1, bots=bots, takeback="never", watch="nobody")


def _duel_deal(row: Any, user: str | None = None, at: float = 0.0) -> SharedDeal:
    return SharedDeal(f"{DUEL}{row['id']}", row["variant"], row["secret"], user, at)


def _sides(creator: str, found: Sequence[Try]) -> list[Try | None]:
    """Whoever made the duel, then the other."""
    first = next((one for one in found if one.user == creator), None)
    return [first, next((one for one in found if one.user != creator), None)]


def _has_place(creator: str, found: Sequence[Try], user: str | None) -> bool:
    """Whether there is a place for a guest: one is kept for whoever made the duel."""
    return user == creator or sum(one.user != creator for one in found) < DUEL_SIDES - 1


def better_side(scores: Sequence[Score | None]) -> int | None:
    """The side that did better, -1 if none did; None if one is not known."""
    known = [rank_of(score) for score in scores if score is not None]
    if len(known) < DUEL_SIDES:
        return None
    return -1 if known[0] == known[1] else int(known[1] > known[0])
