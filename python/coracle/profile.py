# SPDX-License-Identifier: Apache-2.0
"""Profiles: the time of each operator of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from . import _html

SHOWN = 12   # Operators with bars of their own; the rest is one bar.


class Step(NamedTuple):
    """One kernel call. Times in milliseconds, from the begin of the run; `flops` of sums of products, a multiply-add as two."""

    node: str
    op: str
    kernel: str
    output: str
    start_ms: float
    ms: float
    flops: int
    bytes: int


class OperatorTime(NamedTuple):
    """All calls of an operator: how many, milliseconds, share of the whole."""

    op: str
    calls: int
    ms: float
    share: float


class Profile(Sequence):
    """The steps of one run, in order. `by_op()` adds them up; in a notebook it shows itself as a chart and a table."""

    def __init__(self, records: Iterable[Mapping[str, Any]]):
        self._steps = tuple(Step(r["node"], r["op"], r["kernel"], r["output"], r["start_ns"] * 1e-6, r["duration_ns"] * 1e-6,
                                 r["flops"], r["bytes"]) for r in records)

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, index):
        return self._steps[index]

    @property
    def total_ms(self) -> float:
        """The steps' times added up."""
        return sum(step.ms for step in self._steps)

    def by_op(self) -> list[OperatorTime]:
        """Time by operator, the longest first."""
        times: dict[str, list[float]] = {}
        for step in self._steps:
            times.setdefault(step.op, []).append(step.ms)
        total = self.total_ms or 1.0
        rows = [OperatorTime(op, len(each), sum(each), sum(each) / total) for op, each in times.items()]
        return sorted(rows, key=lambda row: (-row.ms, row.op))

    def __repr__(self) -> str:
        rows = self.by_op()
        most = ", ".join("%s %.0f %%" % (row.op, 100 * row.share) for row in rows[:3])
        return "<coracle.Profile %d steps, %.3f ms%s>" % (len(self), self.total_ms, ": " + most if most else "")

    def __str__(self) -> str:
        rows = ["%-28s %6s %10s %7s" % ("operator", "calls", "ms", "share")]
        rows += ["%-28s %6d %10.3f %5.1f %%" % (row.op, row.calls, row.ms, 100 * row.share) for row in self.by_op()]
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        rows = self.by_op()
        rest = rows[SHOWN:]
        if rest:
            rows = rows[:SHOWN] + [OperatorTime("others", sum(r.calls for r in rest), sum(r.ms for r in rest), sum(r.share for r in rest))]
        chart = _html.bars([(row.op, row.ms, "%.3f ms, %.1f %%, %d calls" % (row.ms, 100 * row.share, row.calls)) for row in rows])
        steps = [(s.node, s.op, s.kernel, s.output, s.ms, s.flops / (s.ms * 1e6) if s.ms else 0.0) for s in self._steps]
        return (_html.heading("coracle.Profile: %d steps, %.3f ms" % (len(self), self.total_ms)) + "<div>%s</div>" % chart
                + _html.folded("steps", _html.table(("node", "operator", "kernel", "result", "ms", "GFLOP/s"), steps)))
