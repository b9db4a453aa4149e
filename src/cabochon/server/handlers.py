"""The requests of the socket: one handler each.

A handler checks, and lets the service store and apply; it returns None, or, if nothing has changed, the number to
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
from .chat import ChatLine, author_of, clean_line, room_to_write_in
from .connection import NOT_FOR_YOU, Connection
from .errors import Refused
from .identity import clean_name
from .logs import doing
from .rate_limit import Buckets
from .repository import set_name
from .room import MAX_ASKS_PER_DECISION, Room
from .serialise import hint_out
from .service import Service, check_bot
from .table import MAX_LOG_ENTRIES, Seat, SeatChange, Table

DEFAULT_BOT = "greedy"
log = logging.getLogger("cabochon.server")
Handler = Callable[[Service, Room, Connection, Any], Awaitable[int | None]]


async def carry_out(service: Service, room: Room, connection: Connection, message: Any) -> None:
    """Do what a message asks for; acknowledge or refuse it, then tell everybody."""
    doing.set({**(doing.get() or {}), "table": room.table.id, "asked": message.id})
    try:
        if isinstance(message, messages.HintIn):
            hint(service, room, connection, message)
            return
        async with service.locked(room):
            number = await service.insist(room, lambda: HANDLERS[type(message)](service, room, connection, message))
            if not isinstance(message, messages.MoveIn) or number is not None:
                connection.put(ack(message.id, room.table.number if number is None else number), before_state=True)
            if number is None:
                service.settle(room)
    except Refused as refusal:
        connection.put(refused(message.id, refusal))
    except Exception:
        log.exception("table %s: a request failed", room.table.id)
        connection.put(refused(message.id, Refused("failed")))


def ack(request: int, number: int) -> bytes:
    """An AckOut."""
    return dumps({"type": "ack", "id": request, "number": number})


def refused(request: int | None, refusal: Refused) -> bytes:
    """A RefusedOut."""
    named = {"code": refusal.code, "facts": refusal.facts, "rule": refusal.rule}
    return dumps({"type": "refused", "id": request, "reason": str(refusal), **named})


# Playing


async def move(service: Service, room: Room, connection: Connection, message: messages.MoveIn) -> int | None:
    """Play a move, once: sent again it is acknowledged again."""
    table, seat = room.table, own_seat(room, connection)
    last = table.number
    if message.number <= last:
        return played_already(table, seat, message)
    if message.number > last + 1:
        raise Refused("wrong_number", next=last + 1, number=message.number)
    decided = table.check_move(seat, message.text)
    check_pace(service.moves, connection, "too_many_moves")
    entry = table.entry("move", seat, str(decided), service.sources.now())
    await service.write(room, [entry], decided, lambda: connection.put(ack(message.id, entry.number), before_state=True))
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


async def why_not(_service: Service, room: Room, connection: Connection, message: messages.WhyNotIn) -> int:
    """Which rule forbids a move."""
    room.table.check_move(own_seat(room, connection), message.text)
    return room.table.number


def hint(service: Service, room: Room, connection: Connection, message: messages.HintIn) -> None:
    """Let the net think, for one guest one thought at a time; the table goes on meanwhile."""
    table, seat, user = room.table, own_seat(room, connection), connection.user
    table.check_hint(seat)
    assert user is not None, "who has a seat has a cookie"
    if user in service.hints:
        raise Refused("hint_coming")
    asked = table.number, table.views.view(seat)
    service.hints[user] = asyncio.create_task(give_hint(service, connection, message, *asked))
    service.hints[user].add_done_callback(lambda _done: service.hints.pop(user))


async def give_hint(service: Service, connection: Connection, message: messages.HintIn, number: int, view: View) -> None:
    """Tell whoever asked, and nobody else, what the net finds in its seat's view."""
    try:
        async with service.one_hint(connection.user or ""):
            found = await service.bots.advise(view, service.sources.bot_seed())
        connection.put(dumps({"type": "hint", "id": message.id, "number": number, **hint_out(found, view)}))
    except Refused as refusal:
        connection.put(refused(message.id, refusal))
    except Exception:
        log.exception("no hint was found")
        connection.put(refused(message.id, Refused("failed")))


async def undo(service: Service, room: Room, connection: Connection, _message: messages.UndoIn) -> None:
    """Take the own last decision back, or ask the others."""
    table, seat = room.table, own_seat(room, connection)
    allowed = room.can_undo(seat)
    if allowed == "no":
        raise why_no_undo(room, seat)
    check_pace(service.takebacks, connection, "too_many_takebacks")
    if allowed == "free":
        await service.write(room, table.undoing(seat, service.sources.now()))
    else:
        room.ask("takeback", seat, seat, table.others(seat))


