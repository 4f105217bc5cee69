# SPDX-License-Identifier: Apache-2.0
"""Values that Python programs have, as arrays the library reads, and the library's results as arrays."""

from __future__ import annotations

import ctypes
import functools

import numpy as np

from . import _library
from .errors import InvalidArgumentError


def _names():
    number = 0
    while _library.ask("dtype_size", number):
        yield _library.ask("dtype_name", number).decode()
        number += 1


# The element types at their numbers of coracle_dtype.
NAMES = tuple(_names())
_NUMBERS = {name: number for number, name in enumerate(NAMES)}


def _foreign(number: int) -> np.dtype | None:
    """For a type that numpy does not have, the unsigned integers that its bits are; else None."""
    try:
        if np.dtype(NAMES[number]).isbuiltin == 1:   # 2: ml_dtypes, where a program imports it, adds its types to numpy's.
            return None
    except TypeError:
        pass
    return np.dtype("uint%d" % (8 * _library.ask("dtype_size", number)))


_BITS = {number: bits for number, bits in ((n, _foreign(n)) for n in range(len(NAMES))) if bits is not None}


def bits_of(number: int) -> np.dtype | None:
    """The unsigned integers that the bits of a type that numpy does not have (bfloat16, float8) are; else None."""
    return _BITS.get(number)


def numpy_dtype(number: int) -> np.dtype:
    """The dtype of results of an element type. For those that numpy does not have it is that of ml_dtypes if it is installed,
    otherwise unsigned integers, which are the bits.
    """
    if number not in _BITS:
        return np.dtype(NAMES[number])
    try:
        import ml_dtypes
        return np.dtype(getattr(ml_dtypes, NAMES[number]))
    except (ImportError, AttributeError):   # AttributeError: one that does not fit to an older numpy.
        return _BITS[number]


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
    wanted = numpy_dtype(number)
    if array.dtype.kind not in "biufc" or (array.dtype.kind in "fc" and wanted.kind in "biu"):
        return None
    cast = array.astype(wanted)
    return cast if array.dtype.kind not in "biu" or np.array_equal(cast, array) else None


@functools.lru_cache(maxsize=256)
def _number(dtype: np.dtype) -> int | None:
    return _NUMBERS.get(dtype.name)


def element_type(array: np.ndarray, wanted: int) -> int | None:
    """The number of an array's element type; bits of a type that numpy does not have may come as unsigned integers."""
    return wanted if wanted in _BITS and array.dtype == _BITS[wanted] else _number(array.dtype)


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
        way = "'%s'" % expected if wanted not in _BITS else "ml_dtypes.%s" % expected
        raise InvalidArgumentError("input '%s' takes elements of type %s, given %s; convert them: array.astype(%s)"
                                   % (name, expected, found, way))
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
