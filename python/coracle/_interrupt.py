# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C during a long call of the library: KeyboardInterrupt comes at once, not behind the call.

Python's signal handlers run between bytecodes of the main thread, which is in the library. So a thread of its own is told of the
signal by `signal.set_wakeup_fd` and cancels the call; then the main thread gets on, and Python raises KeyboardInterrupt there.
Signals are watched only while the main thread is in such a call and SIGINT has Python's own handler: whoever handles it otherwise
(asyncio, a program's own function) decides what ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

_PAUSE = 0.005   # Seconds between tries: the signal may come just before the call begins in the library.


class _Watcher:
    """The thread, and the pipe by which it is told. Made with the first call that is watched."""

    def __init__(self):
        self._read, self.write = os.pipe()
        if sys.platform != "win32":   # There Python asks this of sockets alone.
            os.set_blocking(self.write, False)
        self.call: Interruptible | None = None
        self.others = -1   # The descriptor of whoever else waits for signals, with the last call.
        threading.Thread(target=self._watch, name="coracle-interrupt", daemon=True).start()

    def _watch(self) -> None:
        while numbers := os.read(self._read, 64):
            call = self.call
            if self.others != -1:
                with contextlib.suppress(OSError):
                    os.write(self.others, numbers)
            while signal.SIGINT in numbers and call is not None and self.call is call:
                call.cancel()
                time.sleep(_PAUSE)

    def close(self) -> None:
        os.close(self._read)
        os.close(self.write)


_watcher: _Watcher | None = None


def _forget() -> None:
    """In a forked child there is no such thread."""
    global _watcher
    if _watcher is not None:
        _watcher.close()
        _watcher = None


if hasattr(os, "register_at_fork"):   # Windows has no fork.
    os.register_at_fork(after_in_child=_forget)


class Interruptible:
    """`with Interruptible(cancel):` around a call of the library that `cancel`, called in another thread, ends."""

    def __init__(self, cancel: Callable[[], object]):
        self.cancel = cancel
        self._others = -1
        self._watched = False

    def __enter__(self) -> None:
        global _watcher
        if (threading.current_thread() is not threading.main_thread()
                or signal.getsignal(signal.SIGINT) is not signal.default_int_handler):
            return
        if _watcher is None:
            _watcher = _Watcher()
        try:
            self._others = signal.set_wakeup_fd(_watcher.write, warn_on_full_buffer=False)
        except ValueError:   # A subinterpreter.
            return
        _watcher.others = self._others
        _watcher.call = self
        self._watched = True

    def __exit__(self, *_) -> None:
        if not self._watched:
            return
        try:
            if _watcher is not None:
                _watcher.call = None
        finally:
            try:
                signal.set_wakeup_fd(self._others, warn_on_full_buffer=False)
            except (ValueError, OSError):   # It was closed meanwhile.
                signal.set_wakeup_fd(-1)
