"""Game: the friendly object over one record."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from . import batch
from .errors import CabochonError, IllegalMove, RulesetError, WrongType, quoted
from .notation.ascii import draw
from .notation.move import Move, parse_move, plain_moves
from .notation.position import format_position, parse_position
from .notation.record import Record, parse_record
from .notation.replay import check_order, first_position, record_of, replay
from .rules import play as turn
from .rules.actions import ACTIONS, FIRST_ACTION, card_bought
from .rules.compile import kernel
from .rules.ending import fulfils_goal, rank
from .rules.gems import COLOUR_COUNT, WILD, pack, unpack
from .rules.paying import pays, price
from .rules.state import OVER, REASONS, STAGES
from .ruleset import Ruleset, States, is_count, ruleset, ruleset_of
from .view import Position, View, position, state_of, view
from .why_not import Reason, why_not


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: a rank for every seat (1 is best, equals share), the winners, and the reason."""

    ranks: tuple[int, ...]
    winners: tuple[int, ...]
    reason: str


@kernel
def _legal(states: Any) -> int:
    return turn.legal(states[0])


@kernel
def _is_legal(states: Any, action: int) -> bool:
    return turn.is_legal(states[0], action)


@kernel
def _play(states: Any, action: int, payment: int) -> None:
    turn.play(states[0], action, payment)


@kernel
def _due(states: Any, action: int) -> int:
    return price(states[0], states[0].turn, card_bought(states[0], action))


@kernel
def _pays(states: Any, action: int, payment: int) -> bool:
    return pays(states[0], states[0].turn, _due(states, action), payment)


@kernel
def _rank(states: Any, seat: int) -> int:
    return rank(states[0], seat)


@kernel
def _fulfils(states: Any, seat: int) -> bool:
    return fulfils_goal(states[0], seat)


def reaches_goal(shown: View, seat: int) -> bool:
    """Whether a seat fulfils the goal in a view: points enough and, in Marvel, the rest of the Gauntlet."""
    return _fulfils(state_of(shown), seat)


