// Made by `npm run types` from schema.json. Do not edit.

export interface Messages {
  AckOut: AckOut;
  AdvantageOut: AdvantageOut;
  AdviceOut: AdviceOut;
  AgreedOptions: AgreedOptions;
  AnalysisIn: AnalysisIn;
  AnalysisOut: AnalysisOut;
  AnswerIn: AnswerIn;
  AreaOut: AreaOut;
  AskOut: AskOut;
  BackIn: BackIn;
  BarOut: BarOut;
  BeginDayIn: BeginDayIn;
  BoardOut: BoardOut;
  BotOut: BotOut;
  CardOut: CardOut;
  ChatIn: ChatIn;
  ChatLineOut: ChatLineOut;
  ChatOut: ChatOut;
  ChoicesOut: ChoicesOut;
  ClockOut: ClockOut;
  CreatedOut: CreatedOut;
  DailyPuzzleOut: DailyPuzzleOut;
  DayOut: DayOut;
  DaysClock: DaysClock;
  DealOut: DealOut;
  DecisionOut: DecisionOut;
  DeclinedOut: DeclinedOut;
  DeletedOut: DeletedOut;
  DeviceKeyIn: DeviceKeyIn;
  DeviceLinkOut: DeviceLinkOut;
  DraftIn: DraftIn;
  DraftReservedIn: DraftReservedIn;
  DraftSeatIn: DraftSeatIn;
  DraftTileIn: DraftTileIn;
  DuelIn: DuelIn;
  DuelOut: DuelOut;
  EndOut: EndOut;
  EntryOut: EntryOut;
  FoundOut: FoundOut;
  FromHereIn: FromHereIn;
  GameDataOut: GameDataOut;
  GameLineOut: GameLineOut;
  GoodMoveOut: GoodMoveOut;
  HintIn: HintIn;
  HintOut: HintOut;
  HouseRules: HouseRules1;
  ImportOut: ImportOut;
  ImportProblemOut: ImportProblemOut;
  JoinOut: JoinOut;
  KickIn: KickIn;
  LeaveIn: LeaveIn;
  LineMoveOut: LineMoveOut;
  ListedOut: ListedOut;
  LobbyOut: LobbyOut;
  MadeDuelOut: MadeDuelOut;
  MomentOut: MomentOut;
  MoveChanceOut: MoveChanceOut;
  MoveClock: MoveClock;
  MoveIn: MoveIn;
  MyGameOut: MyGameOut;
  MyGamesOut: MyGamesOut;
  NameIn: NameIn;
  NoClock: NoClock;
  NonceIn: NonceIn;
  NotFoundOut: NotFoundOut;
  NotedStepIn: NotedStepIn;
  OpenRecordIn: OpenRecordIn;
  OutcomeOut: OutcomeOut;
  OwnTryOut: OwnTryOut;
  PingIn: PingIn;
  PlayedOut: PlayedOut;
  PlayerOut: PlayerOut;
  PointsOut: PointsOut;
  PongOut: PongOut;
  ProblemOut: ProblemOut;
  PushIn: PushIn;
  PushKeyOut: PushKeyOut;
  PushOffIn: PushOffIn;
  PuzzleAnswerIn: PuzzleAnswerIn;
  PuzzleAnswerOut: PuzzleAnswerOut;
  PuzzleEntryOut: PuzzleEntryOut;
  PuzzleListOut: PuzzleListOut;
  PuzzleMoveOut: PuzzleMoveOut;
  PuzzleOut: PuzzleOut;
  PuzzleRuleOut: PuzzleRuleOut;
  PuzzleStepOut: PuzzleStepOut;
  RankedOut: RankedOut;
  ReactIn: ReactIn;
  RecordIn: RecordIn;
  RecordOut: RecordOut;
  RefusalOut: RefusalOut;
  RefusedOut: RefusedOut;
  RematchIn: RematchIn;
  ReplaceIn: ReplaceIn;
  ReplayOut: ReplayOut;
  ReservedOut: ReservedOut;
  ResignIn: ResignIn;
  ResultOut: ResultOut;
  ResultsOut: ResultsOut;
  RevealOut: RevealOut;
  ReviewIdOut: ReviewIdOut;
  ReviewIn: ReviewIn;
  ReviewOut: ReviewOut;
  ReviewedGameOut: ReviewedGameOut;
  RuleOut: RuleOut;
  ScoreOut: ScoreOut;
  SealIn: SealIn;
  SeatLinkOut: SeatLinkOut;
  SeatOut: SeatOut;
  SeatSummary: SeatSummary;
  SeriesOut: SeriesOut;
  SetBotIn: SetBotIn;
  SetOptionsIn: SetOptionsIn;
  SharedOut: SharedOut;
  SideOut: SideOut;
  SitIn: SitIn;
  StartIn: StartIn;
  StateOut: StateOut;
  StepIn: StepIn;
  StopIn: StopIn;
  SupplyOut: SupplyOut;
  SwapIn: SwapIn;
  TableOptions: TableOptions;
  TableOut: TableOut;
  TakeSeatIn: TakeSeatIn;
  ThinkIn: ThinkIn;
  ThoughtOut: ThoughtOut;
  TileFaceOut: TileFaceOut;
  TileOut: TileOut;
  TotalClock: TotalClock;
  TriedOut: TriedOut;
  TryIn: TryIn;
  UndoIn: UndoIn;
  UserOut: UserOut;
  VariantOut: VariantOut;
  ViewOut: ViewOut;
  WhyNotIn: WhyNotIn;
  WithdrawIn: WithdrawIn;
}
/**
 * A request was carried out; a move is stored when this comes.
 */
export interface AckOut {
  type: "ack";
  id: number;
  number: number;
}
/**
 * What speaks for a move, by its code; `facts` are numbers of seats, cards and tiles, and amounts.
 */
export interface AdvantageOut {
  code:
    | "wins"
    | "goal"
    | "tile"
    | "avengers"
    | "points"
    | "denies"
    | "affords"
    | "tile_nearer"
    | "nearer"
    | "cheaper"
    | "wild"
    | "free"
    | "keeps";
  facts: {
    [k: string]: string | number;
  };
}
/**
 * A move that is worth playing, as a text that may be sent, the own seat's chance to win after it, and what speaks for it.
 */
