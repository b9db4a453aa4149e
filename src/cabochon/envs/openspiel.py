# mypy: warn-return-any=False
"""OpenSpiel games, `python_splendor` and one for each other variant; importing this module registers them.

Chance is explicit: the deal is a sequence of chance nodes, and each card that is turned up or drawn later is one more. The decks
in the record stand for sets and are kept sorted: a chance outcome moves its card to the top, and the rules go on from there.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CabochonError
from ..events import drawn_tier, reserve_place
from ..notation.ascii import draw, draw_card, draw_tile
from ..notation.move import Move
from ..observation import CARD_SIZE, SEAT, blank_rows, by_name, fields, numbers, observation_size, observe
from ..rules.actions import ACTION_COUNT, FIRST_ACTION, PASS, deck_drawn_from
from ..rules.bits import lowest_bit
from ..rules.cards import CARD_COUNT, CARD_START, DECK_START, NONE, NUMBER, TIER_COUNT, TILE_COUNT, TILE_FACES, TILE_START
from ..rules.compile import kernel
from ..rules.deal import clear_table, shuffle_deck
from ..rules.play import legal, play
from ..rules.printed import index_in_set
from ..rules.reserving import refill
from ..rules.state import MARKET_SIZE, MAX_RESERVED, MAX_SEATS, MAX_TILES, SLOTS_PER_TIER
from ..rules.variants import TILES, VARIANTS, Variant
from ..ruleset import FEWEST_PLAYERS, SWITCHES, Ruleset, blank_states, ruleset
from ..view import position, sample, view
from .episodes import ENDED, GOING, TURN_LIMIT, checked_limit, reward_of, status
from .names import openspiel_name
from .needs import needs_extra

with needs_extra("openspiel"):
    import pyspiel  # type: ignore[import-not-found]

CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
NO_DRAW, DRAWS = -1, 16  # DRAWS + tier: a result of `_decide` above every player number
DECISIONS_PER_TURN = 5  # an action, three returns, a claim
FIRST_CARD = ACTION_COUNT  # an event is an action or, from here on, a card, a tile, or an unseen card of a tier
FIRST_TILE = FIRST_CARD + CARD_COUNT
MIN_TILE_EVENTS = 10  # numbers of events that every game has for faces of tiles, used or not, so that published tensors stay
EVENT_BYTES = [bytes((event,)) for event in range(256)]  # the history keeps an event in a byte
UNIFORM = [(1.0 / max(count, 1),) * count for count in range(CARD_COUNT + 1)]
MAX_SAMPLES = 100  # tries to find hidden cards that fit the history


@kernel
def _lay_out(states: Any) -> None:
    """An empty table with complete, sorted decks."""
    state = states[0]
    clear_table(state)
    for slot in range(MARKET_SIZE):
        state.market[slot] = NONE
    for tier in range(3):
        shuffle_deck(state, tier, 1)
        for i in range(40 - 10 * tier):
            state.deck[DECK_START[tier] + i] = CARD_START[state.variant] + DECK_START[tier] + i


@kernel
def _bring_up(states: Any, tier: int, card: int) -> None:
    """Move a card to the top of its deck; the others stay sorted."""
    state = states[0]
    last = DECK_START[tier] + state.deck_size[tier] - 1
    place = last
    while state.deck[place] != card:
        place -= 1
    for i in range(place, last):
        state.deck[i] = state.deck[i + 1]
    state.deck[last] = card


@kernel
def _turn_up(states: Any, slot: int, card: int) -> None:
    """Deal a card into a slot of the market."""
    _bring_up(states, slot // SLOTS_PER_TIER, CARD_START[states[0].variant] + card)
    refill(states[0], slot)


@kernel
def _draws_from(states: Any, action: int) -> int:
    """The tier of the deck that this action draws a card from, or NO_DRAW."""
    tier = deck_drawn_from(action)
    return tier if tier >= 0 and states[0].deck_size[tier] > 0 else NO_DRAW


@kernel
def _play(states: Any, action: int, turn_limit: int) -> int:
    """Play an action; returns the next player."""
    play(states[0], action)
    return states[0].turn if status(states[0], turn_limit) == GOING else TERMINAL


@kernel
def _decide(states: Any, action: int, turn_limit: int) -> int:
    """Play an action; returns the next player. If it draws a card nothing is played yet: returns DRAWS + the tier."""
    tier = _draws_from(states, action)
    return _play(states, action, turn_limit) if tier == NO_DRAW else DRAWS + tier


@kernel
def _draw_and_play(states: Any, action: int, tier: int, card: int, turn_limit: int) -> int:
    """Play an action that draws this card; returns the next player."""
    _bring_up(states, tier, CARD_START[states[0].variant] + card)
    return _play(states, action, turn_limit)


@kernel
def _legal(states: Any, out: Any) -> int:
    """Write the legal actions into `out`; returns their number."""
    moves, first, count = legal(states[0]), FIRST_ACTION[states[0].stage], 0
    while moves != 0:
        out[count] = first + lowest_bit(moves)
        moves &= moves - 1
        count += 1
    return count


@kernel
def _in_deck(states: Any, tier: int, out: Any) -> int:
    """Write the cards of a deck into `out`; returns their number."""
    size, first = states[0].deck_size[tier], DECK_START[tier]
    for i in range(size):
        out[i] = index_in_set(states[0].deck[first + i])
    return size


@kernel
def _tiles_left(states: Any, out: Any) -> int:
    """Write the tile faces that can still be dealt into `out`; returns their number."""
    variant, count = states[0].variant, 0
    for face in range(TILE_COUNT[variant]):
        is_left = True
        for place in range(MAX_TILES):
            tile = states[0].tiles[place]
            if tile != NONE and (tile - TILE_START[variant]) // TILE_FACES[variant] == face // TILE_FACES[variant]:
                is_left = False
        if is_left:
            out[count] = CARD_COUNT + face
            count += 1
    return count


@kernel
def _deal_tile(states: Any, place: int, outcome: int) -> None:
    states[0].tiles[place] = TILE_START[states[0].variant] + outcome - CARD_COUNT


@kernel
def _observe(states: Any, seat: int, rows: Any) -> None:
    observe(states[0], seat, rows[0])


@kernel
def _returns(states: Any, turn_limit: int, out: Any) -> None:
    ended = status(states[0], turn_limit) == ENDED
    for seat in range(states[0].players):
        out[seat] = reward_of(states[0], seat) if ended else 0.0


def event_texts(variant: Variant) -> list[str]:
    """The text of each event."""
    moves = [str(Move(action, None, variant.name)) for action in range(ACTION_COUNT)]
    cards = [f"card {number} {draw_card(variant.name, number)}" for number in range(1, CARD_COUNT + 1)]
    tiles = [f"tile {tile.number} {draw_tile(variant.name, tile.number)}" for tile in TILES[variant.name]]
    tiles += ["no tile"] * (MIN_TILE_EVENTS - len(tiles))
    return moves + cards + tiles + [f"a card of tier {tier}" for tier in (1, 2, 3)]


EVENT_TEXTS = {name: event_texts(variant) for name, variant in VARIANTS.items()}
if max(map(len, EVENT_TEXTS.values())) > len(EVENT_BYTES):
    raise ImportError(f"a game has more than {len(EVENT_BYTES)} kinds of events: actions, cards and tiles")


def first_unseen(variant: str) -> int:
    """The event of an unseen card of tier 1; the last three events are those of the tiers."""
    return len(EVENT_TEXTS[variant]) - TIER_COUNT


def house_rules(variant: Variant) -> dict[str, Any]:
    """The house rules with the variant's own defaults."""
    plain = Ruleset(variant.name)
    return {name: getattr(plain, name) for name in SWITCHES}


