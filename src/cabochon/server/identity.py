"""Guests: a signed cookie says who somebody is, and a nickname what to call them."""

import hmac
import time
import unicodedata
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from fastapi import Response
from itsdangerous import BadSignature, TimestampSigner, URLSafeSerializer, URLSafeTimedSerializer
from starlette.requests import HTTPConnection

from .errors import Refused

COOKIE = "cabochon_guest"
COOKIE_SECONDS = 2 * 365 * 86_400
MAX_COOKIE_LENGTH = 200
TIMED_DOTS = 2  # user, time, signature
OLD_COOKIES_UNTIL = datetime(2029, 1, 1, tzinfo=UTC).timestamp()
JOINER = "\u200d"  # holds the parts of an emoji together
STONES = (
    "Agate", "Amber", "Beryl", "Citrine", "Coral", "Garnet", "Jade", "Jasper", "Lapis", "Onyx", "Opal", "Pearl", "Peridot",
    "Quartz", "Spinel", "Topaz", "Zircon",
)  # fmt: skip


class Guests:
    """Makes and reads the cookies. A cookie says when it was given, and is given anew when its guest comes to a page."""

    def __init__(self, key: str, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.signer = URLSafeTimedSerializer(key, salt="timed guest", signer=_signer_by(clock))
        self.old_signer = URLSafeSerializer(key, salt="guest")

    def user_of(self, connection: HTTPConnection) -> str | None:
        """Who is asking; None without a cookie that was signed here, and not too long ago."""
        text = connection.cookies.get(COOKIE, "")
        if not text or len(text) > MAX_COOKIE_LENGTH:
            return None
        try:
            user = self._read(text) if text.count(".") == TIMED_DOTS else self._read_old(text)
        except BadSignature:
            return None
        return user if isinstance(user, str) else None

    def _read(self, text: str) -> Any:
        user, given = self.signer.loads(text, return_timestamp=True)
        is_valid = is_canonical(self.signer, text) and self.clock() - given.timestamp() <= COOKIE_SECONDS
        return user if is_valid else None

    def _read_old(self, text: str) -> Any:
        """Cookies from before they had a time. The last of them has left its browser by the day after which none is read."""
        user = self.old_signer.loads(text)
        return user if is_canonical(self.old_signer, text) and self.clock() < OLD_COOKIES_UNTIL else None

    def remember(self, response: Response, user: str, secure: bool) -> None:
        """Give a browser its cookie."""
        response.set_cookie(
            COOKIE, self.signer.dumps(user), max_age=COOKIE_SECONDS, httponly=True, samesite="lax", secure=secure, path="/"
        )


def _signer_by(clock: Callable[[], float]) -> type[TimestampSigner]:
    """A signer that takes the time from this clock."""

    class ClockSigner(TimestampSigner):
        def get_timestamp(self) -> int:
            return int(clock())

    return ClockSigner


def is_canonical(signer: URLSafeSerializer | URLSafeTimedSerializer, text: str) -> bool:
    """Whether the text ends in the very signature we write. In base64 the last letter has spare bits, which readers ignore."""
    signed, _, signature = text.rpartition(".")
    return hmac.compare_digest(signature.encode(), signer.make_signer(signer.salt).get_signature(signed))


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