export interface AdviceOut {
  text: string;
  chance: number;
  why: AdvantageOut[];
}
/**
 * What the host may still change before the game begins.
 */
export interface AgreedOptions {
  house?: HouseRules;
  clock?: NoClock | MoveClock | TotalClock | DaysClock;
  takeback?: "free" | "consent" | "never";
  watch?: "anybody" | "link" | "nobody";
}
/**
 * The switches; None is the variant's own default.
 */
export interface HouseRules {
  take_fewer?: boolean;
  goal?: number | null;
  open_reserves?: boolean;
  token_limit?: number;
  hand_limit?: number;
}
/**
 * Nobody waits for a clock.
 */
export interface NoClock {
  kind: "none";
}
/**
 * So many seconds for each turn.
 */
export interface MoveClock {
  kind: "move";
  seconds?: number;
}
/**
 * So many seconds for the whole game, and some more for each turn.
 */
export interface TotalClock {
  kind: "total";
  seconds?: number;
  increment?: number;
}
/**
 * So many days for each turn.
 */
export interface DaysClock {
  kind: "days";
  days?: number;
}
/**
 * A position, and moves to be played from it.
 */
export interface AnalysisIn {
  position: string;
  moves?: StepIn[];
}
/**
 * A move, and the card that it turns up: null is one that is drawn. One reserved from a deck stays unseen without `draw`.
 */
export interface StepIn {
  text: string;
  card?: number | null;
  draw?: boolean;
}
/**
 * What was played, up to the first problem, and the board after it; none if the position itself cannot be.
 */
export interface AnalysisOut {
  problem: ProblemOut | null;
  played: PlayedOut[];
  board: BoardOut | null;
}
/**
 * Why a position cannot be, or a move cannot be played (`step` is its number, from 0). `rule`: the rule that forbids it.
 */
export interface ProblemOut {
  code:
    | "not_a_position"
    | "tokens_many"
    | "tokens_few"
    | "time_token"
    | "card_twice"
    | "unnamed"
    | "card_count"
    | "wrong_tier"
    | "market_gap"
    | "tile_count"
    | "tile_twice"
    | "hand_limit"
    | "sight"
    | "token_limit"
    | "far_over"
    | "claim"
    | "tile_demand"
    | "reason"
    | "passes"
    | "goal_reached"
    | "avengers_missing"
    | "avengers_wrong"
    | "card"
    | "rule";
  facts: {
    [k: string]: string | number;
  };
  sentence: string;
  step: number | null;
  rule: RuleOut | null;
}
/**
 * The rule that forbids a move (variants/refusals.md), and how things stand. `not_a_move`: the text says no move.
 */
export interface RuleOut {
  code:
    | "game_over"
    | "return_first"
    | "claim_first"
    | "return_above_the_limit"
    | "claim_among_several"
    | "pile_for_two"
    | "not_in_the_bank"
    | "three_colours"
    | "deck_empty"
    | "place_empty"
    | "reserve_full"
    | "not_in_the_reserve"
    | "price_too_high"
    | "pay_tokens_in_hand"
    | "time_never_spent"
    | "overpaying"
    | "whole_price"
    | "can_still_move"
    | "time_never_returned"
    | "return_tokens_in_hand"
    | "no_tile_there"
    | "demand_not_met"
    | "other_colour_not_met"
    | "points_not_met"
    | "not_a_move";
  facts: {
    [k: string]: string | number;
  };
}
/**
 * A move that was played: as a line of a log, the card that it made known, and the position after it.
 */
export interface PlayedOut {
  position: string;
  entry: EntryOut;
  card: number | null;
}
/**
 * A line of the log. Lines are never taken away: an `undo` names the line it takes back.
 *
 * `card` is the card bought or reserved and `turned_up` the one that took its place, if this viewer may know them (where
 * reserves lie face down `turned_up` is not told); `shown` are the reserved cards that a forced pass has shown; `tile` is a
 * tile that came; `avengers` says that the Avengers tile came to the seat; `gems` are the tokens taken, paid or returned, as
 * counts by letter; `turns` is the number of turns completed before it; `thought` is there if a bot moved.
 */
export interface EntryOut {
  number: number;
  kind: "move" | "undo" | "replace" | "back" | "timeout" | "resign";
  seat: number;
  text: string;
  card: number | null;
  turned_up: number | null;
  shown: number[];
  tile: number | null;
  avengers: boolean;
  gems: number[];
  undoes: number | null;
  turns: number;
  at: number;
  thought: ThoughtOut | null;
}
/**
 * How a bot came to its move: positions looked at (null where it does not say) and seconds, both rounded.
 *
 * `bot` is who moved; if that was in the place of another bot, `instead_of` is that one. `why` says why the bot was weakened:
 * no process was free in time (`late`), it gave no legal move (`failed`), the server was not ready (`starting`), or it had less
 * than a quarter of its time (`short`).
 */
export interface ThoughtOut {
  bot: string;
  nodes: number | null;
  seconds: number;
  instead_of: string | null;
  why: ("late" | "failed" | "starting" | "short") | null;
}
/**
 * A position with all that can be done in it, seen from the seat to decide.
 *
 * `reveals` has for each move that makes an unseen card known the tier of that card, `could_be` the cards for those that buy an
 * unknown card of the reserve, `stays_unseen` the moves whose card need not be told. `unseen` are the cards of each tier that
 * may come.
 */
export interface BoardOut {
  position: string;
  variant: string;
  players: number;
  house: HouseRules1;
  view: ViewOut;
  prices: {
    [k: string]: number[];
  };
  choices: ChoicesOut;
  reveals: {
    [k: string]: number;
  };
  could_be: {
    [k: string]: number[];
  };
  stays_unseen: string[];
  unseen: number[][];
  end: EndOut | null;
}
/**
 * The switches; None is the variant's own default.
 */
export interface HouseRules1 {
  take_fewer?: boolean;
  goal?: number | null;
  open_reserves?: boolean;
  token_limit?: number;
  hand_limit?: number;
}
/**
 * What one seat (or a spectator: null) may know.
 */
