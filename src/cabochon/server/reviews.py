"""Reviews of finished games: one job for each game, in the background of the bots' pool, and stored when it is done."""

import asyncio
import hashlib
import logging
import math
import re
from base64 import urlsafe_b64encode
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from orjson import Fragment, dumps, loads
from sqlalchemy.engine import RowMapping

from ..bots import BOTS
from ..errors import CabochonError
from ..game import Game
from ..notation.record import Record, Resignation, format_record, parse_record
from ..study.grades import grade
from ..study.report import as_json, decision_json
from ..study.review import (
    Course,
    Decision,
    NoMove,
    course_of,
    moment,
    summarise,
)
from . import study_pieces
from .clock import SECONDS_PER_DAY
from .errors import Refused
from .repository import NUL
from .review_store import delete_old_reviews, insert_review, set_found, set_progress, set_review_seen, stored_review
from .serialise import Choices, packed, view_out
from .table import Entry, Line, Seat, move_line
from .tasks import end_tasks

if TYPE_CHECKING:
    from .service import Service

MAX_DECISIONS = 500  # of a game that is reviewed: about three minutes of one core
MAX_KEPT = 64  # reviews that are done and kept in memory
WAIT_SECONDS = 8.0  # how long an answer waits for the next decision
FOLLOW_SECONDS, AGAIN_SECONDS = 0.5, 15.0  # how often a node looks how far a review is, and asks again for one that stands still
ID_BYTES = 15
LINE = re.compile(r"line (\d+)")
log = logging.getLogger("cabochon.server")


@dataclass(slots=True)
class ReviewJob:
    """A review that is being made."""

    id: str
    table_id: str | None
    record: str
    course: Course
    place: ExitStack
    decisions: list[Decision] = field(default_factory=list)
    judged: list[dict[str, Any]] = field(default_factory=list)
    written: list[Fragment] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None

    @property
    def total(self) -> int:
        """How many decisions there are."""
        return len(self.course.steps)

    def add(self, decision: Decision) -> None:
        """One more decision is judged; who waits is told."""
        self.decisions.append(decision)
        self.add_judged(decision_json(decision))

    def add_judged(self, judged: dict[str, Any]) -> None:
        """The same, as it is written."""
        self.judged.append(judged)
        self.written.append(packed(judged))
        self.tell()

    def tell(self) -> None:
        """Wake up who waits."""
        self.news.set()
        self.news = asyncio.Event()


@dataclass(frozen=True, slots=True)
class DoneReview:
    """A review that is done."""

    id: str
    table_id: str | None
    record: str
    found: dict[str, Any]
    seen: float


