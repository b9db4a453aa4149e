"""A slow, plain referee for Splendor, Splendor: Marvel and Cities, written from the rules pages alone.

It exists to be compared move by move with the engine, so it shares nothing with it but the card files.
Everything is a dictionary or a list; nothing is remembered that can be counted again.
"""

import csv
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any, TypedDict

DATA = Path(__file__).parent.parent.parent / "src/cabochon/variants"

WILD = "*"
TIME = "t"
LETTERS = {
    "classic": {"white": "w", "blue": "u", "green": "g", "red": "r", "black": "k"},
    "marvel": {"yellow": "y", "purple": "p", "blue": "b", "red": "r", "orange": "o"},
    "cities": {"white": "w", "blue": "u", "green": "g", "red": "r", "black": "k"},
}
CARDS_FROM = {"classic": "classic", "marvel": "marvel", "cities": "classic"}
TOKENS_PER_COLOUR = {2: 4, 3: 5, 4: 7}
TIME_TOKENS = {2: 2, 3: 3, 4: 4}
WILD_TOKENS = 5
GOAL = {"classic": 15, "marvel": 16, "cities": 0}

PLACES = "abcd"
DIFFERENT_TOKENS = 3
PILE_FOR_TWO = 4
TOP_TIER = 3
AVENGERS_SYMBOLS = 3
AVENGERS_POINTS = 3


class Card(TypedDict):
    """A development card or character."""

    tier: int
    bonus: str
    points: int
    cost: dict[str, int]
    symbols: int


class Tile(TypedDict):
    """A noble, or one face of a location or of a city."""

    points: int
    demand: dict[str, int]
    prestige: int
    other: int


class Reserved(TypedDict):
    """A card in somebody's hand."""

    card: int
    tier: int
    blind: bool


class Seat(TypedDict):
    """What lies in front of one player."""

    tokens: dict[str, int]
    tableau: list[int]
    reserve: list[Reserved]
    tiles: list[int]


