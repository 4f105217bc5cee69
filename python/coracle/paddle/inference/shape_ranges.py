# SPDX-License-Identifier: Apache-2.0
"""The shapes that operands had in runs, and the values of small whole-number ones, in the file that Paddle writes."""

from __future__ import annotations

import os
import threading
import weakref
from collections import Counter

from ... import _library
from ..._callbacks import NodeValue
from ...errors import FileError

MOST_SHAPE_VALUES = 8

# How often each number stood at each place.
Counts = list[Counter]


class ShapeRanges:
    """Least, largest and most frequent number, place by place; written when the last predictor that shares this is gone, or at the
    end of the process. FileError if the file cannot be written.
    """

    def __init__(self, path: str):
        is_there = os.path.exists(path)
        try:
            with open(path, "a", encoding="utf-8"):
                pass  # it can be written
            if not is_there:
                os.remove(path)
        except OSError as error:
            raise FileError("collect_shape_range_info: cannot write file '%s': %s" % (path, error.strerror)) from None
        self._lock = threading.Lock()
        self._shapes: dict[str, Counts] = {}
        self._values: dict[str, Counts] = {}
        weakref.finalize(self, _write, path, self._shapes, self._values)

    def add(self, value: NodeValue) -> None:
        """What operators read is counted, parameters too, as in Paddle; not what has no name in the file."""
        if value.is_result or not value.name:
            return
        size = 1
        for dim in value.shape:
            size *= dim
        numbers = value.array.ravel().tolist() if value.dtype in ("int32", "int64") and 0 < size <= MOST_SHAPE_VALUES else []
        with self._lock:
            _count(self._shapes, value.name, value.shape or (1,))
            if numbers:
                _count(self._values, value.name, numbers)


def _count(counts: dict[str, Counts], name: str, numbers) -> None:
    """Another rank than before starts anew: the file has no place for both."""
    if len(counts.get(name, ())) != len(numbers):
        counts[name] = [Counter() for _ in numbers]
    for place, number in zip(counts[name], numbers):
        place[number] += 1


def _write(path: str, shapes: dict[str, Counts], values: dict[str, Counts]) -> None:
    """A protobuf text of ShapeRangeInfos, by name."""
    lines = []
    for name in sorted(shapes, key=str.encode):
        lines.append('shape_range_info {\n  name: "%s"\n' % _escaped(name))
        for kind, places in (("shape", shapes[name]), ("value", values.get(name, []))):
            for what, chosen in (("min", min), ("max", max), ("opt", _most_frequent)):
                lines.extend("  %s_%s: %d\n" % (what, kind, chosen(place)) for place in places)
        lines.append("}\n")
    _library.write_file(path, "".join(lines).encode())


def _escaped(name: str) -> str:
    """As a text in quotes has it."""
    return "".join("\\" + c if c in '"\\' else "\\%03o" % ord(c) if ord(c) < 0x20 or ord(c) == 0x7f else c for c in name)


def _most_frequent(place: Counter) -> int:
    """Of several that of which the first came last, as in Paddle."""
    return max(reversed(list(place)), key=place.__getitem__)
