# SPDX-License-Identifier: Apache-2.0
"""Config: engines, libraries of others that run parts of a model.

A call for one of Paddle's engines asks for that of Coracle with the same name ("tensorrt", a plug-in). Others stand in only where
somebody says so, with `set_coracle_engines` or the environment variable CORACLE_PADDLE_ENGINES: results then differ by rounding, and an
engine compiles for each new size of inputs.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ... import model as models
from ...errors import InvalidArgumentError
from .enums import PrecisionType
from .recorder import Recorder

_VARIABLE = "CORACLE_PADDLE_ENGINES"
_OWN_KERNELS = "Coracle's own kernels"


class Engines(Recorder):
    def _defaults(self) -> None:
        self._asked: dict[str, str] = {}            # Engines by the call that asks for them.
        self._chosen_engines: str | None = None
        self._engine_precision = PrecisionType.Float32
        self._min_subgraph_size = 3
        self._native_marks: list[str] = []
        self._shape_ranges: list[str] = []
        self._tuned_file = ""

    def set_coracle_engines(self, engines: str | Sequence[str]) -> None:
        """An addition to Paddle's: engines of Coracle, in order of preference ("openvino,xnnpack", see `coracle.load`), run parts of the
        model, whatever other calls and the environment say. Empty: none.
        """
        self._chosen_engines = engines if isinstance(engines, str) else ",".join(engines)

    def coracle_engines(self) -> str:
        """What is asked of Coracle: the engines set, else those of the environment if any call asks for an engine, else the ones that
        calls ask for ("tensorrt?": where it is there; with `enable_use_gpu` "tensorrt?,cudnn?"). Empty: none."""
        if self._chosen_engines is not None:
            return self._chosen_engines
        asked = ",".join(self._asked.values())
        if self._asks_for_nvidia():   # On a GPU without the plug-in cuDNN stands in, by which the device computes.
            asked = asked.replace("tensorrt?", "tensorrt?,cudnn?")
        return os.environ.get(_VARIABLE, asked) if self._asked else ""

    def _asks_for_nvidia(self) -> bool:
        """Whether the model is to run on a GPU of NVIDIA's: what chooses devices knows."""
        return False

    def enable_onnxruntime(self) -> None:
        """A plug-in `onnxruntime` of Coracle, or what stands in."""
        self._asked["enable_onnxruntime"] = "onnxruntime?"

    def disable_onnxruntime(self) -> None:
        self._asked.pop("enable_onnxruntime", None)

    def onnxruntime_enabled(self) -> bool:
        """True if an engine runs parts of the model for it."""
        return self._is_on("enable_onnxruntime")

    def enable_ort_optimization(self) -> None:
        self._record("enable_ort_optimization", True, "engines optimise what they are given")

    def enable_openvino_engine(self, inference_precision: PrecisionType = PrecisionType.Float32) -> None:
        """OpenVINO runs what it takes of the model, where it is there."""
        self._engine_precision = PrecisionType(inference_precision)
        self._asked["enable_openvino_engine"] = "openvino"

    def openvino_engine_enabled(self) -> bool:
        """True if OpenVINO, or what stands in for it, is there."""
        return self._is_on("enable_openvino_engine")

    def _ask_for_tensorrt(self, min_subgraph_size: int) -> None:
        self._min_subgraph_size = max(1, min_subgraph_size)
        self._asked["enable_tensorrt_engine"] = "tensorrt?"

    def _is_on(self, call: str) -> bool:
        return call in self._asked and bool(self._engines_there())

    def _keep_native(self, call: str, kind: str, names: Sequence[str]) -> None:
        """No engine runs what is named: "=" operators, "%" what makes a variable."""
        for name in names:
            if not name or "," in name:
                raise InvalidArgumentError("%s was given %r, expected names without commas" % (call, name))
            self._native_marks.append("native" + kind + name)

    def _engines_there(self) -> list[str]:
        """Those that will run parts of the model, as far as they are there. Loads their libraries."""
        names = [name.split("?")[0].split(":")[0].strip() for name in self.coracle_engines().split(",")]
        names = [name for name in names if name]
        return [engine["name"] for engine in models.available_engines(*names) if "missing" not in engine] if names else []

    def _engine_options(self, tensorrt_precision: PrecisionType) -> dict[str, Any]:
        """For coracle.load: nothing unless the Config asks for any."""
        engines = self.coracle_engines()
        if not engines:
            return {}
        options: dict[str, Any] = {"engines": engines, "marks": self._native_marks or None}
        there = bool(self._engines_there())
        ranges = self._shape_ranges + (["@" + self._tuned_file] if self._tuned_file else [])
        options["shapes"] = ranges if ranges and there else None
        precisions = []
        if "enable_tensorrt_engine" in self._asked:
            options["min_ops"] = self._min_subgraph_size
            precisions.append(tensorrt_precision)
        if "enable_openvino_engine" in self._asked:
            precisions.append(self._engine_precision)
        if PrecisionType.Half in precisions and "cudnn" in self._engines_there():
            options["precision"] = "fp16"
        for wanted, precision in ((PrecisionType.Bfloat16, "bf16"), (PrecisionType.Int8, "int8")):
            if wanted in precisions and there:
                options["precision"] = precision
        return options

    def _engine_rows(self) -> list[tuple[str, str]]:
        if not self._asked and self._chosen_engines is None:
            return []
        there = ", ".join(self._engines_there())
        if there:
            effect = "parts run on %s, the rest by %s" % (there, _OWN_KERNELS)
        elif self.coracle_engines():
            effect = "no effect: none is here of %s, runs by %s; %s names others" % (self.coracle_engines().replace("?", ""), _OWN_KERNELS, _VARIABLE)
        else:
            effect = "no effect: engines are turned off, runs by " + _OWN_KERNELS
        return [("engines of parts", there or "none")] + [(call, effect) for call in self._asked]
