"""Moves as text: `take wug`, `reserve 2c`, `reserve 3?`, `buy 1a`, `buy @2`, `buy 1a with *u`, `return k`, `claim 2`, `pass`."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from ..errors import CabochonError, MoveSyntaxError, RulesetError, WrongType, quoted
from ..rules.actions import (
    ACTION_COUNT,
    ACTIONS,
    BUY,
    BUY_RESERVED,
    CLAIM_TILE,
    GIVE_BACK,
    KINDS,
    PASS,
    RESERVE,
    RESERVE_DECK,
    TAKE_TWO,
    TAKEN,
    Kind,
)
from ..rules.gems import COLOUR_COUNT, pack, unpack
from ..rules.state import MARKET_SIZE, SLOTS_PER_TIER
from ..rules.variants import VARIANTS
from ..ruleset import is_count
from .gems import format_run, parse_counts

PLACES = "abcd"
VERBS = ("take", "reserve", "buy", "return", "claim", "pass")
TAKE_BY_GEMS = {int(gems): action for action, gems in enumerate(TAKEN)}
PAYMENT = " with "  # between a purchase and what is paid
LONGEST_MOVE = 100
MOST_PAID = 63


@dataclass(frozen=True, slots=True)
class Move:
    """A decision: its action number and, for a purchase, the payment by lane if it is said."""

    action: int
    payment: tuple[int, ...] | None = None
    variant: str = "classic"

    def __post_init__(self) -> None:
        if not is_count(self.action):
            raise WrongType(f"an action is a whole number, not {quoted(self.action)}")
        if not 0 <= self.action < ACTION_COUNT:
            raise CabochonError(f"an action is a number from 0 to {ACTION_COUNT - 1}, not {quoted(self.action)}")
        _check_variant(self.variant)
        if self.payment is not None:
            object.__setattr__(self, "payment", _checked_payment(self))

    @property
    def kind(self) -> str:
        """The rulebook's verb: take, reserve, buy, return, claim or pass."""
        return ACTIONS[self.action].kind.verb

    @classmethod
    def parse(cls, text: str, variant: str = "classic") -> "Move":
        """The move this text says."""
        return parse_move(text, variant)

    def __str__(self) -> str:
        return format_move(self)

    def __repr__(self) -> str:
        return f"Move.parse({format_move(self)!r}, {self.variant!r})"


@cache
def plain_moves(variant: str) -> tuple[Move, ...]:
    """All moves of a game by action number, with no payment said; made once, since a position lists dozens of them."""
    return tuple(Move(action, None, variant) for action in range(ACTION_COUNT))


def _check_variant(variant: str) -> None:
    if not isinstance(variant, str) or variant not in VARIANTS:
        raise RulesetError(f"unknown variant {quoted(variant)}: choose one of {', '.join(VARIANTS)}")


def _checked_payment(move: Move) -> tuple[int, ...] | None:
    """A purchase's payment, with all lanes; paying nothing is the same as not saying it."""
    lanes, payment = len(VARIANTS[move.variant].letters), move.payment or ()
    if not ACTIONS[move.action].is_purchase:
        raise CabochonError("only a purchase has a payment")
    if not isinstance(payment, tuple | list) or not all(map(is_count, payment)):
        raise WrongType(f"a payment is a tuple of whole numbers, not {quoted(payment)}")
    if len(payment) > lanes or (payment and not 0 <= min(payment) <= max(payment) <= MOST_PAID):
        raise CabochonError(f"a payment is up to {lanes} counts from 0 to {MOST_PAID}, not {quoted(payment)}")
    return (*payment, *[0] * (lanes - len(payment))) if any(payment) else None


@lru_cache(maxsize=4096)
def format_move(move: Move) -> str:
    """The move in words a person can type."""
    letters, (kind, place) = VARIANTS[move.variant].letters, ACTIONS[move.action]
    return f"{kind.verb} {_object(kind, place, letters)}".rstrip() + format_payment(move.payment or (), letters)


def _object(kind: Kind, place: int, letters: str) -> str:
    """What the verb is about."""
    if kind.verb == "take":
        return format_run(unpack(int(TAKEN[place if kind is KINDS[0] else TAKE_TWO + place])), letters)
    if kind.verb == "return":
        return letters[place] if place < len(letters) else "t"
    if kind.size == MARKET_SIZE:
        return _place(place)
    return {"reserve": f"{place + 1}?", "buy": f"@{place + 1}", "claim": str(place + 1), "pass": ""}[kind.verb]


def format_payment(payment: tuple[int, ...], letters: str) -> str:
    """What is said of a payment after the purchase; nothing if nothing is paid."""
    return PAYMENT + format_run(payment, letters) if any(payment) else ""