class Reviews:
    """Reviews that are being made, and those that were read lately."""

    def __init__(self, service: "Service") -> None:
        self.service = service
        self.jobs: dict[str, ReviewJob] = {}
        self.done: dict[str, DoneReview] = {}

    # asking

    async def ask(self, record: str, table_id: str | None, user: str, address: str) -> str:
        """Ask for the review of a record; one that is there or under way is not made twice."""
        written, course = await asyncio.to_thread(read_record, record)
        review_id = id_of(written)
        if review_id in self.jobs or await self._find(review_id):
            return review_id
        if self._begin(review_id, table_id, written, course, user, address):
            stored = insert_review(review_id, table_id, written, self.service.sources.clock())
            try:
                await self.service.store_at_once(*stored)
            except Refused:
                self._cancel(review_id)
                raise
        return review_id

    def _begin(self, review_id: str, table_id: str | None, record: str, course: Course, user: str, address: str) -> bool:
        """Begin to make a review; False if somebody else has just done so."""
        if review_id in self.jobs:
            return False
        place = ExitStack()
        if self.service.cluster is None or not self.service.cluster.is_worker:  # a node has counted it
            place.enter_context(self.service.bots.background.job(user, address))
        job = self.jobs[review_id] = ReviewJob(review_id, table_id, record, course, place)
        is_node = self.service.cluster is not None and not self.service.cluster.is_worker
        job.task = asyncio.create_task(self._follow(job) if is_node else self._make(job))
        return True

    async def make(self, review_id: str) -> None:
        """In a worker of a cluster: make a review that a node has stored as asked for, unless it is done."""
        row = await self._row(review_id)
        if row["found"] is None and review_id not in self.jobs:
            record, course = await asyncio.to_thread(read_record, row["record"])
            self._begin(review_id, row["table_id"], record, course, "", "")
        job = self.jobs.get(review_id)
        if job and job.task:
            await asyncio.wait({job.task})

    async def _follow(self, job: ReviewJob) -> None:
        """At a node of a cluster: a worker makes the review, and stores how far it is. Asked for again if nothing happens."""
        cluster, asked = self.service.cluster, -math.inf
        assert cluster is not None
        loop = asyncio.get_running_loop()
        try:
            with job.place:
                while True:
                    await asyncio.sleep(FOLLOW_SECONDS)
                    with suppress(Refused):  # it may not be stored yet, or the database is away
                        row = await self._row(job.id)
                        if row["found"] is not None:
                            found = loads(row["found"])
                            self._keep(DoneReview(row["id"], row["table_id"], row["record"], found, row["seen"]))
                            return
                        for judged in loads(row["progress"] or "[]")[len(job.judged) :]:
                            asked = loop.time()
                            job.add_judged(judged)
                        if loop.time() - asked > AGAIN_SECONDS:
                            asked = loop.time()
                            await cluster.jobs.want_review(job.id)
        finally:
            del self.jobs[job.id]
            job.tell()

    def _cancel(self, review_id: str) -> None:
        job = self.jobs.get(review_id)
        if job and job.task:
            job.task.cancel()

    async def _make(self, job: ReviewJob) -> None:
        background = self.service.bots.background
        try:
            with job.place:
                for number in range(job.total):
                    job.add(await background.run(partial(study_pieces.judge_decision, job.record, number)))
                    if self.service.cluster:
                        with suppress(Refused):
                            await self.service.store_at_once(*set_progress(job.id, dumps(job.judged).decode()))
            found = as_json(summarise(job.course, job.decisions, study_pieces.BUDGET))
            self._keep(DoneReview(job.id, job.table_id, job.record, found, self.service.sources.clock()))
            with suppress(Refused):  # it is in memory, and is made again when it is asked for after a restart
                await self.service.store_at_once(*set_found(job.id, dumps(found).decode()))
        except Exception:
            log.exception("the review %s could not be made", job.id)
        finally:
            del self.jobs[job.id]
            job.tell()

    # reading

    async def out(self, review_id: str, since: int, user: str | None, address: str) -> dict[str, Any]:
        """A ReviewOut; while nothing is new it waits a moment. One that a restart has interrupted is made again."""
        job = self.jobs.get(review_id)
        if job is None and (done := await self._find(review_id, user or "", address)):
            return await self._done_out(done, since, user)
        job = self.jobs[review_id]
        if len(job.written) <= since < job.total:
            with suppress(TimeoutError):
                await asyncio.wait_for(job.news.wait(), WAIT_SECONDS)
        if review_id in self.done:
            return await self._done_out(self.done[review_id], since, user)
        if review_id not in self.jobs:
            raise Refused("failed")
        out = {
            "id": job.id,
            "table": job.table_id,
            "seat": await self._own_seat(job.table_id, user),
            "total": job.total,
        }
        return {**out, "since": since, "decisions": job.written[since:], "is_done": False, "seats": None, "luck": None}

    async def _done_out(self, done: DoneReview, since: int, user: str | None) -> dict[str, Any]:
        decisions = done.found["decisions"]
        plain = [{name: value for name, value in one.items() if name != "luck"} for one in decisions[since:]]
        out = {"id": done.id, "table": done.table_id, "seat": await self._own_seat(done.table_id, user), "total": len(decisions)}
        luck = [one["luck"] for one in decisions]
        return {**out, "since": since, "decisions": plain, "is_done": True, "seats": done.found["seats"], "luck": luck}

    async def _own_seat(self, table_id: str | None, user: str | None) -> int | None:
        """The seat that the reader held in this game."""
        if table_id is None or user is None:
            return None
        with suppress(Refused):  # the table may have been deleted
            return (await self.service.room(table_id)).table.seat_of(user)
        return None

    async def record(self, review_id: str) -> str:
        """The record of a review that is done or under way."""
        job = self.jobs.get(review_id)
        if job:
            return job.record
        row = await self._row(review_id)
        return str(row["record"])

    async def tried(self, review_id: str, number: int, text: str, user: str, address: str) -> dict[str, Any]:
        """A TriedOut: how good another move would have been."""
        decision = await self._decision(review_id, number)
        best, seat = decision["best"], decision["seat"]
        known = next((one for one in (best, decision["played"], *decision["alternatives"]) if one["move"] == text), None)
        if known is None:
            record = await self.record(review_id)
            with self.service.bots.background.job(user, address):
                known = {"move": text, "values": await self._values(record, number, text, best)}
        lost = max(0.0, best["values"][seat] - known["values"][seat])
        return {**known, "lost": lost, "grade": grade(lost, known["move"] == best["move"])}

    async def _values(self, record: str, number: int, text: str, best: dict[str, Any]) -> list[float]:
        """The chances with a move. Those with the best one are found on the same samples, so that noise cancels out."""
        table, _ = await asyncio.to_thread(lambda: moment(study_pieces.course(record), number))
        if best["move"] == NoMove.PLAY_ON or text not in Choices(table).legal:
            raise Refused("not_asked_here", move=text)
        other, again = await self.service.bots.background.run(
            partial(study_pieces.try_move, record, number, (text, best["move"]))
        )
        return [value + (old - new) for value, new, old in zip(other, again, best["values"], strict=True)]

    async def _decision(self, review_id: str, number: int) -> dict[str, Any]:
        job = self.jobs.get(review_id)
        if job is None:
            found = (await self._find(review_id) or await self._missing()).found["decisions"]
        else:
            found = job.judged[number : number + 1]
            number = 0
        if number >= len(found):
            raise Refused("no_review")
        decision: dict[str, Any] = found[number]
        return decision

    async def _missing(self) -> DoneReview:
        raise Refused("no_review")

    async def _row(self, review_id: str) -> RowMapping:
        if NUL in review_id:
            raise Refused("no_review")
        row = await asyncio.to_thread(self._read, review_id)
        if row is None:
            raise Refused("no_review")
        return row

    def _read(self, review_id: str) -> RowMapping | None:
        with self.service.repository.reading() as connection:
            return stored_review(connection, review_id)

    async def _find(self, review_id: str, user: str | None = None, address: str = "") -> DoneReview | None:
        """A review that is done. One that was interrupted is begun again for this user, if there is one."""
        if review_id in self.done:
            return self.done[review_id]
        try:
            row = await self._row(review_id)
        except Refused:
            if user is None:
                return None
            raise
        if row["found"] is not None:
            return await self._seen(DoneReview(row["id"], row["table_id"], row["record"], loads(row["found"]), row["seen"]))
        if user is not None:
            record, course = await asyncio.to_thread(read_record, row["record"])
            self._begin(review_id, row["table_id"], record, course, user, address)
        return None

    async def _seen(self, done: DoneReview) -> DoneReview:
        now = self.service.sources.clock()
        if now - done.seen > SECONDS_PER_DAY:
            with suppress(Refused):
                await self.service.store_at_once(*set_review_seen(done.id, now))
        self._keep(done)
        return done

    def _keep(self, done: DoneReview) -> None:
        self.done[done.id] = done
        if len(self.done) > MAX_KEPT:
            del self.done[next(iter(self.done))]

    # the end

    async def forget_old(self) -> None:
        """Delete reviews that nobody has looked at for as long as finished games are kept, and more than can be kept."""
        seconds, now = self.service.settings.keep_finished_seconds, self.service.sources.clock()
        await self.service.store_at_once(*delete_old_reviews(now - seconds if seconds else 0.0))

    async def stop(self) -> None:
        """Give up what is being made: it is made again when somebody asks for it."""
        await end_tasks([job.task for job in self.jobs.values() if job.task])


