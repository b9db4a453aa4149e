"""Guests: a signed cookie holds the user id; a nickname is what others see."""

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
DEVICE_SECONDS = 600
TIMED_DOTS = 2  # user, time, signature
OLD_COOKIES_UNTIL = datetime(2029, 1, 1, tzinfo=UTC).timestamp()
JOINER = "\u200d"  # holds the parts of an emoji together
STONES = (
    "Agate", "Amber", "Beryl", "Citrine", "Coral", "Garnet", "Jade", "Jasper", "Lapis", "Onyx", "Opal", "Pearl", "Peridot",
    "Quartz", "Spinel", "Topaz", "Zircon",
)  # fmt: skip


class Guests:
    """Writes and reads the cookies. A cookie holds the time it was set, and each visit renews it."""

    def __init__(self, key: str, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.signer = URLSafeTimedSerializer(key, salt="timed guest", signer=_signer_by(clock))
        self.old_signer = URLSafeSerializer(key, salt="guest")
        self.device_signer = URLSafeTimedSerializer(key, salt="device", signer=_signer_by(clock))

    def user_of(self, connection: HTTPConnection) -> str | None:
        """The user id of a request; None without a valid cookie that has not expired."""
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
        """Read a cookie of the old format, without a time. Browsers have dropped the last of them by OLD_COOKIES_UNTIL."""
        user = self.old_signer.loads(text)
        return user if is_canonical(self.old_signer, text) and self.clock() < OLD_COOKIES_UNTIL else None

    def device_key(self, user: str) -> str:
        """What lets another browser become this guest, for a few minutes."""
        return str(self.device_signer.dumps(user))

    def user_of_device_key(self, key: str) -> str:
        """The guest of such a key."""
        try:
            user, given = self.device_signer.loads(key, return_timestamp=True)
        except BadSignature as error:
            raise Refused("no_device_key") from error
        if not is_canonical(self.device_signer, key) or self.clock() - given.timestamp() > DEVICE_SECONDS:
            raise Refused("no_device_key")
        return str(user)

    def remember(self, response: Response, user: str, secure: bool) -> None:
        """Set the cookie."""
        response.set_cookie(
            COOKIE, self.signer.dumps(user), max_age=COOKIE_SECONDS, httponly=True, samesite="lax", secure=secure, path="/"
        )


def _signer_by(clock: Callable[[], float]) -> type[TimestampSigner]:
    """A signer class that reads this clock: tests set it."""

    class ClockSigner(TimestampSigner):
        def get_timestamp(self) -> int:
            return int(clock())

    return ClockSigner


def is_canonical(signer: URLSafeSerializer | URLSafeTimedSerializer, text: str) -> bool:
    """Whether the signature is byte for byte the one we write. The last base64 letter has spare bits that decoders ignore."""
    signed, _, signature = text.rpartition(".")
    return hmac.compare_digest(signature.encode(), signer.make_signer(signer.salt).get_signature(signed))


def first_name(user: str) -> str:
    """A default nickname, made from the user id: a stone whose name is understood in all four languages."""
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
