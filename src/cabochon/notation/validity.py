"""Whether a position can be: tokens and cards are all there, once, in places where they may lie."""

from collections import Counter
from collections.abc import Iterator

from ..errors import PositionError
from ..rules.buying import SYMBOLS_FOR_TILE
from ..rules.cards import TIER_COUNT, TIER_SIZES
from ..rules.gems import TIME
from ..rules.variants import CARDS, TILES
from ..view import Position, View


def check_position(shown: View) -> None:
    """Raise a PositionError that names what cannot be."""
    for check in (_check_tokens, _check_cards, _check_tiers, _check_tiles, _check_reserves, _check_stage, _check_avengers):
        check(shown)


def _fail(message: str) -> PositionError:
    return PositionError(f"position: {message}")


def _check_tokens(shown: View) -> None:
    """Every token is in the bank or with a seat."""
    letters = shown.rules.letters
    wanted = shown.rules.supply()
    for lane, letter in enumerate(letters):
        there = shown.bank[lane] + sum(area.tokens[lane] for area in shown.seats)
        if there != wanted[lane]:
            much = "too many" if there > wanted[lane] else "too few"
            raise _fail(f"{much} {letter} tokens: {there}, and {shown.rules.players} players have {wanted[lane]}")
    if TIME < len(letters):
        for seat, area in enumerate(shown.seats):
            has_symbol = any(CARDS[shown.rules.variant][number - 1].tier == TIER_COUNT for number in area.tableau)
            if area.tokens[TIME] != has_symbol:
                raise _fail(f"seat{seat}: a Time token comes with the first tier-3 card, and no other way")


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
            raise _fail(f"card {card} stands twice: in {seen[card]} and in {field}")
        seen[card] = field
    hidden = Counter(held.tier for area in shown.seats for held in area.reserve if held.card is None)
    if isinstance(shown, Position) and hidden:
        raise _fail("a reserved card is not named; only a view (seen:) may leave one out")
    for tier, size in enumerate(TIER_SIZES, 1):
        unseen = hidden[tier] + (0 if isinstance(shown, Position) else shown.deck_sizes[tier - 1])
        there = sum(CARDS[shown.rules.variant][card - 1].tier == tier for card in seen) + unseen
        if there != size:
            missing = [c.number for c in CARDS[shown.rules.variant] if c.tier == tier and c.number not in seen]
            hint = f"; card {missing[0]} is nowhere" if missing and not unseen else ""
            raise _fail(f"tier {tier} has {size} cards, here are {there}{hint}")


def _check_tiers(shown: View) -> None:
    """Market rows and decks hold their own tier; a place is empty only when its deck is."""
    for tier, row in enumerate(shown.market):
        deck = shown.decks[tier] if isinstance(shown, Position) else ()
        for card in (*row, *deck):
            if card is not None and CARDS[shown.rules.variant][card - 1].tier != tier + 1:
                raise _fail(f"card {card} is not of tier {tier + 1}")
        if None in row and shown.deck_sizes[tier]:
            raise _fail(f"market: a place of tier {tier + 1} is empty though its deck is not")


def _check_tiles(shown: View) -> None:
    """The right number of tiles, none twice, no two faces of one."""
    row = shown.rules.row
    wanted = row.tiles[shown.rules.players - 2]
    if len(shown.tiles) != wanted:
        raise _fail(f"tiles: {shown.rules.players} players have {wanted} tiles, here are {len(shown.tiles)}")
    pieces = Counter((tile.number - 1) // row.faces for tile in shown.tiles)
    for tile in shown.tiles:
        if pieces[(tile.number - 1) // row.faces] > 1:
            raise _fail(f"tiles: tile {tile.number} is there twice" + (" (two faces of one)" if row.faces > 1 else ""))


def _check_reserves(shown: View) -> None:
    """No more reserved cards than the hand limit, and no unknown card in the own reserve."""
    for seat, area in enumerate(shown.seats):
        if len(area.reserve) > shown.rules.hand_limit:
            raise _fail(f"seat{seat}: {len(area.reserve)} reserved cards, {shown.rules.hand_limit} are allowed")
        if seat == shown.seat and any(held.card is None for held in area.reserve):
            raise _fail(f"seat{seat}: a seat knows its own reserved cards")


def _meets(shown: View, seat: int, number: int) -> bool:
    tile, area = TILES[shown.rules.variant][number - 1], shown.seats[seat]
    others = [own for own, wanted in zip(area.bonuses, tile.demand, strict=True) if not wanted]
    has_bonuses = all(own >= wanted for own, wanted in zip(area.bonuses, tile.demand, strict=True))
    return has_bonuses and area.points >= tile.prestige and max(others, default=0) >= tile.other


def _check_stage(shown: View) -> None:
    """Only the seat to decide, while returning, is over the limit; a choice of tiles needs two."""
    for seat, area in enumerate(shown.seats):
        returning = shown.stage == "return" and seat == shown.turn
        if (sum(area.tokens) > shown.rules.token_limit) != returning:
            raise _fail(f"seat{seat}: {sum(area.tokens)} tokens in stage {shown.stage}, the limit is {shown.rules.token_limit}")
    coming = [t.number for t in shown.tiles if t.owner is None and _meets(shown, shown.turn, t.number)]
    if shown.stage == "claim" and len(coming) < 2:
        raise _fail("stage claim: fewer than two tiles would come")
    for tile in shown.tiles:
        if tile.owner is not None and not _meets(shown, tile.owner, tile.number):
            raise _fail(f"tiles: seat{tile.owner} does not meet the demand of tile {tile.number}")
    if (shown.stage == "over") != bool(shown.reason):
        raise _fail("reason: a game that is over has a reason, another has none")


def _check_avengers(shown: View) -> None:
    """The tile lies with a seat that has three symbols and no fewer than anybody else."""
    most = max(area.symbols for area in shown.seats)
    if shown.avengers is None:
        if most >= SYMBOLS_FOR_TILE:
            raise _fail(f"avengers: a seat with {SYMBOLS_FOR_TILE} symbols or more has the tile")
    elif shown.seats[shown.avengers].symbols != most or most < SYMBOLS_FOR_TILE:
        raise _fail(f"avengers: seat{shown.avengers} cannot have the tile with {shown.seats[shown.avengers].symbols} symbols")