def replayed(text: str) -> tuple[Record, Game]:
    """A record that somebody has sent, and its game. Refused with the line where it cannot be read."""
    try:
        record = parse_record(text.replace("\r\n", "\n").lstrip("\ufeff"))
        return record, Game.from_record(record)
    except CabochonError as error:
        line = LINE.search(str(error))
        raise Refused("bad_record", problem=str(error), line=int(line[1]) if line else 1) from error


@lru_cache(maxsize=MAX_KEPT)
def read_record(text: str) -> tuple[str, Course]:
    """A record as it is stored, and its game, which nobody changes. Refused unless it is one of a finished game."""
    record, _ = replayed(text)
    course = course_of(record)
    if len(course.steps) > MAX_DECISIONS:
        raise Refused("record_too_long", most=MAX_DECISIONS)
    if not course.is_over:
        raise Refused("record_not_over")
    return format_record(record), course


def id_of(record: str) -> str:
    """What a review is called: nobody can guess it who does not know the cards."""
    return urlsafe_b64encode(hashlib.sha256(record.encode()).digest()[:ID_BYTES]).decode()


def reviewed_game_out(text: str) -> dict[str, Any]:
    """A ReviewedGameOut: every moment as the seat saw it that had to decide."""
    record = parse_record(text)
    course = course_of(record)
    table, moments, entries = course.game.beginning(), [], []
    for number, step in enumerate(course.steps, 1):
        if isinstance(step, Resignation):
            moments.append({"view": view_out(table.view(step.seat), table.is_last_round), "legal": ()})
            entries.append(Line(Entry(number, "resign", step.seat, "", 0.0), int(table.state["turns"])).out(step.seat))
            continue
        seat = table.turn
        before = table.view(seat)
        moments.append({"view": view_out(before, table.is_last_round), "legal": Choices(table).legal})
        table.play(step)
        entry = Entry(number, "move", seat, str(step), 0.0)
        entries.append(move_line(entry, before, table.view(seat), step.action, None).out(seat))
    moments.append({"view": view_out(table.view(None), table.is_last_round), "legal": ()})
    rules, row = course.game.rules, course.game.rules.row
    return {
        "variant": rules.variant,
        "players": rules.players,
        "goal": rules.goal or row.goal,
        "token_limit": rules.token_limit,
        "hand_limit": rules.hand_limit,
        "seats": [_seat(record, seat) for seat in range(rules.players)],
        "entries": entries,
        "moments": moments,
        "winners": [seat for seat, share in enumerate(course.result) if share],
    }


def _seat(record: Record, seat: int) -> dict[str, Any]:
    """A SeatOut. A record has names only: one of a bot's is taken for a bot."""
    name = record.names[seat] if seat < len(record.names) else ""
    kind, bot = ("bot", name) if name in BOTS else ("user", None)
    found = Seat(seat, kind, name or str(seat + 1), bot)
    return {
        "seat": seat, "kind": kind, "name": found.name, "bot": bot,
        "connected": True, "resigned": False, "rematch": False,
    }  # fmt: skip
