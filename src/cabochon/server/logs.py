"""A log filter that leaves out repeated messages, so that one error a thousand times a second does not fill the log."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable

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


def leave_out_repeats() -> None:
    """For the whole process."""
    repeats = LeaveOutRepeats()
    for name in LOGGERS:
        logging.getLogger(name).addFilter(repeats)
