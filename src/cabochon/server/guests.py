"""Guests: a signed cookie says who somebody is, and a nickname what to call them."""

import unicodedata
import zlib

from fastapi import Response
from itsdangerous import BadSignature, URLSafeSerializer
from starlette.requests import HTTPConnection

from .refusals import Refused

COOKIE = "cabochon_guest"
COOKIE_SECONDS = 2 * 365 * 86_400
LONGEST_COOKIE = 200
JOINER = "\u200d"  # holds the parts of an emoji together
STONES = (
    "Agate", "Amber", "Beryl", "Citrine", "Coral", "Garnet", "Jade", "Jasper", "Lapis", "Onyx", "Opal", "Pearl", "Peridot",
    "Quartz", "Spinel", "Topaz", "Zircon",
)  # fmt: skip


class Guests:
    """Makes and reads the cookies."""

    def __init__(self, key: str) -> None:
        self.signer = URLSafeSerializer(key, salt="guest")

    def user_of(self, connection: HTTPConnection) -> str | None:
        """Who is asking; None without a cookie that was signed here."""
        text = connection.cookies.get(COOKIE, "")
        if not text or len(text) > LONGEST_COOKIE:
            return None
        try:
            user = self.signer.loads(text)
        except BadSignature:
            return None
        return user if isinstance(user, str) else None

    def remember(self, response: Response, user: str, secure: bool) -> None:
        """Give a browser its cookie."""
        response.set_cookie(
            COOKIE, self.signer.dumps(user), max_age=COOKIE_SECONDS, httponly=True, samesite="lax", secure=secure, path="/"
        )


def first_name(user: str) -> str:
    """A name for somebody who has not said theirs: a stone, alike in all languages."""
    number = zlib.crc32(user.encode())
    return f"{STONES[number % len(STONES)]} {number // len(STONES) % 90 + 10}"


def clean_name(name: str) -> str:
    """A nickname, trimmed; control characters and other invisible ones are refused."""
    trimmed = name.strip()
    for letter in trimmed:
        kind = unicodedata.category(letter)
        if (kind[0] == "C" and letter != JOINER) or kind in ("Zl", "Zp"):
            raise Refused("name_characters")
    if not trimmed.replace(JOINER, ""):
        raise Refused("name_empty")
    return trimmed
