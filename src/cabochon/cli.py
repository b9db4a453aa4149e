"""The command `cabochon`. Each command is a function; what is wrong with its input is told in one line."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from .errors import CabochonError

if TYPE_CHECKING:
    from .bots import Bot
    from .game import Game
    from .notation.record import Record
    from .view import View

WRONG_INPUT, STOPPED = 2, 130
LONGEST_FILE = 1 << 20
MOST_DEPTH = 12
NO_POSITION = " (and no position: that begins with classic or marvel and the number of players)"
UsageError: type[Exception] = typer.BadParameter.__mro__[1]


class Commands(TyperGroup):
    """The commands. Wrong input ends any of them with one line that says what is wrong."""

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run a command; its exit status is 2 if the input was wrong."""
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="replace")
        try:
            status = super().main(*args, **{**settings, "standalone_mode": False})
        except (CabochonError, UsageError) as wrong:
            said = wrong.format_message() if hasattr(wrong, "format_message") else str(wrong)
            typer.echo(f"cabochon: {' '.join(said.split())}", err=True)
            status = WRONG_INPUT
        except typer.Abort:
            status = STOPPED
        sys.exit(status)


app = typer.Typer(cls=Commands, add_completion=False, pretty_exceptions_enable=False)

Variant = Annotated[str, typer.Option(help="classic or marvel.")]
Seed = Annotated[int | None, typer.Option(help="The same number deals the same game.")]
SeatSeen = Annotated[int | None, typer.Option(help="Only what this seat may know (from 0).")]
File = Annotated[Path, typer.Argument(help="A record.", show_default=False)]


