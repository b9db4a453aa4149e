"""The rules pages of the variants and the house rules, split into sections."""

import re
from collections.abc import Iterable

from rich.console import Console
from rich.markdown import Markdown

from ..errors import CabochonError
from ..rules.compile import VARIANTS_FOLDER
from ..rules.variants import CARDS, VARIANTS


def rules_pages() -> dict[str, str]:
    """The pages of the rules by name: one for each variant, and the house rules."""
    pages = {name: VARIANTS_FOLDER / name / "rules.md" for name in VARIANTS}
    pages |= {path.stem: path for path in sorted(VARIANTS_FOLDER.glob("*.md"))}
    return {name: path.read_text(encoding="utf-8") for name, path in pages.items()}


HEADING = re.compile(r"^(#+) +(.+?) *#*$")
CHAPTER = 2
Section = tuple[int, str, list[str]]


def sections(page: str) -> list[Section]:
    """A page split at its headings: level, title, lines (the heading first)."""
    found: list[Section] = []
    fenced = False
    for line in page.splitlines():
        fenced ^= line.startswith("```")
        heading = None if fenced else HEADING.match(line)
        if heading:
            found.append((len(heading[1]), heading[2], []))
        if found:
            found[-1][2].append(line)
    return found


def chapters(parts: Iterable[Section]) -> list[str]:
    """The titles of the main headings."""
    return [title for level, title, _ in parts if level <= CHAPTER]


def section(pages: Iterable[str], title: str) -> str:
    """The sections whose heading contains the title, each with its subsections."""
    parts = [part for page in pages for part in sections(page)]
    lines: list[str] = []
    inside = 0
    for level, heading, text in parts:
        if inside and level <= inside:
            inside = 0
        if not inside and title.casefold() in heading.casefold():
            inside = level
        if inside:
            lines += text
    if not lines:
        raise CabochonError(f"no section {title!r}: choose from {'; '.join(chapters(parts))}")
    return "\n".join(lines)


def show_rules(out: Console, variant: str, title: str = "") -> None:
    """Print the page of a variant, or the sections (of the house rules too) whose heading contains the title."""
    pages = rules_pages()
    if variant not in pages:
        raise CabochonError(f"no page {variant!r}: choose one of {', '.join(pages)}")
    wanted = [pages[variant], *(pages[name] for name in pages if name not in CARDS and name != variant)]
    out.print(Markdown(section(wanted, title) if title else pages[variant]))