def read_rows(variant: str, name: str) -> list[dict[str, str]]:
    """Read one card file as rows keyed by column."""
    with (DATA / variant / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_colours(variant: str, row: dict[str, str]) -> dict[str, int]:
    """Read the colour columns of a row, in lane order, without the zeros."""
    amounts = {letter: int(row[colour]) for colour, letter in LETTERS[variant].items()}
    return {letter: amount for letter, amount in amounts.items() if amount > 0}


@cache
def cards_of(variant: str) -> dict[int, Card]:
    """All cards of a variant by number, counted from 1 in file order."""
    return {
        number: {
            "tier": int(row["level"]),
            "bonus": LETTERS[variant][row["bonus"]],
            "points": int(row["points"]),
            "cost": read_colours(variant, row),
            "symbols": int(row.get("avengers", "0")),
        }
        for number, row in enumerate(read_rows(CARDS_FROM[variant], "cards.csv"), start=1)
    }


@cache
def tiles_of(variant: str) -> dict[int, Tile]:
    """All tiles of a variant by number, counted from 1 in file order."""
    return {
        number: {
            "points": int(row["points"]),
            "demand": read_colours(variant, row),
            "prestige": int(row.get("prestige", "0")),
            "other": int(row.get("any_one_other_color", "0")),
        }
        for number, row in enumerate(read_rows(variant, "tiles.csv"), start=1)
    }


def fill_bank(variant: str, players: int) -> dict[str, int]:
    """The bank before the first turn."""
    bank = dict.fromkeys(LETTERS[variant].values(), TOKENS_PER_COLOUR[players])
    bank[WILD] = WILD_TOKENS
    if variant == "marvel":
        bank[TIME] = TIME_TOKENS[players]
    return bank


def turn_up(deck: list[int]) -> int | None:
    """Take the top card off a deck, or nothing if it is empty."""
    return deck.pop(0) if deck else None


class Referee:
    """One game, kept by the letter of the rules."""

    def __init__(
        self,
        variant: str,
        players: int,
        decks: list[list[int]],
        tiles: list[int],
        start: int = 0,
        *,
        take_fewer: bool = False,
        goal: int | None = None,
        open_reserves: bool = True,
        token_limit: int = 10,
        hand_limit: int = 3,
    ) -> None:
        """Lay out the table; decks have their top card first."""
        self.variant = variant
        self.players = players
        self.start = start
        self.take_fewer = take_fewer
        self.goal = GOAL[variant] if goal is None else goal
        self.open_reserves = open_reserves
        self.token_limit = token_limit
        self.hand_limit = hand_limit

        self.colours: list[str] = list(LETTERS[variant].values())
        self.bank: dict[str, int] = fill_bank(variant, players)
        self.decks: list[list[int]] = [list(deck) for deck in decks]
        self.market: list[list[int | None]] = [[turn_up(deck) for _ in PLACES] for deck in self.decks]
        self.tiles: list[int | None] = list(tiles)
        self.seats: list[Seat] = [
            {"tokens": dict.fromkeys(self.bank, 0), "tableau": [], "reserve": [], "tiles": []} for _ in range(players)
        ]
        self.avengers: int | None = None

        self.turn: int = start
        self.stage: str = "main"
        self.turns: int = 0
        self.passes: int = 0
        self.reason: str | None = None

    def copy(self) -> "Referee":
        """A game of its own in the same position."""
        return deepcopy(self)

    # Counting what somebody has

    def card(self, number: int) -> Card:
        """The card with this number."""
        return cards_of(self.variant)[number]

    def tile(self, number: int) -> Tile:
        """The tile with this number."""
        return tiles_of(self.variant)[number]

    def count_bonuses(self, seat: int) -> dict[str, int]:
        """Bonuses of each colour on the bought cards."""
        bonuses = dict.fromkeys(self.colours, 0)
        for number in self.seats[seat]["tableau"]:
            bonuses[self.card(number)["bonus"]] += 1
        return bonuses

    def count_symbols(self, seat: int) -> int:
        """Avengers symbols on the bought cards."""
        return sum(self.card(number)["symbols"] for number in self.seats[seat]["tableau"])

    def count_points(self, seat: int) -> int:
        """Points of bought cards, claimed tiles and the Avengers tile."""
        cards = sum(self.card(number)["points"] for number in self.seats[seat]["tableau"])
        tiles = sum(self.tile(number)["points"] for number in self.seats[seat]["tiles"])
        return cards + tiles + (AVENGERS_POINTS if self.avengers == seat else 0)

    def reaches_goal(self, seat: int) -> bool:
        """Whether a player ends the game: goal points, in Marvel the whole Gauntlet, in Cities no points but a city."""
        if self.variant == "cities":
            return len(self.seats[seat]["tiles"]) >= 1
        if self.count_points(seat) < self.goal:
            return False
        if self.variant == "classic":
            return True
        every_colour = all(count >= 1 for count in self.count_bonuses(seat).values())
        return every_colour and self.seats[seat]["tokens"][TIME] >= 1

    # Listing what is legal

    def legal_moves(self, payments: bool = False) -> set[str]:
        """Every move the player to decide may make now."""
        return set(self.list_moves(payments))

    def list_moves(self, payments: bool) -> Iterator[str]:
        """The moves of the present stage, one after another."""
        if self.stage == "main":
            yield from self.list_actions(payments)
        elif self.stage == "return":
            yield from (f"return {letter}" for letter in self.list_returnable())
        elif self.stage == "claim":
            yield from (f"claim {slot}" for slot in self.list_claimable())

    def list_actions(self, payments: bool) -> Iterator[str]:
        """Takes, reservations and purchases, or the pass if there are none."""
        stuck = True
        for action in chain(self.list_takes(), self.list_reservations(), self.list_purchases(payments)):
            stuck = False
            yield action
        if stuck:
            yield "pass"

    def list_takes(self) -> Iterator[str]:
        """Different tokens, or two of a pile that is high enough."""
        left = [letter for letter in self.colours if self.bank[letter] >= 1]
        most = min(DIFFERENT_TOKENS, len(left))
        fewest = 1 if self.take_fewer else max(1, most)
        for amount in range(fewest, most + 1):
            for letters in combinations(left, amount):
                yield "take " + "".join(letters)
        for letter in self.colours:
            if self.bank[letter] >= PILE_FOR_TWO:
                yield "take " + letter * 2

    def list_reservations(self) -> Iterator[str]:
        """Face-up cards and deck tops, while the hand has room."""
        if len(self.seats[self.turn]["reserve"]) >= self.hand_limit:
            return
        for where, _ in self.list_face_up():
            yield f"reserve {where}"
        for tier, deck in enumerate(self.decks, start=1):
            if deck:
                yield f"reserve {tier}?"

    def list_purchases(self, payments: bool) -> Iterator[str]:
        """Affordable cards, once each or once for every payment."""
        bonuses = self.count_bonuses(self.turn)
        tokens = self.seats[self.turn]["tokens"]
        strength = {letter: bonuses[letter] + tokens[letter] for letter in self.colours}
        for where, number in [*self.list_face_up(), *self.list_hand()]:
            if self.count_missing(number, strength) > tokens[WILD]:
                continue
            if payments:
                for payment in self.list_payments(self.reduce_cost(number, bonuses)):
                    yield f"buy {where} with {payment}" if payment else f"buy {where}"
            else:
                yield f"buy {where}"

    def count_missing(self, number: int, strength: dict[str, int]) -> int:
        """Tokens of a card's cost that bonuses and coloured tokens together do not cover."""
        cost = self.card(number)["cost"]
        return sum([cost[letter] - strength[letter] for letter in cost if cost[letter] > strength[letter]])

    def list_face_up(self) -> list[tuple[str, int]]:
        """Face-up cards with the names of their places."""
        return [
            (f"{tier}{place}", number)
            for tier, row in enumerate(self.market, start=1)
            for place, number in zip(PLACES, row, strict=True)
            if number is not None
        ]

    def list_hand(self) -> list[tuple[str, int]]:
        """Reserved cards of the player to decide with the names of their places."""
        hand = self.seats[self.turn]["reserve"]
        return [(f"@{place}", reserved["card"]) for place, reserved in enumerate(hand, start=1)]

    def reduce_cost(self, number: int, bonuses: dict[str, int]) -> dict[str, int]:
        """What is left of a card's cost after the bonuses, without the zeros."""
        cost = self.card(number)["cost"]
        return {letter: cost[letter] - bonuses[letter] for letter in cost if cost[letter] > bonuses[letter]}

    def list_payments(self, price: dict[str, int]) -> Iterator[str]:
        """Every exact payment: some of each colour, wild for the rest."""
        tokens = self.seats[self.turn]["tokens"]
        choices = [range(min(price[letter], tokens[letter]) + 1) for letter in price]
        for amounts in product(*choices):
            wild = sum(price.values()) - sum(amounts)
            if wild <= tokens[WILD]:
                paid = zip(price, amounts, strict=True)
                yield WILD * wild + "".join(letter * amount for letter, amount in paid)

    def choose_plain_payment(self, price: dict[str, int]) -> str:
        """Colours first, wild only for what is missing."""
        tokens = self.seats[self.turn]["tokens"]
        paid = "".join(letter * min(price[letter], tokens[letter]) for letter in price)
        return WILD * (sum(price.values()) - len(paid)) + paid

    def list_returnable(self) -> list[str]:
        """Tokens in hand that may go back; Time never may."""
        tokens = self.seats[self.turn]["tokens"]
        return [letter for letter, count in tokens.items() if count >= 1 and letter != TIME]

    def list_claimable(self) -> list[int]:
        """Slots of the tiles whose demand the player meets, counted from 1."""
        bonuses, points = self.count_bonuses(self.turn), self.count_points(self.turn)
        return [
            slot
            for slot, number in enumerate(self.tiles, start=1)
            if number is not None and self.meets_demand(number, bonuses, points)
        ]

    def meets_demand(self, number: int, bonuses: dict[str, int], points: int) -> bool:
        """Whether bonuses and points are what a tile asks for."""
        tile = self.tile(number)
        if any(bonuses[letter] < amount for letter, amount in tile["demand"].items()):
            return False
        not_named = [bonuses[letter] for letter in self.colours if letter not in tile["demand"]]
        one_other = tile["other"] == 0 or any(count >= tile["other"] for count in not_named)
        return one_other and points >= tile["prestige"]

    # Playing a move

    def play(self, text: str) -> None:
        """Make one move and everything that follows from it by itself."""
        if text not in self.list_moves(payments=" with " in text):
            raise ValueError(f"not legal now: {text!r}")
        verb, *words = text.split()
        if self.stage == "main":
            self.act(verb, words)
            self.return_or_go_on()
        elif self.stage == "return":
            self.give(words[0])
            self.return_or_go_on()
        else:
            self.claim(int(words[0]))
            self.end_turn()

    def act(self, verb: str, words: list[str]) -> None:
        """Do the one action of a turn."""
        self.passes = self.passes + 1 if verb == "pass" else 0
        if verb == "pass":
            self.show_hand()
        if verb == "take":
            self.receive(words[0])
        elif verb == "reserve":
            self.reserve(words[0])
        elif verb == "buy":
            self.buy(words[0], words[2] if len(words) > 1 else None)

    def show_hand(self) -> None:
        """Who passes proves it: everybody has now seen the reserved cards."""
        for reserved in self.seats[self.turn]["reserve"]:
            reserved["blind"] = False

    def receive(self, letters: str) -> None:
        """Move tokens from the bank to the player."""
        for letter in letters:
            self.bank[letter] -= 1
            self.seats[self.turn]["tokens"][letter] += 1

    def give(self, letters: str) -> None:
        """Move tokens from the player to the bank."""
        for letter in letters:
            self.seats[self.turn]["tokens"][letter] -= 1
            self.bank[letter] += 1

    def reserve(self, where: str) -> None:
        """Take a card in hand, and a wild token if there is one."""
        tier, blind = int(where[0]), where[1] == "?"
        number = self.decks[tier - 1].pop(0) if blind else self.remove_face_up(where)
        self.seats[self.turn]["reserve"].append({"card": number, "tier": tier, "blind": blind})
        if self.bank[WILD] >= 1:
            self.receive(WILD)

    def buy(self, where: str, payment: str | None) -> None:
        """Pay for a card, lay it out, and collect what comes with it."""
        number = dict([*self.list_face_up(), *self.list_hand()])[where]
        if payment is None:
            payment = self.choose_plain_payment(self.reduce_cost(number, self.count_bonuses(self.turn)))
        self.give(payment)
        if where[0] == "@":
            self.seats[self.turn]["reserve"].pop(int(where[1:]) - 1)
        else:
            self.remove_face_up(where)
        self.seats[self.turn]["tableau"].append(number)
        if self.variant == "marvel":
            self.bring_time(number)
            self.bring_avengers()

    def remove_face_up(self, where: str) -> int:
        """Take a face-up card away and refill its place at once."""
        tier, place = int(where[0]), PLACES.index(where[1])
        number = self.market[tier - 1][place]
        assert number is not None
        self.market[tier - 1][place] = turn_up(self.decks[tier - 1])
        return number

    def bring_time(self, number: int) -> None:
        """The first top-tier recruit brings a Time token, later ones none."""
        if self.card(number)["tier"] == TOP_TIER and self.seats[self.turn]["tokens"][TIME] == 0:
            self.receive(TIME)

    def bring_avengers(self) -> None:
        """The Avengers tile goes to the first with enough symbols, then only to strictly more."""
        symbols = self.count_symbols(self.turn)
        if self.avengers is None:
            if symbols >= AVENGERS_SYMBOLS:
                self.avengers = self.turn
        elif symbols > self.count_symbols(self.avengers):
            self.avengers = self.turn

    # Ending a turn

    def return_or_go_on(self) -> None:
        """Ask for a token while the player holds too many, then see to the tiles."""
        held = sum(self.seats[self.turn]["tokens"].values())
        if held > self.token_limit and self.list_returnable():
            self.stage = "return"
        else:
            self.claim_or_choose()

    def claim_or_choose(self) -> None:
        """A single tile comes by itself; several are the player's choice."""
        slots = self.list_claimable()
        if len(slots) > 1:
            self.stage = "claim"
            return
        if slots:
            self.claim(slots[0])
        self.end_turn()

    def claim(self, slot: int) -> None:
        """Give the player the tile of a slot."""
        number = self.tiles[slot - 1]
        assert number is not None
        self.tiles[slot - 1] = None
        self.seats[self.turn]["tiles"].append(number)
        self.passes = 0

    def end_turn(self) -> None:
        """Pass the turn on and see whether the game is over."""
        self.turns += 1
        self.turn = (self.turn + 1) % self.players
        self.stage = "main"
        if self.turn == self.start and any(self.reaches_goal(seat) for seat in range(self.players)):
            self.end_game("goal")
        elif self.passes == self.players:
            self.end_game("stalemate")

    def end_game(self, reason: str) -> None:
        """Stop the game."""
        self.stage = "over"
        self.reason = reason

    def outcome(self) -> dict[str, Any] | None:
        """Ranks, winners and reason, or None while the game runs."""
        if self.reason is None:
            return None
        keys = [self.rank_key(seat) for seat in range(self.players)]
        ranks = [1 + sum(other > key for other in keys) for key in keys]
        winners = [seat for seat in range(self.players) if ranks[seat] == 1]
        return {"ranks": ranks, "winners": winners, "reason": self.reason}

    def rank_key(self, seat: int) -> tuple[int, ...]:
        """What decides the ranking, most important first, higher is better."""
        points, bought = self.count_points(seat), len(self.seats[seat]["tableau"])
        if self.variant == "classic":
            return (points, -bought)
        return (int(self.reaches_goal(seat)), points, int(self.avengers == seat), -bought)

    # Showing the table

    def state(self) -> dict[str, Any]:
        """The whole position, hidden cards included."""
        return {
            "variant": self.variant,
            "players": self.players,
            "start": self.start,
            "turn": self.turn,
            "stage": self.stage,
            "turns": self.turns,
            "passes": self.passes,
            "bank": dict(self.bank),
            "market": [list(row) for row in self.market],
            "decks": [list(deck) for deck in self.decks],
            "tiles": list(self.tiles),
            "avengers": self.avengers,
            "seats": [self.show_seat(seat) for seat in range(self.players)],
        }

    def show_seat(self, seat: int) -> dict[str, Any]:
        """Everything one player has."""
        own = self.seats[seat]
        return {
            "tokens": dict(own["tokens"]),
            "tableau": sorted(own["tableau"]),
            "reserve": [dict(reserved) for reserved in own["reserve"]],
            "tiles": sorted(own["tiles"]),
            "points": self.count_points(seat),
            "bonuses": self.count_bonuses(seat),
            "symbols": self.count_symbols(seat),
        }

    def view(self, seat: int | None) -> dict[str, Any]:
        """The position as one player sees it; None is a spectator."""
        shown = self.state()
        shown["seat"] = seat
        shown["decks"] = [len(deck) for deck in self.decks]
        for other, belongings in enumerate(shown["seats"]):
            if other != seat:
                self.hide_reserve(belongings["reserve"])
        return shown

    def hide_reserve(self, reserve: list[dict[str, Any]]) -> None:
        """Cover the reserved cards that others may not see."""
        for reserved in reserve:
            if reserved["blind"] or not self.open_reserves:
                reserved["card"] = None
