# SPDX-License-Identifier: Apache-2.0
"""libcoracle.so (coracle.dll on Windows) and its functions: coracle.h by ctypes, which lets other Python threads run during each call.

The library lies beside this file, as wheels have it, or where the environment variable CORACLE_LIBRARY says.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import sys
import weakref
from collections.abc import Callable
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p

from . import errors

MAX_RANK = 9


PassFunction = CFUNCTYPE(None, c_void_p, c_char_p, c_int64, c_char_p, c_char_p)


LogFunction = CFUNCTYPE(None, c_void_p, c_int, c_char_p)


class ModelOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("cpu_isa", c_char_p), ("disable_passes", c_char_p), ("max_rewrites", c_int64),
                ("disable_kernels", c_char_p), ("keep_tensors", c_char_p), ("after_pass", PassFunction),
                ("after_pass_user", c_void_p), ("precision", c_char_p), ("emulate_tiles", c_int32), ("time_limit_ms", c_int64),
                ("weights", c_char_p), ("cancelled", POINTER(c_uint32)), ("check_declared_sizes", c_int32),
                ("check_weights", c_int32), ("weights_cache_bytes", c_size_t), ("device", c_char_p), ("engines", c_char_p),
                ("min_ops", c_int64), ("marks", c_char_p), ("shapes", c_char_p), ("allow_outside_links", c_int32),
                ("operators", c_void_p), ("operator_count", c_size_t)]


class SessionOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("threads", c_int32), ("cache_bytes", c_size_t), ("memory_limit", c_size_t),
                ("time_limit_ms", c_int64), ("pool", c_void_p), ("cpus", c_char_p), ("parallel_engines", c_int32),
                ("padding", c_char_p)]


class RunOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("time_limit_ms", c_int64), ("memory_limit", c_size_t), ("cancelled", POINTER(c_uint32))]


class TensorInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("dtype", c_int), ("rank", c_int32), ("dims", c_int64 * MAX_RANK), ("lod_levels", c_int32)]


class TensorView(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("bytes", c_size_t), ("dtype", c_int), ("rank", c_int32), ("dims", c_int64 * MAX_RANK),
                ("lod_levels", c_size_t)]


class NodeValue(ctypes.Structure):
    _fields_ = [("node", c_char_p), ("op", c_char_p), ("name", c_char_p), ("is_result", c_int32), ("is_constant", c_int32),
                ("tensor", TensorView)]


ObserveFunction = CFUNCTYPE(c_int, c_void_p, POINTER(NodeValue))
RunFunction = CFUNCTYPE(None, c_void_p, c_int)


class NewFile(ctypes.Structure):
    _fields_ = [("path", c_char_p), ("data", c_char_p), ("size", c_size_t)]


class Memory(ctypes.Structure):
    _fields_ = [("arena", c_size_t), ("plans", c_size_t)]


OperatorFunction = CFUNCTYPE(c_int, c_void_p, c_void_p)
ReleaseFunction = CFUNCTYPE(None, c_void_p)


class OperatorStruct(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("inputs", c_char_p), ("outputs", c_char_p), ("attributes", c_char_p),
                ("infer", OperatorFunction), ("run", OperatorFunction), ("user", c_void_p), ("release", ReleaseFunction),
                ("one_thread", c_int32), ("impure", c_int32)]


class DeviceAddress(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device", c_char_p), ("number", c_int32)]


class MachineLimits(ctypes.Structure):
    _fields_ = [("flops_per_second", c_double), ("bytes_per_second", c_double)]


# Result and arguments of each function; those that return "status" are checked by call().
FUNCTIONS = {
    "version": (c_char_p,),
    "last_error": (c_char_p,),
    "cpu_isa": (c_char_p,),
    "dtype_name": (c_char_p, c_int),
    "dtype_size": (c_size_t, c_int),
    "set_logger": ("status", c_int, LogFunction, c_void_p),
    "memory_total": (c_size_t,),
    "pass_name": (c_char_p, c_size_t),
    "model_options_init": (None, POINTER(ModelOptions), c_size_t),
    "model_load": ("status", c_char_p, c_char_p, POINTER(ModelOptions), POINTER(c_void_p)),
    "model_load_memory": ("status", c_void_p, c_size_t, c_void_p, c_size_t, POINTER(ModelOptions), POINTER(c_void_p)),
    "model_free": (None, c_void_p),
    "model_check": ("status", c_void_p),
    "write_files": ("status", POINTER(NewFile), c_size_t),
    "model_save": ("status", c_void_p, c_char_p),
    "model_save_packed": ("status", c_void_p, c_char_p),
    "model_packed_bytes": (c_size_t, c_void_p),
    "model_plan_bytes": (c_size_t, c_void_p),
    "model_engine_bytes": (c_size_t, c_void_p),
    "model_device_bytes": (c_size_t, c_void_p),
    "model_engines": ("status", c_void_p, POINTER(c_void_p)),
    "model_input_count": (c_size_t, c_void_p),
    "model_output_count": (c_size_t, c_void_p),
    "model_input": ("status", c_void_p, c_size_t, POINTER(TensorInfo)),
    "model_output": ("status", c_void_p, c_size_t, POINTER(TensorInfo)),
    "model_description": (c_char_p, c_void_p),
    "inspect": ("status", c_char_p, c_char_p, POINTER(c_void_p)),
    "devices": ("status", POINTER(c_void_p)),
    "find_device": ("status", c_char_p, POINTER(c_void_p)),
    "engines": ("status", c_char_p, POINTER(c_void_p)),
    "string_free": (None, c_void_p),
    "model_graph_text": ("status", c_void_p, POINTER(c_void_p)),
    "operator_init": (None, POINTER(OperatorStruct), c_size_t),
    "register_operator": ("status", POINTER(OperatorStruct)),
    "unregister_operator": ("status", c_char_p),
    "load_operators": ("status", c_char_p),
    "call_input_count": (c_size_t, c_void_p, c_size_t),
    "call_output_count": (c_size_t, c_void_p, c_size_t),
    "call_input": ("status", c_void_p, c_size_t, c_size_t, POINTER(TensorView)),
    "call_set_output": ("status", c_void_p, c_size_t, c_size_t, c_int, c_int32, POINTER(c_int64)),
    "call_output": ("status", c_void_p, c_size_t, c_size_t, c_int, c_int32, POINTER(c_int64), POINTER(c_void_p)),
    "call_ints": ("status", c_void_p, c_char_p, POINTER(POINTER(c_int64)), POINTER(c_size_t)),
    "call_floats": ("status", c_void_p, c_char_p, POINTER(POINTER(c_double)), POINTER(c_size_t)),
    "call_strings": ("status", c_void_p, c_char_p, POINTER(POINTER(c_char_p)), POINTER(c_size_t)),
    "call_fail": (c_int, c_void_p, c_char_p),
    "default_threads": (c_int32,),
    "pool_create": ("status", c_int32, POINTER(c_void_p)),
    "pool_create_on": ("status", c_char_p, c_int32, POINTER(c_void_p)),
    "pool_threads": (c_int32, c_void_p),
    "pool_free": (None, c_void_p),
    "bind_thread": ("status", c_char_p),
    "session_options_init": (None, POINTER(SessionOptions), c_size_t),
    "session_create": ("status", c_void_p, POINTER(SessionOptions), POINTER(c_void_p)),
    "session_clone": ("status", c_void_p, POINTER(c_void_p)),
    "session_free": (None, c_void_p),
    "session_borrow_input": ("status", c_void_p, c_size_t, c_int, c_int32, POINTER(c_int64), c_void_p),
    "session_set_input_lod": ("status", c_void_p, c_size_t, c_size_t, POINTER(c_size_t), POINTER(c_size_t)),
    "session_run": ("status", c_void_p),
    "session_select_outputs": ("status", c_void_p, POINTER(c_char_p), c_size_t),
    "run_options_init": (None, POINTER(RunOptions), c_size_t),
    "session_bind_output": ("status", c_void_p, c_size_t, c_void_p, c_size_t),
    "session_keep_output_on_device": ("status", c_void_p, c_size_t),
    "session_output_on_device": ("status", c_void_p, c_size_t, POINTER(c_void_p)),
    "session_set_input_on_device": ("status", c_void_p, c_size_t, c_void_p),
    "device_tensor_view": ("status", c_void_p, POINTER(TensorView)),
    "device_tensor_copy": ("status", c_void_p, c_void_p, c_size_t),
    "device_tensor_free": (None, c_void_p),
    "device_tensor_address": ("status", c_void_p, POINTER(DeviceAddress)),
    "device_tensor_from_dlpack": ("status", c_void_p, c_int32, c_void_p, POINTER(c_void_p)),
    "device_tensor_to_dlpack": ("status", c_void_p, c_int32, c_void_p, POINTER(c_void_p)),
    "session_bind_output_on_device": ("status", c_void_p, c_size_t, c_void_p),
    "session_set_stream": ("status", c_void_p, c_void_p),
    "session_run_with": ("status", c_void_p, POINTER(RunOptions)),
    "session_run_async": ("status", c_void_p, POINTER(RunOptions), RunFunction, c_void_p),
    "session_wait": ("status", c_void_p),
    "session_cancel": ("status", c_void_p),
    "session_set_observer": ("status", c_void_p, ObserveFunction, c_void_p),
    "session_output": ("status", c_void_p, c_size_t, POINTER(TensorView)),
    "session_copy_output": ("status", c_void_p, c_size_t, c_void_p, c_size_t),
    "session_output_lod": ("status", c_void_p, c_size_t, c_size_t, POINTER(POINTER(c_size_t)), POINTER(c_size_t)),
    "session_tensor": ("status", c_void_p, c_char_p, POINTER(TensorView)),
    "session_set_profiling": ("status", c_void_p, c_int32),
    "session_profile": ("status", c_void_p, POINTER(c_char_p)),
    "session_machine_limits": ("status", c_void_p, POINTER(MachineLimits)),
    "session_explain": ("status", c_void_p, POINTER(c_char_p)),
    "session_planned_memory": ("status", c_void_p, POINTER(c_size_t)),
    "session_memory": ("status", c_void_p, POINTER(Memory)),
    "session_device_memory": ("status", c_void_p, POINTER(c_size_t)),
    "session_release_memory": ("status", c_void_p, POINTER(c_size_t)),
}


def file_name(library: str) -> str:
    """What the file of a library is called on this system."""
    return {"win32": "%s.dll", "darwin": "lib%s.dylib"}.get(sys.platform, "lib%s.so") % library


def _path() -> pathlib.Path:
    named = os.environ.get("CORACLE_LIBRARY")
    if named:
        return pathlib.Path(named)
    beside = pathlib.Path(__file__).with_name(file_name("coracle"))
    if not beside.exists():
        raise ImportError("there is no %s: install the package (pip install .), or build the library and set "
                          "CORACLE_LIBRARY to the path of %s" % (beside, beside.name))
    return beside


def opened(path: pathlib.Path, functions) -> ctypes.CDLL:
    """A library with the results and arguments of its functions."""
    try:
        # An absolute path, by which Windows finds what lies beside it; elsewhere a name may be the loader's to find.
        library = ctypes.CDLL(str(path.absolute() if sys.platform == "win32" else path))
        for name, (result, *arguments) in functions.items():
            function = getattr(library, "coracle_" + name)
            function.restype = c_int if result == "status" else result
            function.argtypes = arguments
    except OSError as error:
        raise ImportError("%s cannot be loaded: %s" % (path, error)) from None
    except AttributeError as error:
        raise ImportError("%s is older than this package: %s" % (path, error)) from None
    return library


PATH = _path()
LIBRARY = opened(PATH, FUNCTIONS)
VERSION = LIBRARY.coracle_version().decode()
_CALLS = {name: getattr(LIBRARY, "coracle_" + name) for name in FUNCTIONS}


def call(name: str, *arguments):
    """Calls a function that returns a status; a failure becomes the exception of that status."""
    check(_CALLS[name](*arguments))


def check(status: int) -> None:
    """A failure becomes the exception of its status, with the library's message."""
    if status != 0:
        text = (LIBRARY.coracle_last_error() or b"").decode("utf-8", "replace")
        raise errors.BY_STATUS.get(status, errors.Error)(text)