def game_type(variant: Variant) -> Any:
    """The GameType that OpenSpiel asks for."""
    return pyspiel.GameType(
        short_name=openspiel_name(variant),
        long_name=f"Python {variant.title}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=MAX_SEATS,
        min_num_players=FEWEST_PLAYERS,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={"players": 2, "turn_limit": TURN_LIMIT} | house_rules(variant),
    )


GAME_TYPES = {name: game_type(variant) for name, variant in VARIANTS.items()}


class SplendorGame(pyspiel.Game):  # type: ignore[misc]
    """A game for 2 to 4; player 0 begins. Parameters: `players`, `turn_limit`, after which all returns are 0, and house rules.

    Each variant has a subclass. OpenSpiel keeps what it was given to make a game until after Python has ended: a class survives
    that, a function or a partial is freed there and crashes.
    """

    variant: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        parameters = params or {}
        players = parameters.get("players", 2)
        self.turn_limit = checked_limit(parameters.get("turn_limit", TURN_LIMIT), players)
        self.rules = ruleset(self.variant, players, {name: parameters[name] for name in SWITCHES if name in parameters})
        self.tiles = self.rules.row.tiles[players - FEWEST_PLAYERS]
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTION_COUNT,
            max_chance_outcomes=CARD_COUNT + int(TILE_COUNT[self.rules.row.index]),
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=DECISIONS_PER_TURN * self.turn_limit,
        )
        super().__init__(GAME_TYPES[self.variant], info, parameters)
        self.empty_table = blank_states(self.rules, 1)
        _lay_out(self.empty_table)

    def new_initial_state(self) -> "SplendorState":
        return SplendorState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> "SplendorObserver":
        return SplendorObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)

    def max_events(self) -> int:
        """The largest number of events: decisions, cards and tiles; a card that leaves a reserve is an event again."""
        return (DECISIONS_PER_TURN + 1) * self.turn_limit + MARKET_SIZE + self.tiles


