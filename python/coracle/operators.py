# SPDX-License-Identifier: Apache-2.0
"""Operators of one's own: what a model names and Coracle does not have, as functions of NumPy arrays."""

from __future__ import annotations

import ctypes
import itertools
import os
import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Union

import numpy as np

from . import _arrays, _library
from ._library import OperatorStruct
from .errors import InvalidArgumentError

Texts = Union[str, Iterable[str], None]


class TensorType(NamedTuple):
    """Type of an operand or a result: the name of its element type, its sizes (None: not known yet; no tuple: not even how many), and
    of an operand its elements where they are known while types are inferred."""

    dtype: str
    shape: tuple[int | None, ...] | None
    value: np.ndarray | None = None


class _Port(NamedTuple):
    name: str
    kind: str   # "", "?" or "*".


def _joined(given: Texts) -> str:
    return "" if given is None else given if isinstance(given, str) else ", ".join(given)


def _ports(text: str) -> list[_Port]:
    """What the library understands of "x, bias?, parts*"; it checks the text."""
    names = [each.strip() for each in text.split(",")] if text.strip() else []
    return [_Port(each.rstrip("?*"), each[len(each.rstrip("?*")):]) for each in names]


def _attribute_types(text: str) -> dict[str, str]:
    pairs = (each.split("=")[0].partition(":") for each in text.split(",") if each.strip())
    return {name.strip(): kind.strip() for name, _, kind in pairs}


class Operator:
    """An operator of one's own; `coracle.operator` makes one of a function. `register` adds it to those that all models of this process
    may name, `coracle.load(operators=[...])` gives it to one model.

    name: its type in the model. inputs, outputs: names of what it takes and gives, in the model's order, as a list or separated by
    commas; "bias?" may be absent, "parts*" is a list: "x, bias?, parts*". attributes: "axis: int = -1, eps: float"; types are bool,
    int, float, string, dtype, ints, floats, strings; behind "=" is the value of one that the model does not give.

    run: `run(x, bias, parts, axis=..., eps=...)` gets an array of each operand (None where it is absent, a list of arrays for a list;
    readable during the call) and the attributes by their names, and returns an array, or a tuple with one of each output.
    infer: the same with a TensorType of each operand, and returns a TensorType of each result; None: every result has the type of the
    first operand. impure: each call of the program is made; otherwise equal calls may become one, and calls on constants be made
    while the model is loaded.
    """

    def __init__(self, name: str, run: Callable[..., Any], *, inputs: Texts = "x", outputs: Texts = "out", attributes: Texts = None,
                 infer: Callable[..., Any] | None = None, impure: bool = False):
        for what, function in (("run", run), ("infer", infer)):
            if function is not None and not callable(function):
                raise InvalidArgumentError("%s of operator '%s' is a %s, expected a function" % (what, name, type(function).__name__))
        self.name, self.run, self.infer, self.impure = name, run, infer, impure
        self.inputs, self.outputs, self.attributes = _joined(inputs), _joined(outputs), _joined(attributes)
        self.__doc__ = run.__doc__
        self.__module__ = getattr(run, "__module__", __name__)

    def __call__(self, *operands: Any, **attributes: Any) -> Any:
        """Calls the function, as if there were no model."""
        return self.run(*operands, **attributes)

    def __reduce__(self):
        """By the name of its function, which a decorator has made the operator's."""
        return self.run.__qualname__

    def __repr__(self) -> str:
        return "<operator %s(%s) -> %s>" % (self.name, self.inputs, self.outputs)

    def register(self) -> Operator:
        """InvalidArgumentError where Coracle, or the process, has an operator of its name. Gives the operator itself."""
        with GivenOperators([self]) as given:
            _library.call("register_operator", ctypes.byref(given.structures[0]))
        return self

    def unregister(self) -> None:
        """Takes it back; models that have it keep it. InvalidArgumentError where there is none."""
        _library.call("unregister_operator", self.name.encode())


