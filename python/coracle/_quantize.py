# SPDX-License-Identifier: Apache-2.0
"""libcoracle_quantize.so and its functions: coracle/quantize.h by ctypes. Loaded by the first call that needs it, from beside
libcoracle.so."""

from __future__ import annotations

import ctypes
import functools
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p

from . import _library

DataFunction = CFUNCTYPE(c_int, c_void_p, c_size_t, c_void_p)
ProgressFunction = CFUNCTYPE(None, c_void_p, c_char_p, c_size_t, c_size_t)


class Options(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("params", c_char_p), ("settings", POINTER(c_char_p)), ("setting_count", c_size_t),
                ("sets", c_size_t), ("data", DataFunction), ("data_user", c_void_p), ("session", POINTER(_library.SessionOptions)),
                ("state", c_char_p), ("progress", ProgressFunction), ("progress_user", c_void_p), ("message", _library.LogFunction),
                ("message_user", c_void_p), ("cancelled", POINTER(c_uint32))]


# As in _library.FUNCTIONS.
FUNCTIONS = {
    "quantize_set_input": ("status", c_void_p, c_char_p, c_int, c_int32, POINTER(c_int64), c_void_p),
    "quantize_options_init": (None, POINTER(Options), c_size_t),
    "quantize": ("status", c_char_p, c_char_p, POINTER(Options), POINTER(c_void_p)),
    "quantization_json": (c_char_p, c_void_p),
    "quantization_html": (c_char_p, c_void_p),
    "quantization_free": (None, c_void_p),
}


@functools.lru_cache(maxsize=None)
def _loaded() -> ctypes.CDLL:
    path = _library.PATH.with_name(_library.file_name("coracle_quantize"))
    if not path.exists():
        raise ImportError("there is no %s, which quantises models; it lies beside %s" % (path, _library.PATH.name))
    return _library.opened(path, FUNCTIONS)


def call(name: str, *arguments):
    """Calls a function that returns a status; a failure becomes the exception of that status."""
    _library.check(getattr(_loaded(), "coracle_" + name)(*arguments))


def ask(name: str, *arguments):
    """Calls a function that cannot fail."""
    return getattr(_loaded(), "coracle_" + name)(*arguments)
