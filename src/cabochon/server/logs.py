"""The log: lines of JSON if that is set; and a filter, so that one error a thousand times a second does not fill it."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from orjson import dumps

from ..errors import CabochonError

LOGGERS = ("cabochon.server", "uvicorn.error")
REPEAT_SECONDS = 1.0
MAX_TROUBLES = 1000


class LeaveOutRepeats(logging.Filter):
    """Lets one record a second pass of each trouble, with the number of those left out before it.

    The same trouble is the same message before its values are filled in, with the same kind of exception.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.monotonic = monotonic
        self.troubles: OrderedDict[tuple[str, str], tuple[float, int]] = OrderedDict()  # when one passed, how many did not since

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record passes."""
        kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        key, now = (str(record.msg), kind), self.monotonic()
        passed, left_out = self.troubles.pop(key, (-REPEAT_SECONDS, 0))
        is_new = now - passed >= REPEAT_SECONDS
        self.troubles[key] = (now, 0) if is_new else (passed, left_out + 1)
        if len(self.troubles) > MAX_TROUBLES:
            self.troubles.popitem(last=False)
        if is_new and left_out:
            record.msg, record.args = f"{record.getMessage()} ({left_out} more like this were left out)", None
        return is_new


# What is being done now, for the log: the table, and the number of the request (of HTTP, or of the socket).
doing: ContextVar[dict[str, Any] | None] = ContextVar("doing", default=None)


class JsonLines(logging.Formatter):
    """A record as one line of JSON, with the table and the number of the request that it is about."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **(doing.get() or {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return dumps(line, default=str).decode()


def set_up_logs(form: str) -> None:
    """`text`: as Python prints warnings. `json`: lines of JSON, and what happens too that is no trouble."""
    if form not in ("text", "json"):
        raise CabochonError(f"CABOCHON_LOG_FORMAT: {form!r} is neither text nor json")
    if form == "json":
        handler = logging.StreamHandler()
        handler.setFormatter(JsonLines())
        logging.basicConfig(level=logging.WARNING, handlers=[handler])
        logging.getLogger("cabochon.server").setLevel(logging.INFO)


def leave_out_repeats() -> None:
    """For the whole process."""
    repeats = LeaveOutRepeats()
    for name in LOGGERS:
        logging.getLogger(name).addFilter(repeats)
