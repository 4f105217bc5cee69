# SPDX-License-Identifier: Apache-2.0
"""Handles of inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import _arrays, dlpack
from ..._handle import TensorInfo
from ...errors import InvalidArgumentError
from . import pending
from .bindings import Bindings
from .enums import DataType

TAKEN = ("float64", "float32", "float16", "int64", "int32", "uint8", "int8", "bool", "bfloat16")


def _fitting(array: np.ndarray, info: TensorInfo) -> np.ndarray:
    """The array with the element type of the input; integers of another width are converted if all of them fit."""
    number = _arrays.NAMES.index(info.dtype)
    if array.dtype.kind in "iu" and _arrays.bits_of(number) is None:
        wanted = np.dtype(info.dtype)
        if wanted.kind in "iu" and array.dtype != wanted:
            cast = array.astype(wanted)
            if np.array_equal(cast, array):
                return cast
    return _arrays.readable(array, info.name, number)


class Tensor:
    """An input or output of a predictor, by `Predictor.get_input_handle` and `get_output_handle`; outlives runs."""

    def __init__(self, bindings: Bindings, index: int, info: TensorInfo, is_input: bool):
        self._bindings = bindings
        self._index = index
        self._info = info
        self._is_input = is_input

    @property
    def _kept(self):
        return self._bindings.inputs[self._index]

    def _require_input(self, call: str) -> None:
        if not self._is_input:
            raise InvalidArgumentError("%s: '%s' is an output; only inputs can be set" % (call, self._info.name))

    def name(self) -> str:
        return self._info.name

    def reshape(self, shape: Sequence[int]) -> None:
        """Sets the shape of an input; `copy_from_cpu` sets it as well."""
        self._require_input("reshape")
        if isinstance(shape, (int, np.integer)):
            pending.strings()
        dims = [int(dim) for dim in shape]
        for number, dim in enumerate(dims):
            if dim < 0:
                raise InvalidArgumentError("input '%s': dimension %d is %d, expected 0 or more" % (self._info.name, number, dim))
        if self._kept.array is None or list(self._kept.array.shape) != dims:
            self._kept.shape, self._kept.array = dims, None

    def copy_from_cpu(self, data: np.ndarray) -> None:
        """Copies an array, of any layout, and sets the shape to its shape. TypeError for what is no array or has an element type that
        Paddle does not take, InvalidArgumentError for another element type than the model's (other integers are converted).
        """
        self._require_input("copy_from_cpu")
        if isinstance(data, list) and all(isinstance(each, str) for each in data):
            pending.strings()
        if not isinstance(data, np.ndarray):
            raise TypeError("copy_from_cpu takes a numpy.ndarray, given a %s" % type(data).__name__)
        bits = _arrays.bits_of(_arrays.NAMES.index(self._info.dtype))
        if data.dtype.name not in TAKEN and (bits is None or data.dtype != bits):
            raise TypeError("copy_from_cpu takes elements of type %s, given %s" % (", ".join(TAKEN), data.dtype))
        fitting = _fitting(data, self._info)
        self._keep(fitting.copy(order="C") if np.may_share_memory(fitting, data) else fitting)

    def share_external_data(self, data: Any) -> None:
        """Reads a tensor or array where it lies, without a copy if its elements lie one after the other, also on the GPU that the
        model uses. It must not change or go before the last run with it; the handle keeps it alive.
        """
        self._require_input("share_external_data")
        if not isinstance(data, np.ndarray) and dlpack.is_on_cuda(data):
            self._kept.array, self._kept.shape = data, list(data.shape)
            return
        self._keep(_arrays.readable(data, self._info.name, _arrays.NAMES.index(self._info.dtype)))

    def share_external_data_by_ptr_name(self, *arguments) -> None:
        pending.share_external_data_by_ptr_name()

    def _keep(self, array: np.ndarray) -> None:
        self._kept.array, self._kept.shape = array, list(array.shape)

    def copy_to_cpu(self) -> np.ndarray:
        """A new array: of an output after a run, or of an input that was set. bfloat16 comes as the bits, in uint16, and float8 in uint8."""
        if not self._is_input:
            array = self._bindings.session.output(self._index)
        elif isinstance(self._kept.array, np.ndarray):
            array = self._kept.array.copy()
        else:
            raise InvalidArgumentError("copy_to_cpu: input '%s' was not set" % self._info.name)
        name = array.dtype.name   # What the run gave, whatever the file declares.
        bits = _arrays.bits_of(_arrays.NAMES.index(name)) if name in _arrays.NAMES else None
        return array if bits is None else array.view(bits)

    def shape(self) -> list[int]:
        """Dimensions: as set, or after a run; [0] before."""
        if self._is_input:
            return list(self._kept.shape)
        return list(self._bindings.output_shape(self._index))

    def type(self) -> DataType:
        """The element type that the model file says."""
        return getattr(DataType, self._info.dtype.upper(), DataType.FLOAT32)

    def lod(self) -> list[list[int]]:
        """Sequence offsets, coarsest level first; [] if there are none."""
        return [list(level) for level in self._kept.lod] if self._is_input else self._bindings.output_lod(self._index)

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Sequence offsets of an input, e.g. [[0, 3, 5]] for sequences of 3 and 2 rows; checked by the next run."""
        self._require_input("set_lod")
        self._kept.lod = [list(level) for level in lod]
