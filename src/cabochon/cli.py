"""The command `cabochon`. Each subcommand is a function; invalid input ends it with one line that says why.

Modules are imported inside the functions, so that `cabochon --help` does not wait for Numba.
"""

import io
import logging
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from .errors import CabochonError
from .learn.plan import DEFAULTS as PLAN

if TYPE_CHECKING:
    from .bots import Bot
    from .game import Game
    from .notation.record import Record
    from .view import View

EXTRAS = {  # which libraries come with which extra; all others with `play`
    "arena": ("choix",),
    "cluster": ("redis", "procrastinate", "psycopg_pool", "prometheus_client"),
    "envs": ("gymnasium", "pettingzoo", "PIL", "resvg_py"),
    "learn": ("torch", "onnx", "onnxruntime", "onnxscript"),
    "openspiel": ("pyspiel", "open_spiel"),
    "postgres": ("psycopg",),
    "ray": ("ray",),
    "study": ("matplotlib",),
}
INVALID_INPUT, INTERRUPTED = 2, 130
MAX_FILE_BYTES = 1 << 20  # a record has a few thousand
MAX_DEPTH = 12  # of perft
NO_POSITION = " (and no position: that begins with a variant, such as classic, and the number of players)"
UsageError: Any = typer.BadParameter.__mro__[1]  # click's base class of invalid options; Typer does not export it


class Commands(TyperGroup):
    """All subcommands; prints errors of any of them in one line."""

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run a subcommand; the exit status is 2 if its input was invalid."""
        if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that cannot print a letter of a name
            sys.stdout.reconfigure(errors="replace")
        try:
            status = super().main(*args, **{**settings, "standalone_mode": False})
        except CabochonError as error:
            status = _print_error(str(error))
        except UsageError as error:
            status = _print_error(error.format_message())
        except ModuleNotFoundError as error:
            status = _print_error(missing_extra(error))
        except typer.Abort:
            status = INTERRUPTED
        sys.exit(status)


def missing_extra(error: ModuleNotFoundError) -> str:
    """Which extra brings a library that is not installed. A module of our own that is missing is a defect, and raised."""
    library = (error.name or "").partition(".")[0]
    if library in ("", __package__):
        raise error
    extra = next((name for name, libraries in EXTRAS.items() if library in libraries), "play")
    return f"this needs {library}: pip install 'cabochon-game[{extra}]'"


def _print_error(message: str) -> int:
    typer.echo(f"cabochon: {' '.join(message.split())}", err=True)
    return INVALID_INPUT


app = typer.Typer(
    cls=Commands,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

Variant = Annotated[str, typer.Option(help="classic, marvel or cities.")]
Seed = Annotated[int | None, typer.Option(help="The same number deals the same game.")]
SeatSeen = Annotated[int | None, typer.Option(help="Only what this seat may know (from 0).")]
Database = Annotated[str | None, typer.Option(help="Where games are kept: a URL such as sqlite:////srv/games.db.")]
Broker = Annotated[
    str | None,
    typer.Option(help="Valkey or Redis, as redis://HOST: then several servers share one PostgreSQL (see docs/cluster.md)."),
]
MetricsPort = Annotated[int | None, typer.Option(min=1, max=65535, help="A port of its own for Prometheus.")]
File = Annotated[Path, typer.Argument(help="A record.", show_default=False)]


class LogLevel(StrEnum):
    """From which importance on something is written to the log."""

    DEBUG, INFO, WARNING, ERROR = "debug", "info", "warning", "error"


def print_version(is_asked: bool) -> None:
    """`--version` and nothing else."""
    if is_asked:
        version()
        raise typer.Exit


@app.callback(invoke_without_command=True)
def about(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version.")
    ] = False,
    log_level: Annotated[LogLevel, typer.Option(help="What is written to the log, on stderr.")] = LogLevel.WARNING,
) -> None:
    """Splendor, Splendor: Marvel and Cities of Splendor: play, look at positions, replay and check records."""
    logging.basicConfig(level=log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def play(
    host: Annotated[str | None, typer.Option(help="The address to listen at; 0.0.0.0 lets friends in your network join.")] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The port; else the first free one from 8765 on.")] = None,
    database: Database = None,
    broker: Broker = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
    bot: Annotated[list[str] | None, typer.Option(help="A program that plays, as NAME=COMMAND; once for each.")] = None,
    metrics_port: MetricsPort = None,
) -> None:
    """Start the server on this machine and play in the browser, with friends and bots."""
    typer.echo("Starting ...")
    from .bots.registry import add_commands
    from .server.run import play as serve
    from .server.settings import Settings

    said: dict[str, Any] = {"host": host, "database": database, "broker": broker, "bots": tuple(bot) if bot else None}
    settings = Settings.from_environment(**said, metrics_port=metrics_port)
    add_commands(settings.bots)
    serve(settings, port, browser)


@app.command()
def worker(
    database: Database = None,
    broker: Broker = None,
    bot: Annotated[list[str] | None, typer.Option(help="A program that plays, as NAME=COMMAND; once for each.")] = None,
    metrics_port: MetricsPort = None,
) -> None:
    """Think for the servers of a cluster: bots' moves, clocks and reviews."""
    from .bots.registry import add_commands
    from .server.settings import Settings
    from .server.worker import work

    said: dict[str, Any] = {"database": database, "broker": broker, "bots": tuple(bot) if bot else None}
    settings = Settings.from_environment(**said, metrics_port=metrics_port)
    add_commands(settings.bots)
    work(settings)


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write; it holds secrets.", show_default=False)],
    database: Database = None,
) -> None:
    """Write everything that is stored into one file, also while a server runs."""
    from .server.backup import backup as write

    counts = write(_database(database), file)
    typer.echo(f"{file}: {counts.get('tables', 0)} tables, {counts.get('entries', 0)} lines of their logs")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup.", show_default=False)],
    database: Database = None,
) -> None:
    """Fill an empty database with a backup; it may be one of another kind (SQLite, PostgreSQL)."""
    from .server.backup import restore as read

    counts = read(_database(database), file)
    typer.echo(f"{counts.get('tables', 0)} tables, {counts.get('entries', 0)} lines of their logs")


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
    from .terminal import Session, console, join_words, print_text
    from .warming import warm_up

    out = console()
    number = _seed(seed)
    bots = _seat_bots(bot or ["greedy"], _seat(seat, players), players)
    game = _deal(variant, players, number, house or ())
    warm_up(*{player.name for player in bots.values()}, variant=variant, players=players)  # nobody waits for it at the table
    session = Session(out, game, seat, bots, number)
    if record:
        session.write_record(record)
    opponents = join_words([session.names[other] for other in bots])
    print_text(out, f"{variant.capitalize()} with {opponents}; you have seat {seat}. Seed {number}.")
    try:
        session.run()
    finally:
        if record:
            session.write_record(record)


