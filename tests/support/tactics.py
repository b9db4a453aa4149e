"""Positions with a provably best move, and how they were found.

    python -m tests.support.tactics                       prove every position
    python -m tests.support.tactics --seconds 1           what full strength (or --bot) finds with a second a move, by motif
    python -m tests.support.tactics --hunt 200 --seed 1   look for more in 200 games of each kind; prints lines for the file

`tactics.csv` has a position a line, as the seat to decide sees it; the name says game, players, seed and turns played. The best
moves are proven by `cabochon.study.proving`, looking `turns` turns ahead, in one of two ways:

    wins    each listed move makes sure of a higher share of the victory than any other move can bring:
            the lowest lower bound of the listed moves is above the upper bound of every other move
    saves   every other move loses for certain (its upper bound is 0), and no listed move does within the horizon; so no move is
            better than the listed ones, though what they are worth is not known

A bound found by looking less far is as true, so the proof takes the shortest look that is enough.

Moves are compared by action: `buy 1a` is the purchase with colours paid first, and other payments for the same card are no
other moves. The proof itself looks at every payment.
"""

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations, islice
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from cabochon import CARDS, TILES, Game, Move, View, format_position, parse_position, sample
from cabochon.bots import BOTS, Budget, bot
from cabochon.bots.greedy import greedy_actions
from cabochon.game import reaches_goal
from cabochon.rules.actions import CLAIM_TILE, RESERVE_DECK
from cabochon.rules.gems import COLOUR_COUNT, ONE_WILD, TIME, WILD
from cabochon.study.proving import SURE, Prover
from cabochon.view import TileOnTable, state_of

FILE = Path(__file__).parent.parent / "golden" / "tactics.csv"
FULL_STRENGTH = next(reversed(BOTS))  # they are listed from weak to strong
WINS, SAVES = "wins", "saves"


class Tactic(NamedTuple):
    """A line of the file."""

    name: str
    motif: str
    proof: str
    turns: int
    best: tuple[str, ...]
    position: str
    why: str

    @property
    def view(self) -> View:
        """The position as the seat to decide sees it; reading it checks that it can be."""
        return parse_position(self.position)

    def game(self) -> Game:
        """A game at the position; the decks are in any order, and nothing may depend on it."""
        return Game.from_states(sample(self.view, np.random.default_rng(0)))

    def row(self) -> dict[str, str]:
        """The line as it is written."""
        fields = {name: str(value) for name, value in self._asdict().items()}
        return {**fields, "best": "; ".join(self.best)}


