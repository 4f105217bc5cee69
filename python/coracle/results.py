# SPDX-License-Identifier: Apache-2.0
"""What sessions answer: results of runs, and figures of memory and of the machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np


class Results(dict):
    """The results of a run: arrays by name, in the model's order; `results[0]` is the first, and `a, b = results` are two.

    A dictionary in all but one: to iterate gives the arrays. `keys()` are the names, and `items()` both.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray], lods: Mapping[str, list[list[int]]]):
        super().__init__(arrays)
        self._lods = dict(lods)

    def _name(self, key: str | int) -> str:
        if isinstance(key, str):
            return key
        names = list(self.keys())
        if not -len(names) <= key < len(names):
            raise IndexError("there are %d results, there is no result %d" % (len(names), key))
        return names[key]

    def __getitem__(self, key: str | int) -> np.ndarray:
        return super().__getitem__(self._name(key))

    def __iter__(self) -> Iterator[np.ndarray]:   # type: ignore[override]
        return iter(self.values())

    def lod(self, key: str | int = 0) -> list[list[int]]:
        """Sequence offsets of a result, coarsest level first; [] if it has none."""
        return self._lods.get(self._name(key), [])


class Memory(NamedTuple):
    """Bytes that a session holds: intermediate tensors and scratch, the plans of its last run, and what it has on its device."""

    arena: int
    plans: int
    device: int = 0


class MachineLimits(NamedTuple):
    """What this machine reaches: float32 operations (a multiply-add is two) and bytes read from memory, per second."""

    flops_per_second: float
    bytes_per_second: float
