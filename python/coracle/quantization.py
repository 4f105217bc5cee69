# SPDX-License-Identifier: Apache-2.0
"""Quantising: models that compute with fewer bits, of models of float32."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Union

import numpy as np

from . import _arrays, _library, _log, _options, _quantize
from ._callbacks import Caller
from ._interrupt import Interruptible
from .errors import InvalidArgumentError, RunFailureError, counted, named_files
from .model import Model, inspect, load
from .quantization_report import QuantizationReport
from .session import Inputs

Path = Union[str, "os.PathLike[str]"]
Progress = Callable[[str, int, int], object]


def quantize(model: Path | Model, data: Iterable[Inputs] | None, output: Path, *, params: Path | None = None, type: str = "int8",
             times: Path | None = None, method: str = "auto", weights_only: str | None = None, half: bool = False,
             percentile: float = 99.99, keep: Iterable[str] = (), max_drop: float | None = None, min_snr: float | None = None,
             max_error: float | None = None, error_metric: str = "rms", scaling: str = "auto", scaling_alpha: float | None = None,
             reduce_range: bool = False, round_residuals: bool = False, bias_correction: bool = True, threads: int = 0,
             state: Path | None = None, progress: Progress | None = None, **others: Any) -> QuantizationReport:
    """Makes a model of int8 from one of float32, and writes it: `coracle.quantize("model_dir", batches, "int8_dir")`.

    Products and convolutions with constant weights compute with integers of 8 bits; how far values reach is seen in runs with `data`.
    Every fifth set is held back, and the report says how near the answers are for those. With `weights_only` or `half` weights alone are
    stored otherwise. What is written has the bytes that the program `coracle quantize` writes.

    `model`: a folder, an archive of one, or one of its files in Paddle's formats; or a Model that `coracle.load` loaded from there.
    `data`: an iterable of sets of inputs, 32 to 500 are usual, each as `Session.run` takes it: a dict of arrays by name, an array if the
    model has one input, or a tuple or list of arrays in the order of the inputs. What has a length and an index (a list, a dataset)
    is asked for each set several times, and gives the same each time; of others (a generator) all sets are kept in memory. None where
    weights alone are stored otherwise; then answers are not compared.
    `output`: a folder, NAME.pdmodel or NAME.json (as the model has it), or NAME.coracle. Files there are replaced, never the model's own.

    Args:
        params: The parameter file, where Paddle's naming rules do not find it.
        type: What layers compute in: "int8", or "auto": layer by layer what takes least time within `max_error`, `max_drop` and
            `min_snr`, for all sets of `data`. Each layer is timed here, and the report says what it has and why.
        times: With `type="auto"` a file with times of layers, the JSON of a report of another machine; None measures them here.
        method: How far values of operands reach: "minmax", "percentile", "mse", "kl", or "auto": what answers nearest.
        weights_only: "int8" or "int4": weights alone, without inputs to measure; for smaller files.
        half: Weights alone as float16.
        percentile: Percent of the values that are not clipped, with that method.
        keep: Layers that stay in float32, by the names of their results or weights.
        max_drop: Percent of the decisions that may change: layers that do the most harm stay in float32.
        min_snr: Signal to noise of all outputs at least, in decibels, in that way.
        max_error: Error of all outputs at most, relative to what they were, in that way; 0.01 is a hundredth.
        error_metric: Of `max_error`, for the worst set: "rms" is the root mean square of the differences by that of the values, "max" the
            largest difference by the largest magnitude.
        scaling: Factors for channels of operands: "none", "fold" (into parameters), "insert" (products too), or "auto": what answers
            nearest, products if by 6 dB.
        scaling_alpha: Share of operands' ranges in the factors (0 to 1), the rest is that of weights; None is the best of four.
        reduce_range: Weights of -64 to 64 steps: faster on processors with AVX2 and without VNNI, twice the error.
        round_residuals: Sums of a layer's result and another one's operand read that as it is rounded for the layer.
        bias_correction: Biases take back the mean error of rounding.
        threads: Of each run at most; 0 is `default_threads()`.
        state: A file that keeps what was measured: the same call goes on from there where this one was interrupted.
        progress: Called as `progress(step, done, total)` in this thread, the step "calibration", "methods", "times", "layers" or "choice".
            What it raises comes out of this function.

    Raises InvalidArgumentError for wrong options, for inputs that are missing, unknown, of another type or shape, or not finite, and
    where there is no data; UnsupportedError for a model that is quantised already or of another format; FileError if a file cannot be
    read or written; what iterating over `data` raises; KeyboardInterrupt after Ctrl-C. Then nothing is written but `state`.
    """
    path, params = _files_of(model, params)
    given = {name: value for name, value in locals().items() if name in _DEFAULTS}
    given["times"] = None if times is None else os.fspath(times)
    settings = _settings({name: value for name, value in given.items() if value != _DEFAULTS[name]})
    settings += _settings(others)   # The library says which name was probably meant.
    sets = _Sets(data, inspect(path, params)["inputs"])
    structure = _quantize.Options()
    _quantize.ask("quantize_options_init", ctypes.byref(structure), ctypes.sizeof(structure))
    structure.params = None if params is None else _library.path_bytes(params)
    structure.settings = (ctypes.c_char_p * len(settings))(*settings)
    structure.setting_count = len(settings)
    structure.sets = len(sets)
    structure.session = ctypes.pointer(_session_options(threads))
    structure.state = None if state is None else _library.path_bytes(state)
    structure.message = _log.record
    flag = ctypes.c_uint32(0)
    structure.cancelled = ctypes.pointer(flag)
    calls = _Calls(sets, progress, flag)
    structure.data, structure.progress = calls.data, calls.progress
    pointer = ctypes.c_void_p()
    with calls, Interruptible(lambda: setattr(flag, "value", 1)), named_files(path, params):
        _quantize.call("quantize", _library.path_bytes(path), _library.path_bytes(output), ctypes.byref(structure), ctypes.byref(pointer))
    try:
        return QuantizationReport._of(json.loads(_quantize.ask("quantization_json", pointer)),
                                      _quantize.ask("quantization_html", pointer).decode())
    finally:
        _quantize.ask("quantization_free", pointer)


_DEFAULTS = {name: value for name, value in (quantize.__kwdefaults__ or {}).items()
             if name not in ("params", "threads", "state", "progress")}


def _files_of(model: Path | Model, params: Path | None) -> tuple[Any, Any]:
    """The path of the model and of its parameters."""
    if not isinstance(model, Model):
        return model, params
    if model._loader is not load:
        raise InvalidArgumentError("the model was loaded from memory; quantize takes the path of a model's files")
    path, given = model._source
    return path, given if params is None else params


def _settings(given: Mapping[str, Any]) -> list[bytes]:
    """Options as the library takes them: "NAME=VALUE"."""
    settings = []
    for name, value in given.items():
        values = list(value) if name == "keep" and not isinstance(value, str) else [value]
        settings += ["%s=%s" % (name, _value(name, each)) for each in values if each is not None]
    return [setting.encode() for setting in settings]


def _value(name: str, value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, float, np.integer, np.floating)):
        return repr(float(value))
    if not isinstance(value, str) or "\0" in value:
        raise InvalidArgumentError("%s is %r, expected a text, a number or a truth value" % (name, value))
    return value


def _session_options(threads: int) -> _library.SessionOptions:
    options = _library.SessionOptions()
    _library.ask("session_options_init", ctypes.byref(options), ctypes.sizeof(options))
    _options.set_numbers(options, {"threads": threads})
    return options


class _Value(NamedTuple):
    """Of an input."""

    name: str
    element_type: int
    array: np.ndarray


class _Sets:
    """The sets of inputs, as the library takes them."""

    def __init__(self, data: Iterable[Inputs] | None, infos: Sequence[Mapping[str, Any]]):
        self._infos = infos
        self._kept: list[list[_Value]] | None = None
        self._data: Any = () if data is None else data
        if isinstance(data, (str, bytes, Mapping)) or _is_array(data):
            raise InvalidArgumentError("data is %s, expected an iterable of sets of inputs, a list of arrays or a generator for instance; "
                                       "of one set it is [data]" % ("a " + type(data).__name__))
        if hasattr(self._data, "__len__") and hasattr(self._data, "__getitem__"):
            return
        try:
            iterator: Iterator[Inputs] = iter(self._data)
        except TypeError:
            raise InvalidArgumentError("data is %r, expected an iterable of sets of inputs" % (data,)) from None
        # Whoever generates them may fill the same arrays each time.
        self._kept = [[value._replace(array=value.array.copy()) for value in self._values(number, given)]
                      for number, given in enumerate(iterator)]

    def __len__(self) -> int:
        return len(self._data if self._kept is None else self._kept)

    def __getitem__(self, number: int) -> list[_Value]:
        return self._values(number, self._data[number]) if self._kept is None else self._kept[number]

    def _values(self, number: int, given: Inputs) -> list[_Value]:
        try:
            return [self._value(name, value) for name, value in self._by_name(given).items()]
        except InvalidArgumentError as error:
            raise InvalidArgumentError("data[%d]: %s" % (number, error)) from error.__cause__

    def _by_name(self, given: Inputs) -> Mapping[str, Any]:
        names = [info["name"] for info in self._infos]
        if isinstance(given, Mapping):
            return given
        if isinstance(given, (tuple, list)) and given and (len(names) > 1 or isinstance(given, tuple) or _is_array(given[0])):
            if len(given) != len(names):
                raise InvalidArgumentError("the model has %s, given %d in their order: %s"
                                           % (counted(len(names), "input"), len(given), ", ".join(map(repr, names))))
            return dict(zip(names, given))
        if len(names) != 1:
            raise InvalidArgumentError("the model has %s, give a dict, or a tuple in their order: %s"
                                       % (counted(len(names), "input"), ", ".join(map(repr, names))))
        return {names[0]: given}

    def _value(self, name: str, value: Any) -> _Value:
        for info in self._infos:
            if info["name"] == name:
                number = _arrays.NAMES.index(info["dtype"])
                return _Value(name, number, _arrays.readable(value, name, number))
        return _Value(name, 0, np.zeros(0, bool))   # The library says which names there are.


def _is_array(value: Any) -> bool:
    return hasattr(value, "__array__") or hasattr(value, "__dlpack__")


class _Calls(Caller):
    """What the library calls: the inputs, and who is told how far it is."""

    def __init__(self, sets: _Sets, progress: Progress | None, flag: ctypes.c_uint32):
        super().__init__()
        failures = self._failures

        def fill(_user, number: int, inputs: int) -> int:
            try:
                for name, element_type, array in sets[number]:
                    _quantize.call("quantize_set_input", inputs, name.encode(), element_type, array.ndim, _arrays.dims(array),
                                   _arrays.pointer(array))
            except BaseException as failure:   # May not cross the library.
                failures.append(failure)
                return RunFailureError.status
            return 0

        def tell(_user, step: bytes, done: int, total: int) -> None:
            try:
                if progress is not None and not failures:
                    progress(step.decode(), done, total)
            except BaseException as failure:
                failures.append(failure)
                flag.value = 1

        self.data = _quantize.DataFunction(fill)
        self.progress = _quantize.ProgressFunction(tell)