@app.callback(invoke_without_command=True)
def about(context: typer.Context) -> None:
    """Splendor and Splendor: Marvel: play, look at positions, replay and check records."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def play(
    host: Annotated[str | None, typer.Option(help="The address to listen at; 0.0.0.0 lets friends in your network join.")] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The port; else the first free one from 8765 on.")] = None,
    database: Annotated[str | None, typer.Option(help="Where games are kept: a URL such as sqlite:////srv/games.db.")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
    bot: Annotated[list[str] | None, typer.Option(help="A program that plays, as NAME=COMMAND; once for each.")] = None,
) -> None:
    """Start the server on this machine and play in the browser, with friends and bots."""
    typer.echo("Starting ...")
    from .bots.external import add_commands
    from .server.run import play as serve
    from .server.settings import Settings

    settings = Settings.from_environment(host=host, database=database, bots=tuple(bot) if bot else None)
    add_commands(settings.bots)
    serve(settings, port, browser)


@app.command()
def terminal(
    variant: Variant = "classic",
    players: Annotated[int, typer.Option(help="2, 3 or 4.")] = 2,
    bot: Annotated[list[str] | None, typer.Option(help="An opponent by name; once for each seat, or once for all.")] = None,
    seed: Seed = None,
    seat: Annotated[int, typer.Option(help="Where you sit (from 0).")] = 0,
    house: Annotated[list[str] | None, typer.Option(help="A house rule, such as goal=21 or take_fewer=on.")] = None,
    record: Annotated[Path | None, typer.Option(help="Keep the game in this file.")] = None,
) -> None:
    """Play in the terminal against bots."""
    from .terminal import Sitting, console, listed, say

    out = console()
    number = _seed(seed)
    with out.status("Shuffling (the first time this takes a few seconds) ..."):
        game = _deal(variant, players, number, house or ())
    bots = _bots(bot or ["greedy"], _seat(seat, players), players)
    sitting = Sitting(out, game, seat, bots, number)
    if record:
        sitting.keep(record)
    opponents = listed([sitting.names[other] for other in bots])
    say(out, f"{variant.capitalize()} with {opponents}; you have seat {seat}. Seed {number}.")
    try:
        sitting.run()
    finally:
        if record:
            sitting.keep(record)


@app.command()
def show(
    position: Annotated[list[str], typer.Argument(help="A position line, or a file with one or with a record.")],
    seat: SeatSeen = None,
    moves: Annotated[bool, typer.Option("--moves", help="List the legal moves.")] = False,
) -> None:
    """Draw a position, or the final position of a record."""
    from .bots import legal_moves
    from .terminal import console, draw_table, move_lines, say

    shown, names = _seen_by(*_shown(position), seat)
    out = console()
    say(out, draw_table(shown, names, out.width))
    if moves:
        _check_moves_known(shown)
        say(out)
        for line in move_lines(legal_moves(shown)):
            out.print(line)


@app.command()
def replay(
    file: File,
    at: Annotated[int | None, typer.Option(help="Stop after this many moves and draw the table there.")] = None,
    positions: Annotated[bool, typer.Option("--positions", help="Draw the table after every move.")] = False,
) -> None:
    """Tell a recorded game move by move."""
    from .terminal import console, draw_table, printable, retell, say, seat_names, verdict

    record, game = _recorded(file)
    if at is not None and not 0 <= at <= len(record.moves):
        raise CabochonError(f"--at {at}: the record has {len(record.moves)} moves")
    out, names, table = console(), seat_names(game.players, record.names), game.beginning()
    for number, recorded in enumerate(record.moves[:at], 1):
        before = table.position()
        table.play(recorded.move)
        comment = f"  {{{printable(recorded.comment)}}}" if recorded.comment else ""
        say(out, f"{number:4}  {retell(before, table.position(), recorded.move, names[before.turn])}{comment}")
        if positions:
            say(out, draw_table(table.position(), names, out.width))
            say(out)
    if at is not None and not (positions and at):
        say(out, draw_table(table.position(), names, out.width))
    if at is None:
        say(out)
        for line in verdict(table, names):
            say(out, line)


@app.command()
def check(files: Annotated[list[Path], typer.Argument(help="Records.", show_default=False)]) -> None:
    """Check records: a line for each, `ok` or what is wrong. The exit status is 1 if any is wrong."""
    wrong = 0
    for file in files:
        try:
            _recorded(file)
            typer.echo(f"{file}: ok")
        except CabochonError as error:
            wrong += 1
            typer.echo(f"{file}: {str(error).removeprefix(f'{file}: ')}")
    if wrong:
        raise typer.Exit(1)


@app.command()
def verify(
    source: Annotated[str, typer.Argument(help="A file with a table's reveal, or the address of the table.", show_default=False)],
    commitment: Annotated[str | None, typer.Option(metavar="HEX", help="The commitment you noted at the start.")] = None,
    nonce: Annotated[list[str] | None, typer.Option(metavar="SEAT=HEX", help="A nonce that must be in the deal.")] = None,
) -> None:
    """Check that a table was dealt as it was committed to. The exit status is 1 if it was not."""
    from .server.commitment import origin, parse_reveal
    from .server.commitment import verify as verified

    own_nonces = _nonces(nonce or ())
    reveal = parse_reveal(_fetched(source) if source.startswith(("http://", "https://")) else _text_of(Path(source)))
    wrong = verified(reveal, commitment and _hexadecimal("--commitment", commitment), own_nonces)
    for sentence in wrong:
        typer.echo(f"{source}: {sentence}")
    if wrong:
        raise typer.Exit(1)
    typer.echo(f"{source}: ok, dealt from {origin(reveal)} as committed to")
    if commitment is None:
        typer.echo(f"{source}: compared with the commitment the server tells today; --commitment HEX compares with one you noted")


@app.command()
def perft(
    position: Annotated[list[str] | None, typer.Argument(help="A position line, a file, or a variant [players] to deal.")] = None,
    depth: Annotated[int, typer.Option(help="How many decisions deep.")] = 3,
    divide: Annotated[bool, typer.Option("--divide", help="Count for each first move.")] = False,
    seed: Annotated[int, typer.Option(help="The deal, where a variant is named.")] = 1,
) -> None:
    """Count the move sequences from a position."""
    from .tools import perft as counting

    if not divide <= depth <= MOST_DEPTH:
        raise CabochonError(f"--depth {depth}: choose a depth from {int(divide)} to {MOST_DEPTH}")
    game = _start_of(position or ["classic"], seed)
    with _stopped_at_once():
        counts = counting.divide(game, depth) if divide else {}
        total = sum(counts.values()) if divide else counting.perft(game, depth)
    for move, count in counts.items():
        typer.echo(f"{move}: {count}")
    typer.echo(total)


@app.command()
def bench(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Measure the speed of the rules on this machine."""
    from .tools.bench import main

    main(as_json)


