"""Whether a position can be: tokens and cards are all there, once, in places where they may lie."""

from collections import Counter
from collections.abc import Iterator

from ..errors import PositionError
from ..rules.actions import MAX_DIFFERENT
from ..rules.buying import SYMBOLS_FOR_TILE
from ..rules.cards import TIER_COUNT, TIER_SIZES
from ..rules.gems import COLOUR_COUNT, TIME, unpack
from ..rules.variants import CARDS, TILES
from ..view import Position, View


def check_position(shown: View) -> None:
    """Raise a PositionError that names what cannot be."""
    for check in (*CHECKS, _check_sight):
        check(shown)


def check_known(shown: View) -> None:
    """The same for a position as somebody studies it, who may have seen any reserved card: nothing is asked about sight."""
    for check in CHECKS:
        check(shown)


def _fail(code: str, message: str, **facts: str | int) -> PositionError:
    return PositionError(f"position: {message}", code, facts)


def _check_tokens(shown: View) -> None:
    """Every token is in the bank or with a seat."""
    letters = shown.rules.letters
    wanted = shown.rules.supply()
    for lane, letter in enumerate(letters):
        there = shown.bank[lane] + sum(area.tokens[lane] for area in shown.seats)
        if there != wanted[lane]:
            much = "too many" if there > wanted[lane] else "too few"
            raise _fail(
                "tokens_many" if there > wanted[lane] else "tokens_few",
                f"{much} {letter} tokens: {there}, and {shown.rules.players} players have {wanted[lane]}",
                letter=letter,
                there=there,
                wanted=wanted[lane],
            )
    if TIME < len(letters):
        for seat, area in enumerate(shown.seats):
            has_symbol = any(CARDS[shown.rules.variant][number - 1].tier == TIER_COUNT for number in area.tableau)
            if area.tokens[TIME] != has_symbol:
                raise _fail(
                    "time_token", f"seat{seat}: a Time token comes with the first tier-3 card, and no other way", seat=seat
                )


def _cards(shown: View) -> Iterator[tuple[str, int]]:
    """Every card that is shown, with the field it stands in."""
    for row in shown.market:
        yield from (("market", card) for card in row if card is not None)
    for seat, area in enumerate(shown.seats):
        yield from ((f"seat{seat}", card) for card in area.tableau)
        yield from ((f"seat{seat}", held.card) for held in area.reserve if held.card is not None)
    if isinstance(shown, Position):
        yield from (("decks", card) for deck in shown.decks for card in deck)


def _check_cards(shown: View) -> None:
    """No card stands twice, and none is missing."""
    seen: dict[int, str] = {}
    for field, card in _cards(shown):
        if card in seen:
            raise _fail("card_twice", f"card {card} stands twice: in {seen[card]} and in {field}", card=card)
        seen[card] = field
    hidden = Counter(held.tier for area in shown.seats for held in area.reserve if held.card is None)
    if isinstance(shown, Position) and hidden:
        raise _fail("unnamed", "a reserved card is not named; only a view (seen:) may leave one out")
    for tier, size in enumerate(TIER_SIZES, 1):
        unseen = hidden[tier] + (0 if isinstance(shown, Position) else shown.deck_sizes[tier - 1])
        there = sum(CARDS[shown.rules.variant][card - 1].tier == tier for card in seen) + unseen
        if there != size:
            missing = [c.number for c in CARDS[shown.rules.variant] if c.tier == tier and c.number not in seen]
            hint = f"; card {missing[0]} is nowhere" if missing and not unseen else ""
            raise _fail("card_count", f"tier {tier} has {size} cards, here are {there}{hint}", tier=tier, size=size, there=there)


