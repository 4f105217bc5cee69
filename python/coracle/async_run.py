# SPDX-License-Identifier: Apache-2.0
"""Runs that go on while their caller does."""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import ctypes
import itertools
import weakref
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from . import _library
from .results import Results

if TYPE_CHECKING:
    from .session import Session

_under_way: dict[int, AsyncRun] = {}   # By the number that the library is given.
_numbers = itertools.count(1)
_sessions: weakref.WeakSet[Session] = weakref.WeakSet()   # Those that have had such a run.


class AsyncRun(concurrent.futures.Future):
    """A run that `Session.run_async` has started: `await` it in an event loop of asyncio, or ask it for its `result()`.

    It is a concurrent.futures.Future: `result(timeout)`, `exception(timeout)`, `done()` and `add_done_callback` are that of one, and
    concurrent.futures.wait takes several. Functions of `add_done_callback` are called in a thread of the library, which other runs
    need: they should be short. They may use the session.
    """

    def __init__(self, session: Session, held: contextlib.ExitStack):
        super().__init__()
        self._session = session
        self._held = held   # What gives the session back.
        self._has_ended = False
        self.set_running_or_notify_cancel()

    def _start(self, pointer: ctypes.c_void_p, options: _library.RunOptions | None) -> None:
        number = next(_numbers)
        _under_way[number] = self
        _sessions.add(self._session)
        try:
            _library.call("session_run_async", pointer, None if options is None else ctypes.byref(options), _ENDED, number)
        except BaseException:
            del _under_way[number]
            raise

    def _end(self, status: int) -> None:
        with self._session._closing:
            self._has_ended = True
        try:
            with self._held:
                _library.check(status)
                results: Results = self._session._results(self._session._pointer)
        except BaseException as failure:   # Nothing may pass through the library.
            self.set_exception(failure)
        else:
            self.set_result(results)

    def cancel(self) -> bool:
        """Ends the run, as `Session.cancel` does: `result()` and `await` then raise coracle.CancelledError, when it has ended. False
        where it has ended already. An `await` that is cancelled calls this, and does not wait: the session is in use until `done()`."""
        with self._session._closing:
            if self._has_ended or self._session._pointer is None:
                return False
            _library.call("session_cancel", self._session._pointer)
            return True

    def __await__(self) -> Generator[Any, None, Results]:
        return asyncio.wrap_future(self).__await__()

    def __repr__(self) -> str:
        return "<coracle.AsyncRun %s>" % ("that has ended" if self.done() else "under way")


def _end_of_run(number: int, status: int) -> None:
    _under_way.pop(number)._end(status)


_ENDED = _library.RunFunction(_end_of_run)


@atexit.register
def _end_all() -> None:
    """Threads of the library may not come back to an interpreter that has ended."""
    for session in list(_sessions):
        session.cancel()
        session._await_run()
