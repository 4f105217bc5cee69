# SPDX-License-Identifier: Apache-2.0
"""libcoracle_vision.so and its functions: coracle/vision/vision.h by ctypes. Loaded by the first call that needs it, from beside
libcoracle.so."""

from __future__ import annotations

import ctypes
import functools
from ctypes import POINTER, c_char_p, c_float, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p

from . import _library

RGB = 0


class PredictorOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("params", c_char_p), ("description", c_char_p), ("task", c_char_p), ("labels", c_char_p),
                ("topk", c_int32), ("threshold", c_float), ("threads", c_int32)]


class TextReaderOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("detector", c_char_p), ("recognizer", c_char_p), ("classifier", c_char_p),
                ("dictionary", c_char_p), ("min_score", c_float), ("threads", c_int32)]


class DocumentReaderOptions(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("orientation", c_char_p), ("unwarper", c_char_p), ("layout", c_char_p), ("table", c_char_p),
                ("detector", c_char_p), ("classifier", c_char_p), ("recognizer", c_char_p), ("dictionary", c_char_p),
                ("min_score", c_float), ("threads", c_int32), ("table_orientation", c_char_p), ("table_classifier", c_char_p),
                ("wired_structure", c_char_p), ("wired_cells", c_char_p), ("wireless_structure", c_char_p), ("wireless_cells", c_char_p),
                ("seal_detector", c_char_p), ("seal_recognizer", c_char_p), ("seal_dictionary", c_char_p)]


class Item(ctypes.Structure):
    _fields_ = [("id", c_int32), ("score", c_float), ("text", c_char_p), ("pixels", c_int64), ("points", c_size_t),
                ("outline", POINTER(c_float))]


# As in _library.FUNCTIONS.
FUNCTIONS = {
    "image_create": ("status", c_void_p, c_int32, c_int32, c_int32, c_size_t, c_int, POINTER(c_void_p)),
    "image_decode": ("status", c_void_p, c_size_t, POINTER(c_void_p)),
    "image_read": ("status", c_char_p, POINTER(c_void_p)),
    "image_free": (None, c_void_p),
    "image_width": (c_int32, c_void_p),
    "image_height": (c_int32, c_void_p),
    "image_copy": ("status", c_void_p, c_int, c_void_p, c_size_t),
    "image_write_png": ("status", c_void_p, c_char_p),
    "prediction_task": (c_char_p, c_void_p),
    "prediction_size": (c_size_t, c_void_p),
    "prediction_item": ("status", c_void_p, c_size_t, POINTER(Item)),
    "prediction_polygon": (POINTER(c_float), c_void_p, c_size_t, POINTER(c_size_t)),
    "prediction_class_map": (c_void_p, c_void_p),
    "prediction_scores": (c_void_p, c_void_p, POINTER(c_int32), POINTER(c_int32)),
    "prediction_marks": (c_void_p, c_void_p),
    "prediction_features": (c_void_p, c_void_p, POINTER(c_size_t)),
    "prediction_mask": ("status", c_void_p, c_size_t, c_void_p, c_size_t),
    "prediction_mask_counts": (POINTER(c_uint32), c_void_p, c_size_t, POINTER(c_size_t)),
    "prediction_draw": ("status", c_void_p, c_void_p, POINTER(c_void_p)),
    "prediction_free": (None, c_void_p),
    "predictor_options_init": (None, POINTER(PredictorOptions), c_size_t),
    "predictor_create": ("status", c_char_p, POINTER(PredictorOptions), POINTER(c_void_p)),
    "predictor_create_memory": ("status", c_void_p, c_size_t, POINTER(PredictorOptions), POINTER(c_void_p)),
    "predictor_task": (c_char_p, c_void_p),
    "predictor_assumed": (c_char_p, c_void_p),
    "predictor_predict": ("status", c_void_p, c_void_p, POINTER(c_void_p)),
    "predictor_cancel": ("status", c_void_p),
    "predictor_free": (None, c_void_p),
    "text_reader_options_init": (None, POINTER(TextReaderOptions), c_size_t),
    "text_reader_create": ("status", POINTER(TextReaderOptions), POINTER(c_void_p)),
    "text_reader_read": ("status", c_void_p, c_void_p, POINTER(c_void_p)),
    "text_reader_cancel": ("status", c_void_p),
    "text_reader_free": (None, c_void_p),
    "document_reader_options_init": (None, POINTER(DocumentReaderOptions), c_size_t),
    "document_reader_create": ("status", POINTER(DocumentReaderOptions), POINTER(c_void_p)),
    "document_reader_read": ("status", c_void_p, c_void_p, POINTER(c_void_p)),
    "document_reader_cancel": ("status", c_void_p),
    "document_reader_free": (None, c_void_p),
    "document_turned": (c_int32, c_void_p),
    "document_page": ("status", c_void_p, POINTER(c_void_p)),
    "document_regions": ("status", c_void_p, POINTER(c_void_p)),
    "document_lines": ("status", c_void_p, POINTER(c_void_p)),
    "document_tables": (c_size_t, c_void_p),
    "document_table": ("status", c_void_p, c_size_t, POINTER(c_void_p)),
    "document_seals": (c_size_t, c_void_p),
    "document_seal": ("status", c_void_p, c_size_t, POINTER(c_void_p)),
    "document_html": ("status", c_void_p, c_char_p, POINTER(c_void_p)),
    "document_markdown": ("status", c_void_p, c_char_p, POINTER(c_void_p)),
    "document_pictures": (c_size_t, c_void_p),
    "document_picture": ("status", c_void_p, c_size_t, POINTER(c_void_p), POINTER(c_void_p)),
    "documents_markdown": ("status", POINTER(c_void_p), c_size_t, c_char_p, POINTER(c_void_p)),
    "document_json": ("status", c_void_p, c_char_p, POINTER(c_void_p)),
    "document_draw": ("status", c_void_p, POINTER(c_void_p)),
    "document_free": (None, c_void_p),
}


@functools.lru_cache(maxsize=None)
def _loaded() -> ctypes.CDLL:
    path = _library.PATH.with_name(_library.file_name("coracle_vision"))
    if not path.exists():
        raise ImportError("there is no %s, which reads pictures: the library was built without it (it needs libjpeg, libpng and "
                          "LibYAML)" % path)
    return _library.opened(path, FUNCTIONS)


def call(name: str, *arguments):
    """Calls a function that returns a status; a failure becomes the exception of that status."""
    _library.check(getattr(_loaded(), "coracle_" + name)(*arguments))


def ask(name: str, *arguments):
    """Calls a function that cannot fail."""
    return getattr(_loaded(), "coracle_" + name)(*arguments)


class Handle:
    """Something of the library, freed with its last user."""

    def __init__(self, kind: str, pointer: c_void_p):
        self.kind = kind
        self.pointer = pointer
        self.buffer: object = None   # What the library reads as long as this lives.
        _library.freed_with(self, ask, kind + "_free", pointer)


def made(kind: str, function: str, *arguments) -> Handle:
    """What a function makes and returns by its last argument."""
    pointer = c_void_p()
    call(function, *arguments, ctypes.byref(pointer))
    return Handle(kind, pointer)