def tactics() -> list[Tactic]:
    """Every position of the file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [read(row) for row in csv.DictReader(file)]


def read(row: dict[str, str]) -> Tactic:
    """A line of the file."""
    best = tuple(row["best"].split("; "))
    return Tactic(row["name"], row["motif"], row["proof"], int(row["turns"]), best, row["position"], row["why"])


def write(found: Iterable[Tactic], file: Path = FILE) -> None:
    """Write the file anew."""
    with file.open("w", encoding="utf-8", newline="") as out:
        lines = csv.DictWriter(out, Tactic._fields, lineterminator="\n")
        lines.writeheader()
        lines.writerows(tactic.row() for tactic in found)


def disproof(tactic: Tactic) -> str | None:
    """What is wrong with the claim that the listed moves are best; None if it is proven."""
    game, listed = tactic.game(), set(tactic.best)
    provers = [Prover(game, turns) for turns in range(1, tactic.turns + 1)]
    moves = {str(move): move for move in game.legal_moves()}
    if not listed < moves.keys():
        return f"{listed - moves.keys() or 'no other move'}: not a choice here"
    sure = 2 * SURE
    for prover in provers if tactic.proof == WINS else ():
        sure = max(sure, min(prover.lower(moves[name]) for name in listed))
        if sure > 1 - SURE:
            break
    for name in moves.keys() - listed:
        if not any(prover.upper(moves[name], sure - SURE, sure) < sure - SURE for prover in provers):
            return f"{name} may bring {sure:.3f}, and {tactic.best} make sure of no more"
    for name in listed if tactic.proof == SAVES else ():
        if provers[-1].upper(moves[name], 0.0, SURE) < SURE:
            return f"{name} loses too"
    return None


# How they were found: greedy with some random moves plays games, and every late position is tried.

NOISE = 0.1
LATE = 6  # points missing to the goal: from then on
FURTHEST = 3  # turns looked ahead for what a move makes sure of; one more for what others can bring
HUNTING_EFFORT = 400_000
CLEAR = 0.15  # how much better the best moves must be
WORTH_IT = 0.3  # and how much they must make sure of
HOPEFUL = 0.5  # and what moves that only save may still bring
A_CHANCE = 0.1  # or where all others lose
MAX_BEST = 3
MAX_SAVING = 2
FEWEST_CHOICES = 3
MAX_DECISIONS = 400
DEALS = 6  # of tokens, in a position
LIKELY = (0.19, 0.19, 0.19, 0.19, 0.19, 0.05)  # to hold a token of each kind
MAX_OTHERS = 8  # tiles tried beside two that come


class Found(NamedTuple):
    """Best moves with their proof: how, looking how far, what they make sure of, and the most that any other can bring."""

    proof: str
    turns: int
    best: tuple[Move, ...]
    sure: float
    most: float


def solve(game: Game, turns: int, effort: int = HUNTING_EFFORT) -> Found | None:
    """The provably best moves, if there are a few that are clearly better than the others."""
    prover, moves = Prover(game, turns, effort), game.legal_moves()
    nearer = Prover(game, min(turns, FURTHEST), effort)
    lower = {move: nearer.lower(move) for move in moves}
    sure = max(lower.values())
    if sure < SURE and turns > FURTHEST:
        return None
    if sure < SURE:
        alive = tuple(move for move in moves if prover.upper(move, 0.0, SURE) >= SURE)
        few = 0 < len(alive) <= min(MAX_SAVING, len(moves) - 1)
        return Found(SAVES, turns, alive, 0.0, 0.0) if few and all(prover.upper(move) >= HOPEFUL for move in alive) else None
    best = tuple(move for move in moves if lower[move] >= sure - SURE)
    if len(best) > min(MAX_BEST, len(moves) - 1) or sure < WORTH_IT:
        return None
    most = 0.0
    for move in moves:
        if move not in best:
            most = max(most, prover.upper(move, most, sure - CLEAR))
            if most >= sure - CLEAR:
                return None
    return Found(WINS, turns, best, sure, most)


def worth(game: Game, found: Found) -> Found:
    """Moves that save, looked at further: they may make sure of something."""
    if found.proof == WINS:
        return found
    prover = Prover(game, FURTHEST + 1, HUNTING_EFFORT)
    sure = min(prover.lower(move) for move in found.best)
    return found._replace(proof=WINS, turns=FURTHEST + 1, sure=sure) if sure >= A_CHANCE else found


def is_late(game: Game) -> bool:
    """Near the end, with a choice, and nobody holds a card that others have not seen."""
    near = max(game.points) >= int(game.state["goal"]) - LATE
    return near and not game.state["blind"].any() and len(game.legal_moves()) >= FEWEST_CHOICES


def greedy_move(game: Game, seed: int) -> Move:
    return Move(int(greedy_actions(game.states, np.array([seed]))[0]), None, game.variant)


def played(variant: str, players: int, seed: int) -> Iterator[Game]:
    """The positions of a game by greedy with some random moves."""
    rng = np.random.default_rng([seed, players])
    game = Game(variant, players, seed=seed)
    for _ in range(MAX_DECISIONS):
        if game.is_over:
            return
        yield game
        moves = game.legal_moves()
        any_move = rng.random() < NOISE
        game.play(moves[rng.integers(len(moves))] if any_move else greedy_move(game, int(rng.integers(1 << 30))))


def meets(position: View, seat: int, tile: int) -> bool:
    """Whether a seat's bonuses meet the demand of a tile."""
    demand = TILES[position.rules.variant][tile - 1].demand
    return all(own >= asked for own, asked in zip(position.seats[seat].bonuses, demand, strict=True))


