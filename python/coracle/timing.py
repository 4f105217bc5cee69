# SPDX-License-Identifier: Apache-2.0
"""How long a model takes: coracle.bench."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from typing import NamedTuple, Union

from . import _html
from .errors import InvalidArgumentError
from .model import Model
from .session import Inputs, Lod, Session


class Bench(NamedTuple):
    """What `coracle.bench` found, in milliseconds. `first` is the first run, which also plans."""

    min: float
    median: float
    p99: float
    first: float
    times: tuple[float, ...]

    def __repr__(self) -> str:
        return "<coracle.Bench min %.3f ms, median %.3f ms, p99 %.3f ms of %d runs, first run %.3f ms>" % (
            self.min, self.median, self.p99, len(self.times), self.first)

    def _repr_html_(self) -> str:
        return _html.table(("min, ms", "median, ms", "p99, ms", "first run, ms", "runs"),
                           [(self.min, self.median, self.p99, self.first, len(self.times))])


def bench(model: Union[Model, Session], inputs: Inputs = None, lod: Mapping[str, Lod] | None = None, *, threads: int = 0,
          repeat: int = 50, warmup: int = 5) -> Bench:
    """Times runs of a model, or of a session, with these inputs: `coracle.bench(model, {"x": x}, threads=2).median`.

    As the program `coracle bench`: only the runs are timed, not setting inputs nor copying results. `threads` is for a model;
    a session has its own. Raises what `Session.run` raises.
    """
    if repeat < 1 or warmup < 0:
        raise InvalidArgumentError("repeat is %d and warmup %d, expected at least 1 and 0" % (repeat, warmup))
    session = model.session(threads) if isinstance(model, Model) else model
    times = []
    with session._use() as pointer:
        session._set_all(pointer, inputs, lod)
        for _ in range(max(1, warmup) + repeat):
            start = time.perf_counter()
            session._run_in(pointer)
            times.append((time.perf_counter() - start) * 1e3)
    counted = tuple(times[max(1, warmup):])
    ordered = sorted(counted)
    return Bench(ordered[0], statistics.median(ordered), ordered[round(0.99 * (len(ordered) - 1))], times[0], counted)
