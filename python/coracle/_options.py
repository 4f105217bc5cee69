# SPDX-License-Identifier: Apache-2.0
"""Option structs of the C interface, filled from keyword arguments."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

import numpy as np

from . import _library
from .errors import InvalidArgumentError


def set_numbers(options: ctypes.Structure, numbers: Mapping[str, int | None]) -> None:
    """Fields of an option struct, each an integer that is not negative; None leaves the default."""
    for name, value in numbers.items():
        if value is None:
            continue
        largest = 1024 if name in ("threads", "parallel_engines") else 2**63 - 1
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 0 <= value <= largest:
            raise InvalidArgumentError("%s is %r, expected an integer from 0 to %d" % (name, value, largest))
        setattr(options, name, int(value))


def of_run(**numbers: int) -> _library.RunOptions | None:
    """None where the session's own hold."""
    if all(type(value) is int and value == 0 for value in numbers.values()):
        return None
    options = _library.RunOptions()
    _library.ask("run_options_init", ctypes.byref(options), ctypes.sizeof(options))
    set_numbers(options, numbers)
    return options
