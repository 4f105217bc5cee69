# SPDX-License-Identifier: Apache-2.0
"""Coracle through its C interface (include/coracle/coracle.h) by ctypes."""
import ctypes
import os

import numpy as np

MAX_RANK = 9
DTYPES = {"bool": 0, "int8": 1, "uint8": 2, "int16": 3, "int32": 4, "int64": 5, "float16": 6, "float32": 8, "float64": 9}
NUMPY = {number: name for name, number in DTYPES.items()}


class ModelOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("cpu_isa", ctypes.c_char_p), ("disable_passes", ctypes.c_char_p),
                ("max_rewrites", ctypes.c_int64), ("disable_kernels", ctypes.c_char_p), ("keep_tensors", ctypes.c_char_p),
                ("after_pass", ctypes.c_void_p), ("after_pass_user", ctypes.c_void_p), ("precision", ctypes.c_char_p),
                ("emulate_tiles", ctypes.c_int32), ("time_limit_ms", ctypes.c_int64), ("weights", ctypes.c_char_p),
                ("cancelled", ctypes.c_void_p), ("check_declared_sizes", ctypes.c_int32), ("check_weights", ctypes.c_int32),
                ("weights_cache_bytes", ctypes.c_size_t), ("device", ctypes.c_char_p), ("engines", ctypes.c_char_p),
                ("min_ops", ctypes.c_int64), ("marks", ctypes.c_char_p)]


class SessionOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("threads", ctypes.c_int32), ("cache_bytes", ctypes.c_size_t),
                ("memory_limit", ctypes.c_size_t), ("time_limit_ms", ctypes.c_int64), ("pool", ctypes.c_void_p),
                ("cpus", ctypes.c_char_p), ("parallel_engines", ctypes.c_int32)]


class TensorView(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("dtype", ctypes.c_int), ("rank", ctypes.c_int32),
                ("dims", ctypes.c_int64 * MAX_RANK), ("lod_levels", ctypes.c_size_t)]


LIBRARY = ctypes.CDLL(os.environ["CORACLE_LIBRARY"])
LIBRARY.coracle_version.restype = ctypes.c_char_p
LIBRARY.coracle_last_error.restype = ctypes.c_char_p
LIBRARY.coracle_model_output_count.restype = ctypes.c_size_t
LIBRARY.coracle_model_find_input.restype = ctypes.c_int64


def check(status):
    if status != 0:
        raise RuntimeError(LIBRARY.coracle_last_error().decode())


class Engine:
    version = LIBRARY.coracle_version().decode()

    def __init__(self, files, threads, **options):
        model_options, session_options = ModelOptions(), SessionOptions()
        LIBRARY.coracle_model_options_init(ctypes.byref(model_options), ctypes.c_size_t(ctypes.sizeof(model_options)))
        LIBRARY.coracle_session_options_init(ctypes.byref(session_options), ctypes.c_size_t(ctypes.sizeof(session_options)))
        for name, value in options.items():
            if isinstance(value, str):
                setattr(model_options, name, value.encode())
            else:
                setattr(session_options, name, value)
        session_options.threads = threads
        self.model, self.session = ctypes.c_void_p(), ctypes.c_void_p()
        check(LIBRARY.coracle_model_load(files["program"].encode(), files["params"].encode(), ctypes.byref(model_options),
                                         ctypes.byref(self.model)))
        check(LIBRARY.coracle_session_create(self.model, ctypes.byref(session_options), ctypes.byref(self.session)))
        self.session_options = session_options
        self.output_count = LIBRARY.coracle_model_output_count(self.model)

    def set_inputs(self, arrays):
        self.inputs = []
        for name, array in arrays.items():
            index = LIBRARY.coracle_model_find_input(self.model, name.encode())
            dims = (ctypes.c_int64 * array.ndim)(*array.shape)
            self.inputs.append((self.session, ctypes.c_size_t(index), DTYPES[array.dtype.name], array.ndim, dims,
                                ctypes.c_void_p(array.ctypes.data)))

    def run(self):
        for arguments in self.inputs:
            check(LIBRARY.coracle_session_borrow_input(*arguments))
        check(LIBRARY.coracle_session_run(self.session))

    def outputs(self):
        arrays = []
        for index in range(self.output_count):
            view = TensorView()
            check(LIBRARY.coracle_session_output(self.session, ctypes.c_size_t(index), ctypes.byref(view)))
            buffer = ctypes.string_at(view.data, view.bytes)
            arrays.append(np.frombuffer(buffer, NUMPY[view.dtype]).reshape(view.dims[:view.rank]))
        return arrays

    def second_session(self, arrays):
        """Another session of the same model, which ran once. It stays."""
        first, self.session = self.session, ctypes.c_void_p()
        check(LIBRARY.coracle_session_create(self.model, ctypes.byref(self.session_options), ctypes.byref(self.session)))
        self.set_inputs(arrays)
        self.run()
        self.other, self.session = self.session, first
        self.set_inputs(arrays)

    def trim(self):
        """Gives back what both sessions hold for later runs, in MiB."""
        total = 0
        for session in (self.session, self.other):
            size = ctypes.c_size_t()
            check(LIBRARY.coracle_session_release_memory(session, ctypes.byref(size)))
            total += size.value
        return total / 2**20

    def close(self):
        for session in (self.session, getattr(self, "other", None)):
            LIBRARY.coracle_session_free(session)
        LIBRARY.coracle_model_free(self.model)
