# SPDX-License-Identifier: Apache-2.0
"""Tensors that stay on a device between runs."""

from __future__ import annotations

import ctypes
import os

import numpy as np

from . import _arrays, _library
from .errors import InvalidArgumentError


class DeviceTensor:
    """A result that stays on the device, and an input of other runs there. It never changes, may outlive session and model, and any
    thread may use it. It belongs to the process that made it.

        session.keep_output_on_device("state")
        state = session.run(x)["state"]
        state = session.run({"state": state})["state"]     # Nothing is copied between the device and the host.
        state.numpy()                                      # A copy on the host, as a new array.
    """

    def __init__(self, pointer: ctypes.c_void_p):
        self._pointer = pointer
        self._pid = os.getpid()
        view = _library.TensorView()
        _library.call("device_tensor_view", pointer, ctypes.byref(view))
        self._dtype = view.dtype
        self._bytes = view.bytes
        self.shape: tuple[int, ...] = tuple(view.dims[:view.rank])

    @property
    def dtype(self) -> str:
        """The element type, "float32"."""
        return _arrays.NAMES[self._dtype]

    def numpy(self) -> np.ndarray:
        """The elements, as a new array. RunFailureError where the device fails."""
        array = np.empty(self.shape, _arrays.numpy_dtype(self._dtype))
        _library.call("device_tensor_copy", self._handle(), _arrays.pointer(array), self._bytes)
        return array

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def _handle(self) -> ctypes.c_void_p:
        if self._pid != os.getpid():
            raise InvalidArgumentError("the tensor is on a device of process %d, which this one was forked from" % self._pid)
        return self._pointer

    def __del__(self):
        # Drivers do not survive a fork: a child leaves alone what is its parent's.
        if getattr(self, "_pointer", None) is not None and self._pid == os.getpid():
            _library.ask("device_tensor_free", self._pointer)
            self._pointer = None

    def __reduce__(self):
        raise TypeError("a tensor on a device cannot be pickled; pickle its numpy()")

    def __repr__(self) -> str:
        return "<coracle.DeviceTensor %s%s>" % (self.dtype, list(self.shape))