@app.command()
def arena(
    bots: Annotated[list[str], typer.Argument(help="2 to 4 bots: NAME, NAME@nodes=1000, or cmd:COMMAND.", show_default=False)],
    variant: Variant = "classic",
    games: Annotated[int, typer.Option(help="How many, rounded up to whole deals; with --sprt, the most.")] = 400,
    nodes: Annotated[int | None, typer.Option(help="Positions to look at for each move.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Seconds for each move.")] = None,
    seed: Annotated[int, typer.Option(help="The same number deals the same games.")] = 1,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; else one for each core.")] = None,
    sprt: Annotated[tuple[float, float] | None, typer.Option(metavar="ELO0 ELO1", help="Stop when one is accepted.")] = None,
    out: Annotated[Path | None, typer.Option(help="Keep the games in this file; one that was stopped is resumed.")] = None,
    ray: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Play on this Ray cluster.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Let bots play a match on paired deals: wins, draws, losses, share, rating difference and its error."""
    import json

    from .arena import Sprt, match_of, run_match, tell
    from .terminal.progress import progress_bar

    match = match_of(bots, variant, seed, nodes, seconds)
    test = Sprt(*sprt) if sprt else None
    said = sys.argv[1:]
    with progress_bar("games") as progress:
        result = run_match(match, games, workers=workers, sprt=test, file=out, command=said, ray=ray, progress=progress)
    typer.echo(json.dumps(result.as_json(), indent=2) if as_json else tell(result))


@app.command()
def ladder(
    files: Annotated[list[Path], typer.Argument(help="Matches, as `arena --out` keeps them.", show_default=False)],
    out: Annotated[Path | None, typer.Option(help="Where the ladder goes; else into the package.")] = None,
    anchor: Annotated[str, typer.Option(help="The bot whose rating is 1000.")] = "greedy",
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the ladder as a Markdown table.")] = False,
) -> None:
    """Rate the bots that met in matches, and keep the ladder."""
    from .arena.ratings import format_ladder, ladder_of, write_ladder
    from .bots.ratings import LADDER_FILE

    found = ladder_of(files, anchor)
    write_ladder(found, out or LADDER_FILE)
    typer.echo(format_ladder(found) if markdown else f"{len(found['bots'])} bots rated in {out or LADDER_FILE}")


@app.command("bots")
def list_bots() -> None:
    """List the bots, with their rating and character."""
    from .bots import BOTS
    from .bots.ratings import ratings

    known, width = ratings(), max(map(len, BOTS))
    for name, bot in BOTS.items():
        typer.echo(f"{name.ljust(width)}  {f'{known[name].rating:4.0f}' if name in known else '   ?'}  {bot.character}")


@app.command()
def engine(bot: Annotated[str, typer.Option(help="The bot that thinks.")] = "greedy") -> None:
    """Think for another program, by lines of text: type help."""
    from .bots.engine import talk

    talk(bot)


@app.command()
def rules(
    section: Annotated[str, typer.Argument(help="Part of a heading.", show_default=False)] = "",
    variant: Annotated[str, typer.Option(help="classic, marvel or house-rules.")] = "classic",
) -> None:
    """Show the rules, or the sections whose heading contains a text."""
    from .terminal import console, show_rules

    show_rules(console(), variant, section)


@app.command()
def version() -> None:
    """Print the version."""
    from .version import __version__

    typer.echo(__version__)


@contextmanager
def _stopped_at_once() -> Iterator[None]:
    """Let Ctrl-C end the program although compiled code is running, which does not look up."""
    import signal

    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _seed(seed: int | None) -> int:
    import secrets

    return secrets.randbits(31) if seed is None else seed


def _nonces(said: Iterable[str]) -> dict[int, str]:
    pairs = [text.partition("=") for text in said]
    for seat, equals, value in pairs:
        if not (equals and seat.isascii() and seat.isdecimal()):
            raise CabochonError(f"--nonce {seat}{equals}{value}: a nonce is said like 0=HEX, with the number of its seat")
    return {int(seat): _hexadecimal("--nonce", value) for seat, _, value in pairs}


def _hexadecimal(option: str, text: str) -> str:
    """256 bits in hexadecimal, as the server writes them."""
    import re

    value = text.strip().lower()
    if not re.fullmatch("[0-9a-f]{64}", value):
        raise CabochonError(f"{option} {text}: it has 64 digits from 0 to f")
    return value


def _deal(variant: str, players: int, seed: int, house: Iterable[str]) -> "Game":
    from .game import Game

    return Game(variant, players, seed=seed, **_house_rules(house))


def _house_rules(said: Iterable[str]) -> dict[str, Any]:
    from .notation.position import parse_switches

    pairs = [text.partition("=") for text in said]
    for name, equals, value in pairs:
        if not (name and equals and value):
            raise CabochonError(f"--house {name}{equals}{value}: a house rule is said like goal=21 or take_fewer=on")
    return parse_switches({name: value for name, _, value in pairs})


def _seat(seat: int, players: int) -> int:
    if not 0 <= seat < players:
        raise CabochonError(f"--seat {seat}: seats are 0 to {players - 1}")
    return seat


def _bots(names: Sequence[str], seat: int, players: int) -> "dict[int, Bot]":
    """A bot for every other seat, in order; the last one named sits at the seats that are left."""
    from .bots import bot

    others = [other for other in range(players) if other != seat]
    if len(names) > len(others):
        raise CabochonError(f"{len(names)} bots are too many: {players} players leave {len(others)} for bots")
    called = [*names, *[names[-1]] * len(others)]
    return {other: bot(name) for other, name in zip(others, called, strict=False)}


def _text_of(file: Path, hint: str = "") -> str:
    """What a file says; one that cannot be read, or is no text, is refused by name."""
    try:
        with file.open("rb") as source:
            content = source.read(LONGEST_FILE + 1)
    except OSError as wrong:
        raise CabochonError(f"{file}: {(wrong.strerror or 'cannot be read').lower()}{hint}") from wrong
    if len(content) > LONGEST_FILE:
        raise CabochonError(f"{file}: too long for a record")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as wrong:
        raise CabochonError(f"{file}: not a text file") from wrong


def _fetched(address: str) -> str:
    """The reveal of the table at this address, which may be the one a browser shows."""
    from urllib.error import URLError
    from urllib.parse import urlsplit
    from urllib.request import urlopen

    place = urlsplit(address)
    table = next((part for part in reversed(place.path.split("/")) if part not in ("", "reveal")), "")
    try:
        with urlopen(f"{place.scheme}://{place.netloc}/api/tables/{table}/reveal", timeout=10) as answer:
            return str(answer.read(LONGEST_FILE).decode("utf-8"))
    except (URLError, OSError, ValueError) as wrong:
        raise CabochonError(f"{address}: {wrong}") from wrong


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Put the name of the file before what is wrong with it."""
    try:
        yield
    except CabochonError as wrong:
        raise CabochonError(f"{file}: {wrong}") from wrong


def _recorded(file: Path) -> "tuple[Record, Game]":
    """A record and its game, replayed."""
    from .game import Game
    from .notation.record import parse_record

    text = _text_of(file)
    with _naming(file):
        record = parse_record(text)
        return record, Game.from_record(record)


def _is_position(words: Sequence[str]) -> bool:
    from .rules.variants import VARIANTS

    said = " ".join(words).split()
    return len(said) > 1 and said[0] in VARIANTS


def _shown(words: Sequence[str]) -> "tuple[View, tuple[str, ...]]":
    """A position or view, and the names at the table: from a line, or from a file with a line or a record."""
    from .notation.position import parse_position
    from .notation.record import FIRST_LINE
    from .terminal import seat_names

    if _is_position(words):
        shown = parse_position(" ".join(words))
        return shown, seat_names(shown.rules.players)
    file = Path(" ".join(words))
    text = _text_of(file, hint=NO_POSITION)
    if text.startswith(FIRST_LINE):
        record, game = _recorded(file)
        return game.position(), seat_names(game.players, record.names)
    with _naming(file):
        shown = parse_position(text)
    return shown, seat_names(shown.rules.players)


def _seen_by(shown: "View", names: tuple[str, ...], seat: int | None) -> "tuple[View, tuple[str, ...]]":
    from .game import Game
    from .view import Position

    if seat is None:
        return shown, names
    _seat(seat, shown.rules.players)
    if isinstance(shown, Position):
        return Game.from_position(shown).view(seat), names
    if shown.seat != seat:
        raise CabochonError(f"--seat {seat}: this is what another seat sees, and it does not tell the rest")
    return shown, names


def _check_moves_known(shown: "View") -> None:
    from .view import Position

    if not isinstance(shown, Position) and shown.seat != shown.turn:
        raise CabochonError(f"--moves: only seat {shown.turn} knows its own moves")


def _start_of(words: Sequence[str], seed: int) -> "Game":
    """The game at a position, or dealt for a variant and a number of players."""
    from .game import Game
    from .rules.variants import VARIANTS

    said = " ".join(words).split()
    if said[:1] and said[0] in VARIANTS and len(said) < 3:
        players = said[1] if len(said) == 2 else "2"
        return Game(said[0], int(players) if players.isdecimal() else players, seed=seed)  # type: ignore[arg-type]
    return Game.from_position(_shown(words)[0])  # type: ignore[arg-type]
