"""What a messenger shows of a link to a table: Open Graph tags in the head of the client's page.

Messengers run no scripts, so the server writes the tags. Names and the title of the game need no language; the sentence below
them is in that of whoever's program asks. The pictures are files of the client, one for each theme.
"""

import json
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import Request, Response
from starlette.responses import HTMLResponse

from ..rules.variants import VARIANTS
from . import pages

if TYPE_CHECKING:
    from .table import Table

SITE = "cabochon"
PICTURE_SIZE = 1200, 630
OTHER_LANGUAGE = "en"
HEAD_END = "</head>"


def preview_page(request: Request, table: "Table | None", origin: str) -> Response:
    """The client's page, for a table that is there with its tags."""
    index = pages.STATIC / "index.html"
    if table is None or not index.is_file():
        return pages.page(request, "index.html")
    tags = preview_tags(table, origin, _words(request.headers.get("accept-language", "")))
    text = index.read_text(encoding="utf-8").replace(HEAD_END, f"{tags}\n{HEAD_END}", 1)
    return HTMLResponse(text, headers={"Cache-Control": pages.SHORT, "Vary": "Accept-Language"})


def preview_tags(table: "Table", origin: str, words: dict[str, str]) -> str:
    """The tags of a table. There is no `og:url`: the link that was sent is the one to open, with the moment of a replay in it."""
    variant = VARIANTS[table.options.variant]
    names = [seat.name for seat in table.seats if seat.is_person]
    width, height = PICTURE_SIZE
    said = {
        "og:site_name": SITE,
        "og:type": "website",
        "og:title": f"{variant.title} · {', '.join(names)}" if names else variant.title,
        "og:description": words.get(_sentence(table), ""),
        "og:image": f"{origin}/preview-{variant.theme}.png",
        "og:image:width": str(width),
        "og:image:height": str(height),
    }
    tags = [f'<meta property="{name}" content="{escape(value)}">' for name, value in said.items() if value]
    return "\n".join([*tags, '<meta name="twitter:card" content="summary_large_image">'])


def _sentence(table: "Table") -> str:
    """Which sentence says what somebody who opens the link finds there."""
    if table.status == "waiting":
        return "join" if any(seat.kind == "open" for seat in table.seats) else ""
    if not table.may_watch(None):
        return ""
    return "over" if table.status == "finished" else "watch"


def _words(accepted: str) -> dict[str, str]:
    """The sentences in the language that is wanted most of those there are."""
    path = pages.STATIC / "preview.json"
    if not path.is_file():
        return {}
    known = _all_words(path, path.stat().st_mtime_ns)
    chosen = next((language for language in wanted_languages(accepted) if language in known), OTHER_LANGUAGE)
    return known.get(chosen, {})


@lru_cache(maxsize=1)
def _all_words(path: Path, _modified: int) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(path.read_bytes())
    return found


def wanted_languages(accepted: str) -> list[str]:
    """The languages of an Accept-Language header, without their countries, the most wanted first."""
    found = []
    for part in accepted.split(","):
        language, _, quality = part.strip().partition(";")
        found.append((language.partition("-")[0].lower(), _quality(quality)))
    return [language for language, _ in sorted(found, key=lambda one: -one[1])]


def _quality(text: str) -> float:
    try:
        return float(text.strip().removeprefix("q=")) if text.strip() else 1.0
    except ValueError:
        return 0.0
