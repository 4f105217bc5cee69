# SPDX-License-Identifier: Apache-2.0
"""Config: rewriting of the graph, memory, logs and profiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from . import pending
from .pass_builder import PassBuilder
from .recorder import Recorder

ONE_EXECUTOR = "there is one way to run, for both file formats"
OWN_PASSES = "Coracle has rewrites of its own"
PRECISION = "every operator runs in the model's own precision"


class Graph(Recorder):
    def _defaults(self) -> None:
        self._ir_optim = True
        self._new_ir = False
        self._specify_input_name = False
        self._glog_info_disabled = False
        self._profile = False
        self._ir_debug = False
        self._passes = PassBuilder()

    def switch_ir_optim(self, x: bool = True) -> None:
        """Without it no rewrite is done; results differ by rounding only."""
        self._ir_optim = bool(x)

    def ir_optim(self) -> bool:
        return self._ir_optim

    def switch_ir_debug(self, x: bool = True, passes: Sequence[str] = ()) -> None:
        """Making a predictor writes the graph after each rewrite: `<number>_ir_<rewrite>.txt` and `.dot`, into the folder of
        `set_optim_cache_dir`, which is made if it is missing, or the working directory. `passes` is not looked at.
        """
        self._ir_debug = bool(x)

    def pass_builder(self) -> PassBuilder:
        return self._passes

    def delete_pass(self, name: str) -> None:
        """Leaves out the rewrite here that does what Paddle's pass of this name does; other names are ignored."""
        self._passes.delete_pass(name)

    def enable_custom_passes(self, passes: Iterable[str] = (), custom_pass_only: bool = False) -> None:
        self._record("enable_custom_passes", list(passes), OWN_PASSES)

    def set_optimization_level(self, opt_level: int = 2) -> None:
        self._record("set_optimization_level", opt_level, OWN_PASSES)

    def enable_memory_optim(self, x: bool = True) -> None:
        self._record("enable_memory_optim", bool(x), "memory of intermediate tensors is always planned and shared")

    def enable_new_executor(self, x: bool = True) -> None:
        self._record("enable_new_executor", bool(x), ONE_EXECUTOR)

    def enable_new_ir(self, x: bool = True) -> None:
        self._new_ir = bool(x)
        self._record("enable_new_ir", bool(x), ONE_EXECUTOR)

    def new_ir_enabled(self) -> bool:
        """What was asked for."""
        return self._new_ir

    def enable_cinn(self) -> None:
        self._record("enable_cinn", True, "kernels are compiled before")

    def enable_profile(self) -> None:
        """Runs take the time of each operator; `Predictor.profile()` is that of the last run. Nothing is printed."""
        self._profile = True

    def disable_glog_info(self) -> None:
        self._glog_info_disabled = True
        self._record("disable_glog_info", True, "nothing is ever printed")

    def glog_info_disabled(self) -> bool:
        """What was asked for."""
        return self._glog_info_disabled

    def switch_use_feed_fetch_ops(self, x: bool = True) -> None:
        self._record("switch_use_feed_fetch_ops", bool(x), "inputs and outputs are reached by handles")

    def use_feed_fetch_ops_enabled(self) -> bool:
        """False, as in Paddle whatever was asked for."""
        return False

    def switch_specify_input_names(self, x: bool = True) -> None:
        self._specify_input_name = bool(x)
        self._record("switch_specify_input_names", bool(x), "inputs are reached by name, or in the model's order by run(list)")

    def specify_input_name(self) -> bool:
        """What was asked for."""
        return self._specify_input_name

    def enable_low_precision_io(self, x: bool = True) -> None:
        """UnsupportedError unless x is false: results would have another element type."""
        if x:
            pending.enable_low_precision_io()

    def exp_disable_mixed_precision_ops(self, ops: Set[str]) -> None:
        self._record("exp_disable_mixed_precision_ops", ops, PRECISION)

    def exp_enable_mixed_precision_ops(self, ops: Set[str]) -> None:
        self._record("exp_enable_mixed_precision_ops", ops, PRECISION)

    def exp_sparse_conv_using_buffer(self, kernels, strides) -> None:
        self._record("exp_sparse_conv_using_buffer", True, OWN_PASSES)

    def to_native_config(self) -> None:
        pending.to_native_config()

    def _disabled_passes(self) -> list[str]:
        return self._passes.left_out() if self._ir_optim else ["all"]

    def _writes_graphs(self) -> bool:
        return self._ir_debug or self._passes.debug

    def _graph_rows(self) -> list[tuple[str, str]]:
        rows = [("ir_optim", "true" if self._ir_optim else "false"), ("ir_debug", "true" if self._writes_graphs() else "false"),
                ("enable_profile", "true" if self._profile else "false")]
        left_out = self._passes.left_out()
        return rows + ([("passes left out", ", ".join(left_out))] if left_out else [])