def operator(name: str, *, inputs: Texts = "x", outputs: Texts = "out", attributes: Texts = None,
             infer: Callable[..., Any] | None = None, impure: bool = False) -> Callable[[Callable[..., Any]], Operator]:
    """Makes an Operator of a function and registers it, for models that are loaded from then on:

        @coracle.operator("custom_relu", inputs="X", outputs="Out")
        def custom_relu(x):
            return numpy.maximum(x, 0)

    The arguments of `coracle.Operator`.
    """
    def made(run: Callable[..., Any]) -> Operator:
        return Operator(name, run, inputs=inputs, outputs=outputs, attributes=attributes, infer=infer, impure=impure).register()
    return made


def load_operators(path: str | os.PathLike[str]) -> None:
    """Loads a shared library with operators (PD_BUILD_OP of Paddle's extension.h, or the function coracle_register_operators), which
    models of this process may name from then on. FileError where it cannot be loaded, InvalidArgumentError where it registers nothing.
    """
    _library.call("load_operators", _library.path_bytes(path))


# What the library may call, by the number that it has instead of a pointer; until it releases them.
_kept: dict[int, tuple] = {}
_numbers = itertools.count(1)


def _released(number, kept=_kept) -> None:
    kept.pop(number, None)


_RELEASE = _library.ReleaseFunction(_released)
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_RELEASE))   # The library may call it after this module is gone.


class GivenOperators:
    """The structures of coracle/operator.h for operators. At the end of a `with` block without an exception they are the library's."""

    def __init__(self, operators: Sequence[Operator]):
        self._mine: list[int] = []
        self.structures = (OperatorStruct * len(operators))()
        for op, structure in zip(operators, self.structures):
            if not isinstance(op, Operator):
                raise InvalidArgumentError("operators has a %s, expected coracle.Operator" % type(op).__name__)
            _library.ask("operator_init", ctypes.byref(structure), ctypes.sizeof(structure))
            number = next(_numbers)
            calls = _Calls(op)
            structure.name, structure.inputs, structure.outputs = op.name.encode(), op.inputs.encode(), op.outputs.encode()
            structure.attributes, structure.impure, structure.user, structure.release = op.attributes.encode(), bool(op.impure), number, _RELEASE
            structure.run = _library.OperatorFunction(calls.run)
            if op.infer is not None:
                structure.infer = _library.OperatorFunction(calls.infer)
            _kept[number] = (structure.run, structure.infer, op)
            self._mine.append(number)

    def __enter__(self) -> GivenOperators:
        return self

    def __exit__(self, kind, *_) -> None:
        if kind is not None:
            for number in self._mine:
                _kept.pop(number, None)


class _Calls:
    """What the library calls of an operator."""

    def __init__(self, op: Operator):
        self._op = op
        self._inputs = _ports(op.inputs)
        self._outputs = _ports(op.outputs)
        self._types = _attribute_types(op.attributes)

    def run(self, _, call) -> int:
        return self._guarded(call, lambda: self._give(call, self._op.run, _array, _put))

    def infer(self, _, call) -> int:
        return self._guarded(call, lambda: self._give(call, self._op.infer, _type, _set_type))

    def _guarded(self, call, function: Callable[[], None]) -> int:
        try:
            function()
            return 0
        except BaseException as failure:   # Nothing may pass through the library, KeyboardInterrupt neither.
            place = traceback.extract_tb(failure.__traceback__)[-1]
            message = "%s: %s (%s:%d)" % (type(failure).__name__, failure, place.filename, place.lineno)
            status = _library.ask("call_fail", call, message.encode("utf-8", "replace"))
            return status if isinstance(failure, Exception) else 7   # CORACLE_CANCELLED.

    def _give(self, call, function, read, write) -> None:
        results = function(*self._operands(call, read), **self._attributes(call))
        if len(self._outputs) == 1 and not (isinstance(results, (tuple, list)) and not isinstance(results, TensorType)
                                            and len(results) == 1 and self._outputs[0].kind != "*"):
            results = (results,)
        if not isinstance(results, (tuple, list)) or len(results) != len(self._outputs):
            raise InvalidArgumentError("it returned %s, expected a tuple of %d (%s)"
                                       % (type(results).__name__, len(self._outputs), self._op.outputs))
        for number, (port, result) in enumerate(zip(self._outputs, results)):
            wanted = _library.ask("call_output_count", call, number)
            each = list(result) if port.kind == "*" else [result]
            if port.kind == "*" and len(each) != wanted:
                raise InvalidArgumentError("it returned %d tensors for '%s', expected %d" % (len(each), port.name, wanted))
            for index in range(wanted):
                if each[index] is None:
                    raise InvalidArgumentError("it returned None for '%s'" % port.name)
                write(call, number, index, each[index], port.name)

    def _operands(self, call, read) -> list[Any]:
        operands: list[Any] = []
        for number, port in enumerate(self._inputs):
            values = [read(call, number, i) for i in range(_library.ask("call_input_count", call, number))]
            operands.append(values if port.kind == "*" else values[0] if values else None)
        return operands

    def _attributes(self, call) -> dict[str, Any]:
        return {name: _READERS[kind](call, name) for name, kind in self._types.items()}


