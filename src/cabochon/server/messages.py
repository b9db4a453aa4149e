"""The messages between server and client: HTTP bodies and the table's socket. The client's types are made from them."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from ..advantages import ADVANTAGES
from ..rules.variants import VARIANTS
from .errors import REFUSALS, RULE_CODES


def known_variant(name: str) -> str:
    """The name of a variant that is there."""
    if name not in VARIANTS:
        known = ", ".join(VARIANTS)
        raise PydanticCustomError(
            "unknown_variant", "unknown variant '{name}': choose one of {known}", {"name": name, "known": known}
        )
    return name


# A pattern and not an enumeration: in the client's types it is a string, so that a new variant needs no change there.
IS_VARIANT = {"pattern": f"^({'|'.join(VARIANTS)})$"}
VariantName = Annotated[str, AfterValidator(known_variant), Field(json_schema_extra=IS_VARIANT)]
Stage = Literal["main", "return", "claim", "over"]
Text = Annotated[str, Field(max_length=100)]
Nickname = Annotated[str, Field(min_length=1, max_length=24)]
ChatText = Annotated[str, Field(min_length=1, max_length=200)]
Reaction = Literal["hello", "nice", "thanks", "oops", "wow", "good_game"]
RecordText = Annotated[str, Field(max_length=60_000)]  # that of a long game has about 20,000 characters
Hex256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]  # 256 bits in hexadecimal
RequestId = Annotated[int, Field(ge=0, le=1 << 31)]
# The schema lists the codes, so that the client does not compile without words for each.
RefusalCode = Annotated[str, Field(json_schema_extra={"enum": list(REFUSALS)})]
RuleCode = Annotated[str, Field(json_schema_extra={"enum": list(RULE_CODES)})]
AdvantageCode = Annotated[str, Field(json_schema_extra={"enum": list(ADVANTAGES)})]


class Message(BaseModel):
    """A message: nothing unknown is accepted, nothing can be changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# Table options


class NoClock(Message):
    """Nobody waits for a clock."""

    kind: Literal["none"]


class MoveClock(Message):
    """So many seconds for each turn."""

    kind: Literal["move"]
    seconds: Annotated[int, Field(ge=5, le=3600)] = 60


class TotalClock(Message):
    """So many seconds for the whole game, and some more for each turn."""

    kind: Literal["total"]
    seconds: Annotated[int, Field(ge=30, le=7200)] = 900
    increment: Annotated[int, Field(ge=0, le=120)] = 10


class DaysClock(Message):
    """So many days for each turn."""

    kind: Literal["days"]
    days: Annotated[int, Field(ge=1, le=14)] = 3


Clock = Annotated[NoClock | MoveClock | TotalClock | DaysClock, Field(discriminator="kind")]


class HouseRules(Message):
    """The switches; None is the variant's own default."""

    take_fewer: bool = False
    goal: Annotated[int, Field(ge=1, le=100)] | None = None
    open_reserves: bool = True
    token_limit: Annotated[int, Field(ge=1, le=40)] = 10
    hand_limit: Annotated[int, Field(ge=0, le=3)] = 3


class AgreedOptions(Message):
    """What the host may still change before the game begins."""

    house: HouseRules = HouseRules()
    clock: Clock = NoClock(kind="none")
    takeback: Literal["free", "consent", "never"] = "consent"
    watch: Literal["anybody", "link", "nobody"] = "link"


class TableOptions(AgreedOptions):
    """What a table agrees on. Variant, players and start are named by the commitment to the deal, and never changed.

    A game with a `position` begins there: its unseen cards are dealt, and nothing else.
    """

    variant: VariantName = "classic"
    players: Annotated[int, Field(ge=2, le=4)] = 2
    bots: Annotated[list[Text], Field(max_length=3)] = []
    start: Literal["random", "host"] = "random"
    position: Annotated[str, Field(max_length=2000)] | None = None

    def house_rules(self) -> dict[str, Any]:
        """The house rules as keywords of `Game`."""
        return self.house.model_dump(exclude_none=True)


# What a seat sees


class ReservedOut(Message):
    """A reserved card; `card` is null if it is not known."""

    tier: int
    blind: bool
    card: int | None


class TileOut(Message):
    """A tile on the table and the seat it went to."""

    number: int
    owner: int | None


class AreaOut(Message):
    """What lies in front of a seat. Counts follow the variant's letters (five colours, wild, then Time in Marvel)."""

    tokens: list[int]
    bonuses: list[int]
    points: int
    symbols: int
    tableau: list[int]
    reserve: list[ReservedOut]


