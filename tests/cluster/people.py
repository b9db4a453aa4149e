"""Scripted people at a cluster: two devices for each seat, each at any node, and they come back whatever happens."""

import asyncio
import random
from contextlib import suppress
from typing import Any

import httpx
import websockets

from tests.cluster.history import History
from tests.server.process import Chair, Guest

GONE = (websockets.ConnectionClosed, OSError, httpx.HTTPError, TimeoutError, websockets.InvalidHandshake, AssertionError)
ANSWER_SECONDS = 20.0
OPTIONS: list[dict[str, Any]] = [
    {"variant": "classic", "players": 2},
    {"variant": "marvel", "players": 2, "clock": {"kind": "total", "seconds": 600, "increment": 2}},
    {"variant": "classic", "players": 3, "bots": ["greedy"], "clock": {"kind": "move", "seconds": 120}},
    {"variant": "classic", "players": 3, "bots": ["greedy"]},
]


class Person:
    """Somebody with the same cookie at all nodes."""

    def __init__(self, name: str, urls: list[str]) -> None:
        self.name, self.urls = name, urls
        self.guests = [Guest(url, name) for url in urls]
        for guest in self.guests[1:]:
            guest.http.cookies = self.guests[0].http.cookies

    async def greet(self) -> None:
        """Get the one cookie from the first node that answers."""
        while not self.guests[0].http.cookies:
            for guest in self.guests:
                with suppress(*GONE):
                    answer = await guest.http.get("/api/me")
                    if answer.is_success:
                        for other in self.guests:
                            other.http.cookies = guest.http.cookies
                        return
            await asyncio.sleep(0.2)

    async def close(self) -> None:
        for guest in self.guests:
            await guest.http.aclose()


class World:
    """The tables that are played at now, what was tried and told, and whether it goes on."""

    def __init__(self, urls: list[str], rng: random.Random, tables: int) -> None:
        self.urls, self.rng = urls, rng
        self.history = History()
        self.people = [Person(name, urls) for name in ("Anna", "Ben")]
        self.watcher = Person("Carl", urls)
        self.tables: list[str] = []
        self.is_over = False
        self.wanted = tables
        self.places: dict[int, str] = {}  # the table that is played at, by place

    async def run(self) -> None:
        for person in [*self.people, self.watcher]:
            await person.greet()
        await asyncio.gather(*(self._place(number) for number in range(self.wanted)))
        for person in [*self.people, self.watcher]:
            await person.close()

    def progress(self) -> dict[int, tuple[str, int]]:
        """The table and the last acknowledged number of each place."""
        last: dict[str, int] = {}
        for table, number, *_ in self.history.acknowledged:
            last[table] = max(number, last.get(table, 0))
        return {place: (table, last.get(table, 0)) for place, table in self.places.items()}

    async def _place(self, number: int) -> None:
        """One game after the other."""
        options = OPTIONS[number % len(OPTIONS)]
        while not self.is_over:
            table = await self.seat(options)
            if table is None:
                continue
            self.tables.append(table)
            self.places[number] = table
            devices = [
                self._device(table, seat, person, device) for seat, person in enumerate(self.people) for device in range(2)
            ]
            await asyncio.gather(*devices, self._watch(table))

    async def seat(self, options: dict[str, Any]) -> str | None:
        """A running table; None if that did not work this time."""
        anna, ben = (self.rng.choice(person.guests) for person in self.people)
        try:
            table = await anna.create(**options)
            async with ben.at(table) as second, anna.at(table) as first:
                for chair, message in ((second, {"type": "sit", "seat": 1, "name": "Ben"}), (first, {"type": "start"})):
                    answer = await chair.ask(**message)
                    if answer["type"] != "ack":
                        self.history.refused[answer["code"]] += 1
                        return None
        except GONE:
            await asyncio.sleep(0.2)
            return None
        return table

    async def _device(self, table: str, seat: int, person: Person, device: int) -> None:
        """Play for a seat; the other device does so too, and either may be quicker."""
        viewer = f"{person.name} {device} at {table}"
        known = 0
        while not self.is_over:
            guest = self.rng.choice(person.guests)
            try:
                async with guest.at(table, known) as chair:
                    self.history.tell(viewer, table, chair.state)
                    while not self.is_over:
                        known = chair.state["number"]
                        if chair.is_over:
                            return
                        if chair.is_my_turn:
                            await self._move(viewer, chair, table, seat)
                        elif self._is_replaced(chair, seat):
                            await self._told(viewer, chair, table, await self._ask(viewer, chair, table, {"type": "back"}))
                        else:
                            await self._next(viewer, chair, table)
            except GONE:
                await asyncio.sleep(self.rng.uniform(0.05, 0.3))

    def _is_replaced(self, chair: Chair, seat: int) -> bool:
        entries = [one for one in chair.entries if one["kind"] in ("timeout", "back") and one["seat"] == seat]
        return bool(entries) and entries[-1]["kind"] == "timeout"

    async def _move(self, viewer: str, chair: Chair, table: str, seat: int) -> None:
        await asyncio.sleep(self.rng.uniform(0, 0.15))
        number, text = chair.state["number"] + 1, self.rng.choice(chair.state["choices"]["legal"])
        self.history.tried[table, number].add((seat, text))
        answer = await self._ask(viewer, chair, table, {"type": "move", "number": number, "text": text})
        if answer["type"] == "ack":
            if answer["number"] != number:
                self.history.wrong.append(f"{viewer} made move {number} and was told {answer}")
            self.history.acknowledged.append((table, number, seat, text))
        await self._told(viewer, chair, table, answer)
        while answer["type"] == "ack" and chair.state["number"] < number:
            await self._next(viewer, chair, table)

    async def _told(self, viewer: str, chair: Chair, table: str, answer: dict[str, Any]) -> None:
        if answer["type"] == "refused":
            self.history.refused[answer["code"]] += 1
            await self._next(viewer, chair, table)

    async def _ask(self, viewer: str, chair: Chair, table: str, message: dict[str, Any]) -> dict[str, Any]:
        chair.requests += 1
        await chair.send(id=chair.requests, **message)
        while True:
            answer = await self._receive(viewer, chair, table)
            if answer["type"] in ("ack", "refused") and answer["id"] == chair.requests:
                return answer

    async def _receive(self, viewer: str, chair: Chair, table: str) -> dict[str, Any]:
        message = await asyncio.wait_for(chair.receive(), ANSWER_SECONDS)
        if message["type"] == "state":
            self.history.tell(viewer, table, message)
        return message

    async def _next(self, viewer: str, chair: Chair, table: str) -> None:
        while (await self._receive(viewer, chair, table))["type"] != "state":
            pass

    async def _watch(self, table: str) -> None:
        """A spectator, who changes nodes now and then."""
        viewer, known = f"Carl at {table}", 0
        while not self.is_over:
            try:
                async with self.rng.choice(self.watcher.guests).at(table, known) as chair:
                    self.history.tell(viewer, table, chair.state)
                    for _ in range(self.rng.randrange(5, 50)):
                        known = chair.state["number"]
                        if chair.is_over or self.is_over:
                            return
                        await self._next(viewer, chair, table)
            except GONE:
                await asyncio.sleep(self.rng.uniform(0.05, 0.3))