export interface ViewOut {
  seat: number | null;
  start: number;
  turn: number;
  turns: number;
  round: number;
  stage: "main" | "return" | "claim" | "over";
  last_round: boolean;
  bank: number[];
  market: (number | null)[][];
  deck_sizes: number[];
  tiles: TileOut[];
  avengers: number | null;
  areas: AreaOut[];
}
/**
 * A tile on the table and the seat it went to.
 */
export interface TileOut {
  number: number;
  owner: number | null;
}
/**
 * What lies in front of a seat. Counts follow the variant's letters (five colours, wild, then Time in Marvel).
 */
export interface AreaOut {
  tokens: number[];
  bonuses: number[];
  points: number;
  symbols: number;
  tableau: number[];
  reserve: ReservedOut[];
}
/**
 * A reserved card; `card` is null if it is not known.
 */
export interface ReservedOut {
  tier: number;
  blind: boolean;
  card: number | null;
}
/**
 * What the seat to decide may do.
 *
 * If it holds wild tokens, `payments` has for each purchase the ways to pay it, that which keeps most of them first; without
 * them the price is paid as it stands.
 */
export interface ChoicesOut {
  legal: string[];
  payments: {
    [k: string]: string[];
  };
}
/**
 * How a game ended.
 */
export interface EndOut {
  ranks: number[];
  winners: number[];
  reason: string;
}
/**
 * Say yes or no to a question.
 */
export interface AnswerIn {
  type: "answer";
  id: number;
  ask: number;
  yes: boolean;
}
/**
 * A question that waits for the others' consent: to take back, or to let a bot play for a seat that is away.
 *
 * `left` are the seconds until silence is a no, as of the sending of the message; null: there is no hurry.
 */
export interface AskOut {
  ask: number;
  what: "takeback" | "replace";
  by: number;
  seat: number;
  waiting_for: number[];
  left: number | null;
}
/**
 * Take the own seat back from the bot.
 */
export interface BackIn {
  type: "back";
  id: number;
}
/**
 * How many reached these points: those who won (alone or shared), and the others.
 */
export interface BarOut {
  points: number;
  won: number;
  lost: number;
}
/**
 * Play the deal of a day (null: today's). The first try counts, any other is `practice`, and comes after it.
 */
export interface BeginDayIn {
  date?: string | null;
  practice?: boolean;
}
/**
 * An opponent that can be chosen; `rating` is its published strength, if there is one.
 */
export interface BotOut {
  name: string;
  character: string;
  rating: number | null;
}
/**
 * A card as printed.
 */
export interface CardOut {
  number: number;
  tier: number;
  bonus: string;
  points: number;
  cost: number[];
  name: string;
  symbols: number;
}
/**
 * Say something: to everybody at the table, or, watching a game, to the spectators.
 */
export interface ChatIn {
  type: "chat";
  id: number;
  text: string;
}
/**
 * Something said. In the room `watch` the spectators are among themselves; the players are sent it after the end.
 *
 * `seat` is where its author sat (null: nowhere); `author` names them at this table alone, for whoever mutes them. The text of
 * a `reaction` is one of the fixed ones.
 */
export interface ChatLineOut {
  room: "table" | "watch";
  number: number;
  seat: number | null;
  author: string;
  name: string;
  kind: "text" | "reaction";
  text: string;
  at: number;
}
/**
 * What was said and has not been sent yet: all of it in several messages, if it is much.
 */
export interface ChatOut {
  type: "chat";
  lines: ChatLineOut[];
}
/**
 * Seconds left for every seat, as of the sending of the message; `running` is the seat whose time runs (null: nobody's).
 */
export interface ClockOut {
  kind: "move" | "total" | "days";
  left: number[];
  running: number | null;
}
/**
 * A new table, and the private link of the creator's seat.
 */
export interface CreatedOut {
  id: string;
  seat: number | null;
  seat_link: string;
}
/**
 * The puzzle of a day: the same on every server.
 */
export interface DailyPuzzleOut {
  id: string;
  date: string;
}
/**
 * The deal of a day in a game: who one plays against, and the own try (null: none yet).
 *
 * `results` is null until the own try is over; those of a past day are shown to everybody. `next` are the seconds until the next
 * deal, as of the sending of the message. `previous` is the day before.
 */
export interface DayOut {
  variant: string;
  date: string;
  today: boolean;
  next: number;
  previous: string;
  players: number;
  bots: string[];
  commitment: string;
  own: OwnTryOut | null;
  results: ResultsOut | null;
}
/**
 * The reader's own try: the table, and how it ended (null: it has not).
 */
export interface OwnTryOut {
  table: string;
  score: ScoreOut | null;
}
/**
 * How a game against bots ended for its player: own points, those of the best bot, and how many rounds it took.
 */
export interface ScoreOut {
  result: "won" | "shared" | "lost" | "resigned";
  points: number;
  best: number;
  rounds: number | null;
}
/**
 * What everybody made of a deal: how many have finished and won, the best of them with the reader, and all by points.
 */
export interface ResultsOut {
  finished: number;
  won: number;
  best: RankedOut[];
  bars: BarOut[];
}
/**
 * A line in the table of the day. Equal scores have equal places.
 */
export interface RankedOut {
  place: number;
  name: string;
  you: boolean;
  score: ScoreOut;
}
/**
 * How the cards are shuffled: see the protocol. Seals and nonces are listed by seat; null: none.
 *
 * `start` is what the commitment says about the start seat (null: random). `opened` says whose nonces have come; `nonces` shows
 * them when the deal is made from them: a seat with a seal and without a nonce did not open it in time and was left out.
 */
export interface DealOut {
  format: 1 | 2 | 3;
  phase: "waiting" | "sealing" | "opening" | "dealt";
  start: number | null;
  seals: (string | null)[];
  opened: boolean[];
  nonces: (string | null)[];
}
/**
 * One decision, judged from the view of its seat: a Decision with moves as text.
 *
 * The values of the best move are the chances before the decision, those of the move that was played the chances after it.
 */