@app.command()
def show(
    position: Annotated[list[str], typer.Argument(help="A position line, or a file with one or with a record.")],
    seat: SeatSeen = None,
    moves: Annotated[bool, typer.Option("--moves", help="List the legal moves.")] = False,
) -> None:
    """Draw a position, or the final position of a record."""
    from .bots import legal_moves
    from .terminal import console, draw_table, move_lines, print_text

    view, names = _as_seat(*_read_position(position), seat)
    out = console()
    print_text(out, draw_table(view, names, out.width))
    if moves:
        _check_moves_known(view)
        print_text(out)
        for line in move_lines(legal_moves(view)):
            out.print(line)


@app.command()
def replay(
    file: File,
    at: Annotated[int | None, typer.Option(help="Stop after this many moves and draw the table there.")] = None,
    positions: Annotated[bool, typer.Option("--positions", help="Draw the table after every move.")] = False,
) -> None:
    """Print a recorded game move by move."""
    from .terminal import console, describe_move, describe_outcome, draw_table, print_text, printable, seat_names

    record, game = _read_record(file)
    if at is not None and not 0 <= at <= len(record.moves):
        raise CabochonError(f"--at {at}: the record has {len(record.moves)} moves")
    out, names, table = console(), seat_names(game.players, record.names), game.beginning()
    for number, recorded in enumerate(record.moves[:at], 1):
        before = table.position()
        table.play(recorded.move)
        comment = f"  {{{printable(recorded.comment)}}}" if recorded.comment else ""
        print_text(out, f"{number:4}  {describe_move(before, table.position(), recorded.move, names[before.turn])}{comment}")
        if positions:
            print_text(out, draw_table(table.position(), names, out.width))
            print_text(out)
    if at is not None and not (positions and at):
        print_text(out, draw_table(table.position(), names, out.width))
    if at is None:
        print_text(out)
        for line in describe_outcome(table, names):
            print_text(out, line)


