# SPDX-License-Identifier: Apache-2.0
"""Tensors that stay on a device between runs."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np

from . import _arrays, _library, dlpack
from .errors import InvalidArgumentError, UnsupportedError


def _free(pointer: ctypes.c_void_p, pid: int) -> None:
    """Drivers do not survive a fork: a child leaves alone what is its parent's."""
    if pid == os.getpid():
        _library.ask("device_tensor_free", pointer)


class DeviceTensor:
    """A result that stays on the device, and an input of other runs there. It never changes, unless it is in memory that
    `Session.bind_output` binds its output to, may outlive session and model, and any thread may use it. It belongs to the process that
    made it.

        session.keep_output_on_device("state")
        state = session.run(x)["state"]
        state = session.run({"state": state})["state"]     # Nothing is copied between the device and the host.
        state.numpy()                                      # A copy on the host, as a new array.
        torch.from_dlpack(state)                           # On a CUDA device: the same memory, as a tensor of torch.
    """

    def __init__(self, pointer: ctypes.c_void_p):
        self._pointer = pointer
        self._pid = os.getpid()
        _library.freed_with(self, _free, pointer, self._pid)
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

    def _address(self) -> _library.DeviceAddress:
        address = _library.DeviceAddress()
        _library.call("device_tensor_address", self._handle(), ctypes.byref(address))
        return address

    @property
    def device(self) -> str:
        """The CUDA device, "cuda:0". UnsupportedError for others, whose memory has no addresses."""
        return self._address().device.decode()

    @property
    def address(self) -> int:
        """Where the elements lie on a CUDA device, in row-major order, for as long as somebody has this object."""
        return self._address().data or 0

    def __dlpack_device__(self) -> tuple[int, int]:
        try:
            return dlpack.CUDA, self._address().number
        except UnsupportedError as error:
            raise BufferError(str(error)) from None

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """The tensor for another library, as the array API has it: its memory on a CUDA device, which is complete, so that no stream
        has to wait; or with `dl_device=(1, 0)` a copy on the host."""
        if dl_device is not None and tuple(dl_device)[0] == dlpack.CPU:
            if copy is False:
                raise BufferError("a tensor on a device comes to the host as a copy")
            array = self.numpy()
            return array.__dlpack__() if max_version is None else array.__dlpack__(max_version=max_version)
        if copy or dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError("no copies on devices: %r is given where it is, or copied to the host" % (self,))
        if stream is not None and (isinstance(stream, bool) or not isinstance(stream, int) or stream < -1 or stream == 0):
            raise ValueError("stream is %r, expected None, -1, 1 or 2 for the default ones, or the address of a CUstream" % (stream,))
        try:
            return dlpack.capsule_of(self._handle(), None if stream in (None, -1) else stream,
                                     max_version is not None and max_version[0] >= 1)
        except UnsupportedError as error:
            raise BufferError(str(error)) from None

    def _handle(self) -> ctypes.c_void_p:
        if self._pid != os.getpid():
            raise InvalidArgumentError("the tensor is on a device of process %d, which this one was forked from" % self._pid)
        return self._pointer

    def __reduce__(self):
        raise TypeError("a tensor on a device cannot be pickled; pickle its numpy()")

    def __repr__(self) -> str:
        return "<coracle.DeviceTensor %s%s>" % (self.dtype, list(self.shape))