def _place(slot: int) -> str:
    return f"{slot // SLOTS_PER_TIER + 1}{PLACES[slot % SLOTS_PER_TIER]}"


def parse_move(text: str, variant: str = "classic") -> Move:
    """The move this text says; spaces at the ends and between words do not matter."""
    if not isinstance(text, str):
        raise WrongType(f"a move is a text, not {quoted(text)}")
    if not isinstance(variant, str):  # a list could not be looked up in the cache
        _check_variant(variant)
    return _parse(text, variant)


@lru_cache(maxsize=4096)
def _parse(text: str, variant: str) -> Move:
    _check_variant(variant)
    if len(text) > LONGEST_MOVE:
        raise MoveSyntaxError(text[:20] + "…", LONGEST_MOVE, "the end")
    words = [(found.group(), found.start() + 1) for found in re.finditer(r"\S+", text)]
    if not words or words[0][0] not in VERBS:
        raise MoveSyntaxError(text, words[0][1] if words else 1, "one of " + ", ".join(VERBS))
    return _Reader(text, words, variant).move()


class _Reader:
    """Reads the words of one move, each with the column it starts in."""

    def __init__(self, text: str, words: list[tuple[str, int]], variant: str) -> None:
        self.text, self.words, self.variant = text, words, variant
        self.letters = VARIANTS[variant].letters

    def fail(self, column: int, expected: str) -> MoveSyntaxError:
        return MoveSyntaxError(self.text, column, expected)

    def move(self) -> Move:
        verb = self.words[0][0]
        if verb == "pass":
            return self.done(PASS, used=1)
        word, column = self.word(1, self.expected(verb))
        if verb == "buy":
            return self.purchase(word, column)
        action = {"take": self.take, "reserve": self.reserve, "return": self.give_back, "claim": self.claim}[verb]
        return self.done(action(word, column), used=2)

    def expected(self, verb: str) -> str:
        colours = self.letters[:COLOUR_COUNT]
        return {
            "take": f"one to three different or two alike of {colours}",
            "reserve": "a place like 2c, or a deck like 3?",
            "buy": "a place like 1a, or a reserved card like @2",
            "return": f"one of {self.letters}",
            "claim": "the number of a tile, 1 to 5",
        }[verb]

    def word(self, i: int, expected: str) -> tuple[str, int]:
        if i >= len(self.words):
            raise self.fail(len(self.text) + 1, expected)
        return self.words[i]

    def done(self, action: int, used: int, payment: tuple[int, ...] | None = None) -> Move:
        if len(self.words) > used:
            raise self.fail(self.words[used][1], "the end")
        return Move(action, payment, self.variant)

    def take(self, word: str, column: int) -> int:
        colours = self.letters[:COLOUR_COUNT]
        for i, letter in enumerate(word):
            if letter not in colours:
                raise self.fail(column + i, f"one of the colours {colours}")
        action = TAKE_BY_GEMS.get(pack(word.count(letter) for letter in colours))
        if action is None:
            raise self.fail(column, self.expected("take"))
        return action

    def reserve(self, word: str, column: int) -> int:
        if re.fullmatch("[123][?]", word):
            return RESERVE_DECK + int(word[0]) - 1
        return RESERVE + self.slot(word, column, "reserve")

    def slot(self, word: str, column: int, verb: str) -> int:
        if not re.fullmatch(f"[123][{PLACES}]", word):
            raise self.fail(column, self.expected(verb))
        return SLOTS_PER_TIER * (int(word[0]) - 1) + PLACES.index(word[1])

    def give_back(self, word: str, column: int) -> int:
        if len(word) != 1 or word not in self.letters:
            raise self.fail(column, self.expected("return"))
        return GIVE_BACK + self.letters.index(word)

    def claim(self, word: str, column: int) -> int:
        if not re.fullmatch("[1-5]", word):
            raise self.fail(column, self.expected("claim"))
        return CLAIM_TILE + int(word) - 1

    def purchase(self, word: str, column: int) -> Move:
        reserved = re.fullmatch("@[123]", word)
        action = BUY_RESERVED + int(word[1]) - 1 if reserved else BUY + self.slot(word, column, "buy")
        if len(self.words) == 2:
            return self.done(action, used=2)
        if self.words[2][0] != "with":
            raise self.fail(self.words[2][1], "'with' and a payment, or the end")
        gems, at = self.word(3, f"a payment like *{self.letters[0]}")
        payment = parse_counts(gems, self.letters, lambda _: self.fail(at, f"a payment like *{self.letters[0]}"))
        if not 0 < max(payment) <= MOST_PAID:
            raise self.fail(at, f"a payment like *{self.letters[0]}")
        return self.done(action, used=4, payment=payment)