def why_no_undo(room: Room, seat: int) -> Refused:
    """Why a seat may take nothing back."""
    table = room.table
    if table.options.takeback == "never":
        return Refused("no_takeback")
    if table.status != "running":
        return Refused("over" if table.status == "finished" else "not_begun")
    if table.seats[seat].stand_in:
        return Refused("stand_in")
    if room.has_asked(seat):
        return Refused("asked_already")
    if room.has_asked_enough(seat):
        return Refused("asked_enough", most=MAX_ASKS_PER_DECISION)
    return Refused("nothing_to_undo") if table.own_last(seat) is None else Refused("log_full", most=MAX_LOG_ENTRIES)


async def answer(service: Service, room: Room, connection: Connection, message: messages.AnswerIn) -> None:
    """Yes or no to a question; one no is enough."""
    seat, ask = own_seat(room, connection), room.asks.get(message.ask)
    if ask is None or seat not in ask.waiting_for:
        raise Refused("not_asked")
    if not message.yes:
        room.end_ask(ask, "no", seat)
        return
    if ask.waiting_for == [seat]:
        await agreed(service, room, ask.what, ask.seat)
        room.asks.pop(ask.number, None)
    else:
        ask.waiting_for.remove(seat)


async def withdraw(_service: Service, room: Room, connection: Connection, message: messages.WithdrawIn) -> None:
    """Ask no longer."""
    seat, ask = own_seat(room, connection), room.asks.get(message.ask)
    if ask is None or ask.by != seat:
        raise Refused("nothing_asked")
    room.end_ask(ask)


async def agreed(service: Service, room: Room, what: str, seat: int) -> None:
    """Everybody has said yes."""
    table, now = room.table, service.sources.now()
    entries = table.undoing(seat, now) if what == "takeback" else [table.entry("replace", seat, service.settings.stand_in, now)]
    await service.write(room, entries)


async def replace_seat(service: Service, room: Room, connection: Connection, message: messages.ReplaceIn) -> None:
    """Ask the others here that a bot plays for somebody who is away. The own seat is given to a bot without asking."""
    table, by = room.table, own_seat(room, connection)
    seat = checked_seat(table, message.seat)
    check_running(table)
    if table.counts:
        raise Refused("counts")
    if not seat.is_human:
        raise Refused("bot_there")
    if not table.seats[by].is_human:
        raise Refused("own_stand_in")
    if seat.seat == by:
        await agreed(service, room, "replace", by)
        return
    if not room.is_gone(seat.seat):
        raise Refused("not_away", seconds=f"{service.settings.away_seconds:g}")
    if any(ask.what == "replace" and ask.seat == seat.seat for ask in room.asks.values()):
        raise Refused("asked_already")
    # Those vote who are here and play: whoever let a bot play may have gone, and the others would wait for ever.
    voters = [other for other in room.people_here() if table.seats[other].is_human and other not in (by, seat.seat)]
    if voters:
        room.ask("replace", by, seat.seat, voters)
    else:
        await agreed(service, room, "replace", seat.seat)


async def resign(service: Service, room: Room, connection: Connection, _message: messages.ResignIn) -> None:
    """Give the own game up, for good: a bot plays on for the seat, unless there is nobody left to play against."""
    table, seat = room.table, own_seat(room, connection)
    check_running(table)
    if table.seats[seat].resigned:
        raise Refused("resigned")
    await service.write(room, [table.entry("resign", seat, service.settings.stand_in, service.sources.now())])


async def back(service: Service, room: Room, connection: Connection, _message: messages.BackIn) -> None:
    """Take the own seat back from the bot."""
    table, seat = room.table, own_seat(room, connection)
    check_running(table)
    if table.seats[seat].is_human:
        raise Refused("no_stand_in")
    if table.seats[seat].resigned:
        raise Refused("resigned")
    await service.write(room, [table.entry("back", seat, "", service.sources.now())])


async def rematch(service: Service, room: Room, connection: Connection, message: messages.RematchIn) -> int | None:
    """Agree to a new table with the same people, or no longer. It is opened when everybody has agreed; once it is, it stays."""
    table, seat = room.table, own_seat(room, connection)
    if table.status != "finished":
        raise Refused("rematch_later")
    if table.rematch is not None:
        return table.number
    missing = [other for other in table.people if other != seat and not table.seats[other].rematch]
    is_settled = message.agree and all(message.without_away and room.is_gone(other) for other in missing)
    if is_settled:
        check_new_table(service, connection)
    if table.seats[seat].rematch != message.agree:
        await service.change_seats(room, SeatChange([replace(table.seats[seat], rematch=message.agree)], table.host))
    if is_settled:
        await service.rematch(room, missing, connection.user or "", connection.address)
    return None


