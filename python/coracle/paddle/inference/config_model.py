# SPDX-License-Identifier: Apache-2.0
"""Config: where the model is."""

from __future__ import annotations

import os
from typing import Any

from ... import _library
from ... import model as models
from ...errors import FileError, InvalidArgumentError
from .recorder import Recorder


class ModelFiles(Recorder):
    def _defaults(self) -> None:
        self._model_dir = self._prog_file = self._params_file = ""
        self._buffers: tuple[bytes, bytes] | None = None
        self._optim_cache_dir = ""
        self._saves_optimized = self._uses_optimized = False

    def set_model(self, model: str, params: str | None = None) -> None:
        """A folder, or a program file and a parameter file, or a folder and the common prefix of both files in it."""
        self._buffers = None
        model = os.fspath(model)
        if params is None:
            self._model_dir, self._prog_file, self._params_file = model, "", ""
            return
        self._model_dir, self._prog_file, self._params_file = "", model, os.fspath(params)
        if os.path.isdir(model):
            prefix = os.path.join(model, self._params_file)
            self._prog_file = prefix + (".json" if not os.path.exists(prefix + ".pdmodel") and os.path.exists(prefix + ".json")
                                        else ".pdmodel")
            self._params_file = prefix + ".pdiparams"

    def set_prog_file(self, path: str) -> None:
        self._buffers, self._prog_file = None, os.fspath(path)

    def set_params_file(self, path: str) -> None:
        self._buffers, self._params_file = None, os.fspath(path)

    def model_dir(self) -> str:
        return self._model_dir

    def prog_file(self) -> str:
        return self._prog_file

    def params_file(self) -> str:
        return self._params_file

    def set_model_buffer(self, prog: bytes, prog_size: int, params: bytes, params_size: int) -> None:
        """The bytes of both files; the program may be a ProgramDesc or the JSON of Paddle 3."""
        buffers = []
        for name, given, size in (("program", prog, prog_size), ("parameter data", params, params_size)):
            try:
                data = given.encode("utf-8", "surrogateescape") if isinstance(given, str) else bytes(memoryview(given))
            except TypeError:
                raise TypeError("set_model_buffer: the %s is a %s, expected bytes" % (name, type(given).__name__)) from None
            if not 0 <= size <= len(data):
                raise InvalidArgumentError("set_model_buffer: the %s has %d bytes, given the size %d" % (name, len(data), size))
            buffers.append(data[:size])
        self._buffers = (buffers[0], buffers[1])

    def model_from_memory(self) -> bool:
        return self._buffers is not None

    def set_optim_cache_dir(self, path: str) -> None:
        """The folder for what `switch_ir_debug` and `enable_save_optim_model` write."""
        self._optim_cache_dir = os.fspath(path)

    def enable_save_optim_model(self, save_optimized_model: bool = False) -> None:
        """The model, as it is after rewriting, becomes `_optimized.pdmodel`, with an empty `_optimized.pdiparams`, in the folder of
        `set_optim_cache_dir` or else of the model; a model from memory has none."""
        self._saves_optimized = save_optimized_model

    def use_optimized_model(self, x: bool = True) -> None:
        """Loads what `enable_save_optim_model` wrote; where it is not there, it is written, unless Paddle keeps its own
        optimised model in that folder: the model itself is used then."""
        self._uses_optimized = x

    def _require_program(self) -> None:
        if not os.path.isfile(self._prog_file):
            raise FileError("there is no program file %r" % self._prog_file)

    def _load(self, **options) -> models.Model:
        folder = self._optim_cache_dir
        if not folder and self._buffers is None:
            folder = self._model_dir or os.path.dirname(self._prog_file) or "."
        program, params = (os.path.join(folder, "_optimized" + suffix) for suffix in (".pdmodel", ".pdiparams"))
        if self._uses_optimized and folder and os.path.exists(program) and os.path.exists(params):
            return _load(program, params, options)
        if self._buffers is not None:
            model = models.load_memory(*self._buffers, **options)
        elif not self._prog_file and not self._model_dir:
            raise InvalidArgumentError("the Config has no model: set_model(folder) or set_model(prog_file, params_file)")
        else:
            model = _load(self._prog_file or self._model_dir, self._params_file or None, options)
        if folder and (self._saves_optimized or self._uses_optimized) and options.get("disable_passes") != ["all"]:
            # Paddle keeps its own optimised parameters by that name; ours are none, as the program holds them.
            if os.path.exists(program) and not self._saves_optimized:
                return model
            if os.path.exists(params) and os.path.getsize(params) > 0:
                if self._saves_optimized:
                    raise FileError(
                        "enable_save_optim_model: %r holds parameters that Coracle did not write; name another folder with "
                        "set_optim_cache_dir" % params
                    )
                return model
            os.makedirs(folder, exist_ok=True)
            _library.write_file(params, b"")
            model.save(program)
        return model

    def _model_rows(self) -> list[tuple[str, str]]:
        if self._buffers is not None:
            return [("model_from_memory", "true")]
        if self._prog_file:
            return [("model_file", self._prog_file), ("params_file", self._params_file)]
        return [("model_dir", self._model_dir)]


def _is_saved(path: str) -> bool:
    """True for a file of `Model.save`, by its first bytes."""
    try:
        with open(path, "rb") as file:
            return file.read(5) == b"\x89CRCL"
    except OSError:
        return False


def _load(program: str, params: str | None, options: dict[str, Any]) -> models.Model:
    """No rewrite runs on what is saved, whichever are left out."""
    if _is_saved(program):
        options = {**options, "disable_passes": None, "disable_kernels": None}
    return models.load(program, params, **options)
