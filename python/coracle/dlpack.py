# SPDX-License-Identifier: Apache-2.0
"""DLPack on devices: tensors of torch, cupy and others that are inputs and outputs, and device tensors that are theirs."""

from __future__ import annotations

import ctypes
import os
from ctypes import PYFUNCTYPE, c_char_p, c_int, c_void_p, py_object
from typing import Any

from . import _library
from .errors import InvalidArgumentError

CPU, CUDA, CUDA_MANAGED = 1, 2, 13   # Of DLDeviceType.
LEGACY = 1   # What names CUDA's default stream.

# By whether it is versioned: what a capsule is called, and after somebody has taken what is in it.
_NAMES = {False: (b"dltensor", b"used_dltensor"), True: (b"dltensor_versioned", b"used_dltensor_versioned")}
_DELETERS = {False: 56, True: 16}   # Where they stand in a DLManagedTensor and in a DLManagedTensorVersioned.

# Prototypes of our own: those in ctypes.pythonapi are everybody's. Capsules by their addresses, as destructors get them.
_new = PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", ctypes.pythonapi))
_is_valid = PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer = PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_rename = PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_SetName", ctypes.pythonapi))
_set_context = PYFUNCTYPE(c_int, c_void_p, c_void_p)(("PyCapsule_SetContext", ctypes.pythonapi))
_context = PYFUNCTYPE(c_void_p, c_void_p)(("PyCapsule_GetContext", ctypes.pythonapi))


def is_on_cuda(value: Any) -> bool:
    """Whether a value is a tensor on a CUDA device that its library hands out."""
    if not hasattr(value, "__dlpack__") or not hasattr(value, "__dlpack_device__"):
        return False
    try:
        return value.__dlpack_device__()[0] in (CUDA, CUDA_MANAGED)
    except Exception:   # Whoever reads it as an array finds out why.
        return False


def stream_address(stream: Any) -> int | None:
    """A stream as a number: one of torch (`cuda_stream`), of cupy (`ptr`), of the protocol __cuda_stream__, or a number itself, of
    which 0 is CUDA's default stream; None for none."""
    if stream is None:
        return None
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__   # A method, or in early versions a property.
        stream = (protocol() if callable(protocol) else protocol)[1]
    for attribute in ("cuda_stream", "ptr"):
        stream = getattr(stream, attribute, stream)
    if isinstance(stream, bool) or not isinstance(stream, int) or stream < 0:
        raise InvalidArgumentError("%r is not a stream: give one of torch or cupy, or the address of a CUstream" % (stream,))
    return stream or LEGACY


def taken(value: Any, stream: int | None) -> c_void_p:
    """A new device tensor of the library in the memory of `value`, which is kept. What was given to the streams of its library is done
    before the library uses it: that library makes `stream`, a session's, or the default one, wait for it."""
    ready = LEGACY if stream is None else stream
    try:
        capsule = value.__dlpack__(stream=ready, max_version=(1, 0))
    except TypeError:   # Of before version 1.
        capsule = value.__dlpack__(stream=ready)
    versioned = bool(_is_valid(id(capsule), _NAMES[True][0]))
    name, used = _NAMES[versioned]
    if not _is_valid(id(capsule), name):
        raise InvalidArgumentError("__dlpack__ of a %s gave %r, expected a new capsule of a tensor" % (type(value).__name__, capsule))
    tensor = c_void_p()
    _library.call("device_tensor_from_dlpack", _pointer(id(capsule), name), versioned, ready, ctypes.byref(tensor))
    _rename(id(capsule), used)
    return tensor


@PYFUNCTYPE(None, c_void_p)
def _drop(capsule: int) -> None:
    """Of a capsule that goes: deletes what nobody has taken. A forked child leaves alone what is its parent's."""
    for versioned, (name, _) in _NAMES.items():
        if _is_valid(capsule, name) and _context(capsule) == os.getpid():
            managed = _pointer(capsule, name)
            deleter = c_void_p.from_address(managed + _DELETERS[versioned])
            ctypes.CFUNCTYPE(None, c_void_p)(deleter.value)(managed)


_DROP = ctypes.cast(_drop, c_void_p)


def capsule_of(tensor: c_void_p, stream: int | None, versioned: bool) -> Any:
    """A device tensor of the library for another library, which will use it on that stream."""
    managed = c_void_p()
    _library.call("device_tensor_to_dlpack", tensor, versioned, stream, ctypes.byref(managed))
    capsule = _new(managed, _NAMES[versioned][0], _DROP)
    _set_context(id(capsule), os.getpid())
    return capsule