def with_choices_of_tiles(game: Game) -> Iterator[Game]:
    """The same position with other tiles, of which two come with a purchase: they are rare in played games."""
    shown, me = game.position(), game.turn
    if game.stage != "main" or any(tile.owner is not None for tile in shown.tiles):
        return
    numbers, seats = range(1, len(TILES[game.variant]) + 1), range(game.players)
    free = [number for number in numbers if not any(meets(shown, seat, number) for seat in seats)]
    for move in game.legal_moves():
        if move.kind != "buy":
            continue
        after = game.copy()
        after.play(move)
        new = [number for number in free if meets(after.position(), me, number)]
        rest = [number for number in free if number not in new]
        for pair in combinations(new, 2):
            for others in islice(combinations(rest, len(shown.tiles) - len(pair)), MAX_OTHERS):
                tiles = (*pair, *others)
                if len({(number - 1) // shown.rules.row.faces for number in tiles}) == len(tiles):
                    choice = Game.from_position(replace(shown, tiles=tuple(TileOnTable(number, None) for number in tiles)))
                    choice.play(move)
                    if choice.stage == "claim":
                        yield choice


def with_other_tokens(game: Game) -> Iterator[Game]:
    """The same position with the tokens dealt out anew, so that the seat to decide holds nearly all it may."""
    shown, me = game.position(), game.turn
    if game.stage != "main":
        return
    rng = np.random.default_rng(crc32(game.states.tobytes()))
    for _ in range(DEALS):
        supply = [bank + own for bank, own in zip(shown.bank, shown.seats[me].tokens, strict=True)]
        held = [0] * len(supply)
        held[TIME:] = shown.seats[me].tokens[TIME:]
        wanted = int(rng.integers(shown.rules.token_limit - 3, shown.rules.token_limit + 1))
        while sum(held) < wanted:
            lane = int(rng.choice(WILD + 1, p=LIKELY))
            held[lane] += held[lane] < supply[lane]
        bank = tuple(all_ - own for all_, own in zip(supply, held, strict=True))
        area = replace(shown.seats[me], tokens=tuple(held))
        yield Game.from_position(replace(shown, bank=bank, seats=(*shown.seats[:me], area, *shown.seats[me + 1 :])))


def with_returns(game: Game) -> Iterator[Game]:
    """Over the limit, with a card in sight that would reach the goal next turn: it matters what goes back."""
    for trial in with_other_tokens(game):
        for move in trial.legal_moves():
            later = trial.copy()
            later.play(move)
            if later.stage == "return" and not later.state["blind"].any() and reaching(main_stage(later)):
                yield later


def main_stage(game: Game) -> Game:
    """As if the seat that is to return could decide again instead."""
    return Game.from_states(state_of(replace(game.position(), stage="main")))


def reaching(game: Game) -> list[Move]:
    """The purchases with which the seat to decide reaches the goal."""
    found = []
    for move in game.legal_moves():
        if move.kind == "buy":
            later = game.copy()
            later.play(move)
            if reaches_goal(later.position(), game.turn):
                found.append(move)
    return found


def one_token_short(game: Game) -> Iterator[Game]:
    """With the tokens dealt anew, reserving leads to a purchase that wins, and nothing does so at once."""
    for trial in with_other_tokens(game):
        prover = Prover(trial, FURTHEST, HUNTING_EFFORT)
        reservations = [move for move in trial.legal_moves() if move.kind == "reserve"]
        if not reaching(trial) and any(prover.lower(move) >= WORTH_IT for move in reservations):
            yield trial


KINDS: dict[str, Callable[[Game], Iterable[Game]]] = {
    "any": lambda game: (game, *with_choices_of_tiles(game)),
    "return": lambda game: (game,) if game.stage == "return" else (),
    "claim": with_choices_of_tiles,
    "early": lambda game: (game,) if game.stage == "main" and reaching(game) else (),
    "tokens": with_other_tokens,
    "returns": with_returns,
    "gold": one_token_short,
}


def hunt(variant: str, players: int, seed: int, kind: str = "any") -> Iterator[Tactic]:
    """Positions of one game that have a provably best move; of one kind, to find more of what is rare."""
    for game in played(variant, players, seed):
        for trial in KINDS[kind](game) if is_late(game) else ():
            found = next((found for turns in range(1, FURTHEST + 2) if (found := solve(trial, turns))), None)
            if found:
                yield tactic(trial, worth(trial, found), f"{variant}-{players}-{seed}-{trial.state['turns']}")


def tactic(game: Game, found: Found, name: str) -> Tactic:
    """The line for a position that was found."""
    motif, why = Story(game, found).told()
    best = tuple(str(move) for move in found.best)
    return Tactic(name, motif, found.proof, found.turns, best, format_position(game.view(game.turn)), why)


class Story:
    """What a best move is about, as far as it can be told from the position before and after it."""

    def __init__(self, game: Game, found: Found) -> None:
        self.game, self.found, self.move = game, found, found.best[0]
        self.me, self.before = game.turn, game.position()
        later = game.copy()
        later.play(self.move)
        self.after, self.is_over, self.outcome = later.position(), later.is_over, later.outcome
        self.others = [seat for seat in range(game.players) if seat != self.me]

    def told(self) -> tuple[str, str]:
        """The motif, and why in one line."""
        motif, reason = self.motif()
        return motif, f"{reason}; {self.rest()}"

    def rest(self) -> str:
        """What the proof says."""
        if self.found.proof == SAVES:
            return "every other move loses"
        sure, most = self.found.sure, self.found.most
        chance = "wins" if sure > 1 - SURE else f"makes sure of {sure:.2f}"
        return f"{chance}, every other move {'loses' if most < SURE else f'brings {most:.2f} at most'}"

    def motif(self) -> tuple[str, str]:
        """By what is decided; of a turn's main decision, by its verb."""
        if self.game.stage == "return":
            return "token return", f"keeps what is needed: {self.next_purchase() or 'the next purchase can be paid'}"
        if self.game.stage == "claim":
            return "choice of tiles", self.tile()
        return {"buy": self.buying, "reserve": self.reserving}.get(self.move.kind, self.taking)()

    def buying(self) -> tuple[str, str]:
        points, had = self.after.seats[self.me].points, self.before.seats[self.me].points
        gain = f"{had} -> {points} points"
        reaches = reaches_goal(self.after, self.me)
        if self.after.avengers == self.me and self.before.avengers not in (None, self.me):
            undoes = "" if reaches or not self.is_last_round() else ", which undoes a goal"
            return "Avengers tile", f"takes the Avengers tile from seat {self.before.avengers}{undoes}, {gain}"
        if reaches and self.lacks():
            return "Gauntlet", f"{gain}, and brings what the Gauntlet lacks: {self.lacks()}"
        if self.is_over and self.outcome and any(self.after.seats[seat].points == points for seat in self.others):
            return "tie-break", f"{gain}: equal, and {self.tie()}"
        if self.is_last_round():
            return "last turn", f"{gain} in the last round"
        if reaches:
            return "win now", f"{gain}, enough for the goal"
        ends = self.ends_too_early()
        if ends:
            return "not too early", f"{ends} would reach the goal, and the round is played out"
        threat = self.threat(self.bought_card())
        if threat:
            return "block by buying", threat
        if self.before.avengers == self.me and self.after.seats[self.me].symbols > self.before.seats[self.me].symbols:
            return "Avengers tile", "another symbol, so that nobody takes the Avengers tile away"
        return "preparation", f"{gain}; {self.next_purchase() or 'what it brings matters next'}"

    def reserving(self) -> tuple[str, str]:
        ends = self.ends_too_early()
        if ends:
            return "not too early", f"{ends} would reach the goal, and the round is played out"
        reserved = self.after.seats[self.me].reserve[-1].card
        threat = self.threat(reserved) if self.move.action < RESERVE_DECK else None
        if self.needs_wild():
            also = f"{threat}; " if threat else ""
            return "reserve for gold", f"{also}the wild token makes {self.wild_makes_possible()} possible next turn"
        return ("block by reserving", threat) if threat else ("preparation", self.next_purchase() or "reserves what matters next")

    def needs_wild(self) -> bool:
        """Whether the best moves are reservations that make sure of less if no wild token comes with them."""
        only_reserves = all(move.kind == "reserve" for move in self.found.best)
        if self.found.sure < WORTH_IT or not only_reserves or not self.wild_makes_possible():
            return False
        states = self.game.states.copy()
        states["bank"] -= self.before.bank[WILD] * ONE_WILD
        prover = Prover(Game.from_states(states), self.found.turns, HUNTING_EFFORT)
        return all(prover.lower(move) < self.found.sure - CLEAR for move in self.found.best)

    def wild_makes_possible(self) -> str | None:
        """A purchase next turn that reaches the goal, and could not be paid without the wild token of this reservation."""
        area = self.after.seats[self.me]
        if area.tokens[WILD] == self.before.seats[self.me].tokens[WILD]:
            return None
        poorer = replace(area, tokens=(*area.tokens[:WILD], area.tokens[WILD] - 1, *area.tokens[TIME:]))
        mine = replace(self.after, turn=self.me, stage="main")
        without = replace(mine, seats=(*mine.seats[: self.me], poorer, *mine.seats[self.me + 1 :]))
        possible = reaching(Game.from_states(state_of(without)))
        return next((str(move) for move in reaching(Game.from_states(state_of(mine))) if move not in possible), None)

    def taking(self) -> tuple[str, str]:
        ends = self.ends_too_early()
        if ends:
            return "not too early", f"{ends} would reach the goal, and the round is played out"
        return "taking tokens", self.next_purchase() or "keeps tokens from the others"

    def is_last_round(self) -> bool:
        """Whether somebody else has reached the goal."""
        return any(reaches_goal(self.before, seat) for seat in self.others)

    def lacks(self) -> str:
        """What the Gauntlet asks for besides points and the seat has not got."""
        area, letters = self.before.seats[self.me], self.before.rules.letters
        if self.game.variant != "marvel":
            return ""
        missing = [letter for letter, bonus in zip(letters, area.bonuses, strict=False) if not bonus]
        return "".join(missing) + "t" * (not area.tokens[TIME])

    def tie(self) -> str:
        """What decides between equal points."""
        if self.after.avengers == self.me:
            return "the Avengers tile decides"
        bought = [len(area.tableau) for area in self.after.seats]
        assert self.outcome is not None
        return f"{bought[self.me]} cards decide" if len(self.outcome.winners) == 1 else f"{bought[self.me]} cards are no more"

    def ends_too_early(self) -> str | None:
        """A purchase that reaches the goal and is not best."""
        for move in self.game.legal_moves():
            if move.kind == "buy" and move not in self.found.best:
                later = self.game.copy()
                later.play(move)
                if reaches_goal(later.position(), self.me):
                    return str(move)
        return None

    def bought_card(self) -> int:
        return next(iter(set(self.after.seats[self.me].tableau) - set(self.before.seats[self.me].tableau)))

    def threat(self, card: int | None) -> str | None:
        """What another seat would do with this card, if it would reach the goal with it."""
        for seat in self.others:
            if card and self.missing(card, seat) == 0 and self.reaches_with(card, seat):
                return f"seat {seat} with {self.before.seats[seat].points} points would buy the {self.printed(card)}"
        return None

    def reaches_with(self, card: int, seat: int) -> bool:
        """Whether a seat would reach the goal by buying this card next."""
        places = {there: f"{tier}{'abcd'[i]}" for tier, row in enumerate(self.before.market, 1) for i, there in enumerate(row)}
        if card not in places:
            return False
        turns = self.before.turns + (seat - self.me) % self.game.players
        states = state_of(replace(self.before, turn=seat, turns=turns, stage="main"))
        later = Game.from_states(states)
        later.play(f"buy {places[card]}")
        return reaches_goal(later.position(), seat) or later.stage == "claim"

    def missing(self, card: int, seat: int) -> int:
        """How many tokens a seat lacks for a card."""
        area, cost = self.before.seats[seat], CARDS[self.game.variant][card - 1].cost
        means = zip(cost, area.bonuses, area.tokens[:COLOUR_COUNT], strict=True)
        return max(0, sum(max(0, asked - bonus - tokens) for asked, bonus, tokens in means) - area.tokens[WILD])

    def printed(self, card: int) -> str:
        """A card in words."""
        face = CARDS[self.game.variant][card - 1]
        return f"{face.name or face.bonus} of {face.points} points" if face.points else f"{face.name or face.bonus}"

    def next_purchase(self) -> str:
        """What reaches the goal next turn, as far as nobody comes in between."""
        possible = reaching(Game.from_states(state_of(replace(self.after, turn=self.me, stage="main"))))
        return f"{' or '.join(str(move) for move in possible[:2])} reaches the goal next turn" if possible else ""

    def tile(self) -> str:
        """Who is nearest to the tile that is chosen."""
        tile = self.before.tiles[self.move.action - CLAIM_TILE]
        demand = TILES[self.game.variant][tile.number - 1].demand
        missing = {
            seat: sum(max(0, asked - own) for asked, own in zip(demand, self.before.seats[seat].bonuses, strict=True))
            for seat in self.others
        }
        seat = min(missing, key=lambda seat: missing[seat])
        return f"seat {seat} lacks {missing[seat] or 'no'} bonus for this tile"


def report(name: str, seconds: float) -> None:
    """How many of each motif a bot finds."""
    asked, found = Counter[str](), Counter[str]()
    for one in tactics():
        move = str(bot(name).choose(one.view, Budget(seconds=seconds), 0))
        for heading in (f"{one.view.rules.variant:8} {one.motif}", "all"):
            asked[heading] += 1
            found[heading] += move in one.best
        if move not in one.best:
            print(f"{one.name} ({one.motif}): {move}, not {' or '.join(one.best)}")
    for heading in sorted(asked):
        print(f"{found[heading]:3} of {asked[heading]:3}  {heading}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, help="let a bot look for the moves this long each")
    parser.add_argument("--bot", choices=BOTS, default=FULL_STRENGTH, help="who looks for them")
    parser.add_argument("--hunt", type=int, help="play this many games of each kind and print what is found")
    parser.add_argument("--kind", choices=KINDS, default="any", help="what to hunt for")
    parser.add_argument("--seed", type=int, default=0, help="the first game to hunt in")
    asked = parser.parse_args()
    if asked.seconds:
        report(asked.bot, asked.seconds)
    elif asked.hunt:
        lines = csv.DictWriter(sys.stdout, Tactic._fields, lineterminator="\n")
        for seed in range(asked.seed, asked.seed + asked.hunt):
            for variant, players in [(variant, players) for variant in ("classic", "marvel") for players in (2, 3, 4)]:
                lines.writerows(found.row() for found in hunt(variant, players, seed, asked.kind))
    else:
        wrong = [(one.name, problem) for one in tactics() if (problem := disproof(one))]
        print(wrong or f"{len(tactics())} positions, each proven")


if __name__ == "__main__":
    main()