class ViewOut(Message):
    """What one seat (or a spectator: null) may know."""

    seat: int | None
    start: int
    turn: int
    turns: int
    round: int
    stage: Stage
    last_round: bool
    bank: list[int]
    market: list[list[int | None]]
    deck_sizes: list[int]
    tiles: list[TileOut]
    avengers: int | None
    areas: list[AreaOut]


class ChoicesOut(Message):
    """What the seat to decide may do.

    If it holds wild tokens, `payments` has for each purchase the ways to pay it, that which keeps most of them first; without
    them the price is paid as it stands.
    """

    legal: list[str]
    payments: dict[str, list[str]]


class ThoughtOut(Message):
    """How a bot came to its move: positions looked at (null where it does not say) and seconds, both rounded.

    `bot` is who moved; if that was in the place of another bot, `instead_of` is that one. `why` says why the bot was weakened:
    no process was free in time (`late`), it gave no legal move (`failed`), the server was not ready (`starting`), or it had less
    than a quarter of its time (`short`).
    """

    bot: str
    nodes: int | None
    seconds: float
    instead_of: str | None
    why: Literal["late", "failed", "starting", "short"] | None


class EntryOut(Message):
    """A line of the log. Lines are never taken away: an `undo` names the line it takes back.

    `card` is the card bought or reserved and `turned_up` the one that took its place, if this viewer may know them (where
    reserves lie face down `turned_up` is not told); `shown` are the reserved cards that a forced pass has shown; `tile` is a
    tile that came; `avengers` says that the Avengers tile came to the seat; `gems` are the tokens taken, paid or returned, as
    counts by letter; `turns` is the number of turns completed before it; `thought` is there if a bot moved.
    """

    number: int
    kind: Literal["move", "undo", "replace", "back", "timeout", "resign"]
    seat: int
    text: str
    card: int | None = None
    turned_up: int | None = None
    shown: list[int] = []
    tile: int | None = None
    avengers: bool = False
    gems: list[int] = []
    undoes: int | None = None
    turns: int = 0
    at: float
    thought: ThoughtOut | None = None


class SeatOut(Message):
    """Who sits where. A seat whose user is away may be played by a bot (`bot`) until the user comes back.

    For one who has `resigned` it plays to the end. `rematch`: after the end, its user would like to play again.
    """

    seat: int
    kind: Literal["open", "user", "bot"]
    name: str
    bot: str | None
    connected: bool
    resigned: bool
    rematch: bool


class ClockOut(Message):
    """Seconds left for every seat, as of the sending of the message; `running` is the seat whose time runs (null: nobody's)."""

    kind: Literal["move", "total", "days"]
    left: list[float]
    running: int | None


class AskOut(Message):
    """A question that waits for the others' consent: to take back, or to let a bot play for a seat that is away.

    `left` are the seconds until silence is a no, as of the sending of the message; null: there is no hurry.
    """

    ask: int
    what: Literal["takeback", "replace"]
    by: int
    seat: int
    waiting_for: list[int]
    left: float | None


class DeclinedOut(Message):
    """A question that was answered with no: `declined_by` said so, or played on (`gone_on`); `late`: nobody answered in time."""

    ask: int
    what: Literal["takeback", "replace"]
    by: int
    seat: int
    how: Literal["no", "late", "gone_on"]
    declined_by: int | None


class PointsOut(Message):
    """Where a seat's points came from."""

    cards: int
    tiles: int
    avengers: int


class OutcomeOut(Message):
    """How the game ended. `log_full`: the log had reached its greatest length; nobody has won, and every rank is 1.

    The seats in `resigned` come last, whatever their points. `resigned` as a reason: nobody was left to play against them, and
    all who had not resigned have won.
    """

    ranks: list[int]
    winners: list[int]
    reason: Literal["goal", "stalemate", "log_full", "resigned"]
    points: list[PointsOut]
    resigned: list[int]


class SeriesOut(Message):
    """Games of the same people one after the other, this one included once it is over: how many, and how many each seat won."""

    games: int
    wins: list[int]


class RevealOut(Message):
    """After the end: the deal, so that everybody can check the commitment made at the start.

    Format 2 has a `secret`, format 1 had `seed` and `salt`; what a format does not have is null.
    """

    secret: str | None
    seed: str | None
    salt: str | None


