# SPDX-License-Identifier: Apache-2.0
"""Config: threads, and oneDNN with the old and the new names. Kernels here are Coracle's own, so oneDNN's calls are recorded."""

from __future__ import annotations

from collections.abc import Set

from ...errors import InvalidArgumentError
from .recorder import Recorder

KERNELS = "Coracle has kernels of its own, chosen for the machine"
FLOAT32 = "runs in the model's own precision, which is the more exact"


class Cpu(Recorder):
    def _defaults(self) -> None:
        self._threads = 1
        self._onednn = True
        self._onednn_int8 = False
        self._onednn_bfloat16 = False

    def set_cpu_math_library_num_threads(self, count: int) -> None:
        """Threads of a run, the caller included. 0 and less are 1, as Paddle has it."""
        if isinstance(count, bool) or not isinstance(count, int) or count > 1024:
            raise InvalidArgumentError("set_cpu_math_library_num_threads takes a number up to 1024, given %r" % (count,))
        self._threads = count

    def cpu_math_library_num_threads(self) -> int:
        return self._threads

    def enable_onednn(self) -> None:
        self._onednn = True
        self._record("enable_onednn", True, KERNELS)

    def disable_onednn(self) -> None:
        self._onednn = self._onednn_int8 = self._onednn_bfloat16 = False
        self._record("disable_onednn", True, KERNELS)

    def onednn_enabled(self) -> bool:
        """What was asked for; true at first, as in Paddle."""
        return self._onednn

    def set_onednn_cache_capacity(self, capacity: int = 0) -> None:
        self._record("set_onednn_cache_capacity", capacity, "plans are kept by size, see coracle.Model.session(cache_bytes=...)")

    def set_onednn_op(self, ops: Set[str]) -> None:
        self._record("set_onednn_op", ops, KERNELS)

    def enable_onednn_int8(self, onednn_int8_enabled_op_types: Set[str] = frozenset()) -> None:
        self._onednn = self._onednn_int8 = True
        self._record("enable_onednn_int8", onednn_int8_enabled_op_types or True, FLOAT32)

    def onednn_int8_enabled(self) -> bool:
        """What was asked for."""
        return self._onednn_int8

    def enable_onednn_bfloat16(self) -> None:
        """Operands of products are rounded to bfloat16 where the machine has matrix tiles or AVX512-BF16."""
        self._onednn = self._onednn_bfloat16 = True

    def set_bfloat16_op(self, ops: Set[str]) -> None:
        self._record("set_bfloat16_op", ops, FLOAT32)

    def disable_onednn_fc_passes(self) -> None:
        self._record("disable_onednn_fc_passes", True, KERNELS)

    def enable_quantizer(self) -> None:
        self._record("enable_quantizer", True, FLOAT32)

    enable_mkldnn = enable_onednn
    disable_mkldnn = disable_onednn
    mkldnn_enabled = onednn_enabled
    set_mkldnn_cache_capacity = set_onednn_cache_capacity
    set_mkldnn_op = set_onednn_op
    mkldnn_int8_enabled = onednn_int8_enabled
    enable_mkldnn_bfloat16 = enable_onednn_bfloat16
    disable_mkldnn_fc_passes = disable_onednn_fc_passes

    def enable_mkldnn_int8(self, mkldnn_int8_enabled_op_types: Set[str] = frozenset()) -> None:
        self.enable_onednn_int8(mkldnn_int8_enabled_op_types)

    def _cpu_rows(self) -> list[tuple[str, str]]:
        return [("cpu_math_thread", str(self._threads))]
