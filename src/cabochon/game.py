"""Game: the friendly object over one record."""

import secrets
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, SupportsIndex

import numpy as np

from . import batch
from .errors import CabochonError, IllegalMove, RulesetError, WrongType, quoted
from .notation.ascii import draw
from .notation.move import Move, parse_move, plain_moves
from .notation.position import format_position, parse_position
from .notation.record import Record, Resignation, parse_record
from .notation.replay import check_order, first_position, record_of, replay
from .notation.svg import svg
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

AnyMove = str | Move | SupportsIndex  # a text, a Move, or the number of an action
RESIGNED = "resigned"  # the reason of a game that ended because somebody gave up
MAX_KEPT_RECORDS = 8  # how many moves can be taken back before the game is played again from its beginning


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
        moves: str | Iterable[AnyMove] = (),
        **house: Any,
    ) -> None:
        rules = ruleset(variant, players, house)
        seed = secrets.randbits(62) if seed is None else seed
        self._set(batch.deal(variant, players, [_checked_seed(seed)], start=start, **house), rules)
        self._dealt = _dealt(rules, seed, start)
        self.play_all(moves)

    @classmethod
    def from_position(cls, text: str | Position, moves: str | Iterable[AnyMove] = ()) -> "Game":
        """A game that begins at a full position."""
        shown = text if isinstance(text, View) else parse_position(text)
        if not isinstance(shown, Position):
            raise CabochonError("a view does not say what is hidden: use sample(view) for a game that fits it")
        game = cls.from_states(state_of(shown))
        game.play_all(moves)
        return game

    @classmethod
    def from_record(cls, record: "str | Record | np.void") -> "Game":
        """The game a record holds, replayed and checked; or the game at one record of an array, such as `states[5]`."""
        if isinstance(record, np.void):
            return cls.from_states(record)
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
    def from_states(cls, states: "States | np.void") -> "Game":
        """A game over a copy of one record: an array of one, or an element of an array."""
        states = np.array([states]) if isinstance(states, np.void) else states
        if len(batch.checked_states(states)) != 1:
            raise CabochonError(f"a game is one record, not {len(states)}")
        game = cls.__new__(cls)
        game._set(states.copy(), ruleset_of(states[0]))
        return game

    def _set(self, states: States, rules: Ruleset) -> None:
        self.states = states
        self.rules = rules
        self._first = states[0].tobytes()
        self._moves: list[Move] = []
        self._before: deque[bytes] = deque(maxlen=MAX_KEPT_RECORDS)  # the records before the last moves
        self._dealt = None

    @property
    def state(self) -> Any:
        """The record itself, hidden cards included."""
        return self.states[0]

    @property
    def variant(self) -> str:
        """The name of the variant: classic, marvel or cities."""
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
        return tuple(self._moves)

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

    def outcome_without(self, resigned: Collection[int]) -> Outcome | None:
        """The outcome if these seats have resigned: they come last. A game that was given up is won by all who are left."""
        ended = self.outcome
        if not resigned:
            return ended
        left = [seat for seat in range(self.players) if seat not in resigned]
        place = ended.ranks if ended else (1,) * self.players
        better = [sum(place[other] < place[seat] for other in left) for seat in range(self.players)]
        ranks = tuple(1 + (better[seat] if seat in left else len(left)) for seat in range(self.players))
        return Outcome(ranks, tuple(seat for seat in left if ranks[seat] == 1), ended.reason if ended else RESIGNED)

    def legal_actions(self) -> list[int]:
        """The numbers of every legal move."""
        mask, first = _legal(self.states), int(FIRST_ACTION[self.state["stage"]])
        return [*_actions(mask, first)]

    def legal_moves(self, payments: bool = False) -> list[Move]:
        """Every legal move; with `payments`, a purchase once for each way to pay it."""
        every = plain_moves(self.variant)
        moves = [every[action] for action in self.legal_actions()]
        if not payments:
            return moves
        return [way for move in moves for way in (self.ways_to_pay(move) if ACTIONS[move.action].is_purchase else (move,))]

    def is_legal(self, move: AnyMove) -> bool:
        """Whether a move, as text, `Move` or action number, may be played now. A text that is no move raises."""
        return self._allows(self._move(move))

    def _allows(self, move: Move) -> bool:
        payment = pack(move.payment) if move.payment else 0
        bit = move.action - int(FIRST_ACTION[self.state["stage"]])
        is_listed = bit >= 0 and bool(_legal(self.states) >> bit & 1)
        return is_listed and (not payment or _pays(self.states, move.action, payment))

    def ways_to_pay(self, move: AnyMove) -> list[Move]:
        """A legal purchase once for each payment; as it is if it costs nothing."""
        action = self._move(move).action
        if not ACTIONS[action].is_purchase:
            raise CabochonError(f"{move}: only a purchase is paid for")
        return [Move(action, payment, self.variant) for payment in payments_of(*self.owed(action))]

    def owed(self, action: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """What a purchase costs by colour, and the tokens of the seat to decide that could pay for it, wild last."""
        cost, held = unpack(_due(self.states, action)), unpack(self.state["tokens"][self.turn])
        return cost[:COLOUR_COUNT], (*map(min, cost[:COLOUR_COUNT], held), min(sum(cost), held[WILD]))

    def why_not(self, move: AnyMove) -> Reason | None:
        """The rule that forbids this move now, in words; None if it is legal."""
        return why_not(self.view(self.turn), self._move(move))

    def play(self, move: AnyMove) -> None:
        """Play a move: a text, a `Move` or an action number. One that is not legal raises and changes nothing."""
        decided = self._move(move)
        if not self._allows(decided):
            rule = self.why_not(decided)
            raise IllegalMove(decided, rule.sentence() if rule else "not legal")
        self._play(decided)
        self._moves.append(decided)

    def _play(self, move: Move) -> None:
        self._before.append(self.states.tobytes())
        _play(self.states, move.action, pack(move.payment) if move.payment else 0)

    def play_all(self, moves: str | Iterable[AnyMove]) -> None:
        """Play several moves, as a list or as one text with semicolons between them."""
        if not isinstance(moves, Iterable) or isinstance(moves, bytes | bytearray):
            raise WrongType(f"moves are a text or a list, not {quoted(moves)}")
        for move in moves.split(";") if isinstance(moves, str) else moves:
            if not isinstance(move, str) or move.strip():
                self.play(move)

    def undo(self) -> Move:
        """Take the last move back; the record is restored byte for byte."""
        if not self._moves:
            raise CabochonError("there is no move to take back")
        if not self._before:
            self._play_again()
        self._restore(self._before.pop())
        return self._moves.pop()

    def _play_again(self) -> None:
        """Play all moves from the beginning: the records before the last of them are kept then."""
        self._restore(self._first)
        for move in self._moves:
            self._play(move)

    def _restore(self, record: bytes) -> None:
        self.states[0] = np.frombuffer(record, self.states.dtype)[0]

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

    def record(self, names: tuple[str, ...] = (), date: str = "", resigned: tuple[Resignation, ...] = ()) -> Record:
        """The game as it can be stored: deal, moves, who resigned, and the result."""
        return record_of(self, names, date, resigned=resigned)

    def copy(self) -> "Game":
        """A game of its own with the same history."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__, states=self.states.copy(), _moves=list(self._moves), _before=self._before.copy())
        return twin

    __copy__ = copy  # by itself Python would copy the attributes alone, and both games would play on one record

    def __deepcopy__(self, _memo: dict[int, Any]) -> "Game":
        return self.copy()

    def _move(self, move: AnyMove) -> Move:
        if isinstance(move, int | np.integer) and is_count(move):
            return Move(int(move), None, self.variant)
        if isinstance(move, Move):
            if move.variant != self.variant:
                raise CabochonError(f"{move} is a move of {move.variant}, and this game is {self.variant}")
            return move
        if not isinstance(move, str):
            raise WrongType(f"a move is a text, a Move or an action number, not {quoted(move)}")
        return parse_move(move, self.variant)

    def __str__(self) -> str:
        return draw(self.position())

    def _repr_svg_(self) -> str:
        """The picture that a notebook shows, hidden cards included."""
        return svg(self.position())

    def __repr__(self) -> str:
        moves = "; ".join(str(move) for move in self.moves)
        first = np.frombuffer(self._first, self.states.dtype)[0]
        origin = self._dealt or f"Game.from_position({format_position(position(first))!r}"
        return f"{origin}{f', moves={moves!r}' if moves else ''})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.states.tobytes() == other.states.tobytes()

    __hash__ = None  # type: ignore[assignment]


@lru_cache(maxsize=1 << 12)
def payments_of(cost: tuple[int, ...], tokens: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Every way to pay a cost with tokens that could pay for it (`Game.owed`), by lane. Kept: the same ones come often."""
    ways: list[tuple[int, ...]] = [()]
    for colour in range(COLOUR_COUNT):
        least = max(0, cost[colour] - tokens[WILD])  # wild can pay for the rest of a colour at most
        ways = [(*way, n) for way in ways for n in range(least, min(cost[colour], tokens[colour]) + 1)]
    return tuple((*way, sum(cost) - sum(way)) for way in ways if sum(cost) - sum(way) <= tokens[WILD])


@lru_cache(maxsize=1 << 12)
def _actions(mask: int, first: int) -> tuple[int, ...]:
    """The actions whose bits are set, from the first of a stage on. Kept: the same ones come often."""
    return tuple([action for action, bit in enumerate(f"{mask:b}"[::-1], first) if bit == "1"])


def _checked_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not -(1 << 63) <= seed < 1 << 63:
        raise RulesetError(f"seed must be a whole number that fits 64 bits, not {quoted(seed)}")
    return int(seed)


def _dealt(rules: Ruleset, seed: int, start: int | None) -> str:
    """The call that dealt a game, without its last bracket."""
    settings = {"seed": seed, **({} if start is None else {"start": start}), **rules.house_rules()}
    said = "".join(f", {name}={value!r}" for name, value in settings.items())
    return f"Game({rules.variant!r}, players={rules.players}{said}"
