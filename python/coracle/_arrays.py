# SPDX-License-Identifier: Apache-2.0
"""Values that Python programs have, as arrays the library reads, and the library's results as arrays."""

from __future__ import annotations

import ctypes
import functools

import numpy as np

from .errors import InvalidArgumentError

# The numbers of coracle_dtype.
NAMES = ("bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
         "complex128")
BFLOAT16 = NAMES.index("bfloat16")
_NUMBERS = {name: number for number, name in enumerate(NAMES)}


def bfloat16():
    """The dtype of bfloat16 results: that of ml_dtypes if it is installed, otherwise uint16, whose elements are the bits."""
    try:
        import ml_dtypes
    except (ImportError, AttributeError):   # AttributeError: one that does not fit to an older numpy.
        return np.dtype(np.uint16)
    return np.dtype(ml_dtypes.bfloat16)


def numpy_dtype(number: int) -> np.dtype:
    """The dtype of results of an element type."""
    return bfloat16() if number == BFLOAT16 else np.dtype(NAMES[number])


def _array(value) -> np.ndarray:
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(value)
        except (BufferError, TypeError, RuntimeError, ValueError, AttributeError):
            if not hasattr(value, "__array__"):
                raise
    return np.asarray(value)


def _converted(array: np.ndarray, number: int) -> np.ndarray | None:
    """Numbers that were no array (lists and the like) with the element type of the input, if that keeps their values."""
    wanted = np.dtype(NAMES[number]) if number != BFLOAT16 else bfloat16()
    if array.dtype.kind not in "biufc" or (array.dtype.kind in "fc" and wanted.kind in "biu"):
        return None
    cast = array.astype(wanted)
    return cast if array.dtype.kind not in "biu" or np.array_equal(cast, array) else None


@functools.lru_cache(maxsize=256)
def _number(dtype: np.dtype) -> int | None:
    return _NUMBERS.get(dtype.name)


def element_type(array: np.ndarray, wanted: int) -> int | None:
    """The number of an array's element type; bits of bfloat16 may come as uint16."""
    number = _number(array.dtype)
    return BFLOAT16 if number is None and wanted == BFLOAT16 and array.dtype == np.uint16 else number


def readable(value, name: str, wanted: int) -> np.ndarray:
    """An array of the wanted element type whose elements lie one after the other; no copy where they already do.

    Arrays, buffers and whatever has `__dlpack__` must have the wanted element type; lists and numbers are converted.
    """
    try:
        array = _array(value)
    except Exception as error:
        raise InvalidArgumentError("input '%s': a %s cannot be read as an array: %s"
                                   % (name, type(value).__name__, error)) from error
    if isinstance(value, (bool, int, float, complex, list, tuple)):
        converted = _converted(array, wanted)
        array = array if converted is None else converted
    if array.dtype == object:
        raise InvalidArgumentError("input '%s': a %s cannot be read as an array of numbers" % (name, type(value).__name__))
    if element_type(array, wanted) != wanted:
        found, expected = array.dtype, NAMES[wanted]
        raise InvalidArgumentError("input '%s' takes elements of type %s, given %s; convert them: array.astype('%s')"
                                   % (name, expected, found, expected))
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if not (array.flags.c_contiguous and array.flags.aligned):
        array = array.copy(order="C")
    return array


def require_writable(array, name: str, wanted: int) -> None:
    """Raises InvalidArgumentError unless results of that element type can be written to it as it is."""
    if not isinstance(array, np.ndarray):
        raise InvalidArgumentError("output '%s' is bound to a NumPy array, given %s" % (name, type(array).__name__))
    if element_type(array, wanted) != wanted:
        raise InvalidArgumentError("output '%s' has elements of type %s, the array has %s" % (name, NAMES[wanted], array.dtype))
    if not (array.flags.c_contiguous and array.flags.writeable and array.flags.aligned):
        raise InvalidArgumentError("output '%s' is bound to an array that is %s: give a new one, np.empty(shape, '%s')" % (
            name, "read-only" if not array.flags.writeable else "not one block of elements in order", NAMES[wanted]))


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    """Where the elements of a contiguous array lie. The array may be read-only."""
    return ctypes.c_void_p(array.ctypes.data)


def dims(array: np.ndarray):
    return (ctypes.c_int64 * array.ndim)(*array.shape)