class DealOut(Message):
    """How the cards are shuffled: see the protocol. Seals and nonces are listed by seat; null: none.

    `start` is what the commitment says about the start seat (null: random). `opened` says whose nonces have come; `nonces` shows
    them when the deal is made from them: a seat with a seal and without a nonce did not open it in time and was left out.
    """

    format: Literal[1, 2, 3]
    phase: Literal["waiting", "sealing", "opening", "dealt"]
    start: int | None
    seals: list[str | None]
    opened: list[bool]
    nonces: list[str | None]


class SharedOut(Message):
    """A deal that several tables share: that of a day (`name` is the date) or of a duel (`name` is its id).

    `counts`: it is the one try of its player, so there are no hints and nothing is taken back.
    """

    kind: Literal["day", "duel"]
    name: str
    counts: bool


class TableOut(Message):
    """What everybody may know about a table. `shared` is null where the deal is this table's alone."""

    id: str
    options: TableOptions
    status: Literal["waiting", "dealing", "running", "finished"]
    seats: list[SeatOut]
    host: int | None
    watchers: int
    commitment: str
    deal: DealOut
    shared: SharedOut | None
    reveal: RevealOut | None
    rematch: str | None
    series: SeriesOut | None
    created: float


class ResultOut(Message):
    """How a game ended, for a list of games; `ended` is the time of its last line.

    `rounds` is how many it had; null where that was not stored, by an older server.
    """

    points: list[int]
    winners: list[int]
    reason: Literal["goal", "stalemate", "log_full", "resigned"]
    ended: float
    rounds: int | None = None


class ListedOut(TableOut):
    """A table in a list. `seat` is the reader's own (null: none), `turn` the seat to decide, where that is known."""

    seat: int | None
    turn: int | None
    result: ResultOut | None


# Socket: from the server


class StateOut(Message):
    """The table as this viewer may see it now, and the log lines it has not been sent yet.

    `seat` is the seat the viewer holds (null: none). `number` is the number of the last line. `view` is null before the game
    begins. `prices` are what the viewer's seat would still have to pay, as counts by colour, for the places `1a` to `3d` and `@1`
    to `@3`. `declined` is the last question that was answered with no, until the game goes on.
    `away` are the seconds until a bot may play for a seat whose user is away, as of the sending of the message; null for the
    others.
    """

    type: Literal["state"] = "state"
    table: TableOut
    seat: int | None
    number: int
    view: ViewOut | None
    choices: ChoicesOut | None
    prices: dict[str, list[int]]
    entries: list[EntryOut]
    clock: ClockOut | None
    asks: list[AskOut]
    away: list[float | None]
    declined: DeclinedOut | None
    can_undo: Literal["no", "free", "ask"]
    outcome: OutcomeOut | None


class AckOut(Message):
    """A request was carried out; a move is stored when this comes."""

    type: Literal["ack"] = "ack"
    id: int
    number: int


class RuleOut(Message):
    """The rule that forbids a move (variants/refusals.md), and how things stand. `not_a_move`: the text says no move."""

    code: RuleCode
    facts: dict[str, str | int]


class RefusedOut(Message):
    """A request was not carried out; `reason` is a sentence, the rule that forbids it.

    `code` names the refusal for translators, `facts` are what its sentence mentions. The code `rule` is a rule of the game, and
    `rule` says which.
    """

    type: Literal["refused"] = "refused"
    id: int | None
    reason: str
    code: RefusalCode
    facts: dict[str, str | int]
    rule: RuleOut | None


class AdvantageOut(Message):
    """What speaks for a move, by its code; `facts` are numbers of seats, cards and tiles, and amounts."""

    code: AdvantageCode
    facts: dict[str, str | int]


class AdviceOut(Message):
    """A move that is worth playing, as a text that may be sent, the own seat's chance to win after it, and what speaks for it."""

    text: str
    chance: float
    why: list[AdvantageOut]


class HintOut(Message):
    """What a net advises after the line `number`: up to three moves, best first.

    `chances` are each seat's chance to win if the first of them is played.
    """

    type: Literal["hint"] = "hint"
    id: int
    number: int
    moves: list[AdviceOut]
    chances: list[float]


class ChatLineOut(Message):
    """Something said. In the room `watch` the spectators are among themselves; the players are sent it after the end.

    `seat` is where its author sat (null: nowhere); `author` names them at this table alone, for whoever mutes them. The text of
    a `reaction` is one of the fixed ones.
    """

    room: Literal["table", "watch"]
    number: int
    seat: int | None
    author: str
    name: str
    kind: Literal["text", "reaction"]
    text: str
    at: float


class ChatOut(Message):
    """What was said and has not been sent yet: all of it in several messages, if it is much."""

    type: Literal["chat"] = "chat"
    lines: list[ChatLineOut]


