"""The tables on the environments' pages, made from the code; `python -m tests.envs.pages` writes them into the pages."""

import re
from pathlib import Path

from cabochon.envs.episodes import COMPILED_BOTS
from cabochon.envs.names import gymnasium_id, openspiel_name, pettingzoo_module
from cabochon.observation import ASKED, CARD, SEAT, TILE, TILES_ASK_MORE, Field, fields, observation_size, offsets
from cabochon.rules import actions
from cabochon.rules.variants import VARIANTS

FOLDER = Path(__file__).parents[2] / "docs" / "envs"
PAGES = sorted(page for page in FOLDER.glob("*.md") if page.stem != "README")
HEADINGS = ["Usage", "Actions", "Observation", "Rewards", "Termination", "Versions"]
ACTIONS = {
    "take one to three different colours": (actions.TAKE, actions.TAKE_TWO),
    "take two of one colour": (actions.TAKE_TWO, actions.RESERVE),
    "reserve a face-up card: `1a` … `1d`, `2a` … `3d`": (actions.RESERVE, actions.RESERVE_DECK),
    "reserve from the deck of tier 1, 2, 3": (actions.RESERVE_DECK, actions.BUY),
    "buy a face-up card": (actions.BUY, actions.BUY_RESERVED),
    "buy from the own reserve": (actions.BUY_RESERVED, actions.PASS),
    "pass": (actions.PASS, actions.GIVE_BACK),
    "return one token: the five colours, wild, Time": (actions.GIVE_BACK, actions.CLAIM_TILE),
    "claim a tile": (actions.CLAIM_TILE, actions.ACTION_COUNT),
}


def numbers(first: int, end: int) -> str:
    return f"{first}" if end == first + 1 else f"{first}–{end - 1}"


def action_table() -> str:
    rows = [f"| {numbers(*span)} | {words} |" for words, span in ACTIONS.items()]
    return "\n".join(["| action | move |", "|---|---|", *rows])


def field_table(title: str, parts: tuple[Field, ...]) -> str:
    rows = [
        f"| {numbers(start, start + field.size)} | `{field.name}` | {' × '.join(map(str, field.shape))} | {field.meaning} |"
        for start, field in offsets(parts).values()
    ]
    return "\n".join([f"{title}:", "", "| numbers | name | shape | meaning |", "|---|---|---|---|", *rows])


def sizes(variant: str) -> str:
    return ", ".join(f"{observation_size(players, variant)} for {players} players" for players in (2, 3, 4))


def observation_tables() -> str:
    plain = [name for name in VARIANTS if not TILES_ASK_MORE[name]]
    longer = [f"`{name}` has {sizes(name)}" for name in VARIANTS if TILES_ASK_MORE[name]]
    return "\n\n".join(
        [
            f"A row of int8, {sizes(plain[0])}. All games have the same layout; what a game does not have is 0.\n"
            f"Where tiles ask for points or for another colour, what they ask for follows at the end: {'; '.join(longer)}.",
            field_table("The whole row, for 2 players (more players have more seats at the end)", fields(2)),
            field_table("A card", CARD),
            field_table("A tile", TILE),
            field_table("A seat", SEAT),
            field_table("At the end, where tiles ask for points or for another colour, counted from the end of the seats", ASKED),
        ]
    )


def bots_line() -> str:
    return f"Compiled bots: {', '.join(f'`{name}`' for name in COMPILED_BOTS)}."


def names_table() -> str:
    """What each variant's environments are called in each framework."""
    rows = [f"| `{v.name}` | `{pettingzoo_module(v)}` | `{gymnasium_id(v)}` | `{openspiel_name(v)}` |" for v in VARIANTS.values()]
    return "\n".join(["| variant | PettingZoo | Gymnasium | OpenSpiel |", "|---|---|---|---|", *rows])


TABLES = {"actions": action_table, "observation": observation_tables, "bots": bots_line, "names": names_table}


def with_tables(text: str) -> str:
    """A page with its tables as the code has them now."""
    for name, table in TABLES.items():
        before, after = f"<!-- {name} -->\n", "\n<!-- end -->"
        text = re.sub(f"{before}.*?{after}", (before + table() + after).replace("\\", r"\\"), text, flags=re.DOTALL)
    return text


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(with_tables(page.read_text()))