class Game:
    """One game, with its history.

    >>> game = Game("classic", players=2, seed=7)
    >>> game.play("take wug")
    """

    _dealt: str | None

    def __init__(
        self,
        variant: str = "classic",
        players: int = 2,
        *,
        seed: int | None = None,
        start: int | None = None,
        moves: str | Iterable[str | Move] = (),
        **house: Any,
    ) -> None:
        rules = ruleset(variant, players, house)
        seed = secrets.randbits(62) if seed is None else seed
        self._set(batch.deal(variant, players, [_checked_seed(seed)], start=start, **house), rules)
        self._dealt = _dealt(rules, seed, start)
        self.play_all(moves)

    @classmethod
    def from_position(cls, text: str | Position, moves: str | Iterable[str | Move] = ()) -> "Game":
        """A game that begins at a full position."""
        shown = text if isinstance(text, View) else parse_position(text)
        if not isinstance(shown, Position):
            raise CabochonError("a view does not say what is hidden: use sample(view) for a game that fits it")
        game = cls.from_states(state_of(shown))
        game.play_all(moves)
        return game

    @classmethod
    def from_record(cls, record: str | Record) -> "Game":
        """The game a record holds, replayed and checked."""
        return replay(parse_record(record) if isinstance(record, str) else record, cls.from_position)

    @classmethod
    def from_order(
        cls, variant: str, players: int, *, decks: Iterable[Iterable[int]], tiles: Iterable[int], start: int = 0, **house: Any
    ) -> "Game":
        """A game dealt by hand: the card numbers of each deck, top first, the tiles in their places, and the start seat."""
        rules = ruleset(variant, players, house)
        try:
            dealt = Record(rules, start, tuple(tiles), tuple(tuple(deck) for deck in decks))
        except TypeError as wrong:
            raise WrongType(f"tiles are a list of numbers, and decks three of them: {wrong}") from wrong
        check_order(dealt)
        return cls.from_position(first_position(dealt))

    @classmethod
    def from_states(cls, states: States) -> "Game":
        """A game over a copy of one record (an array of one)."""
        if len(batch.checked_states(states)) != 1:
            raise CabochonError(f"a game is one record, not {len(states)}")
        game = cls.__new__(cls)
        game._set(states.copy(), ruleset_of(states[0]))
        return game

    def _set(self, states: States, rules: Ruleset) -> None:
        self.states = states
        self.rules = rules
        self._first = states[0].tobytes()
        self._past: list[tuple[Move, bytes]] = []
        self._dealt = None

    @property
    def state(self) -> Any:
        """The record itself, hidden cards included."""
        return self.states[0]

    @property
    def variant(self) -> str:
        """Classic or marvel."""
        return self.rules.variant

    @property
    def players(self) -> int:
        """How many seats."""
        return self.rules.players

    @property
    def start(self) -> int:
        """The seat that began."""
        return int(self.state["start"])

    @property
    def turn(self) -> int:
        """The seat to decide."""
        return int(self.state["turn"])

    @property
    def stage(self) -> str:
        """What is to be decided: main, return or claim; or over."""
        return STAGES[self.state["stage"]]

    @property
    def round(self) -> int:
        """The round being played, or the last one played, from 1."""
        return (int(self.state["turns"]) - self.is_over) // self.players + 1

    @property
    def points(self) -> tuple[int, ...]:
        """Points by seat."""
        return tuple(int(points) for points in self.state["points"][: self.players])

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves played since the beginning."""
        return tuple(move for move, _ in self._past)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.state["stage"] == OVER)

    @property
    def is_last_round(self) -> bool:
        """Whether somebody fulfils the goal now, so that this round is the last unless that changes."""
        return any(_fulfils(self.states, seat) for seat in range(self.players))

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""
        if not self.is_over:
            return None
        ranks = tuple(_rank(self.states, seat) for seat in range(self.players))
        winners = tuple(seat for seat, place in enumerate(ranks) if place == 1)
        return Outcome(ranks, winners, REASONS[self.state["reason"]])

    def legal_moves(self, payments: bool = False) -> list[Move]:
        """Every legal move; with `payments`, a purchase once for each way to pay it."""
        mask, first = _legal(self.states), int(FIRST_ACTION[self.state["stage"]])
        every = plain_moves(self.variant)
        moves = [every[first + bit] for bit in range(mask.bit_length()) if mask >> bit & 1]
        if not payments:
            return moves
        return [way for move in moves for way in (self.ways_to_pay(move) if ACTIONS[move.action].is_purchase else (move,))]

    def ways_to_pay(self, move: str | Move) -> list[Move]:
        """A legal purchase once for each payment; as it is if it costs nothing."""
        action = self._move(move).action
        if not ACTIONS[action].is_purchase:
            raise CabochonError(f"{move}: only a purchase is paid for")
        due, held = _due(self.states, action), int(self.state["tokens"][self.turn])
        return [Move(action, payment, self.variant) for payment in payments_of(due, held)]

    def why_not(self, move: str | Move) -> Reason | None:
        """The rule that forbids this move now, in words; None if it is legal."""
        return why_not(self.view(self.turn), self._move(move))

    def play(self, move: str | Move) -> None:
        """Play a move. One that is not legal raises and changes nothing."""
        decided = self._move(move)
        payment = pack(decided.payment) if decided.payment else 0
        if not _is_legal(self.states, decided.action) or (payment and not _pays(self.states, decided.action, payment)):
            rule = self.why_not(decided)
            raise IllegalMove(decided, rule.sentence() if rule else "not legal")
        before = self.states.tobytes()
        _play(self.states, decided.action, payment)
        self._past.append((decided, before))

    def play_all(self, moves: str | Iterable[str | Move]) -> None:
        """Play several moves, as a list or as one text with semicolons between them."""
        if not isinstance(moves, Iterable):
            raise WrongType(f"moves are a text or a list, not {quoted(moves)}")
        for move in moves.split(";") if isinstance(moves, str) else moves:
            if not isinstance(move, str) or move.strip():
                self.play(move)

    def undo(self) -> Move:
        """Take the last move back; the record is restored byte for byte."""
        if not self._past:
            raise CabochonError("there is no move to take back")
        move, before = self._past.pop()
        self.states[0] = np.frombuffer(before, self.states.dtype)[0]
        return move

    def view(self, seat: int | None) -> View:
        """What a seat may know; None: a spectator."""
        if seat is not None and not (is_count(seat) and 0 <= seat < self.players):
            raise RulesetError(f"there is no seat {quoted(seat)}: seats are 0 to {self.players - 1}")
        return view(self.state, seat)

    def position(self) -> Position:
        """Everything, hidden cards included."""
        return position(self.state)

    def beginning(self) -> "Game":
        """The same game before its first move."""
        return Game.from_states(np.frombuffer(self._first, self.states.dtype))

    def record(self, names: tuple[str, ...] = (), date: str = "") -> Record:
        """The game as it can be stored: deal, moves and result."""
        return record_of(self, names, date)

    def copy(self) -> "Game":
        """A game of its own with the same history."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__, states=self.states.copy(), _past=list(self._past))
        return twin

    __copy__ = copy  # by itself Python would copy the attributes alone, and both games would play on one record

    def __deepcopy__(self, _memo: dict[int, Any]) -> "Game":
        return self.copy()

    def _move(self, move: str | Move) -> Move:
        if isinstance(move, Move):
            if move.variant != self.variant:
                raise CabochonError(f"{move} is a move of {move.variant}, and this game is {self.variant}")
            return move
        return parse_move(move, self.variant)

    def __str__(self) -> str:
        return draw(self.position())

    def __repr__(self) -> str:
        moves = "; ".join(str(move) for move in self.moves)
        first = np.frombuffer(self._first, self.states.dtype)[0]
        origin = self._dealt or f"Game.from_position({format_position(position(first))!r}"
        return f"{origin}{f', moves={moves!r}' if moves else ''})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.states.tobytes() == other.states.tobytes()

    __hash__ = None  # type: ignore[assignment]


@lru_cache(maxsize=1 << 14)
def payments_of(due: int, held: int) -> tuple[tuple[int, ...], ...]:
    """Every way to pay what is due from the tokens held, by lane. Kept: hands are looked at often."""
    cost, tokens = unpack(due), unpack(held)
    ways: list[tuple[int, ...]] = [()]
    for colour in range(COLOUR_COUNT):
        least = max(0, cost[colour] - tokens[WILD])  # wild can pay for the rest of a colour at most
        ways = [(*way, n) for way in ways for n in range(least, min(cost[colour], tokens[colour]) + 1)]
    return tuple((*way, sum(cost) - sum(way)) for way in ways if sum(cost) - sum(way) <= tokens[WILD])


def _checked_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not -(1 << 63) <= seed < 1 << 63:
        raise RulesetError(f"seed must be a whole number that fits 64 bits, not {quoted(seed)}")
    return int(seed)


def _dealt(rules: Ruleset, seed: int, start: int | None) -> str:
    """The call that dealt a game, without its last bracket."""
    settings = {"seed": seed, **({} if start is None else {"start": start}), **rules.house_rules()}
    said = "".join(f", {name}={value!r}" for name, value in settings.items())
    return f"Game({rules.variant!r}, players={rules.players}{said}"
