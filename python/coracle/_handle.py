# SPDX-License-Identifier: Apache-2.0
"""A loaded model as its Model and all of its sessions share it."""

from __future__ import annotations

import ctypes
import dataclasses
import os

import numpy as np

from . import _arrays, _library
from .errors import InvalidArgumentError


@dataclasses.dataclass(frozen=True)
class TensorInfo:
    """Name and type of an input or output.

    `shape` has None for a dimension that is free and is None itself if not even the rank is known before a run.
    `dtype` is a name such as "float32"; `lod_levels` are the levels of sequence offsets that an input takes.
    """

    name: str
    dtype: str
    shape: tuple[int | None, ...] | None
    lod_levels: int = 0

    @property
    def numpy_dtype(self) -> np.dtype:
        """The dtype of arrays for it (bfloat16 is uint16 and float8 uint8 unless ml_dtypes is installed)."""
        return _arrays.numpy_dtype(_arrays.NAMES.index(self.dtype))

    def __str__(self) -> str:
        shape = "[...]" if self.shape is None else "[%s]" % ", ".join("?" if d is None else str(d) for d in self.shape)
        return "%s: %s%s" % (self.name, self.dtype, shape)


class ModelHandle:
    """The model in the library, freed with the last Model or Session that has it."""

    def __init__(self, pointer: ctypes.c_void_p, buffers=()):
        self.pointer = pointer
        _library.freed_with(self, _library.ask, "model_free", pointer)
        self.buffers = buffers   # The bytes of a model from memory, which the library reads as long as the model lives.
        self.pid = os.getpid()
        self.running: set[tuple[int, int]] = set()   # (process, session) of runs that are on.
        self.inputs = self._infos("input")
        self.outputs = self._infos("output")

    def _infos(self, kind: str) -> tuple[TensorInfo, ...]:
        infos = []
        for index in range(_library.ask("model_%s_count" % kind, self.pointer)):
            info = _library.TensorInfo()
            _library.call("model_" + kind, self.pointer, index, ctypes.byref(info))
            shape = None if info.rank < 0 else tuple(None if d < 0 else d for d in info.dims[:info.rank])
            infos.append(TensorInfo(info.name.decode(), _arrays.NAMES[info.dtype], shape, info.lod_levels))
        return tuple(infos)

    def index(self, kind: str, key: str | int) -> int:
        """The index of an input or output ("input", "output") by its name or index."""
        infos = self.inputs if kind == "input" else self.outputs
        if isinstance(key, str):
            for index, info in enumerate(infos):
                if info.name == key:
                    return index
        elif isinstance(key, (int, np.integer)) and not isinstance(key, bool) and -len(infos) <= key < len(infos):
            return int(key) % len(infos)
        raise InvalidArgumentError("the model has no %s %r; it has %s"
                                   % (kind, key, ", ".join(repr(info.name) for info in infos) or "none"))

    def require_whole(self) -> None:
        """Refuses a model whose locks another thread may have held when this process was forked."""
        pid = os.getpid()
        if pid != self.pid and any(process != pid for process, _ in list(self.running)):
            raise InvalidArgumentError("this process was forked while another thread ran a session of this model, so the model may "
                                       "be half changed here: load it again in this process (coracle.load)")