def _check_tiers(shown: View) -> None:
    """Market rows and decks hold their own tier; a place is empty only when its deck is."""
    for tier, row in enumerate(shown.market):
        deck = shown.decks[tier] if isinstance(shown, Position) else ()
        for card in (*row, *deck):
            if card is not None and CARDS[shown.rules.variant][card - 1].tier != tier + 1:
                raise _fail("wrong_tier", f"card {card} is not of tier {tier + 1}", card=card, tier=tier + 1)
        if None in row and shown.deck_sizes[tier]:
            raise _fail("market_gap", f"market: a place of tier {tier + 1} is empty though its deck is not", tier=tier + 1)


def _check_tiles(shown: View) -> None:
    """The right number of tiles, none twice, no two faces of one."""
    row = shown.rules.row
    wanted = row.tiles[shown.rules.players - 2]
    if len(shown.tiles) != wanted:
        raise _fail(
            "tile_count",
            f"tiles: {shown.rules.players} players have {wanted} tiles, here are {len(shown.tiles)}",
            players=shown.rules.players,
            wanted=wanted,
            there=len(shown.tiles),
        )
    pieces = Counter((tile.number - 1) // row.faces for tile in shown.tiles)
    for tile in shown.tiles:
        if pieces[(tile.number - 1) // row.faces] > 1:
            raise _fail(
                "tile_twice",
                f"tiles: tile {tile.number} is there twice" + (" (two faces of one)" if row.faces > 1 else ""),
                tile=tile.number,
            )


def _check_reserves(shown: View) -> None:
    """No more reserved cards than the hand limit, and no unknown card in the own reserve."""
    for seat, area in enumerate(shown.seats):
        if len(area.reserve) > shown.rules.hand_limit:
            raise _fail(
                "hand_limit",
                f"seat{seat}: {len(area.reserve)} reserved cards, {shown.rules.hand_limit} are allowed",
                seat=seat,
                reserved=len(area.reserve),
                limit=shown.rules.hand_limit,
            )
        if seat == shown.seat and any(held.card is None for held in area.reserve):
            raise _fail("sight", f"seat{seat}: a seat knows its own reserved cards")


def _check_sight(shown: View) -> None:
    """A view shows all that its seat may know of the others' reserves, and no more."""
    if isinstance(shown, Position):
        return
    for seat, area in enumerate(shown.seats):
        for held in area.reserve if seat != shown.seat else ():
            if held.card is not None and not shown.rules.open_reserves:
                raise _fail("sight", f"seat{seat}: card {held.card} lies face down, and a view cannot show it")
            if held.card is not None and held.blind:
                raise _fail("sight", f"seat{seat}: card {held.card} was drawn unseen, and a view cannot show it")
            if held.card is None and not held.blind and shown.rules.open_reserves:
                raise _fail("sight", f"seat{seat}: a card reserved face up is known to all (t{held.tier}? is one drawn unseen)")


def _meets(shown: View, seat: int, number: int) -> bool:
    tile, area = TILES[shown.rules.variant][number - 1], shown.seats[seat]
    others = [own for own, wanted in zip(area.bonuses, tile.demand, strict=True) if not wanted]
    has_bonuses = all(own >= wanted for own, wanted in zip(area.bonuses, tile.demand, strict=True))
    return has_bonuses and area.points >= tile.prestige and max(others, default=0) >= tile.other


def _check_stage(shown: View) -> None:
    """Only the seat to decide, while returning, is over the limit; a choice of tiles needs two."""
    limit = shown.rules.token_limit
    for seat, area in enumerate(shown.seats):
        held, returning = sum(area.tokens), shown.stage == "return" and seat == shown.turn
        if (held > limit) != returning:
            raise _fail(
                "token_limit",
                f"seat{seat}: {held} tokens in stage {shown.stage}, the limit is {limit}",
                seat=seat,
                held=held,
                limit=limit,
            )
        if held > limit + MAX_DIFFERENT:
            raise _fail(
                "far_over",
                f"seat{seat}: {held} tokens, and no action brings more than {MAX_DIFFERENT} to the limit of {limit}",
                seat=seat,
                held=held,
                limit=limit,
            )
    coming = [t.number for t in shown.tiles if t.owner is None and _meets(shown, shown.turn, t.number)]
    if shown.stage == "claim" and len(coming) < 2:
        raise _fail("claim", "stage claim: fewer than two tiles would come")
    for tile in shown.tiles:
        if tile.owner is not None and not _meets(shown, tile.owner, tile.number):
            raise _fail(
                "tile_demand",
                f"tiles: seat{tile.owner} does not meet the demand of tile {tile.number}",
                seat=tile.owner,
                tile=tile.number,
            )
    if (shown.stage == "over") != bool(shown.reason):
        raise _fail("reason", "reason: a game that is over has a reason, another has none")


def _check_passes(shown: View) -> None:
    """Passes in a row: only where nothing can be taken, and not more than it takes to end the game."""
    passes, players = shown.passes, shown.rules.players
    if passes and any(shown.bank[:COLOUR_COUNT]):
        raise _fail("passes", f"passes: {passes}, though there are tokens in the bank to take")
    if passes and shown.stage == "return":
        raise _fail("passes", "passes: nobody returns tokens after a pass")
    if passes > shown.turns + (shown.stage == "claim"):
        raise _fail("passes", f"passes: {passes} in a row after {shown.turns} turns")
    if passes >= players and shown.stage == "main":
        raise _fail("passes", f"passes: after {passes} in a row the game is over")
    if passes < players and shown.reason == "stalemate":
        raise _fail("reason", f"reason stalemate: all {players} seats pass in a row, here are {passes} passes")


def fulfils_goal(shown: View, seat: int) -> bool:
    """Points and whatever else the goal asks for: bonuses and a Time token, or tiles."""
    area, row = shown.seats[seat], shown.rules.row
    held = (*area.bonuses, *area.tokens[COLOUR_COUNT:])
    has_set = all(own >= wanted for own, wanted in zip(held, unpack(row.gauntlet), strict=False))
    tiles = sum(tile.owner == seat for tile in shown.tiles)
    return area.points >= (shown.rules.goal or 0) and has_set and tiles >= row.goal_tiles


def _check_end(shown: View) -> None:
    """The goal ends a game at the end of a round, and then at once."""
    players = shown.rules.players
    if shown.reason == "goal":
        if shown.turn != shown.start or not shown.turns:
            raise _fail("reason", "reason goal: a game ends by the goal at the end of a round")
        if not any(fulfils_goal(shown, seat) for seat in range(players)):
            raise _fail("reason", "reason goal: nobody has reached it")
        return
    moved = (shown.turn - shown.start) % players + (shown.stage in ("return", "claim"))
    for seat in [(shown.start + i) % players for i in range(moved, players)]:
        if fulfils_goal(shown, seat):  # in the turns of others nobody comes closer to the goal
            raise _fail(
                "goal_reached",
                f"seat{seat} had reached the goal before this round began: the game is over, by the goal",
                seat=seat,
            )


def _check_avengers(shown: View) -> None:
    """The tile lies with a seat that has three symbols and no fewer than anybody else."""
    most = max(area.symbols for area in shown.seats)
    if shown.avengers is None:
        if most >= SYMBOLS_FOR_TILE:
            raise _fail(
                "avengers_missing",
                f"avengers: a seat with {SYMBOLS_FOR_TILE} symbols or more has the tile",
                symbols=SYMBOLS_FOR_TILE,
            )
    elif shown.seats[shown.avengers].symbols != most or most < SYMBOLS_FOR_TILE:
        raise _fail(
            "avengers_wrong",
            f"avengers: seat{shown.avengers} cannot have the tile with {shown.seats[shown.avengers].symbols} symbols",
            seat=shown.avengers,
        )


CHECKS = (
    _check_tokens,
    _check_cards,
    _check_tiers,
    _check_tiles,
    _check_reserves,
    _check_stage,
    _check_passes,
    _check_end,
    _check_avengers,
)