export interface DecisionOut {
  number: number;
  round: number;
  seat: number;
  stage: string;
  played: MoveChanceOut;
  best: MoveChanceOut;
  alternatives: MoveChanceOut[];
  line: string[];
  is_forced: boolean;
  lost: number;
  grade: string;
}
/**
 * A move (or `resign`, `play on`), and each seat's chance to win with it.
 */
export interface MoveChanceOut {
  move: string;
  values: number[];
}
/**
 * A question that was answered with no: `declined_by` said so, or played on (`gone_on`); `late`: nobody answered in time.
 */
export interface DeclinedOut {
  ask: number;
  what: "takeback" | "replace";
  by: number;
  seat: number;
  how: "no" | "late" | "gone_on";
  declined_by: number | null;
}
/**
 * Something was deleted.
 */
export interface DeletedOut {
  deleted: string;
}
/**
 * The key of such a link.
 */
export interface DeviceKeyIn {
  key: string;
}
/**
 * A link that makes another browser the same guest, for a few minutes; and the same as a QR code (SVG).
 */
export interface DeviceLinkOut {
  link: string;
  minutes: number;
  qr: string;
}
/**
 * A position as it is edited. What follows from the rest is not said: bank, decks, Time tokens, that tokens must be returned.
 *
 * `stage`: `claim` where the seat chooses among several tiles, `over` where the game has ended, by the goal after this round if
 * somebody has reached it, else by passing. `fill`: empty places of the market and missing tiles are drawn.
 */
export interface DraftIn {
  variant: string;
  players: number;
  house?: HouseRules2;
  start?: number;
  turn?: number;
  round?: number;
  stage?: "main" | "claim" | "over";
  market: (number | null)[][];
  tiles?: DraftTileIn[];
  avengers?: number | null;
  seats: DraftSeatIn[];
  fill?: boolean;
}
/**
 * The switches; None is the variant's own default.
 */
export interface HouseRules2 {
  take_fewer?: boolean;
  goal?: number | null;
  open_reserves?: boolean;
  token_limit?: number;
  hand_limit?: number;
}
/**
 * A tile, and the seat it went to.
 */
export interface DraftTileIn {
  number: number;
  owner?: number | null;
}
/**
 * What lies before a seat. The counts follow the variant's letters; Time tokens follow from the cards.
 */
export interface DraftSeatIn {
  tokens: number[];
  tableau?: number[];
  reserve?: DraftReservedIn[];
}
/**
 * A reserved card; without a number it is an unseen one of the tier. `blind`: it was drawn unseen from the deck.
 */
export interface DraftReservedIn {
  tier: number;
  card?: number | null;
  blind?: boolean;
}
/**
 * A duel: the same deal against the same bots for two people.
 */
export interface DuelIn {
  variant?: string;
  bots: string[];
}
/**
 * A duel as its reader may see it.
 *
 * `own` is the reader's own game (null: none yet), `may_play` says whether there is a place for the reader. `better` is the side
 * that did better, -1 if none did; null until the reader may see both.
 */
export interface DuelOut {
  id: string;
  variant: string;
  players: number;
  bots: string[];
  commitment: string;
  sides: SideOut[];
  own: OwnTryOut | null;
  may_play: boolean;
  better: number | null;
}
/**
 * One of the two in a duel. `score` is null until the reader's own game is over, or this one is not.
 *
 * `table`: where the game can be looked at, for the two who played, when both games are over.
 */
export interface SideOut {
  name: string;
  you: boolean;
  status: "waiting" | "running" | "finished";
  score: ScoreOut | null;
  table: string | null;
}
/**
 * What was found until now, the best move first; `done`: there will be nothing more.
 */
export interface FoundOut {
  kind: "found";
  id: number;
  nodes: number;
  seconds: number;
  chances: number[];
  moves: GoodMoveOut[];
  done: boolean;
}
/**
 * A move: each seat's chance to win after it, how often it was looked at, whether that is proven, and what may follow.
 */
export interface GoodMoveOut {
  text: string;
  chances: number[];
  visits: number;
  proven: boolean;
  line: LineMoveOut[];
}
/**
 * A move of a line: who plays it, and the card it is about if that is known by then.
 */
export interface LineMoveOut {
  seat: number;
  text: string;
  card: number | null;
  tier: number | null;
}
/**
 * Play on from a position: which seat one takes, and the bot at all the others.
 */
export interface FromHereIn {
  position: string;
  seat: number;
  bot: string;
}
/**
 * All that a client needs to draw a variant without knowing its name: its numbers, what it has, its cards and tiles.
 *
 * `goal` are the points that end the game, and `goal_kind` says what else is asked for; these and the two limits are defaults
 * that house rules may change. `tiles_dealt` is for 2, 3 and 4 players; of a tile's `tile_faces` faces one is turned up.
 * `words` are the variant's own words in English.
 */
export interface GameDataOut {
  variant: string;
  title: string;
  theme: string;
  letters: string;
  colours: string[];
  words: {
    [k: string]: string;
  };
  goal: number;
  goal_kind: string;
  token_limit: number;
  hand_limit: number;
  supply: SupplyOut;
  tile_kind: string;
  tiles_dealt: number[];
  tile_faces: number;
  has_time: boolean;
  has_symbols: boolean;
  has_avengers: boolean;
  cards: CardOut[];
  tiles: TileFaceOut[];
}
/**
 * How many tokens there are: of each colour and of Time for 2, 3 and 4 players, and wild ones.
 */
export interface SupplyOut {
  each_colour: number[];
  wild: number;
  time: number[];
}
/**
 * A tile as printed. It asks for `prestige` points, the bonuses of `demand`, and `other` bonuses of one colour not in it.
 */
export interface TileFaceOut {
  number: number;
  points: number;
  demand: number[];
  name: string;
  prestige: number;
  other: number;
}
/**
 * A game, to be analysed: its first position, its moves with the cards they made known, and who sat where.
 */
export interface GameLineOut {
  position: string;
  moves: NotedStepIn[];
  names: string[];
}
/**
 * A move with its card, and a note.
 */
export interface NotedStepIn {
  text: string;
  card?: number | null;
  note?: string;
}
/**
 * Ask what a net would play; the answer is a hint. Only for whoever is to decide and plays against bots alone.
 */
