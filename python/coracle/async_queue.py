# SPDX-License-Identifier: Apache-2.0
"""A pool of sessions that work while their caller goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .async_run import AsyncRun
from .errors import InvalidArgumentError
from .pool import default_threads
from .results import Results
from .session import Inputs, Lod, Session

if TYPE_CHECKING:
    from .model import Model


class AsyncInferQueue:
    """Runs a model on many inputs, several at a time, and calls a function with the results of each:

        def store(results, name):
            numpy.save(name, results[0])

        with coracle.AsyncInferQueue(model, callback=store) as queue:
            for name, pixels in pictures:
                queue.start_async(pixels, name)

    model: of `coracle.load`. jobs: how many runs at a time, each with a session of its own on the model's weights; 0 is
    `default_threads()`, with a thread each. callback: called as `callback(results, userdata)` in a thread of the library, which other
    runs need, or in the caller's where a run ends at once: it should be short, and may start no run. threads and other keywords: those of `Model.session`.
    Usable by any number of threads.
    """

    def __init__(self, model: Model, jobs: int = 0, *, callback: Callable[[Results, Any], object] | None = None, threads: int = 1,
                 **options: Any):
        if not isinstance(jobs, int) or jobs < 0:
            raise InvalidArgumentError("jobs is %r, expected how many runs at a time, or 0" % (jobs,))
        first = model.session(threads, **options)
        self._sessions = [first, *(first.clone() for _ in range((jobs or default_threads()) - 1))]
        self._idle = list(self._sessions)
        self._changed = threading.Condition()
        self._failures: list[BaseException] = []
        self.set_callback(callback)

    def set_callback(self, callback: Callable[[Results, Any], object] | None) -> None:
        """For the runs that are started from now on."""
        if callback is not None and not callable(callback):
            raise InvalidArgumentError("callback is a %s, expected a function" % type(callback).__name__)
        self._callback = callback

    def __len__(self) -> int:
        """How many runs at a time."""
        return len(self._sessions)

    def is_ready(self) -> bool:
        """Whether `start_async` would begin a run at once."""
        return bool(self._idle)

    def start_async(self, inputs: Inputs = None, userdata: Any = None, *, lod: Mapping[str, Lod] | None = None, **limits: Any) -> AsyncRun:
        """Begins a run as soon as one of the sessions is idle, for which it waits, and returns it. `inputs`, `lod` and `limits` are those
        of `Session.run`; arrays must not change until the run has ended. What is wrong with them is raised here."""
        with self._changed:
            while self._sessions and not self._idle:
                self._changed.wait()
            if not self._sessions:
                raise InvalidArgumentError("the queue is closed")
            session = self._idle.pop()
        try:
            run = session.run_async(inputs, lod, **limits)
        except BaseException:
            self._give_back(session)
            raise
        callback = self._callback
        run.add_done_callback(lambda ended: self._end(session, ended, callback, userdata))
        return run

    def _end(self, session: Session, run: AsyncRun, callback: Callable[[Results, Any], object] | None, userdata: Any) -> None:
        try:
            results = run.result()
            if callback is not None:
                callback(results, userdata)
        except BaseException as failure:   # Nothing may pass through the library.
            self._failures.append(failure)
        finally:
            self._give_back(session)

    def _give_back(self, session: Session) -> None:
        with self._changed:
            self._idle.append(session)
            self._changed.notify_all()

    def wait_all(self) -> None:
        """Returns when no run is under way and all callbacks have returned. Raises what the first of them that failed raised since the
        last call, be it a run or a callback."""
        with self._changed:
            while len(self._idle) < len(self._sessions):
                self._changed.wait()
            failures, self._failures = self._failures, []
        if failures:
            raise failures[0]

    def close(self) -> None:
        """Gives the sessions back, when the runs that are under way have ended."""
        with self._changed:
            while len(self._idle) < len(self._sessions):
                self._changed.wait()
            sessions, self._sessions, self._idle = self._sessions, [], []
            self._changed.notify_all()
        for session in sessions:
            session.close()

    def __enter__(self) -> AsyncInferQueue:
        return self

    def __exit__(self, kind, *_) -> None:
        try:
            if kind is None:
                self.wait_all()
        finally:
            self.close()
