"""The tables on the environments' pages, made from the code; `python -m tests.envs.pages` writes them into the pages."""

import re
from pathlib import Path

from cabochon.envs.episodes import COMPILED_BOTS
from cabochon.envs.observation import CARD, SEAT, TILE, Field, fields, observation_size, offsets
from cabochon.rules import actions

FOLDER = Path(__file__).parents[2] / "docs" / "envs"
PAGES = sorted(FOLDER.glob("*.md"))
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


def observation_tables() -> str:
    sizes = ", ".join(f"{observation_size(players)} for {players} players" for players in (2, 3, 4))
    return "\n\n".join(
        [
            f"A row of int8, {sizes}. Both games have the same layout; what a game does not have is 0.",
            field_table("The whole row, for 2 players (more players have more seats at the end)", fields(2)),
            field_table("A card", CARD),
            field_table("A tile", TILE),
            field_table("A seat", SEAT),
        ]
    )


def bots_line() -> str:
    return f"Compiled bots: {', '.join(f'`{name}`' for name in COMPILED_BOTS)}."


TABLES = {"actions": action_table, "observation": observation_tables, "bots": bots_line}


def with_tables(text: str) -> str:
    """A page with its tables as the code has them now."""
    for name, table in TABLES.items():
        before, after = f"<!-- {name} -->\n", "\n<!-- end -->"
        text = re.sub(f"{before}.*?{after}", (before + table() + after).replace("\\", r"\\"), text, flags=re.DOTALL)
    return text


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(with_tables(page.read_text()))
