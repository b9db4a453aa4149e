"""The shuffle of a server's table: specified to the byte, and unbiased."""

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from cabochon import VARIANTS, CabochonError, Game
from cabochon.rules.cards import TIER_SIZES
from cabochon.rules.variants import TILES
from cabochon.server.commitment import DealInputs, commitment_2, seal_of
from cabochon.server.shuffle import FIRST_BYTES, below, order_of, shuffled, stream

VECTORS = json.loads((Path(__file__).parent.parent / "golden" / "deals.json").read_text())
DRAWS = 20_000
GAMES = [(variant, players) for variant in VARIANTS for players in (2, 3, 4)]


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["table"] for vector in VECTORS])
def test_vectors(vector: dict[str, object]) -> None:
    """The same file is read by the client's tests: two programs that repeat the specification."""
    assert vector == vector_of(vector)


def vector_of(given: dict[str, object]) -> dict[str, object]:
    """What follows from table, variant, players, start, secret and nonces."""
    table, variant, players, start = (given[name] for name in ("table", "variant", "players", "start"))
    secret, nonces = given["secret"], given["nonces"]
    assert isinstance(table, str) and isinstance(variant, str) and isinstance(players, int) and isinstance(start, int)
    assert isinstance(secret, str) and isinstance(nonces, list)
    opened = {seat: nonce for seat, nonce in enumerate(nonces) if nonce}
    key = DealInputs(table, secret, start, opened).key
    order = order_of(key, variant, players, start)
    return {
        **given,
        "commitment": commitment_2(table, variant, players, start, secret),
        "seals": [nonce and seal_of(table, seat, nonce) for seat, nonce in enumerate(nonces)],
        "key": key.hex(),
        "decks": [list(deck) for deck in order.decks],
        "tiles": list(order.tiles),
        "first": order.start,
    }


def test_the_stream_is_shake_256() -> None:
    key = bytes(range(32))
    numbers = stream(key)
    size = 5 * FIRST_BYTES
    assert hashlib.shake_256(key).digest(size) == bytes(next(numbers) for _ in range(size))


def test_bytes_of_the_incomplete_run_are_skipped() -> None:
    assert 5 == below(iter([240, 255, 241, 45]), 40)
    assert 39 == below(iter([239]), 40)
    assert 255 == below(iter([255]), 256)


def chi_square(counts: Counter[int], n: int) -> float:
    expected = counts.total() / n
    return sum((counts[value] - expected) ** 2 / expected for value in range(n))


@pytest.mark.parametrize("n", [3, 10, 38, 40])
def test_numbers_are_unbiased(n: int) -> None:
    numbers = stream(n.to_bytes(32, "big"))
    fair = chi_square(Counter(below(numbers, n) for _ in range(DRAWS)), n)
    biased = chi_square(Counter(next(numbers) % n for _ in range(DRAWS)), n)
    limit = n - 1 + 4 * (2 * (n - 1)) ** 0.5  # four standard deviations above the mean
    assert fair < limit
    if n == 40:
        assert biased > limit, "the test sees the bias of a plain remainder"


def test_every_card_comes_to_every_place() -> None:
    numbers = stream(b"places")
    orders = [shuffled(numbers, range(10)) for _ in range(2000)]
    for place in range(10):
        assert chi_square(Counter(order[place] for order in orders), 10) < 9 + 4 * 18**0.5


@pytest.mark.parametrize("variant, players", GAMES)
def test_an_order_is_a_deal(variant: str, players: int) -> None:
    starts, faces = Counter[int](), Counter[int]()
    for number in range(200):
        order = order_of(number.to_bytes(32, "big"), variant, players)
        first = 1
        for deck, size in zip(order.decks, TIER_SIZES, strict=True):
            assert list(range(first, first + size)) == sorted(deck)
            first += size
        starts[order.start] += 1
        faces.update(order.tiles)
        assert Game.from_order(variant, players, decks=order.decks, tiles=order.tiles, start=order.start).start == order.start
    assert set(range(players)) == set(starts)
    assert set(range(1, len(TILES[variant]) + 1)) == set(faces)


def test_a_given_start_changes_nothing_else() -> None:
    key = b"start"
    assert order_of(key, "marvel", 4, 2).decks == order_of(key, "marvel", 4).decks
    assert 2 == order_of(key, "marvel", 4, 2).start


# Game.from_order


def test_a_game_from_an_order_is_that_order() -> None:
    order = order_of(b"order", "marvel", 3)
    game = Game.from_order("marvel", 3, decks=order.decks, tiles=order.tiles, start=order.start, goal=20)
    record = game.record()
    assert (order.decks, order.tiles, order.start, 20) == (record.decks, record.tiles, record.start, record.rules.goal)
    seeded = Game("classic", 2, seed=7)
    same = seeded.record()
    decks = [[card for card in deck if card is not None] for deck in same.decks]
    assert seeded == Game.from_order("classic", 2, decks=decks, tiles=same.tiles, start=same.start)


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"decks": [range(1, 41), range(41, 71)]}, "there are 3 decks, not 2"),
        ({"decks": [range(1, 41), range(41, 71), range(71, 90)]}, "deck 3: it must hold each of the cards 71 to 90 once"),
        ({"decks": [[1, 1, *range(3, 41)], range(41, 71), range(71, 91)]}, "deck 1: it must hold each of the cards 1 to 40 once"),
        ({"decks": [range(1, 41), range(71, 91), range(41, 71)]}, "deck 2: it must hold each of the cards 41 to 70 once"),
        ({"tiles": [1, 2]}, "tiles: 2 players have 3 different tiles, from 1 to 10"),
        ({"tiles": [1, 2, 2]}, "tiles: 2 players have 3 different tiles, from 1 to 10"),
        ({"tiles": [0, 1, 2]}, "tiles: 2 players have 3 different tiles, from 1 to 10"),
        ({"start": 2}, "start: there is no seat 2: seats are 0 to 1"),
        ({"goal": 0}, "goal must be a number from 1 to 100"),
    ],
)
def test_an_order_that_cannot_be(change: dict[str, object], reason: str) -> None:
    whole: dict[str, object] = {"decks": [range(1, 41), range(41, 71), range(71, 91)], "tiles": [1, 2, 3], "start": 0}
    with pytest.raises(CabochonError, match=reason):
        Game.from_order("classic", 2, **{**whole, **change})  # type: ignore[arg-type]