class PongOut(Message):
    """The answer to a ping."""

    type: Literal["pong"] = "pong"


ServerMessage = Annotated[StateOut | AckOut | RefusedOut | HintOut | ChatOut | PongOut, Field(discriminator="type")]


# Socket: from the client


class MoveIn(Message):
    """Play a move. `number` is the number the entry will have: sent twice, it is played once and acknowledged twice."""

    type: Literal["move"] = "move"
    id: RequestId
    number: Annotated[int, Field(ge=1, le=1 << 20)]
    text: Text


class WhyNotIn(Message):
    """Ask which rule forbids a move; the answer is a refusal with the rule, or an ack."""

    type: Literal["why_not"] = "why_not"
    id: RequestId
    text: Text


class HintIn(Message):
    """Ask what a net would play; the answer is a hint. Only for whoever is to decide and plays against bots alone."""

    type: Literal["hint"] = "hint"
    id: RequestId


class UndoIn(Message):
    """Take the own last decision back: at once while nothing hidden was revealed, else by asking."""

    type: Literal["undo"] = "undo"
    id: RequestId


class ReplaceIn(Message):
    """Ask that a bot plays for a seat that is away; the own seat is given to a bot at once."""

    type: Literal["replace"] = "replace"
    id: RequestId
    seat: Annotated[int, Field(ge=0, le=3)]


class AnswerIn(Message):
    """Say yes or no to a question."""

    type: Literal["answer"] = "answer"
    id: RequestId
    ask: int
    yes: bool


class WithdrawIn(Message):
    """Withdraw the own question."""

    type: Literal["withdraw"] = "withdraw"
    id: RequestId
    ask: int


class ResignIn(Message):
    """Give the own game up, for good."""

    type: Literal["resign"] = "resign"
    id: RequestId


class BackIn(Message):
    """Take the own seat back from the bot."""

    type: Literal["back"] = "back"
    id: RequestId


class SitIn(Message):
    """Take an open seat before the game begins."""

    type: Literal["sit"] = "sit"
    id: RequestId
    seat: Annotated[int, Field(ge=0, le=3)]
    name: Nickname


class LeaveIn(Message):
    """Leave the own seat before the game begins."""

    type: Literal["leave"] = "leave"
    id: RequestId


class KickIn(Message):
    """The host takes a seat from somebody, who cannot sit down at this table again."""

    type: Literal["kick"] = "kick"
    id: RequestId
    seat: Annotated[int, Field(ge=0, le=3)]


class SwapIn(Message):
    """The host exchanges two seats with whoever sits there."""

    type: Literal["swap"] = "swap"
    id: RequestId
    seat: Annotated[int, Field(ge=0, le=3)]
    other: Annotated[int, Field(ge=0, le=3)]


class SetOptionsIn(Message):
    """The host changes what is agreed on, before the game begins."""

    type: Literal["set_options"] = "set_options"
    id: RequestId
    options: AgreedOptions


class SetBotIn(Message):
    """The host gives an open seat to a bot, or (null) takes it away again."""

    type: Literal["set_bot"] = "set_bot"
    id: RequestId
    seat: Annotated[int, Field(ge=0, le=3)]
    bot: Text | None


class StartIn(Message):
    """The host begins the game; open seats are played by `bot` (null: by `greedy`)."""

    type: Literal["start"] = "start"
    id: RequestId
    bot: Text | None = None


class SealIn(Message):
    """Take part in the deal with a nonce that is sealed now and opened when the game begins. Before that, once for a seat."""

    type: Literal["seal"] = "seal"
    id: RequestId
    seal: Hex256


class NonceIn(Message):
    """Open the own nonce, when the table says so."""

    type: Literal["nonce"] = "nonce"
    id: RequestId
    nonce: Hex256


class RematchIn(Message):
    """After the end: agree (or no longer agree) to a new table with the same people and the start seat moved on.

    It is opened when every user at the table has agreed. `without_away`: those who have been away for long are not waited for;
    their seats are open at the new table.
    """

    type: Literal["rematch"] = "rematch"
    id: RequestId
    agree: bool = True
    without_away: bool = False


class ChatIn(Message):
    """Say something: to everybody at the table, or, watching a game, to the spectators."""

    type: Literal["chat"] = "chat"
    id: RequestId
    text: ChatText


class ReactIn(Message):
    """Say one of a few things that need no words."""

    type: Literal["react"] = "react"
    id: RequestId
    reaction: Reaction