def unseen_places(states: Any, player: int) -> list[int]:
    """The places of the reserved cards that a player drew unseen and nobody else knows."""
    return [place for place in range(MAX_RESERVED) if states["blind"].item(player) >> place & 1]


class SplendorState(pyspiel.State):  # type: ignore[misc]
    """A position, the pending draw, and the events so far. OpenSpiel clones a state by copying its attributes."""

    def __init__(self, game: SplendorGame) -> None:
        super().__init__(game)
        self.states = game.empty_table.copy()
        self.variant, self.turn_limit = game.variant, game.turn_limit
        self.tiles_to_deal, self.slots_to_deal = game.tiles, MARKET_SIZE
        self.pending, self.tier = NO_DRAW, 0
        self.player = CHANCE
        self.events = b""
        self.unseen: tuple[tuple[int, int, int], ...] = ()  # events that only one player saw: index, player, tier

    def current_player(self) -> int:
        return self.player

    def is_terminal(self) -> bool:
        """Whether the game is over or has reached the turn limit."""
        return self.player == TERMINAL

    def is_chance_node(self) -> bool:
        """Whether chance decides. This and `legal_actions` are overridden for speed: Python callers need not go through C++."""
        return self.player == CHANCE

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal actions of the player to decide, or of this player; at a chance node, its outcomes."""
        if self.player == CHANCE and player in (None, CHANCE):
            return [outcome for outcome, _ in self.chance_outcomes()]
        return self._legal_actions(self.player if player is None else player)

    def _legal_actions(self, player: int) -> list[int]:
        if player != self.player or player < 0:
            return []
        actions = np.empty(PASS + 1, np.int64)
        chosen: list[int] = actions[: _legal(self.states, actions)].tolist()
        return chosen

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The cards of the deck, or the tiles that can still be dealt, all equally likely."""
        found = np.empty(CARD_COUNT, np.int64)
        count = _tiles_left(self.states, found) if self.tiles_to_deal else _in_deck(self.states, self.tier, found)
        return list(zip(found[:count].tolist(), UNIFORM[count], strict=True))

    def _apply_action(self, action: int) -> None:
        if self.player >= 0:
            self._decide(action)
        elif self.pending != NO_DRAW:
            self._draw(action)
        elif self.tiles_to_deal:
            self._deal_tile(action)
        else:
            self._deal_card(action)

    def _decide(self, action: int) -> None:
        """A player's action; one that draws a card waits for chance. All see a reserved card that is bought or shown."""
        self.events += EVENT_BYTES[action]
        held = reserve_place(action)
        if held is not None:
            self._show_reserved(held)
        elif action == PASS:
            for place in unseen_places(self.states, self.player):
                self._show_reserved(place)
        result = _decide(self.states, action, self.turn_limit)
        if result < DRAWS:
            self.player = result
        else:
            self.pending, self.tier, self.player = action, result - DRAWS, CHANCE

    def _show_reserved(self, place: int) -> None:
        self.events += EVENT_BYTES[FIRST_CARD + int(NUMBER[self.states["reserve"][0, self.player, place]]) - 1]

    def _draw(self, card: int) -> None:
        """The card that a player's action turns up, or puts face down into a reserve."""
        action, self.pending = self.pending, NO_DRAW
        if drawn_tier(action) is not None:
            self.unseen += ((len(self.events), self.states["turn"].item(0), self.tier),)
        self.events += EVENT_BYTES[FIRST_CARD + card]
        self.player = _draw_and_play(self.states, action, self.tier, card, self.turn_limit)

    def _deal_tile(self, outcome: int) -> None:
        self.events += EVENT_BYTES[FIRST_CARD + outcome]
        self.tiles_to_deal -= 1
        _deal_tile(self.states, self.tiles_to_deal, outcome)

    def _deal_card(self, card: int) -> None:
        self.events += EVENT_BYTES[FIRST_CARD + card]
        slot = MARKET_SIZE - self.slots_to_deal
        _turn_up(self.states, slot, card)
        self.slots_to_deal -= 1
        self.tier = (slot + 1) // SLOTS_PER_TIER
        if not self.slots_to_deal:
            self.player = 0

    def seen(self, player: int) -> bytes:
        """The events as this player saw them: of a card that another player drew unseen, only the tier."""
        events, tier_1 = bytearray(self.events), first_unseen(self.variant)
        for at, drawer, tier in self.unseen:
            if drawer != player:
                events[at] = tier_1 + tier
        return bytes(events)

    def _action_to_string(self, player: int, action: int) -> str:
        return EVENT_TEXTS[self.variant][action if player >= 0 else FIRST_CARD + action]

    def returns(self) -> list[float]:
        """By rank from 1 to -1 when the game is over; 0 before that and at the turn limit."""
        out = np.empty(self.num_players())
        _returns(self.states, self.turn_limit, out)
        returns: list[float] = out.tolist()
        return returns

    def resample_from_infostate(self, player: int, sampler: Any) -> "SplendorState":
        """A state in the same information set: the same history, with other cards where this player cannot see them."""
        rng = np.random.default_rng(int(sampler() * (1 << 32)))
        for _ in range(MAX_SAMPLES):
            twin = self._replayed(self._other_cards(player, rng))
            if twin is not None:
                return twin
        raise CabochonError(f"no other state fits what player {player} knows")

    def _other_cards(self, player: int, rng: np.random.Generator) -> dict[int, int]:
        """For each reserved card that this player never saw, another that might be there."""
        recalled = self.states.copy()
        recalled["open_reserves"] = True  # whoever has perfect recall knows what was reserved face up
        old, new = self.states["reserve"][0], sample(view(recalled[0], player), rng)["reserve"][0]
        hidden = self.states["reserve"][0] != NONE
        return dict(zip((NUMBER[old[hidden]] - 1).tolist(), (NUMBER[new[hidden]] - 1).tolist(), strict=True))

    def _replayed(self, instead: dict[int, int]) -> "SplendorState | None":
        """The same history with other cards drawn; None if a player who passed could have moved with them."""
        twin: SplendorState = self.get_game().new_initial_state()
        for action in self.history():
            if twin.player == CHANCE:
                is_blind = drawn_tier(twin.pending) is not None
                action = instead.get(action, action) if is_blind else action
            elif action == PASS and PASS not in twin._legal_actions(twin.player):
                return None
            twin.apply_action(action)
        return twin

    def __str__(self) -> str:
        due = f"\n{EVENT_TEXTS[self.variant][self.pending]}: a card is to be drawn" if self.pending != NO_DRAW else ""
        return draw(position(self.states[0])) + due