export interface HintIn {
  type: "hint";
  id: number;
}
/**
 * What a net advises after the line `number`: up to three moves, best first.
 *
 * `chances` are each seat's chance to win if the first of them is played.
 */
export interface HintOut {
  type: "hint";
  id: number;
  number: number;
  moves: AdviceOut[];
  chances: number[];
}
/**
 * What became of an upload: how many games were added, how many were known already, and what could not be read.
 */
export interface ImportOut {
  added: number;
  known: number;
  problems: ImportProblemOut[];
}
/**
 * Why something in an upload was not imported: by its file and line, with a code and a sentence in English.
 */
export interface ImportProblemOut {
  file: string;
  line: number | null;
  code: "foreign" | "broken" | "too_long" | "not_text";
  detail: string;
}
/**
 * Where friends find this server: the beginning of every link for them. `only_here`: nobody but this machine can open it.
 */
export interface JoinOut {
  origin: string;
  only_here: boolean;
}
/**
 * The host takes a seat from somebody, who cannot sit down at this table again.
 */
export interface KickIn {
  type: "kick";
  id: number;
  seat: number;
}
/**
 * Leave the own seat before the game begins.
 */
export interface LeaveIn {
  type: "leave";
  id: number;
}
/**
 * A table in a list. `seat` is the reader's own (null: none), `turn` the seat to decide, where that is known.
 */
export interface ListedOut {
  id: string;
  options: TableOptions;
  status: "waiting" | "dealing" | "running" | "finished";
  seats: SeatOut[];
  host: number | null;
  watchers: number;
  commitment: string;
  deal: DealOut;
  shared: SharedOut | null;
  reveal: RevealOut | null;
  rematch: string | null;
  series: SeriesOut | null;
  created: number;
  seat: number | null;
  turn: number | null;
  result: ResultOut | null;
}
/**
 * What a table agrees on. Variant, players and start are named by the commitment to the deal, and never changed.
 *
 * A game with a `position` begins there: its unseen cards are dealt, and nothing else.
 */
export interface TableOptions {
  house?: HouseRules3;
  clock?: NoClock | MoveClock | TotalClock | DaysClock;
  takeback?: "free" | "consent" | "never";
  watch?: "anybody" | "link" | "nobody";
  variant?: string;
  players?: number;
  bots?: string[];
  start?: "random" | "host";
  position?: string | null;
}
/**
 * The switches; None is the variant's own default.
 */
export interface HouseRules3 {
  take_fewer?: boolean;
  goal?: number | null;
  open_reserves?: boolean;
  token_limit?: number;
  hand_limit?: number;
}
/**
 * Who sits where. A seat whose user is away may be played by a bot (`bot`) until the user comes back.
 *
 * For one who has `resigned` it plays to the end. `rematch`: after the end, its user would like to play again.
 */
export interface SeatOut {
  seat: number;
  kind: "open" | "user" | "bot";
  name: string;
  bot: string | null;
  connected: boolean;
  resigned: boolean;
  rematch: boolean;
}
/**
 * A deal that several tables share: that of a day (`name` is the date) or of a duel (`name` is its id).
 *
 * `counts`: it is the one try of its player, so there are no hints and nothing is taken back.
 */
export interface SharedOut {
  kind: "day" | "duel";
  name: string;
  counts: boolean;
}
/**
 * After the end: the deal, so that everybody can check the commitment made at the start.
 *
 * Format 2 has a `secret`, format 1 had `seed` and `salt`; what a format does not have is null.
 */
export interface RevealOut {
  secret: string | null;
  seed: string | null;
  salt: string | null;
}
/**
 * Games of the same people one after the other, this one included once it is over: how many, and how many each seat won.
 */
export interface SeriesOut {
  games: number;
  wins: number[];
}
/**
 * How a game ended, for a list of games; `ended` is the time of its last line.
 *
 * `rounds` is how many it had; null where that was not stored, by an older server.
 */
export interface ResultOut {
  points: number[];
  winners: number[];
  reason: "goal" | "stalemate" | "log_full" | "resigned";
  ended: number;
  rounds: number | null;
}
/**
 * Open tables, public games to watch, and the guest's own running and finished games.
 */
export interface LobbyOut {
  open: ListedOut[];
  watch: ListedOut[];
  running: ListedOut[];
  finished: ListedOut[];
}
/**
 * A new duel; its page is `/duel/ID`.
 */
export interface MadeDuelOut {
  id: string;
}
/**
 * A moment before a decision: what its seat could see, and what it could do.
 */
export interface MomentOut {
  view: ViewOut;
  legal: string[];
}
/**
 * Play a move. `number` is the number the entry will have: sent twice, it is played once and acknowledged twice.
 */
export interface MoveIn {
  type: "move";
  id: number;
  number: number;
  text: string;
}
/**
 * A finished game of the reader: played here (`table`) or imported.
 *
 * `seat` is the reader's own; null where an imported record does not say it. `result` is null with it, and where the game did
 * not come to its end. `error_rate` is what a review found for that seat, in points of chance a decision; null: none yet.
 */
export interface MyGameOut {
  id: string;
  source: "table" | "import";
  variant: string;
  players: PlayerOut[];
  seat: number | null;
  result: ("won" | "shared" | "lost" | "resigned") | null;
  points: number[];
  winners: number[];
  rounds: number | null;
  ended: number;
  shared: SharedOut | null;
  error_rate: number | null;
}
/**
 * Who sat where in a game of the list; `bot` is null for people.
 */
export interface PlayerOut {
  name: string;
  bot: string | null;
}
/**
 * The reader's finished games, newest first; `more`: there are older ones, which the export has too.
 */
export interface MyGamesOut {
  games: MyGameOut[];
  more: boolean;
}
/**
 * A nickname.
 */
export interface NameIn {
  name: string;
}
/**
 * Open the own nonce, when the table says so.
 */
export interface NonceIn {
  type: "nonce";
  id: number;
  nonce: string;
}
/**
 * Nothing can be found: the position cannot be (`problem`), or it is refused.
 */
