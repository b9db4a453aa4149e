"""What somebody at a table may ask for: one function a request.

A handler checks, stores, and then changes the table in memory; it returns None, or, if nothing has changed, the number to
acknowledge. What is not allowed raises Refused with a sentence. The table's lock is held meanwhile. A move is acknowledged when
it is stored, everything else when it is done. A hint changes nothing and takes a while: nobody waits for it.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from orjson import dumps

from ..errors import CabochonError
from ..notation.move import parse_move
from ..view import View
from . import messages
from .connection import NOT_FOR_YOU, Connection
from .errors import Refused
from .identity import clean_name
from .rate_limit import Buckets
from .repository import set_holder, set_name, set_seal, update_seats, update_table
from .serialise import hint_out
from .service import Service, check_bot
from .table import MAX_LOG_ENTRIES, Seat, Table

DEFAULT_BOT = "greedy"
log = logging.getLogger("cabochon.server")
Handler = Callable[[Service, Table, Connection, Any], Awaitable[int | None]]


async def carry_out(service: Service, table: Table, connection: Connection, message: Any) -> None:
    """Do what a message asks for; acknowledge or refuse it, then tell everybody."""
    try:
        if isinstance(message, messages.HintIn):
            hint(service, table, connection, message)
            return
        async with service.locked(table):
            number = await HANDLERS[type(message)](service, table, connection, message)
            if not isinstance(message, messages.MoveIn) or number is not None:
                connection.put(ack(message.id, table.number if number is None else number), before_state=True)
            if number is None:
                service.settle(table)
    except Refused as refusal:
        connection.put(refused(message.id, refusal))
    except Exception:
        log.exception("table %s: a request failed", table.id)
        connection.put(refused(message.id, Refused("failed")))


def ack(request: int, number: int) -> bytes:
    """An AckOut."""
    return dumps({"type": "ack", "id": request, "number": number})


def refused(request: int | None, refusal: Refused) -> bytes:
    """A RefusedOut."""
    return dumps({"type": "refused", "id": request, "reason": str(refusal), "code": refusal.code, "facts": refusal.facts})


# Playing


async def move(service: Service, table: Table, connection: Connection, message: messages.MoveIn) -> int | None:
    """Play a move, once: sent again it is acknowledged again."""
    seat = own_seat(table, connection)
    if message.number <= table.number:
        return played_already(table, seat, message)
    if message.number > table.number + 1:
        raise Refused("wrong_number", next=table.number + 1, number=message.number)
    forbidden = table.why_not(seat, message.text)
    if forbidden:
        raise forbidden
    check_pace(service.moves, connection, "too_many_moves")
    entry = table.entry("move", seat, canonical(table, message.text))
    await service.write(table, [entry], stored=lambda: connection.put(ack(message.id, entry.number), before_state=True))
    return None


def played_already(table: Table, seat: int, message: messages.MoveIn) -> int:
    """The number of an entry that is this very move; another one there is refused."""
    entry = table.log[message.number - 1].entry
    if entry.kind == "move" and entry.seat == seat and entry.text == canonical(table, message.text):
        return entry.number
    raise Refused("gone_on", number=entry.number)


def canonical(table: Table, text: str) -> str:
    """A move as the log writes it."""
    try:
        return str(parse_move(text, table.options.variant))
    except CabochonError:
        return text


async def why_not(_hub: Service, table: Table, connection: Connection, message: messages.WhyNotIn) -> int:
    """Which rule forbids a move."""
    forbidden = table.why_not(own_seat(table, connection), message.text)
    if forbidden:
        raise forbidden
    return table.number


def hint(service: Service, table: Table, connection: Connection, message: messages.HintIn) -> None:
    """Let the net think, for one guest one thought at a time; the table goes on meanwhile."""
    seat, user = own_seat(table, connection), connection.user
    forbidden = table.why_no_hint(seat)
    if forbidden:
        raise forbidden
    assert user is not None, "who has a seat has a cookie"
    if user in service.hints:
        raise Refused("hint_coming")
    shown = table.number, table.views.view(seat)
    service.hints[user] = asyncio.create_task(give_hint(service, connection, message, *shown))
    service.hints[user].add_done_callback(lambda _done: service.hints.pop(user))


async def give_hint(service: Service, connection: Connection, message: messages.HintIn, number: int, view: View) -> None:
    """Tell whoever asked, and nobody else, what the net finds in its seat's view."""
    try:
        found = await service.bots.advise(view, service.sources.bot_seed())
        connection.put(dumps({"type": "hint", "id": message.id, "number": number, **hint_out(found, view.turn)}))
    except Refused as refusal:
        connection.put(refused(message.id, refusal))
    except Exception:
        log.exception("no hint was found")
        connection.put(refused(message.id, Refused("failed")))


async def undo(service: Service, table: Table, connection: Connection, _message: messages.UndoIn) -> None:
    """Take the own last decision back, or ask the others."""
    seat = own_seat(table, connection)
    allowed = table.can_undo(seat)
    if allowed == "no":
        raise why_no_undo(table, seat)
    check_pace(service.takebacks, connection, "too_many_takebacks")
    if allowed == "free":
        await service.write(table, table.undoing(seat))
    else:
        table.ask("takeback", seat, seat, table.others(seat))


