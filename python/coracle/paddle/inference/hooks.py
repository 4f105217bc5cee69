# SPDX-License-Identifier: Apache-2.0
"""What is watched while a predictor runs, and what is written while its model is loaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _library
from ..._callbacks import NodeValue
from ...errors import FileError
from .shape_ranges import ShapeRanges

Hook = Callable[[str, str, "HookTensor"], object]


class HookTensor:
    """An operand or result as hooks see it: `name`, `shape`, `dtype`, `numpy()`; all else as an array. It may be kept."""

    def __init__(self, name: str, array: np.ndarray):
        self.name = name
        self.shape = list(array.shape)
        self._array = array

    def numpy(self) -> np.ndarray:
        return self._array

    def __array__(self, *arguments, **named) -> np.ndarray:
        return np.array(self._array, *arguments, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._array, name)

    def __repr__(self) -> str:
        return "HookTensor(name=%s, shape=%s, dtype=%s)\n%s" % (self.name, self.shape, self._array.dtype, self._array)


class Watch:
    """Hooks of one predictor, and the ranges of shapes that it and its clones collect. Does not know its predictor, so that this
    goes as soon as nobody uses it.
    """

    def __init__(self, ranges: ShapeRanges | None):
        self.ranges = ranges
        self.output_hooks: list[Hook] = []
        self.input_hooks: list[Hook] = []

    def __call__(self, value: NodeValue) -> None:
        if self.ranges is not None:
            self.ranges.add(value)
        hooks = self.output_hooks if value.is_result else self.input_hooks
        if hooks:
            name = value.name or value.node + ".tmp"
            tensor = HookTensor(name, value.array)
            for hook in hooks:
                hook(value.op, name, tensor)


class GraphDump:
    """Writes the graph after each rewrite into `<folder>/<number>_ir_<rewrite>.txt` and `.dot`. Makes the folder, but not the one
    it is in.
    """

    def __init__(self, folder: str):
        self._folder, self._number = folder, 0
        if folder and not os.path.isdir(folder):
            try:
                os.mkdir(folder)
            except OSError as error:
                raise FileError("switch_ir_debug: cannot write '%s': %s" % (folder, error.strerror)) from None

    def __call__(self, name: str, count: int, text: str, dot: str) -> None:
        path = os.path.join(self._folder, "%d_ir_%s" % (self._number, name))
        self._number += 1
        for suffix, content in ((".txt", text), (".dot", dot)):
            try:
                _library.write_file(path + suffix, content.encode())
            except FileError as error:
                raise FileError("switch_ir_debug: %s" % error) from None