export interface NotFoundOut {
  kind: "not_found";
  id: number;
  problem: ProblemOut | null;
  code:
    | (
        | "rule"
        | "not_begun"
        | "begun"
        | "over"
        | "not_over"
        | "not_your_turn"
        | "wrong_number"
        | "gone_on"
        | "log_full"
        | "counts"
        | "tried"
        | "duel_full"
        | "hint_alone"
        | "hint_coming"
        | "impossible"
        | "no_deal"
        | "from_position"
        | "sealed_already"
        | "no_seal"
        | "wrong_nonce"
        | "not_opening"
        | "old_deal"
        | "no_takeback"
        | "nothing_to_undo"
        | "asked_already"
        | "asked_enough"
        | "nothing_asked"
        | "not_asked"
        | "stand_in"
        | "own_stand_in"
        | "no_stand_in"
        | "bot_there"
        | "not_away"
        | "resigned"
        | "rematch_later"
        | "chat_empty"
        | "chat_full"
        | "too_many_chats"
        | "no_records"
        | "too_many_records"
        | "no_device_key"
        | "no_cookie"
        | "seat_taken"
        | "somebody_there"
        | "nobody_there"
        | "own_seat"
        | "kicked"
        | "watching"
        | "no_own_seat"
        | "no_seat"
        | "no_eyes"
        | "host_only"
        | "house_rules"
        | "unknown_bot"
        | "too_many_bots"
        | "name_characters"
        | "name_empty"
        | "no_push"
        | "unknown_push_service"
        | "no_review"
        | "bad_record"
        | "record_not_over"
        | "record_too_long"
        | "not_asked_here"
        | "no_table"
        | "no_puzzle"
        | "no_link"
        | "other_seat"
        | "nothing_there"
        | "nobody_watches"
        | "face_down"
        | "other_eyes"
        | "other_site"
        | "not_understood"
        | "bad_request"
        | "bad_host"
        | "wrong_method"
        | "too_slow"
        | "headers_too_large"
        | "too_large"
        | "too_many_messages"
        | "too_many_requests"
        | "too_many_connections"
        | "too_many_tables"
        | "too_many_moves"
        | "too_many_takebacks"
        | "too_many_waiting"
        | "too_many_waiting_there"
        | "too_many_studies"
        | "too_many_own_studies"
        | "starting"
        | "stopping"
        | "server_full"
        | "not_stored"
        | "no_database"
        | "damaged"
        | "failed"
      )
    | null;
  facts: {
    [k: string]: string | number;
  };
}
/**
 * A record, to be analysed. Its game need not be over.
 */
export interface OpenRecordIn {
  record: string;
}
/**
 * How the game ended. `log_full`: the log had reached its greatest length; nobody has won, and every rank is 1.
 *
 * The seats in `resigned` come last, whatever their points. `resigned` as a reason: nobody was left to play against them, and
 * all who had not resigned have won.
 */
export interface OutcomeOut {
  ranks: number[];
  winners: number[];
  reason: "goal" | "stalemate" | "log_full" | "resigned";
  points: PointsOut[];
  resigned: number[];
}
/**
 * Where a seat's points came from.
 */
export interface PointsOut {
  cards: number;
  tiles: number;
  avengers: number;
}
/**
 * Anybody there?
 */
export interface PingIn {
  type: "ping";
}
/**
 * The answer to a ping.
 */
export interface PongOut {
  type: "pong";
}
/**
 * Where a browser is told, as its `PushSubscription` says.
 */
export interface PushIn {
  endpoint: string;
  p256dh: string;
  auth: string;
}
/**
 * What a browser needs to be told that it is its reader's turn; null: this server tells nobody.
 */
export interface PushKeyOut {
  key: string | null;
}
/**
 * A browser that is not told any more.
 */
export interface PushOffIn {
  endpoint: string;
}
/**
 * A move as text.
 */
export interface PuzzleAnswerIn {
  text: string;
}
/**
 * Whether an answer was right, and why.
 *
 * `second` is the best of the other moves. `proof`: it is `proven` that every other move is worse, or that was `searched`.
 * `missed` names the bots that do not find the move.
 */
export interface PuzzleAnswerOut {
  right: boolean;
  best: PuzzleMoveOut;
  given: PuzzleMoveOut;
  second: PuzzleMoveOut;
  proof: "proven" | "searched";
  themes: ("win" | "block" | "race" | "tile" | "reserve" | "gauntlet" | "avengers" | "tempo")[];
  missed: string[];
  line: PuzzleStepOut[];
}
/**
 * A move, the chance to win with it (null: not among the moves that were compared), and what speaks for it.
 */
export interface PuzzleMoveOut {
  text: string;
  chance: number | null;
  why: AdvantageOut[];
}
/**
 * A move of the line that is expected, and the seat that plays it.
 */
export interface PuzzleStepOut {
  seat: number;
  text: string;
}
/**
 * A puzzle in the list. `difficulty` is from 1 to 5.
 */
export interface PuzzleEntryOut {
  id: string;
  variant: string;
  themes: ("win" | "block" | "race" | "tile" | "reserve" | "gauntlet" | "avengers" | "tempo")[];
  difficulty: number;
}
/**
 * Every puzzle, in the order in which they are offered; `daily` is the one of the `date`, by UTC.
 */
export interface PuzzleListOut {
  puzzles: PuzzleEntryOut[];
  daily: string;
  date: string;
}
/**
 * A position with one good move, as the seat to decide sees it; `prices` as in a state. The themes would tell too much.
 */
export interface PuzzleOut {
  id: string;
  variant: string;
  difficulty: number;
  view: ViewOut;
  prices: {
    [k: string]: number[];
  };
  choices: ChoicesOut;
}
/**
 * The rule that forbids a move in a puzzle; null if it is legal.
 */
export interface PuzzleRuleOut {
  rule: RuleOut | null;
}
/**
 * Say one of a few things that need no words.
 */
export interface ReactIn {
  type: "react";
  id: number;
  reaction: "hello" | "nice" | "thanks" | "oops" | "wow" | "good_game";
}
/**
 * A line of moves to be saved as a record.
 */
export interface RecordIn {
  position: string;
  moves: NotedStepIn[];
  names?: (string | "")[];
}
/**
 * A record, as text.
 */