def _list(call, name: str, function: str, kind) -> list[Any]:
    values, count = ctypes.POINTER(kind)(), ctypes.c_size_t()
    _library.call(function, call, name.encode(), ctypes.byref(values), ctypes.byref(count))
    return values[:count.value]


def _ints(call, name: str) -> list[int]:
    return _list(call, name, "call_ints", ctypes.c_int64)


def _floats(call, name: str) -> list[float]:
    return _list(call, name, "call_floats", ctypes.c_double)


def _strings(call, name: str) -> list[str]:
    return [each.decode("utf-8", "replace") for each in _list(call, name, "call_strings", ctypes.c_char_p)]


_READERS: dict[str, Callable[..., Any]] = {
    "bool": lambda call, name: bool(_ints(call, name)[0]), "int": lambda call, name: _ints(call, name)[0],
    "float": lambda call, name: _floats(call, name)[0], "string": lambda call, name: _strings(call, name)[0],
    "dtype": lambda call, name: _arrays.NAMES[_ints(call, name)[0]], "ints": _ints, "floats": _floats, "strings": _strings}


def _view(call, number: int, index: int) -> _library.TensorView:
    view = _library.TensorView()
    _library.call("call_input", call, number, index, ctypes.byref(view))
    return view


def _elements(view: _library.TensorView) -> np.ndarray:
    dtype = _arrays.numpy_dtype(view.dtype)
    shape = tuple(view.dims[:view.rank])
    array = (np.frombuffer((ctypes.c_char * view.bytes).from_address(view.data), dtype).reshape(shape) if view.bytes
             else np.empty(shape, dtype))
    array.flags.writeable = False
    return array


def _array(call, number: int, index: int) -> np.ndarray:
    return _elements(_view(call, number, index))


def _type(call, number: int, index: int) -> TensorType:
    view = _view(call, number, index)
    shape = None if view.rank < 0 else tuple(None if size < 0 else size for size in view.dims[:view.rank])
    return TensorType(_arrays.NAMES[view.dtype], shape, _elements(view).copy() if view.data else None)


def _put(call, number: int, index: int, result: Any, name: str) -> None:
    array = np.ascontiguousarray(result)
    if not isinstance(result, np.ndarray) or result.ndim == 0:
        array = array.reshape(np.shape(result))
    dtype = _arrays.element_type(array, -1)
    if dtype is None:
        raise InvalidArgumentError("it returned elements of type %s for '%s', which no tensor has" % (array.dtype, name))
    data = ctypes.c_void_p()
    dims = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    _library.call("call_output", call, number, index, dtype, array.ndim, dims, ctypes.byref(data))
    if array.nbytes:
        ctypes.memmove(data, _arrays.pointer(array), array.nbytes)


def _set_type(call, number: int, index: int, result: Any, name: str) -> None:
    if not isinstance(result, TensorType):
        raise InvalidArgumentError("infer returned a %s for '%s', expected a coracle.TensorType" % (type(result).__name__, name))
    dtype = _arrays.element_type(np.empty(0, np.dtype(result.dtype)), -1) if result.dtype not in _arrays.NAMES else \
        _arrays.NAMES.index(result.dtype)
    if dtype is None:
        raise InvalidArgumentError("infer returned the element type %r for '%s', which no tensor has" % (result.dtype, name))
    sizes = [-1 if size is None else size for size in result.shape or ()]
    dims = (ctypes.c_int64 * max(len(sizes), 1))(*sizes)
    _library.call("call_set_output", call, number, index, dtype, -1 if result.shape is None else len(sizes), dims)