def why_no_undo(table: Table, seat: int) -> Refused:
    """Why a seat may take nothing back."""
    if table.options.takeback == "never":
        return Refused("no_takeback")
    if table.status != "running":
        return Refused("over" if table.status == "finished" else "not_begun")
    if table.seats[seat].stand_in:
        return Refused("stand_in")
    if table.has_asked(seat):
        return Refused("asked_already")
    return Refused("nothing_to_undo") if table.own_last(seat) is None else Refused("log_full", most=MAX_LOG_ENTRIES)


async def answer(service: Service, table: Table, connection: Connection, message: messages.AnswerIn) -> None:
    """Yes or no to a question; one no is enough."""
    seat, ask = own_seat(table, connection), table.asks.get(message.ask)
    if ask is None or seat not in ask.waiting_for:
        raise Refused("not_asked")
    if not message.yes:
        del table.asks[ask.number]
        return
    if ask.waiting_for == [seat]:
        await agreed(service, table, ask.what, ask.seat)
        table.asks.pop(ask.number, None)
    else:
        ask.waiting_for.remove(seat)


async def agreed(service: Service, table: Table, what: str, seat: int) -> None:
    """Everybody has said yes."""
    if what == "takeback":
        await service.write(table, table.undoing(seat))
    else:
        await service.write(table, [table.entry("replace", seat, service.settings.stand_in)])


async def replace_seat(service: Service, table: Table, connection: Connection, message: messages.ReplaceIn) -> None:
    """Ask the others here that a bot plays for somebody who is away."""
    by = own_seat(table, connection)
    seat = checked_seat(table, message.seat)
    check_running(table)
    if not seat.is_human:
        raise Refused("bot_there")
    if not table.seats[by].is_human:
        raise Refused("own_stand_in")
    if seat.away_since is None or service.sources.playing() - seat.away_since < service.settings.away_seconds:
        raise Refused("not_away", seconds=f"{service.settings.away_seconds:g}")
    if any(ask.what == "replace" and ask.seat == seat.seat for ask in table.asks.values()):
        raise Refused("asked_already")
    # Those vote who are here and play: whoever let a bot play may have gone, and the others would wait for ever.
    others = [other for other in table.seats if other.is_human and other.seat not in (by, seat.seat)]
    voters = [other.seat for other in others if other.away_since is None]
    if voters:
        table.ask("replace", by, seat.seat, voters)
    else:
        await agreed(service, table, "replace", seat.seat)


async def back(service: Service, table: Table, connection: Connection, _message: messages.BackIn) -> None:
    """Take the own seat back from the bot."""
    seat = own_seat(table, connection)
    check_running(table)
    if table.seats[seat].is_human:
        raise Refused("no_stand_in")
    await service.write(table, [table.entry("back", seat, "")])


async def rematch(service: Service, table: Table, connection: Connection, _message: messages.RematchIn) -> int | None:
    """A new table with the same people; asked again, the same new table."""
    own_seat(table, connection)
    if table.status != "finished":
        raise Refused("rematch_later")
    if table.rematch is not None:
        return table.number
    await service.rematch(table)
    return None


# Before the game


async def sit(service: Service, table: Table, connection: Connection, message: messages.SitIn) -> None:
    """Take an open seat, leaving the one before."""
    if connection.user is None:
        raise Refused("no_cookie")
    check_waiting(table)
    name, old = clean_name(message.name), table.seat_of(connection.user)
    wanted = checked_seat(table, message.seat)
    if wanted.kind != "open" and wanted.seat != old:
        raise Refused("seat_taken")
    changed = [Seat(wanted.seat, "user", name, token=wanted.token or service.sources.token())]
    if old is not None and old != wanted.seat:
        changed.append(Seat(old, "open", ""))
    users = [connection.user] if old is None else [user for user, seat in table.holders.items() if seat == old]
    host = wanted.seat if table.host is None or table.host == old else table.host
    stale = [user for user, seat in table.holders.items() if seat == wanted.seat and user not in users]
    held = [statement for user in users for statement in set_holder(table.id, user, wanted.seat)]
    held += [statement for user in stale for statement in set_holder(table.id, user, None)]
    moved = [] if old == wanted.seat else [seat.seat for seat in changed]
    unsealed = [statement for seat in moved for statement in set_seal(table.id, seat, None)]
    await store_seats(service, table, changed, host, *held, *set_name(connection.user, name, service.sources.clock()), *unsealed)
    for user in stale:
        del table.holders[user]
    table.holders |= dict.fromkeys(users, wanted.seat)
    for seat in moved:
        table.dealing.vacate(seat)
    table.note_presence()


async def leave(service: Service, table: Table, connection: Connection, _message: messages.LeaveIn) -> None:
    """Leave the own seat; the next user at the table becomes host."""
    seat = own_seat(table, connection)
    check_waiting(table)
    users = [user for user, held in table.holders.items() if held == seat]
    others = table.others(seat)
    host = (others[0] if others else None) if table.host == seat else table.host
    gone = [statement for user in users for statement in set_holder(table.id, user, None)]
    await store_seats(service, table, [Seat(seat, "open", "")], host, *gone, *set_seal(table.id, seat, None))
    table.dealing.vacate(seat)
    for user in users:
        del table.holders[user]
    table.note_presence()