class SplendorObserver:
    """What a player sees, as named tensors and as a string: OpenSpiel's observer.

    `public_info` is what everybody sees, `private_info` the own cards that others do not see; `perfect_recall` adds the events
    since the deal.
    """

    def __init__(self, game: SplendorGame, kind: Any, params: dict[str, Any] | None) -> None:
        if params:
            raise CabochonError(f"the observer has no parameters, and was given {params}")
        self.players, self.variant = game.rules.players, game.variant
        self.fields, self.texts = fields(self.players, self.variant), EVENT_TEXTS[self.variant]
        self.public, self.recall = kind.public_info, kind.perfect_recall
        self.private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        shapes: dict[str, tuple[int, ...]] = {"player": (self.players,)}
        if self.public:
            shapes |= {field.name: field.shape for field in self.fields}
        elif self.private:
            shapes["unseen_reserve"] = (MAX_RESERVED, CARD_SIZE)
        if self.public and self.recall:
            shapes["events"] = (game.max_events(),)
        sizes = {name: int(np.prod(shape)) for name, shape in shapes.items()}
        self.tensor = np.zeros(sum(sizes.values()), np.float32)
        self.dict: dict[str, NDArray[np.float32]] = {}
        start = 0
        for name, shape in shapes.items():
            self.dict[name] = self.tensor[start : start + sizes[name]].reshape(shape)
            start += sizes[name]
        self._rows = blank_rows(1, self.players, self.variant)

    def set_from(self, state: SplendorState, player: int) -> None:
        """Write what this player sees into the tensor."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        _observe(state.states, player, self._rows)
        row = numbers(self._rows)[0]
        if self.public:
            self.tensor[self.players : self.players + len(row)] = row
            if not self.private:
                self._hide_own(state, player)
        elif self.private:
            self.dict["unseen_reserve"][:] = self._own_reserve(row) * self._unseen(state, player)
        if "events" in self.dict:
            seen = np.frombuffer(state.seen(player), np.uint8)
            self.dict["events"][: len(seen)] = seen
            self.dict["events"][: len(seen)] += 1

    def string_from(self, state: SplendorState, player: int) -> str:
        """The same as text."""
        if self.public and self.recall:
            return f"player {player}: " + "; ".join([self.texts[event] for event in state.seen(player)])
        if self.public:
            return draw(view(state.states[0], player if self.private else None))
        unseen = self._unseen(state, player)[:, 0] if self.private else ()
        cards = [
            card for card, hidden in zip(view(state.states[0], player).seats[player].reserve, unseen, strict=False) if hidden
        ]
        return ", ".join(self.texts[FIRST_CARD + held.card - 1] for held in cards if held.card)

    def _own_reserve(self, row: NDArray[Any]) -> NDArray[Any]:
        return by_name(by_name(row, self.fields)["seats"][0], SEAT)["reserve"]

    def _unseen(self, state: SplendorState, player: int) -> NDArray[np.int64]:
        """A 1 for each own reserved card that others do not see."""
        unseen = np.zeros((MAX_RESERVED, 1), np.int64)
        unseen[unseen_places(state.states, player)] = 1
        return unseen

    def _hide_own(self, state: SplendorState, player: int) -> None:
        """Keep only the tier of own cards that others do not see."""
        tensor = self.tensor[self.players :]
        own = self._own_reserve(tensor[: observation_size(self.players, self.variant)])
        own[:, : CARD_SIZE - 3] *= 1 - self._unseen(state, player)


GAMES = {name: type(f"SplendorGame_{name}", (SplendorGame,), {"variant": name}) for name in VARIANTS}
for _name, _game in GAMES.items():
    pyspiel.register_game(GAME_TYPES[_name], _game)
