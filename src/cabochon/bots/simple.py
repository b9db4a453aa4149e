"""What a bot is, and two that need no search: one plays at random, one takes what looks best now."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from .. import batch
from ..errors import CabochonError
from ..notation.move import Move
from ..rules.actions import BUY, BUY_RESERVED, CLAIM_TILE, FIRST_ACTION, GIVE_BACK, PASS, RESERVE, RESERVE_DECK, TAKEN
from ..rules.buying import AVENGERS_POINTS, SYMBOLS_FOR_TILE
from ..rules.cards import CARDS, TIER_COUNT, TILES, Card
from ..rules.gems import COLOUR_COUNT, TIME, WILD, unpack
from ..rules.state import SLOTS_PER_TIER, STAGES
from ..view import SeatView, View, state_of

Counts = tuple[int, ...]
Target = tuple[float, Counts]


@dataclass(frozen=True, slots=True)
class Budget:
    """A thinking allowance: positions looked at, seconds, both, or none said."""

    nodes: int | None = None
    seconds: float | None = None


class Bot(Protocol):
    """A program that decides for a seat. The same view, budget in nodes and seed give the same move."""

    @property
    def name(self) -> str:
        """The word it is called by."""

    @property
    def character(self) -> str:
        """How it plays, in one line."""

    def choose(self, view: View, budget: Budget, seed: int) -> Move:
        """A legal move for the seat to decide, from its own view."""


def legal_moves(view: View) -> list[Move]:
    """The legal moves of the seat to decide, from its own view (or from a Position)."""
    mask = int(batch.legal(state_of(view))[0])
    first = int(FIRST_ACTION[STAGES.index(view.stage)])
    return [Move(first + bit, None, view.rules.variant) for bit in range(mask.bit_length()) if mask >> bit & 1]


def _choices(view: View) -> list[Move]:
    """The legal moves, if there is something to decide and this is the view to decide from."""
    if view.stage == "over":
        raise CabochonError("the game is over: there is nothing to choose")
    if view.seat != view.turn:
        raise CabochonError(f"seat {view.turn} is to decide: a bot needs the view of that seat")
    return legal_moves(view)


@dataclass(frozen=True, slots=True)
class Random:
    """Every legal move is equally likely."""

    name: ClassVar[str] = "random"
    character: ClassVar[str] = "plays any legal move, all equally likely"

    def choose(self, view: View, _budget: Budget, seed: int) -> Move:
        """Any legal move."""
        return random.Random(seed).choice(_choices(view))


PATIENCE = 40
BOREDOM = 0.02


@dataclass(frozen=True, slots=True)
class Greedy:
    """Looks one move ahead: what it has then, and how near the next good cards are."""

    name: ClassVar[str] = "greedy"
    character: ClassVar[str] = "buys the best card in reach, or takes what brings the next one closer"

    def choose(self, view: View, _budget: Budget, seed: int) -> Move:
        """The move that looks best. Late in a long game now and then any move, so that nobody takes and returns for ever."""
        moves, rng = _choices(view), random.Random(seed)
        rounds_too_many = view.turns // view.rules.players - PATIENCE
        if len(moves) == 1 or rng.random() < BOREDOM * rounds_too_many:
            return rng.choice(moves)
        outlook = _Outlook(view)
        return max(moves, key=lambda move: (outlook.score(move.action), rng.random()))


NEARNESS = 0.6  # what one missing token leaves of a card's worth
UNBOUGHT = 0.7  # what a card in reach is worth, compared with one that is bought
EXPOSED = 0.6  # what is left of that if an opponent can buy it first
IN_MARKET = 0.95
ATTENTION = (1.0, 0.5, 0.3, 0.15)  # the best target counts in full, the next ones less
TARGETS = 6
FULL_HAND = 0.3  # what it costs to fill a place in the reserve
SAVING = 0.09  # what one token off the price of a card in sight is worth
NEARLY_OVER = 0.2  # what a bonus saves counts less the nearer the end is, but never less than this
TILE_POINTS = 3
TILE_SHARE = 0.8  # what one missing bonus leaves of a tile's worth
NEW_COLOUR = 1.0  # the Gauntlet asks for every colour ...
FIRST_TIME = 2.0  # ... and for a Time token
SYMBOL = 0.4
WINNING = 100.0


class _Outlook:
    """A seat's position, and how good it would be after each move."""

    def __init__(self, view: View) -> None:
        self.view, self.rules = view, view.rules
        self.me = view.seats[view.turn]
        self.rivals = [area for seat, area in enumerate(view.seats) if seat != view.turn]
        self.in_reserve = [_card(view, held.card) for held in self.me.reserve if held.card is not None]
        self.in_market = [_card(view, number) for row in view.market for number in row if number is not None]
        self.demands = [TILES[self.rules.variant][tile.number - 1].demand for tile in view.tiles if tile.owner is None]
        self.to_go = max(NEARLY_OVER, 1 - max(area.points for area in view.seats) / (self.rules.goal or 1))
        self.useful = [self._use_of_bonus(colour) for colour in range(COLOUR_COUNT)]
        self.worth = {card.number: self._worth(card) for card in self.in_market + self.in_reserve}
        self.chance = {card.number: self._chance(card) for card in self.in_market} | dict.fromkeys(
            (card.number for card in self.in_reserve), 1.0
        )
        self.targets = self._targets(self.me.bonuses, self.me.tokens)
        self.reached: dict[Counts, float] = {}

    def score(self, action: int) -> float:
        """How good the position is after this action; only differences between actions mean something."""
        tokens = list(self.me.tokens)
        if action < RESERVE:
            return self._holding(tokens, unpack(int(TAKEN[action])))
        if action < BUY:
            return self._after_reserving(action)
        if action < PASS:
            return self._after_buying(action)
        if GIVE_BACK <= action < CLAIM_TILE:
            tokens[action - GIVE_BACK] -= 1
            return self._reach_of(tokens)
        return self._rivals_nearness(action - CLAIM_TILE) if action >= CLAIM_TILE else 0.0

    def _holding(self, tokens: list[int], taken: Counts) -> float:
        """The tokens after taking these and returning the least useful."""
        held = [own + more for own, more in zip(tokens, taken, strict=False)]
        while sum(held) > self.rules.token_limit:
            lanes = [lane for lane, count in enumerate(held[: WILD + 1]) if count]
            held = max((_without(held, lane) for lane in lanes), key=self._reach_of)
        return self._reach_of(held)

    def _reach_of(self, tokens: list[int]) -> float:
        """How good these tokens are, remembered: many takes and returns come to the same."""
        held = tuple(tokens)
        if held not in self.reached:
            self.reached[held] = _reach(self.targets, tokens)
        return self.reached[held]

    def _after_reserving(self, action: int) -> float:
        """A card made safe and a wild token, for a place in the reserve."""
        wild = tuple(int(lane == WILD and self.view.bank[WILD] > 0) for lane in range(TIME + 1))
        score = self._holding(list(self.me.tokens), wild) - FULL_HAND * (len(self.me.reserve) + 1)
        if action >= RESERVE_DECK:
            return score
        card = self._in_slot(action - RESERVE)
        missing = _missing(_price(card.cost, self.me.bonuses), self.me.tokens)
        return score + self.worth[card.number] * (1 - self.chance[card.number]) * UNBOUGHT * NEARNESS**missing

    def _after_buying(self, action: int) -> float:
        """The card itself, and how near the others are with its bonus and without what it cost."""
        held = action >= BUY_RESERVED
        card = self.in_reserve[action - BUY_RESERVED] if held else self._in_slot(action - BUY)
        tokens, bonuses = _left_after_paying(card.cost, self.me), list(self.me.bonuses)
        bonuses[self._lane(card)] += 1
        won = WINNING if self._wins(card, bonuses) else 0.0
        freed = FULL_HAND * len(self.me.reserve) if held else 0.0
        return self.worth[card.number] + won + freed + _reach(self._targets(bonuses, tokens, without=card), tokens)

    def _in_slot(self, slot: int) -> Card:
        return _card(self.view, self.view.market[slot // SLOTS_PER_TIER][slot % SLOTS_PER_TIER])

    def _lane(self, card: Card) -> int:
        return self.rules.letters.index(card.bonus)

    def _targets(self, bonuses: Sequence[int], tokens: Sequence[int], without: Card | None = None) -> list[Target]:
        """The cards most worth planning for, each with what it is worth unbought and its price."""
        found: list[tuple[float, float, Counts]] = []
        for card in self.in_market + self.in_reserve:
            if card is not without:
                price = _price(card.cost, bonuses)
                worth = self.worth[card.number] * self.chance[card.number] * UNBOUGHT
                found.append((worth * NEARNESS ** _missing(price, tokens), worth, price))
        return [(worth, price) for _, worth, price in sorted(found, reverse=True)[:TARGETS]]

    def _chance(self, card: Card) -> float:
        """How sure it is that a card in the market waits for this seat."""
        in_reach = any(_missing(_price(card.cost, rival.bonuses), rival.tokens) == 0 for rival in self.rivals)
        return EXPOSED if in_reach else IN_MARKET

    def _worth(self, card: Card) -> float:
        """Points, the use of the bonus, and what the card brings towards the Gauntlet and the Avengers tile."""
        return card.points + self.useful[self._lane(card)] + self._marvels(card)

    def _marvels(self, card: Card) -> float:
        if not self.rules.row.gauntlet:
            return 0.0
        worth = SYMBOL * card.symbols
        if card.tier == TIER_COUNT and not self.me.tokens[TIME]:
            worth += FIRST_TIME
        return worth + AVENGERS_POINTS * self._takes_avengers(card)

    def _takes_avengers(self, card: Card) -> bool:
        holder = self.view.avengers
        if holder == self.view.turn:
            return False
        most = SYMBOLS_FOR_TILE - 1 if holder is None else self.view.seats[holder].symbols
        return card.symbols > 0 and self.me.symbols + card.symbols > most

    def _use_of_bonus(self, colour: int) -> float:
        """What one more bonus of this colour saves, and what it does for the tiles and the Gauntlet."""
        own = self.me.bonuses[colour]
        saved = sum(1 + card.points for card in self.in_market + self.in_reserve if card.cost[colour] > own)
        new = NEW_COLOUR if self.rules.row.gauntlet and own == 0 else 0.0
        return SAVING * saved * self.to_go + sum(self._share_of_tile(demand, colour) for demand in self.demands) + new

    def _share_of_tile(self, demand: Counts, colour: int) -> float:
        short = _price(demand, self.me.bonuses)
        return TILE_POINTS * TILE_SHARE ** (sum(short) - 1) / sum(short) if short[colour] else 0.0

    def _rivals_nearness(self, place: int) -> float:
        """Of several tiles the one that somebody else is nearest to."""
        demand = TILES[self.rules.variant][self.view.tiles[place].number - 1].demand
        return -float(min(sum(_price(demand, rival.bonuses)) for rival in self.rivals))

    def _wins(self, card: Card, bonuses: list[int]) -> bool:
        """Whether the card fulfils the goal, a tile that comes with it included."""
        coming = any(not any(_price(demand, bonuses)) for demand in self.demands)
        points = self.me.points + card.points + TILE_POINTS * coming + AVENGERS_POINTS * self._takes_avengers(card)
        if points < (self.rules.goal or 0):
            return False
        return not self.rules.row.gauntlet or (min(bonuses) > 0 and (self.me.tokens[TIME] > 0 or card.tier == TIER_COUNT))


def _card(view: View, number: int | None) -> Card:
    assert number is not None, "a card that can be bought or reserved is known"
    return CARDS[view.rules.variant][number - 1]


def _price(cost: Counts, bonuses: Sequence[int]) -> Counts:
    return tuple([due - own if due > own else 0 for due, own in zip(cost, bonuses, strict=True)])


def _missing(price: Counts, tokens: Sequence[int]) -> int:
    """How many tokens are missing when wild ones help out."""
    short = -tokens[WILD]
    for due, own in zip(price, tokens, strict=False):
        if due > own:
            short += due - own
    return max(0, short)


def _left_after_paying(cost: Counts, area: SeatView) -> list[int]:
    """The tokens left after paying colours first."""
    left = list(area.tokens)
    for colour, due in enumerate(_price(cost, area.bonuses)):
        paid = min(due, left[colour])
        left[colour] -= paid
        left[WILD] -= due - paid
    return left


def _without(tokens: list[int], lane: int) -> list[int]:
    return [count - (at == lane) for at, count in enumerate(tokens)]


def _reach(targets: list[Target], tokens: list[int]) -> float:
    """How good these tokens are: what the targets are worth, less for every token that is missing."""
    chances = sorted((worth * NEARNESS ** _missing(price, tokens) for worth, price in targets), reverse=True)
    return sum(chance * weight for chance, weight in zip(chances, ATTENTION, strict=False))
