# SPDX-License-Identifier: Apache-2.0
"""Pools: threads that several sessions share."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

import numpy as np

from . import _library
from .errors import InvalidArgumentError

MOST_THREADS = 1024


def default_threads() -> int:
    """The threads of a session that is given no number: the processors that the calling thread may run on, and no more than the
    control groups of this process grant."""
    return _library.ask("default_threads")


def cpu_text(cpus: str | Iterable[int]) -> str:
    """Processors as the library takes them: "0-3,8", "node1"."""
    return cpus if isinstance(cpus, str) else ",".join(str(int(cpu)) for cpu in cpus)


def bind_thread(cpus: str | Iterable[int]) -> None:
    """The calling thread runs on these processors only from now on, and so do threads that it starts, those of sessions that it runs
    first among them: "0-3,8" or the numbers, or "node1" for those of a NUMA node. Then the memory that they are the first to write to
    comes from that node as well, as long as it has some; where the system does not allow that, UnsupportedError."""
    _library.call("bind_thread", cpu_text(cpus).encode())


class Pool:
    """Threads that runs of several sessions share: `pool = coracle.Pool(4); model.session(pool=pool)`.

    With one run going on, `threads` threads work on it, the calling one included; of several runs at once each has fewer, at least its
    calling thread. 0 is `default_threads()`. Sessions keep the threads of their pool alive. Any thread may use a pool, and so may a
    forked child, where it starts threads of its own.

    With `cpus` the threads run on those processors only: "0-3,8" or the numbers, or "node1" for those of a NUMA node; 0 threads is
    then one for each. The calling thread stays where it may run (`os.sched_setaffinity`).
    """

    def __init__(self, threads: int = 0, cpus: str | Iterable[int] | None = None):
        if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or not 0 <= threads <= MOST_THREADS:
            raise InvalidArgumentError("threads is %r, expected an integer from 0 to %d" % (threads, MOST_THREADS))
        self._pointer = ctypes.c_void_p()
        self.cpus: str | None = None if cpus is None else cpu_text(cpus)
        if self.cpus is None:
            _library.call("pool_create", int(threads), ctypes.byref(self._pointer))
        else:
            _library.call("pool_create_on", self.cpus.encode(), int(threads), ctypes.byref(self._pointer))
        _library.freed_with(self, _library.ask, "pool_free", self._pointer)
        self.threads: int = _library.ask("pool_threads", self._pointer)

    def __reduce__(self):
        return Pool, (self.threads, self.cpus)

    def __repr__(self) -> str:
        return "<coracle.Pool of %d threads%s>" % (self.threads, "" if self.cpus is None else " on processors " + self.cpus)