def check_new_table(service: Service, connection: Connection) -> None:
    """A rematch is a new table of its address: games can be short."""
    now = time.monotonic()
    if not service.creations.take(connection.address, now) or not service.daily_creations.take(connection.address, now):
        raise Refused("too_many_tables")


async def chat(service: Service, room: Room, connection: Connection, message: messages.ChatIn) -> int:
    """Say something."""
    return await say(service, room, connection, "text", clean_line(message.text))


async def react(service: Service, room: Room, connection: Connection, message: messages.ReactIn) -> int:
    """Say it without words."""
    return await say(service, room, connection, "reaction", message.reaction)


async def say(service: Service, room: Room, connection: Connection, kind: str, text: str) -> int:
    """Store a line of chat and tell it to whoever may read it. The state stays as it is."""
    table, user = room.table, connection.user
    if user is None:
        raise Refused("no_cookie")
    if user in table.kicked:
        raise Refused("kicked")
    seat = table.seat_of(user)
    place = room_to_write_in(table, seat)
    number = table.chat.next_number(place)
    check_pace(service.chats, connection, "too_many_chats")
    if not service.chats_from.take(connection.address, time.monotonic()):
        raise Refused("too_many_chats")
    name = await service.name_of(user) if seat is None else table.seats[seat].name
    author = author_of(table.id, user)
    await service.say(room, ChatLine(place, number, seat, author, name, kind, text, service.sources.clock()))
    return table.number


# Before the game


async def sit(service: Service, room: Room, connection: Connection, message: messages.SitIn) -> None:
    """Take an open seat, leaving the one before."""
    table, user = room.table, connection.user
    if user is None:
        raise Refused("no_cookie")
    check_waiting(table)
    if user in table.kicked:
        raise Refused("kicked")
    name, old = clean_name(message.name), table.seat_of(user)
    wanted = checked_seat(table, message.seat)
    if wanted.kind != "open" and wanted.seat != old:
        raise Refused("seat_taken")
    changed = [Seat(wanted.seat, "user", name, token=wanted.token or service.sources.token())]
    if old is not None and old != wanted.seat:
        changed.append(Seat(old, "open", ""))
    users = [user] if old is None else holders_of(table, old)
    stale = [other for other in holders_of(table, wanted.seat) if other not in users]
    change = SeatChange(
        changed,
        host=wanted.seat if table.host is None or table.host == old else table.host,
        holders={**dict.fromkeys(users, wanted.seat), **dict.fromkeys(stale)},
        unsealed=[] if old == wanted.seat else [seat.seat for seat in changed],
    )
    await service.change_seats(room, change, *set_name(user, name, service.sources.clock()))


async def leave(service: Service, room: Room, connection: Connection, _message: messages.LeaveIn) -> None:
    """Leave the own seat; the next user at the table becomes host."""
    table, seat = room.table, own_seat(room, connection)
    check_waiting(table)
    others = table.others(seat)
    host = (others[0] if others else None) if table.host == seat else table.host
    gone = dict.fromkeys(holders_of(table, seat))
    await service.change_seats(room, SeatChange([Seat(seat, "open", "")], host, gone, unsealed=[seat]))


def holders_of(table: Table, seat: int) -> list[str]:
    """The users who hold a seat: one, or several devices by its private link."""
    return [user for user, held in table.holders.items() if held == seat]


async def kick(service: Service, room: Room, connection: Connection, message: messages.KickIn) -> None:
    """The host takes a seat from somebody, who cannot sit down again."""
    table = room.table
    check_host(room, connection)
    check_waiting(table)
    seat = checked_seat(table, message.seat)
    if not seat.is_person:
        raise Refused("nobody_there")
    if seat.seat == table.host:
        raise Refused("own_seat")
    gone = holders_of(table, seat.seat)
    change = SeatChange([Seat(seat.seat, "open", "")], table.host, dict.fromkeys(gone), unsealed=[seat.seat], kicked=gone)
    await service.change_seats(room, change)


