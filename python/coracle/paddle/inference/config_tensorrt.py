# SPDX-License-Identifier: Apache-2.0
"""Config: TensorRT. An engine of that name, or those that stand in for it, are told what is said of subgraphs, precision and operators; the
rest is kept, so that what is asked back is what was set. The ranges of shapes are collected."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ...errors import InvalidArgumentError
from .config_engines import Engines
from .enums import PrecisionType

NOT_USED = "TensorRT is not used"


class TensorRt(Engines):
    def _defaults(self) -> None:
        self._trt: dict[str, Any] = {"precision": PrecisionType.Float32, "dynamic_shape": False, "tuned": False, "build_at_runtime": False,
                                     "level": 3, "shape_ranges": "", "collected": False}

    def enable_tensorrt_engine(self, workspace_size: int = 1 << 30, max_batch_size: int = 1, min_subgraph_size: int = 3,
                               precision_mode: PrecisionType = PrecisionType.Float32, use_static: bool = False,
                               use_calib_mode: bool = True, use_cuda_graph: bool = False) -> None:
        self._trt["precision"] = PrecisionType(precision_mode)
        self._ask_for_tensorrt(min_subgraph_size)

    def tensorrt_engine_enabled(self) -> bool:
        """True if an engine runs parts of the model for it."""
        return self._is_on("enable_tensorrt_engine")

    def tensorrt_precision_mode(self) -> PrecisionType:
        return self._trt["precision"]

    def enable_tensorrt_memory_optim(self, engine_memory_sharing: bool = True, sharing_identifier: int = 0) -> None:
        self._record("enable_tensorrt_memory_optim", engine_memory_sharing, NOT_USED)

    def set_trt_dynamic_shape_info(self, min_input_shape: Mapping[str, Sequence[int]] = MappingProxyType({}),
                                   max_input_shape: Mapping[str, Sequence[int]] = MappingProxyType({}),
                                   optim_input_shape: Mapping[str, Sequence[int]] = MappingProxyType({}),
                                   disable_trt_plugin_fp16: bool = False) -> None:
        """Engines compile once for shapes of inputs in between; others run natively."""
        self._trt["dynamic_shape"] = bool(min_input_shape)
        self._shape_ranges = []
        for name, least in min_input_shape.items():
            if name not in max_input_shape or name not in optim_input_shape or "," in name:
                continue
            sizes = ("x".join(map(str, each)) for each in (least, optim_input_shape[name], max_input_shape[name]))
            self._shape_ranges.append("%s?=%s" % (name, "..".join(sizes)))   # What is no input follows from those.

    def tensorrt_dynamic_shape_enabled(self) -> bool:
        return self._trt["dynamic_shape"]

    def collect_shape_range_info(self, path: str) -> None:
        """Predictors write the shapes that operands had in all runs to `path`, when the last one that shares the model is gone.
        Operators run alone meanwhile. The file is Paddle's.
        """
        path = os.fspath(path)
        if not path:
            raise InvalidArgumentError("collect_shape_range_info needs the path of a file to write")
        self._trt.update(shape_ranges=path, collected=True)

    def shape_range_info_path(self) -> str:
        return self._trt["shape_ranges"]

    def shape_range_info_collected(self) -> bool:
        return self._trt["collected"]

    def enable_tuned_tensorrt_dynamic_shape(self, shape_range_info_path: str = "", allow_build_at_runtime: bool = True) -> None:
        self._trt.update(tuned=True, build_at_runtime=allow_build_at_runtime, shape_ranges=os.fspath(shape_range_info_path))
        self._tuned_file = os.fspath(shape_range_info_path)

    def tuned_tensorrt_dynamic_shape(self) -> bool:
        return self._trt["tuned"]

    def trt_allow_build_at_runtime(self) -> bool:
        return self._trt["build_at_runtime"]

    def mark_trt_engine_outputs(self, output_tensor_names: Sequence[str] = ()) -> None:
        self._record("mark_trt_engine_outputs", output_tensor_names, NOT_USED)

    def exp_disable_tensorrt_ops(self, ops: Sequence[str]) -> None:
        """No engine runs operators of these types, by Paddle's names, nor what they were fused into."""
        self._keep_native("exp_disable_tensorrt_ops", "=", ops)

    def exp_disable_tensorrt_subgraph(self, names: Sequence[str]) -> None:
        """No engine runs what makes one of these variables."""
        self._keep_native("exp_disable_tensorrt_subgraph", "%", names)

    def exp_specify_tensorrt_subgraph_precision(self, fp16: Sequence[str], int8: Sequence[str], bfp16: Sequence[str]) -> None:
        self._record("exp_specify_tensorrt_subgraph_precision", [*fp16, *int8, *bfp16], NOT_USED)

    def exp_disable_tensorrt_dynamic_shape_ops(self, x: bool) -> None:
        self._record("exp_disable_tensorrt_dynamic_shape_ops", x, NOT_USED)

    def enable_tensorrt_varseqlen(self) -> None:
        self._record("enable_tensorrt_varseqlen", True, NOT_USED)

    def tensorrt_varseqlen_enabled(self) -> bool:
        return False

    def enable_tensorrt_dla(self, dla_core: int = 0) -> None:
        self._record("enable_tensorrt_dla", dla_core, NOT_USED)

    def tensorrt_dla_enabled(self) -> bool:
        return False

    def enable_tensorrt_inspector(self, inspector_serialize: bool = False) -> None:
        self._record("enable_tensorrt_inspector", True, NOT_USED)

    def tensorrt_inspector_enabled(self) -> bool:
        return False

    def enable_tensorrt_explicit_quantization(self) -> None:
        self._record("enable_tensorrt_explicit_quantization", True, NOT_USED)

    def tensorrt_explicit_quantization_enabled(self) -> bool:
        return False

    def set_tensorrt_optimization_level(self, level: int) -> None:
        self._trt["level"] = level
        self._record("set_tensorrt_optimization_level", level, NOT_USED)

    def tensorrt_optimization_level(self) -> int:
        return self._trt["level"]