class PingIn(Message):
    """Anybody there?"""

    type: Literal["ping"] = "ping"


ClientMessage = Annotated[
    MoveIn
    | WhyNotIn
    | HintIn
    | UndoIn
    | ReplaceIn
    | AnswerIn
    | WithdrawIn
    | ResignIn
    | BackIn
    | SitIn
    | LeaveIn
    | KickIn
    | SwapIn
    | SetOptionsIn
    | SetBotIn
    | StartIn
    | SealIn
    | NonceIn
    | RematchIn
    | ChatIn
    | ReactIn
    | PingIn,
    Field(discriminator="type"),
]


# HTTP


class RefusalOut(Message):
    """The body of every answer that is not a success; the same as RefusedOut on the socket."""

    detail: str
    code: RefusalCode
    facts: dict[str, str | int]


class UserOut(Message):
    """The guest behind the cookie."""

    name: str


class NameIn(Message):
    """A nickname."""

    name: Nickname


class JoinOut(Message):
    """Where friends find this server: the beginning of every link for them. `only_here`: nobody but this machine can open it."""

    origin: str
    only_here: bool


class PushKeyOut(Message):
    """What a browser needs to be told that it is its reader's turn; null: this server tells nobody."""

    key: str | None


class PushIn(Message):
    """Where a browser is told, as its `PushSubscription` says."""

    endpoint: Annotated[str, Field(min_length=1, max_length=1000)]
    p256dh: Annotated[str, Field(pattern="^B[A-Za-z0-9_-]{86}=?$")]  # an uncompressed point of P-256
    auth: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{22}(==)?$")]  # 16 bytes


class PushOffIn(Message):
    """A browser that is not told any more."""

    endpoint: Annotated[str, Field(min_length=1, max_length=1000)]


class CreatedOut(Message):
    """A new table, and the private link of the creator's seat."""

    id: str
    seat: int | None
    seat_link: str


class SeatLinkOut(Message):
    """What a private link gives: a seat at a table. `holds` is the seat the guest holds there now."""

    table: TableOut
    seat: int
    holds: int | None


class TakeSeatIn(Message):
    """Take the seat of a private link; `gives_up` is the seat at that table which the guest holds now, if there is one."""

    gives_up: Annotated[int, Field(ge=0, le=3)] | None = None


class LobbyOut(Message):
    """Open tables, public games to watch, and the guest's own running and finished games."""

    open: list[ListedOut]
    watch: list[ListedOut]
    running: list[ListedOut]
    finished: list[ListedOut]


class BotOut(Message):
    """An opponent that can be chosen; `rating` is its published strength, if there is one."""

    name: str
    character: str
    rating: int | None


class ReplayOut(Message):
    """A game up to a moment: the views after each entry, for one seat's eyes (or a spectator's)."""

    table: TableOut
    seat: int | None
    entries: list[EntryOut]
    views: list[ViewOut]
    outcome: OutcomeOut | None


class CardOut(Message):
    """A card as printed."""

    number: int
    tier: int
    bonus: str
    points: int
    cost: list[int]
    name: str
    symbols: int


class TileFaceOut(Message):
    """A tile as printed. It asks for `prestige` points, the bonuses of `demand`, and `other` bonuses of one colour not in it."""

    number: int
    points: int
    demand: list[int]
    name: str
    prestige: int
    other: int


class VariantOut(Message):
    """A variant that can be chosen. `theme` says how it is drawn and called."""

    name: VariantName
    title: str
    theme: str


class SupplyOut(Message):
    """How many tokens there are: of each colour and of Time for 2, 3 and 4 players, and wild ones."""

    each_colour: list[int]
    wild: int
    time: list[int]


class GameDataOut(Message):
    """All that a client needs to draw a variant without knowing its name: its numbers, what it has, its cards and tiles.

    `goal` are the points that end the game, and `goal_kind` says what else is asked for; these and the two limits are defaults
    that house rules may change. `tiles_dealt` is for 2, 3 and 4 players; of a tile's `tile_faces` faces one is turned up.
    `words` are the variant's own words in English.
    """

    variant: VariantName
    title: str
    theme: str
    letters: str
    colours: list[str]
    words: dict[str, str]
    goal: int
    goal_kind: str
    token_limit: int
    hand_limit: int
    supply: SupplyOut
    tile_kind: str
    tiles_dealt: list[int]
    tile_faces: int
    has_time: bool
    has_symbols: bool
    has_avengers: bool
    cards: list[CardOut]
    tiles: list[TileFaceOut]