export interface RecordOut {
  record: string;
}
/**
 * The body of every answer that is not a success; the same as RefusedOut on the socket.
 */
export interface RefusalOut {
  detail: string;
  code:
    | "rule"
    | "not_begun"
    | "begun"
    | "over"
    | "not_over"
    | "not_your_turn"
    | "wrong_number"
    | "gone_on"
    | "log_full"
    | "counts"
    | "tried"
    | "duel_full"
    | "hint_alone"
    | "hint_coming"
    | "impossible"
    | "no_deal"
    | "from_position"
    | "sealed_already"
    | "no_seal"
    | "wrong_nonce"
    | "not_opening"
    | "old_deal"
    | "no_takeback"
    | "nothing_to_undo"
    | "asked_already"
    | "asked_enough"
    | "nothing_asked"
    | "not_asked"
    | "stand_in"
    | "own_stand_in"
    | "no_stand_in"
    | "bot_there"
    | "not_away"
    | "resigned"
    | "rematch_later"
    | "chat_empty"
    | "chat_full"
    | "too_many_chats"
    | "no_records"
    | "too_many_records"
    | "no_device_key"
    | "no_cookie"
    | "seat_taken"
    | "somebody_there"
    | "nobody_there"
    | "own_seat"
    | "kicked"
    | "watching"
    | "no_own_seat"
    | "no_seat"
    | "no_eyes"
    | "host_only"
    | "house_rules"
    | "unknown_bot"
    | "too_many_bots"
    | "name_characters"
    | "name_empty"
    | "no_push"
    | "unknown_push_service"
    | "no_review"
    | "bad_record"
    | "record_not_over"
    | "record_too_long"
    | "not_asked_here"
    | "no_table"
    | "no_puzzle"
    | "no_link"
    | "other_seat"
    | "nothing_there"
    | "nobody_watches"
    | "face_down"
    | "other_eyes"
    | "other_site"
    | "not_understood"
    | "bad_request"
    | "bad_host"
    | "wrong_method"
    | "too_slow"
    | "headers_too_large"
    | "too_large"
    | "too_many_messages"
    | "too_many_requests"
    | "too_many_connections"
    | "too_many_tables"
    | "too_many_moves"
    | "too_many_takebacks"
    | "too_many_waiting"
    | "too_many_waiting_there"
    | "too_many_studies"
    | "too_many_own_studies"
    | "starting"
    | "stopping"
    | "server_full"
    | "not_stored"
    | "no_database"
    | "damaged"
    | "failed";
  facts: {
    [k: string]: string | number;
  };
}
/**
 * A request was not carried out; `reason` is a sentence, the rule that forbids it.
 *
 * `code` names the refusal for translators, `facts` are what its sentence mentions. The code `rule` is a rule of the game, and
 * `rule` says which.
 */
export interface RefusedOut {
  type: "refused";
  id: number | null;
  reason: string;
  code:
    | "rule"
    | "not_begun"
    | "begun"
    | "over"
    | "not_over"
    | "not_your_turn"
    | "wrong_number"
    | "gone_on"
    | "log_full"
    | "counts"
    | "tried"
    | "duel_full"
    | "hint_alone"
    | "hint_coming"
    | "impossible"
    | "no_deal"
    | "from_position"
    | "sealed_already"
    | "no_seal"
    | "wrong_nonce"
    | "not_opening"
    | "old_deal"
    | "no_takeback"
    | "nothing_to_undo"
    | "asked_already"
    | "asked_enough"
    | "nothing_asked"
    | "not_asked"
    | "stand_in"
    | "own_stand_in"
    | "no_stand_in"
    | "bot_there"
    | "not_away"
    | "resigned"
    | "rematch_later"
    | "chat_empty"
    | "chat_full"
    | "too_many_chats"
    | "no_records"
    | "too_many_records"
    | "no_device_key"
    | "no_cookie"
    | "seat_taken"
    | "somebody_there"
    | "nobody_there"
    | "own_seat"
    | "kicked"
    | "watching"
    | "no_own_seat"
    | "no_seat"
    | "no_eyes"
    | "host_only"
    | "house_rules"
    | "unknown_bot"
    | "too_many_bots"
    | "name_characters"
    | "name_empty"
    | "no_push"
    | "unknown_push_service"
    | "no_review"
    | "bad_record"
    | "record_not_over"
    | "record_too_long"
    | "not_asked_here"
    | "no_table"
    | "no_puzzle"
    | "no_link"
    | "other_seat"
    | "nothing_there"
    | "nobody_watches"
    | "face_down"
    | "other_eyes"
    | "other_site"
    | "not_understood"
    | "bad_request"
    | "bad_host"
    | "wrong_method"
    | "too_slow"
    | "headers_too_large"
    | "too_large"
    | "too_many_messages"
    | "too_many_requests"
    | "too_many_connections"
    | "too_many_tables"
    | "too_many_moves"
    | "too_many_takebacks"
    | "too_many_waiting"
    | "too_many_waiting_there"
    | "too_many_studies"
    | "too_many_own_studies"
    | "starting"
    | "stopping"
    | "server_full"
    | "not_stored"
    | "no_database"
    | "damaged"
    | "failed";
  facts: {
    [k: string]: string | number;
  };
  rule: RuleOut | null;
}
/**
 * After the end: agree (or no longer agree) to a new table with the same people and the start seat moved on.
 *
 * It is opened when every user at the table has agreed. `without_away`: those who have been away for long are not waited for;
 * their seats are open at the new table.
 */
export interface RematchIn {
  type: "rematch";
  id: number;
  agree?: boolean;
  without_away?: boolean;
}
/**
 * Ask that a bot plays for a seat that is away; the own seat is given to a bot at once.
 */
export interface ReplaceIn {
  type: "replace";
  id: number;
  seat: number;
}
/**
 * A game up to a moment: the views after each entry, for one seat's eyes (or a spectator's).
 */
export interface ReplayOut {
  table: TableOut;
  seat: number | null;
  entries: EntryOut[];
  views: ViewOut[];
  outcome: OutcomeOut | null;
}
/**
 * What everybody may know about a table. `shared` is null where the deal is this table's alone.
 */