async def swap(service: Service, room: Room, connection: Connection, message: messages.SwapIn) -> None:
    """The host exchanges two seats, with whoever sits there. Seals are bound to their seats, and made anew."""
    table = room.table
    check_host(room, connection)
    check_waiting(table)
    one, other = checked_seat(table, message.seat), checked_seat(table, message.other)
    places = {one.seat: other.seat, other.seat: one.seat}
    changed = [replace(seat, seat=places[seat.seat]) for seat in (one, other)]
    moved = {user: places[held] for user, held in table.holders.items() if held in places}
    assert table.host is not None
    host = places.get(table.host, table.host)
    await service.change_seats(room, SeatChange(changed, host, moved, unsealed=list(places)))


async def set_options(service: Service, room: Room, connection: Connection, message: messages.SetOptionsIn) -> None:
    """The host changes what is agreed on. What the commitment to the deal names stays: variant, players and who begins."""
    table = room.table
    check_host(room, connection)
    check_waiting(table)
    agreed_on = {name: getattr(message.options, name) for name in messages.AgreedOptions.model_fields}
    await service.change_options(room, table.options.model_copy(update=agreed_on))


async def set_bot(service: Service, room: Room, connection: Connection, message: messages.SetBotIn) -> None:
    """The host gives a seat to a bot, or opens it again."""
    table = room.table
    check_host(room, connection)
    check_waiting(table)
    seat = checked_seat(table, message.seat)
    if seat.is_person:
        raise Refused("somebody_there")
    if message.bot is not None:
        check_bot(message.bot)
    new = Seat(seat.seat, "open", "") if message.bot is None else Seat(seat.seat, "bot", message.bot, message.bot)
    await service.change_seats(room, SeatChange([new], table.host))


async def start(service: Service, room: Room, connection: Connection, message: messages.StartIn) -> None:
    """The host begins; bots take the seats that are open. Where somebody has sealed a nonce, it is opened first."""
    table = room.table
    check_host(room, connection)
    check_waiting(table)
    bot = message.bot or DEFAULT_BOT
    check_bot(bot)
    await service.start_game(room, [Seat(seat.seat, "bot", bot, bot) for seat in table.seats if seat.kind == "open"])
    for other in list(room.connections):
        if not table.may_watch(other.user):
            other.close(NOT_FOR_YOU, "at this table nobody may watch")


async def seal(service: Service, room: Room, connection: Connection, message: messages.SealIn) -> int | None:
    """Seal the nonce of the own seat; sent again it is acknowledged again."""
    table, seat = room.table, own_seat(room, connection)
    check_takes_nonces(table)
    if not table.dealing.check_seal(seat, message.seal):
        return table.number
    await service.seal(room, seat, message.seal)
    return None


async def nonce(service: Service, room: Room, connection: Connection, message: messages.NonceIn) -> int | None:
    """Open the nonce of the own seat; it is stored with the others when the cards are dealt."""
    table, seat = room.table, own_seat(room, connection)
    check_takes_nonces(table)
    if table.dealing.nonces.get(seat) == message.nonce:
        return table.number
    await service.open_nonce(room, seat, message.nonce)
    return None


# What is checked more than once


def check_pace(buckets: Buckets, connection: Connection, code: str) -> None:
    """Only as fast as a person can be."""
    if connection.user is not None and not buckets.take(connection.user, time.monotonic()):
        raise Refused(code)


def own_seat(room: Room, connection: Connection) -> int:
    """The seat of whoever asks."""
    seat = room.table.seat_of(connection.user)
    if seat is None:
        raise Refused("watching")
    return seat


def checked_seat(table: Table, seat: int) -> Seat:
    """A seat that is there."""
    if seat >= len(table.seats):
        raise Refused("no_seat", seat=seat, last=len(table.seats) - 1)
    return table.seats[seat]


def check_host(room: Room, connection: Connection) -> None:
    """Only the host may go on."""
    if own_seat(room, connection) != room.table.host:
        raise Refused("host_only")


def check_waiting(table: Table) -> None:
    """Only before the game."""
    if table.status != "waiting":
        raise Refused("begun")


def check_takes_nonces(table: Table) -> None:
    """Only where the deal is made from nonces."""
    if table.origin.secret is None:
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
    messages.WithdrawIn: withdraw,
    messages.ReplaceIn: replace_seat,
    messages.ResignIn: resign,
    messages.BackIn: back,
    messages.RematchIn: rematch,
    messages.ChatIn: chat,
    messages.ReactIn: react,
    messages.SitIn: sit,
    messages.LeaveIn: leave,
    messages.KickIn: kick,
    messages.SwapIn: swap,
    messages.SetOptionsIn: set_options,
    messages.SetBotIn: set_bot,
    messages.StartIn: start,
    messages.SealIn: seal,
    messages.NonceIn: nonce,
}