async def set_bot(service: Service, table: Table, connection: Connection, message: messages.SetBotIn) -> None:
    """The host gives a seat to a bot, or opens it again."""
    check_host(table, connection)
    check_waiting(table)
    seat = checked_seat(table, message.seat)
    if seat.is_person:
        raise Refused("somebody_there")
    if message.bot is not None:
        check_bot(message.bot)
    new = Seat(seat.seat, "open", "") if message.bot is None else Seat(seat.seat, "bot", message.bot, message.bot)
    await store_seats(service, table, [new], table.host)
    table.note_presence()


async def start(service: Service, table: Table, connection: Connection, _message: messages.StartIn) -> None:
    """The host begins; bots take the seats that are open. Where somebody has sealed a nonce, it is opened first."""
    check_host(table, connection)
    check_waiting(table)
    bots = [Seat(seat.seat, "bot", DEFAULT_BOT, DEFAULT_BOT) for seat in table.seats if seat.kind == "open"]
    now, seals = service.sources.clock(), table.dealing.seals
    begun: dict[str, Any] = {"status": "dealing"} if seals else {"status": "running", "began": now}
    await store_seats(service, table, bots, table.host, *update_table(table.id, **begun))
    service.created_from.pop(table.id, None)
    if seals:
        # Also those who sat down a moment ago: their seals may be on the way.
        here = [seat.seat for seat in table.seats if seat.is_person and seat.away_since is None]
        table.status = "dealing"
        table.dealing.begin({*seals, *here}, service.sources.playing(), service.settings.deal_seconds)
        table.note_presence()
    else:
        table.begin(now)
    for other in list(table.connections):
        if not table.may_watch(other.user):
            other.close(NOT_FOR_YOU, "at this table nobody may watch")


async def seal(service: Service, table: Table, connection: Connection, message: messages.SealIn) -> int | None:
    """Seal the nonce of the own seat; sent again it is acknowledged again."""
    seat = own_seat(table, connection)
    check_takes_nonces(table)
    if not table.dealing.check_seal(seat, message.seal):
        return table.number
    await service.store(table, *set_seal(table.id, seat, message.seal))
    table.dealing.seal(seat, message.seal)
    await service.deal_on(table)
    return None


async def nonce(service: Service, table: Table, connection: Connection, message: messages.NonceIn) -> int | None:
    """Open the nonce of the own seat; it is stored with the others when the cards are dealt."""
    seat = own_seat(table, connection)
    check_takes_nonces(table)
    if table.dealing.nonces.get(seat) == message.nonce:
        return table.number
    table.dealing.open(seat, message.nonce)
    await service.deal_on(table)
    return None


async def store_seats(service: Service, table: Table, changed: list[Seat], host: int | None, *statements: Any) -> None:
    """Store seats and host, then change them here."""
    await service.store(table, *update_seats(table.id, changed), *update_table(table.id, host=host), *statements)
    for seat in changed:
        table.seats[seat.seat] = replace(seat, away_since=service.sources.playing())
    table.host = host


# What is checked more than once


def check_pace(buckets: Buckets, connection: Connection, code: str) -> None:
    """Only as fast as a person can be."""
    if connection.user is not None and not buckets.take(connection.user, time.monotonic()):
        raise Refused(code)


def own_seat(table: Table, connection: Connection) -> int:
    """The seat of whoever asks."""
    seat = table.seat_of(connection.user)
    if seat is None:
        raise Refused("watching")
    return seat


def checked_seat(table: Table, seat: int) -> Seat:
    """A seat that is there."""
    if seat >= len(table.seats):
        raise Refused("no_seat", seat=seat, last=len(table.seats) - 1)
    return table.seats[seat]


def check_host(table: Table, connection: Connection) -> None:
    """Only the host may go on."""
    if own_seat(table, connection) != table.host:
        raise Refused("host_only")


def check_waiting(table: Table) -> None:
    """Only before the game."""
    if table.status != "waiting":
        raise Refused("begun")


def check_takes_nonces(table: Table) -> None:
    """Only where the deal is made from nonces."""
    if table.secret is None:
        raise Refused("old_deal")


def check_running(table: Table) -> None:
    """Only during the game."""
    if table.status != "running":
        raise Refused("over" if table.status == "finished" else "not_begun")


HANDLERS: dict[type, Handler] = {
    messages.MoveIn: move,
    messages.WhyNotIn: why_not,
    messages.UndoIn: undo,
    messages.AnswerIn: answer,
    messages.ReplaceIn: replace_seat,
    messages.BackIn: back,
    messages.RematchIn: rematch,
    messages.SitIn: sit,
    messages.LeaveIn: leave,
    messages.SetBotIn: set_bot,
    messages.StartIn: start,
    messages.SealIn: seal,
    messages.NonceIn: nonce,
}