export interface TableOut {
  id: string;
  options: TableOptions;
  status: "waiting" | "dealing" | "running" | "finished";
  seats: SeatOut[];
  host: number | null;
  watchers: number;
  commitment: string;
  deal: DealOut;
  shared: SharedOut | null;
  reveal: RevealOut | null;
  rematch: string | null;
  series: SeriesOut | null;
  created: number;
}
/**
 * Give the own game up, for good.
 */
export interface ResignIn {
  type: "resign";
  id: number;
}
/**
 * Where the review is: at `/review/{id}`.
 */
export interface ReviewIdOut {
  id: string;
}
/**
 * Which game is to be reviewed: the finished game of a table, else a record.
 */
export interface ReviewIn {
  table?: string | null;
  record?: string | null;
}
/**
 * A review, as far as it has come: the decisions from `since` on. `seats` and `luck` are there when it is done.
 *
 * `seats`: what the game says about each, with result - chance_at_deal = luck + own_errors + others_errors.
 */
export interface ReviewOut {
  id: string;
  table: string | null;
  seat: number | null;
  total: number;
  since: number;
  decisions: DecisionOut[];
  is_done: boolean;
  seats: SeatSummary[] | null;
  luck: number[][] | null;
}
/**
 * What a whole game says about one seat. `result` is 1 for a win, and a share of it where several won.
 */
export interface SeatSummary {
  seat: number;
  result: number;
  chance_at_deal: number;
  luck: number;
  own_errors: number;
  others_errors: number;
  decisions: number;
  error_rate: number | null;
  accuracy: number | null;
  grades: {
    [k: string]: number;
  };
}
/**
 * The game of a review: before each decision what its seat saw, and at the end what lay on the table.
 */
export interface ReviewedGameOut {
  variant: string;
  players: number;
  goal: number;
  token_limit: number;
  hand_limit: number;
  seats: SeatOut[];
  entries: EntryOut[];
  moments: MomentOut[];
  winners: number[];
}
/**
 * Take part in the deal with a nonce that is sealed now and opened when the game begins. Before that, once for a seat.
 */
export interface SealIn {
  type: "seal";
  id: number;
  seal: string;
}
/**
 * What a private link gives: a seat at a table. `holds` is the seat the guest holds there now.
 */
export interface SeatLinkOut {
  table: TableOut;
  seat: number;
  holds: number | null;
}
/**
 * The host gives an open seat to a bot, or (null) takes it away again.
 */
export interface SetBotIn {
  type: "set_bot";
  id: number;
  seat: number;
  bot: string | null;
}
/**
 * The host changes what is agreed on, before the game begins.
 */
export interface SetOptionsIn {
  type: "set_options";
  id: number;
  options: AgreedOptions;
}
/**
 * Take an open seat before the game begins.
 */
export interface SitIn {
  type: "sit";
  id: number;
  seat: number;
  name: string;
}
/**
 * The host begins the game; open seats are played by `bot` (null: by `greedy`).
 */
export interface StartIn {
  type: "start";
  id: number;
  bot?: string | null;
}
/**
 * The table as this viewer may see it now, and the log lines it has not been sent yet.
 *
 * `seat` is the seat the viewer holds (null: none). `number` is the number of the last line. `view` is null before the game
 * begins. `prices` are what the viewer's seat would still have to pay, as counts by colour, for the places `1a` to `3d` and `@1`
 * to `@3`. `declined` is the last question that was answered with no, until the game goes on.
 * `away` are the seconds until a bot may play for a seat whose user is away, as of the sending of the message; null for the
 * others.
 */
export interface StateOut {
  type: "state";
  table: TableOut;
  seat: number | null;
  number: number;
  view: ViewOut | null;
  choices: ChoicesOut | null;
  prices: {
    [k: string]: number[];
  };
  entries: EntryOut[];
  clock: ClockOut | null;
  asks: AskOut[];
  away: (number | null)[];
  declined: DeclinedOut | null;
  can_undo: "no" | "free" | "ask";
  outcome: OutcomeOut | null;
}
/**
 * Think no more.
 */
export interface StopIn {
  kind: "stop";
}
/**
 * The host exchanges two seats with whoever sits there.
 */
export interface SwapIn {
  type: "swap";
  id: number;
  seat: number;
  other: number;
}
/**
 * Take the seat of a private link; `gives_up` is the seat at that table which the guest holds now, if there is one.
 */
export interface TakeSeatIn {
  gives_up?: number | null;
}
/**
 * Think about a position, and no longer about the one before.
 */
export interface ThinkIn {
  kind: "think";
  id: number;
  position: string;
}
/**
 * What that move would have lost, and its grade.
 */
export interface TriedOut {
  move: string;
  values: number[];
  lost: number;
  grade: string;
}
/**
 * Another move in place of the one that was played.
 */
export interface TryIn {
  number: number;
  move: string;
}
/**
 * Take the own last decision back: at once while nothing hidden was revealed, else by asking.
 */
export interface UndoIn {
  type: "undo";
  id: number;
}
/**
 * The guest behind the cookie.
 */
export interface UserOut {
  name: string;
}
/**
 * A variant that can be chosen. `theme` says how it is drawn and called.
 */
export interface VariantOut {
  name: string;
  title: string;
  theme: string;
}
/**
 * Ask which rule forbids a move; the answer is a refusal with the rule, or an ack.
 */
export interface WhyNotIn {
  type: "why_not";
  id: number;
  text: string;
}
/**
 * Withdraw the own question.
 */
export interface WithdrawIn {
  type: "withdraw";
  id: number;
  ask: number;
}
export type ServerMessage = AckOut | ChatOut | HintOut | PongOut | RefusedOut | StateOut;
export type ClientMessage = AnswerIn | BackIn | ChatIn | HintIn | KickIn | LeaveIn | MoveIn | NonceIn | PingIn | ReactIn | RematchIn | ReplaceIn | ResignIn | SealIn | SetBotIn | SetOptionsIn | SitIn | StartIn | SwapIn | UndoIn | WhyNotIn | WithdrawIn;