def ask(name: str, *arguments):
    """Calls a function that cannot fail."""
    return _CALLS[name](*arguments)


def freed_with(owner: object, free: Callable[..., object], *arguments) -> weakref.finalize:
    """Calls free(*arguments) once: when nobody has `owner` any more, or when what this returns is called. Not while the interpreter ends:
    other threads may still be in the library, and what this would need of Python may be gone."""
    end = weakref.finalize(owner, free, *arguments)
    end.atexit = False
    return end


def owned_text(name: str, *arguments) -> str:
    """The text a function returns as its last argument, which is to be freed."""
    text = c_void_p()
    call(name, *arguments, byref(text))
    return taken_text(text)


def taken_text(text: c_void_p) -> str:
    """A text that is to be freed by coracle_string_free, which this does; "" for none."""
    try:
        return ctypes.string_at(text).decode() if text else ""
    finally:
        ask("string_free", text)


def path_bytes(path) -> bytes:
    """A path (str, bytes or os.PathLike) as the library takes it."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise errors.InvalidArgumentError("the path %r has a zero byte in it" % (path,))
    return name


def write_file(path, content: bytes) -> None:
    """Makes or replaces a file, all or nothing. FileError if it cannot be written."""
    call("write_files", byref(NewFile(path_bytes(path), content, len(content))), 1)
