# SPDX-License-Identifier: Apache-2.0
"""Messages of the library as records of Python's `logging`, of the logger "coracle"."""

from __future__ import annotations

import atexit
import logging

from . import _library
from .errors import InvalidArgumentError

_LOGGER = logging.getLogger("coracle")
_LOGGER.addHandler(logging.NullHandler())
_LEVELS = {1: logging.WARNING, 2: logging.INFO, 3: logging.DEBUG}
# The records are DEBUG: Paddle, PaddleX and web frameworks set the root logger to INFO, and a line for each size of input would fill their output.
_RECORDS = {1: logging.WARNING, 2: logging.DEBUG, 3: logging.DEBUG}


@_library.LogFunction
def _record(_user, level: int, message: bytes) -> None:
    _LOGGER.log(_RECORDS[level], "%s", message.decode("utf-8", "replace"))


# For other libraries of the package, which have functions of that kind.
record = _record


def warning(message: str) -> None:
    """A record of the package itself."""
    _LOGGER.warning("%s", message)


def set_log_level(level: int | str) -> None:
    """Which messages the library makes at all: from `level` of Python's `logging` on (a number, or a name such as "DEBUG").

    Those go to `logging.getLogger("coracle")`, whose level and handlers decide about them as usual: warnings as WARNING, all others
    as DEBUG. At the start `level` is INFO: each load and each plan; DEBUG also tells why, some of it while a model runs.
    """
    number = logging.getLevelName(level.upper()) if isinstance(level, str) else level
    if isinstance(number, bool) or not isinstance(number, int):
        raise InvalidArgumentError("level is %r, expected a level of Python's logging" % (level,))
    _library.call("set_logger", sum(number <= each for each in _LEVELS.values()), _record, None)


set_log_level(logging.INFO)
atexit.register(set_log_level, logging.CRITICAL)   # No message reaches an interpreter that ends.
