# SPDX-License-Identifier: Apache-2.0
"""How far work is, for people: a bar in a notebook, a line in a terminal."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any, Union

from .errors import InvalidArgumentError

Wanted = Union[bool, Callable[[int, "int | None"], Any]]

WIDTH = 30
INTERVAL = 0.1   # seconds between two pictures of the bar


class Progress:
    """wanted: False for nothing; a function of what is done and of all (None where that is not known); True for a bar, in a notebook by
    IPython if it runs here, in a terminal as a line on standard error, and elsewhere for nothing."""

    def __init__(self, wanted: Wanted):
        if not isinstance(wanted, bool) and not callable(wanted):
            raise InvalidArgumentError("progress is %r, expected True, False or a function (done, all)" % (wanted,))
        self._function = wanted if callable(wanted) else None
        self._bar: _Notebook | _Terminal | None = None
        if wanted is True:
            self._bar = _Notebook() if _notebook_runs() else _Terminal() if _is_terminal() else None
        self._shown_at = -INTERVAL
        self._last: tuple[int, int | None] | None = None

    def show(self, done: int, total: int | None) -> None:
        if self._function is not None:
            self._function(done, total)
        if self._bar is None:
            return
        self._last = done, total
        now = time.monotonic()
        if now - self._shown_at >= INTERVAL:
            self._shown_at = now
            self._bar.show(done, total)

    def close(self) -> None:
        if self._bar is not None and self._last is not None:
            self._bar.show(*self._last)
            self._bar.close()
        self._bar = None


def _notebook_runs() -> bool:
    """Whether this is IPython's kernel: who has not imported it has none."""
    ipython = sys.modules.get("IPython")
    shell = getattr(ipython, "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _text(done: int, total: int | None) -> str:
    return str(done) if total is None else "%d/%d" % (done, total)


class _Notebook:
    def __init__(self) -> None:
        self._module = importlib.import_module("IPython.display")
        self._place: Any = None

    def show(self, done: int, total: int | None) -> None:
        extent = "" if total is None else ' value="%d" max="%d"' % (done, max(total, 1))
        page = self._module.HTML('<progress%s style="width:20em"></progress> %s' % (extent, _text(done, total)))
        if self._place is None:
            self._place = self._module.display(page, display_id=True)
        else:
            self._place.update(page)

    def close(self) -> None:
        """The bar stays as it is."""


class _Terminal:
    def show(self, done: int, total: int | None) -> None:
        filled = 0 if not total else min(done, total) * WIDTH // total
        sys.stderr.write("\r[%s%s] %s" % ("#" * filled, "." * (WIDTH - filled), _text(done, total)))
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