@app.command()
def check(files: Annotated[list[Path], typer.Argument(help="Records.", show_default=False)]) -> None:
    """Check records: a line for each, `ok` or the error. The exit status is 1 if any has an error."""
    failed = 0
    for file in files:
        try:
            _read_record(file)
            typer.echo(f"{file}: ok")
        except CabochonError as error:
            failed += 1
            typer.echo(f"{file}: {str(error).removeprefix(f'{file}: ')}")
    if failed:
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
    reveal = parse_reveal(_fetch_reveal(source) if source.startswith(("http://", "https://")) else _read_text(Path(source)))
    errors = verified(reveal, commitment and _hexadecimal("--commitment", commitment), own_nonces)
    for sentence in errors:
        typer.echo(f"{source}: {sentence}")
    if errors:
        raise typer.Exit(1)
    typer.echo(f"{source}: ok, dealt from {origin(reveal)} as committed to")
    if commitment is None:
        typer.echo(
            f"{source}: compared with the commitment that the server gives today; --commitment HEX compares with one you noted"
        )


@app.command()
def review(
    file: File,
    nodes: Annotated[int, typer.Option(min=1, help="Positions to search for each decision.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="The same number gives the same review.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_html: Annotated[bool, typer.Option("--html", help="Print a page of HTML, with a graph.")] = False,
) -> None:
    """Judge every decision of a finished game, and tell skill and luck apart."""
    import json

    from . import study
    from .search.budget import Budget
    from .terminal.progress import progress_bar

    if as_json and as_html:
        raise CabochonError("--json and --html: choose one")
    record, _ = _read_record(file)
    with progress_bar("decisions") as progress:
        found = study.review(record, Budget(nodes=nodes), seed, progress)
    if as_json:
        typer.echo(json.dumps(study.as_json(found), indent=2))
    else:
        typer.echo((study.format_html if as_html else study.format_text)(found, record.names))


puzzles_app = typer.Typer(help="Positions with one good move.", no_args_is_help=True)
app.add_typer(puzzles_app, name="puzzles")


@puzzles_app.command("make")
def make_puzzles(
    out: Annotated[Path, typer.Option(help="The file; beside it a .part keeps what is done, and the same command goes on.")],
    variant: Variant = "classic",
    count: Annotated[int, typer.Option(min=1, help="How many puzzles, at least.")] = 300,
    seed: Annotated[int, typer.Option(min=0, help="The same number plays the same games.")] = 1,
    by: Annotated[str, typer.Option(help="searched: two deep searches agree. proven: near the end, by proof.")] = "searched",
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    minutes: Annotated[float | None, typer.Option(min=0, help="Stop after this time with what there is.")] = None,
) -> None:
    """Make puzzles from games of bots against each other."""
    from .ruleset import Ruleset
    from .study.puzzle_maker import MAKERS, Job, make_puzzles
    from .terminal.progress import progress_bar
    from .tools.provenance import commit, machine

    Ruleset(variant)  # refuses a variant that does not exist
    if by not in MAKERS:
        raise CabochonError(f"--by {by}: choose one of {', '.join(MAKERS)}")
    with progress_bar("puzzles") as progress:
        made = make_puzzles(Job(variant, seed, by), count, out, workers=workers, minutes=minutes, progress=progress)
    typer.echo(f"{out}: {made} puzzles; commit {commit()}; {machine()}")


@app.command()
def perft(
    position: Annotated[list[str] | None, typer.Argument(help="A position line, a file, or a variant [players] to deal.")] = None,
    depth: Annotated[int, typer.Option(help="How many decisions deep.")] = 3,
    divide: Annotated[bool, typer.Option("--divide", help="Count for each first move.")] = False,
    seed: Annotated[int, typer.Option(help="The deal, where a variant is named.")] = 1,
) -> None:
    """Count the move sequences from a position."""
    from .tools import perft as perft_tool

    if not divide <= depth <= MAX_DEPTH:
        raise CabochonError(f"--depth {depth}: choose a depth from {int(divide)} to {MAX_DEPTH}")
    game = _start_game(position or ["classic"], seed)
    with _kill_on_interrupt():
        counts = perft_tool.divide(game, depth) if divide else {}
        total = sum(counts.values()) if divide else perft_tool.perft(game, depth)
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

    from .arena import Sprt, format_report, parse_match, run_match
    from .arena.runner import warm_up
    from .terminal.progress import progress_bar

    match = parse_match(bots, variant, seed, nodes, seconds)
    test = Sprt(*sprt) if sprt else None
    command = sys.argv[1:]
    warm_up(match)  # before the bar of the games, and before any clock
    with progress_bar("games") as progress:
        result = run_match(match, games, workers=workers, sprt=test, file=out, command=command, ray=ray, progress=progress)
    typer.echo(json.dumps(result.as_json(), indent=2) if as_json else format_report(result))


@app.command()
def ladder(
    files: Annotated[list[Path], typer.Argument(help="Matches, as `arena --out` keeps them.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Where the ladder goes.")] = Path("ladder.json"),
    anchor: Annotated[str, typer.Option(help="The bot whose rating is 1000.")] = "greedy",
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the ladder as a Markdown table.")] = False,
) -> None:
    """Rate the bots that met in matches, and keep the ladder."""
    from .arena.ratings import format_ladder, make_ladder, write_ladder

    found = make_ladder(files, anchor)
    write_ladder(found, out)
    typer.echo(format_ladder(found) if markdown else f"{len(found['bots'])} bots rated in {out}")


@app.command()
def learn(
    minutes: Annotated[float, typer.Option(min=0, help="How long to train.", show_default=False)],
    variant: Variant = PLAN.variant,
    players: Annotated[list[int] | None, typer.Option(help="2 (the default), 3 or 4; again for one net for several.")] = None,
    games: Annotated[int, typer.Option(min=1, help="Games at once.")] = PLAN.games,
    simulations: Annotated[int, typer.Option(min=1, help="For every decision.")] = PLAN.simulations,
    batch: Annotated[int, typer.Option(min=1, help="Positions of an update.")] = PLAN.batch,
    updates: Annotated[int, typer.Option(min=1, help="After every decision of all games.")] = PLAN.updates,
    rate: Annotated[float, typer.Option(help="The learning rate at the start; it falls to the end.")] = PLAN.rate,
    width: Annotated[int, typer.Option(min=1, help="Of the embedding of a seat.")] = PLAN.width,
    hidden: Annotated[int, typer.Option(min=1, help="Units of a hidden layer, in eights.")] = PLAN.hidden,
    layers: Annotated[
        int, typer.Option(min=PLAN.layers, help="Hidden layers; a net that begins with fewer gets more.")
    ] = PLAN.layers,
    seed: Annotated[int, typer.Option(help="Of the first deal and the first weights.")] = PLAN.seed,
    every: Annotated[float, typer.Option(help="Minutes between checkpoints.")] = PLAN.every,
    td_lambda: Annotated[float, typer.Option(min=0, max=1, help="TD(lambda), by rounds; 1: the result alone.")] = PLAN.td_lambda,
    chain_minutes: Annotated[
        float,
        typer.Option(min=0, help="Of all runs of a chain, over which the rate falls; else over this run.", show_default=False),
    ] = PLAN.chain_minutes,
    window: Annotated[
        int, typer.Option(min=PLAN.window, help="Steps kept besides a whole game, at the chain's end.")
    ] = PLAN.window,
    sparsity: Annotated[
        float, typer.Option(min=0, help="Weight of every thousand effective units: fewer are faster.")
    ] = PLAN.sparsity,
    revive: Annotated[bool, typer.Option("--revive", help="New weights for units that are never above zero.")] = PLAN.revive,
    out: Annotated[Path, typer.Option(help="Folder of checkpoint, net and log; a run there goes on.")] = Path("runs"),
    begin: Annotated[Path | None, typer.Option(metavar="FILE", help="A checkpoint or a net to begin with.")] = None,
    rate_with: Annotated[int, typer.Option(min=0, metavar="WORKERS", help="Processes that rate the net beside.")] = 0,
    device: Annotated[str | None, typer.Option(help="cuda or cpu; else cuda if there is one.")] = None,
) -> None:
    """Train a net by games against itself. Needs torch, which the extra `learn` installs."""
    from .learn.command import train
    from .learn.plan import Plan

    plan = Plan(
        variant=variant, players=tuple(players or PLAN.players), minutes=minutes, games=games, simulations=simulations,
        batch=batch, updates=updates, rate=rate, width=width, hidden=hidden, layers=layers, seed=seed, every=every,
        td_lambda=td_lambda, chain_minutes=chain_minutes, window=window, sparsity=sparsity, revive=revive,
    )  # fmt: skip
    train(plan, out, begin, rate_with, device)


@app.command()
def dataset(
    out: Annotated[Path, typer.Argument(help="The file: .npz, or .parquet where pyarrow is installed.", show_default=False)],
    games: Annotated[int, typer.Option(min=1, help="How many.")] = 1000,
    variant: Variant = "classic",
    players: Annotated[int, typer.Option(help="2, 3 or 4.")] = 2,
    bot: Annotated[str, typer.Option(help="The bot that plays all seats.")] = "greedy",
    nodes: Annotated[int | None, typer.Option(min=1, help="Positions to look at for each move.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Seconds for each move.")] = None,
    stray: Annotated[float, typer.Option(min=0, max=1, help="The chance of a random move.")] = 0.05,
    seed: Annotated[int, typer.Option(min=0, help="The same number plays the same games.")] = 1,
) -> None:
    """Write positions of games of a bot against itself, as data to train with."""
    from .learn.dataset import Plan, write_dataset
    from .terminal.progress import progress_bar

    plan = Plan(variant, players, games, bot, nodes, seconds, stray, seed)
    with progress_bar("games") as progress:
        rows = write_dataset(plan, out, progress)
    typer.echo(f"{out}: {rows} decisions of {games} games")


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
    """Choose moves for another program, by lines of text: type help."""
    from .bots.engine import main

    main(bot)


@app.command()
def rules(
    section: Annotated[str, typer.Argument(help="Part of a heading.", show_default=False)] = "",
    variant: Annotated[str, typer.Option(help="classic, marvel, cities, house-rules or refusals.")] = "classic",
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
def _kill_on_interrupt() -> Iterator[None]:
    """Let Ctrl-C end the process: Python's own handler would wait until the compiled code returns."""
    import signal

    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _database(said: str | None) -> str:
    """The address of the database: from the command line, else from the environment, else the user's own."""
    from .server.settings import Settings, default_database

    return Settings.from_environment(database=said).database or default_database()


def _seed(seed: int | None) -> int:
    import secrets

    return secrets.randbits(31) if seed is None else seed


def _nonces(options: Iterable[str]) -> dict[int, str]:
    pairs = [text.partition("=") for text in options]
    for seat, equals, value in pairs:
        if not (equals and seat.isascii() and seat.isdecimal()):
            raise CabochonError(f"--nonce {seat}{equals}{value}: a nonce is written like 0=HEX, with the number of its seat")
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


def _house_rules(options: Iterable[str]) -> dict[str, Any]:
    from .notation.position import parse_switches

    pairs = [text.partition("=") for text in options]
    for name, equals, value in pairs:
        if not (name and equals and value):
            raise CabochonError(f"--house {name}{equals}{value}: a house rule is written like goal=21 or take_fewer=on")
    return parse_switches({name: value for name, _, value in pairs})


def _seat(seat: int, players: int) -> int:
    if not 0 <= seat < players:
        raise CabochonError(f"--seat {seat}: seats are 0 to {players - 1}")
    return seat


def _seat_bots(names: Sequence[str], seat: int, players: int) -> "dict[int, Bot]":
    """A bot for every other seat, in order; the last name is used for the seats that are left."""
    from .bots import bot

    others = [other for other in range(players) if other != seat]
    if len(names) > len(others):
        raise CabochonError(f"{len(names)} bots are too many: {players} players leave {len(others)} for bots")
    repeated = [*names, *[names[-1]] * len(others)]
    return {other: bot(name) for other, name in zip(others, repeated, strict=False)}


def _read_text(file: Path, hint: str = "") -> str:
    """The content of a text file; an error names the file."""
    try:
        with file.open("rb") as source:
            content = source.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise CabochonError(f"{file}: {(error.strerror or 'cannot be read').lower()}{hint}") from error
    if len(content) > MAX_FILE_BYTES:
        raise CabochonError(f"{file}: too long for a record")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CabochonError(f"{file}: not a text file") from error


def _fetch_reveal(address: str) -> str:
    """The reveal of the table at this address, which may be the address in a browser."""
    from urllib.error import URLError
    from urllib.parse import urlsplit
    from urllib.request import urlopen

    place = urlsplit(address)
    table = next((part for part in reversed(place.path.split("/")) if part not in ("", "reveal")), "")
    try:
        with urlopen(f"{place.scheme}://{place.netloc}/api/tables/{table}/reveal", timeout=10) as answer:
            return str(answer.read(MAX_FILE_BYTES).decode("utf-8"))
    except (URLError, OSError, ValueError) as error:
        raise CabochonError(f"{address}: {error}") from error


@contextmanager
def _name_file(file: Path) -> Iterator[None]:
    """Put the name of the file before an error."""
    try:
        yield
    except CabochonError as error:
        raise CabochonError(f"{file}: {error}") from error


def _read_record(file: Path) -> "tuple[Record, Game]":
    """A record and its game, replayed."""
    from .game import Game
    from .notation.record import parse_record

    text = _read_text(file)
    with _name_file(file):
        record = parse_record(text)
        return record, Game.from_record(record)


def _is_position_line(words: Sequence[str]) -> bool:
    from .rules.variants import VARIANTS

    parts = " ".join(words).split()
    return len(parts) > 1 and parts[0] in VARIANTS


def _read_position(words: Sequence[str]) -> "tuple[View, tuple[str, ...]]":
    """A position or view, and the names of the seats: from a line, or from a file with a line or a record."""
    from .notation.position import parse_position
    from .notation.record import FIRST_LINE
    from .terminal import seat_names

    if _is_position_line(words):
        view = parse_position(" ".join(words))
        return view, seat_names(view.rules.players)
    file = Path(" ".join(words))
    text = _read_text(file, hint=NO_POSITION)
    if text.startswith(FIRST_LINE):
        record, game = _read_record(file)
        return game.position(), seat_names(game.players, record.names)
    with _name_file(file):
        view = parse_position(text)
    return view, seat_names(view.rules.players)


def _as_seat(view: "View", names: tuple[str, ...], seat: int | None) -> "tuple[View, tuple[str, ...]]":
    from .game import Game
    from .view import Position

    if seat is None:
        return view, names
    _seat(seat, view.rules.players)
    if isinstance(view, Position):
        return Game.from_position(view).view(seat), names
    if view.seat != seat:
        raise CabochonError(f"--seat {seat}: this is the view of another seat")
    return view, names


def _check_moves_known(view: "View") -> None:
    from .view import Position

    if not isinstance(view, Position) and view.seat != view.turn:
        raise CabochonError(f"--moves: only seat {view.turn} knows its own moves")


def _start_game(words: Sequence[str], seed: int) -> "Game":
    """The game at a position, or dealt for a variant and a number of players."""
    from .game import Game
    from .notation.numbers import number_or_text
    from .rules.variants import VARIANTS

    parts = " ".join(words).split()
    if parts[:1] and parts[0] in VARIANTS and len(parts) < 3:
        players = parts[1] if len(parts) == 2 else "2"
        return Game(parts[0], number_or_text(players), seed=seed)  # type: ignore[arg-type]
    return Game.from_position(_read_position(words)[0])  # type: ignore[arg-type]
