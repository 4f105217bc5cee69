# SPDX-License-Identifier: Apache-2.0
"""Functions of Python that the library calls: observers of a run, and those told of each rewrite."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _arrays, _library
from .errors import InvalidArgumentError


class NodeValue:
    """An operand or result of an operator, as `Session.observe` shows it.

    node: the operator's place in the model, "conv2d_3"; op: its type, "conv2d"; name: the variable's name in the file, empty for
    what rewriting made; is_result: a result, otherwise an operand; is_constant: a parameter, or made of parameters alone; dtype and
    shape: as of an array.
    """

    def __init__(self, value: _library.NodeValue):
        self.node: str = value.node.decode()
        self.op: str = value.op.decode()
        self.name: str = value.name.decode("utf-8", "replace")
        self.is_result = bool(value.is_result)
        self.is_constant = bool(value.is_constant)
        self.dtype: str = _arrays.NAMES[value.tensor.dtype]
        self.shape: tuple[int, ...] = tuple(value.tensor.dims[:value.tensor.rank])
        self._view: _library.TensorView | None = value.tensor
        self._array: np.ndarray | None = None

    @property
    def array(self) -> np.ndarray:
        """The elements, as a new array. The first look must be during the call of the observer; InvalidArgumentError behind it."""
        if self._array is None:
            if self._view is None:
                raise InvalidArgumentError("the elements of %s are gone: read value.array while the observer is called" % self)
            self._array = np.empty(self.shape, _arrays.numpy_dtype(self._view.dtype))
            if self._view.bytes:
                ctypes.memmove(_arrays.pointer(self._array), self._view.data, self._view.bytes)
        return self._array

    def __repr__(self) -> str:
        return "<%s %s of %s: %s%s>" % ("result" if self.is_result else "operand", self.name or "without a name", self.node, self.dtype,
                                        list(self.shape))


class Caller:
    """Keeps what a callback raised, and raises it behind the call of the library, at the end of a `with` block."""

    def __init__(self):
        self._failures: list[BaseException] = []   # At most one. The callbacks refer to it and not to self: no reference cycles.

    def __enter__(self) -> None:
        self._failures.clear()

    def __exit__(self, *_) -> None:
        if not self._failures:
            return
        failure = self._failures.pop()
        context = failure.__context__
        try:
            raise failure
        finally:
            failure.__context__ = context   # Not the library's error, which says less.


def _attempt(failures: list[BaseException], function: Callable[..., object], *arguments: Any) -> int:
    """0 if the function returned."""
    try:
        function(*arguments)
        return 0
    except BaseException as failure:   # Nothing may pass through the library, KeyboardInterrupt neither.
        failures.append(failure)
        return 1


class Observer(Caller):
    """`callback` as a function for coracle_session_set_observer."""

    def __init__(self, callback: Callable[[NodeValue], object]):
        super().__init__()
        failures = self._failures
        if not callable(callback):
            raise InvalidArgumentError("an observer is a function of one argument, given a %s" % type(callback).__name__)

        def show(_, pointer) -> int:
            value = NodeValue(pointer.contents)
            try:
                return _attempt(failures, callback, value)
            finally:
                value._view = None

        self.function = _library.ObserveFunction(show)


class AfterPass(Caller):
    """`callback` as the function of `options.after_pass`. The library goes on behind a failure; it is not called again."""

    def __init__(self, callback: Callable[[str, int, str, str], object] | None, options: _library.ModelOptions):
        super().__init__()
        failures = self._failures
        if callback is None:
            return
        if not callable(callback):
            raise InvalidArgumentError("after_pass is a function, given a %s" % type(callback).__name__)

        def told(_, name, count, text, dot) -> None:
            if not failures:
                _attempt(failures, callback, name.decode(), count, text.decode("utf-8", "replace"), dot.decode("utf-8", "replace"))

        options.after_pass = _library.PassFunction(told)
