# SPDX-License-Identifier: Apache-2.0
"""Paddle's names of graph passes, and the rewrites here that do the same."""

from __future__ import annotations

from collections.abc import Iterable

# Rewrite: the passes of Paddle whose work it does. Passes for transposed convolutions are not among them: their rewrites are those
# of all convolutions, which nobody who deletes such a pass wants to lose.
REWRITES = {
    "constant_folding": ("constant_folding_pass",),
    "identity": ("identity_op_clean_pass", "identity_scale_op_clean_pass", "delete_dropout_op_pass", "delete_assign_op_pass",
                 "delete_concat_op_pass", "simplify_with_basic_ops_pass"),
    "common_subexpressions": ("common_subexpression_elimination_pass", "delete_repeated_ops_pass"),
    "dead_code": ("dead_code_elimination_pass", "delete_isolated_node_pass"),
    "fuse_channel_shuffle": ("shuffle_channel_detect_pass", "shuffle_channel_onednn_detect_pass"),
    "fuse_linear": ("fc_fuse_pass",),
    "fuse_attention": ("self_attention_fuse_pass", "vit_attention_fuse_pass", "multihead_matmul_fuse_pass",
                       "multihead_matmul_fuse_pass_v2", "multihead_matmul_fuse_pass_v3"),
    "fuse_epilogue": ("conv_bias_onednn_fuse_pass", "conv_activation_onednn_fuse_pass", "conv_elementwise_add_fuse_pass",
                      "conv_elementwise_add_act_fuse_pass", "conv_elementwise_add2_act_fuse_pass",
                      "conv_elementwise_add_onednn_fuse_pass", "conv2d_bias_fuse_pass", "conv2d_add_fuse_pass",
                      "conv2d_add_act_fuse_pass"),
    "fold_epilogue": ("conv_bn_fuse_pass", "conv_eltwiseadd_bn_fuse_pass", "conv_affine_channel_fuse_pass",
                      "conv_affine_channel_onednn_fuse_pass", "conv2d_bn_fuse_pass", "conv2d_bn_onednn_fuse_pass",
                      "conv2d_bias_bn_onednn_fuse_pass"),
}


def _rewrite_of(name: str) -> str | None:
    """The rewrite for a pass; Paddle had mkldnn in names where it now has onednn."""
    name = name.replace("mkldnn", "onednn")
    for rewrite, names in REWRITES.items():
        if name == rewrite or name in names:
            return rewrite
    return None


class PassBuilder:
    """What `Config.pass_builder()` returns: the names of passes in order. A rewrite is left out when one of its names is deleted,
    or when `set_passes` leaves none of them. Names without a rewrite here are kept, without effect.
    """

    def __init__(self):
        self._passes = [name for names in REWRITES.values() for name in names]
        self._analysis_passes: list[str] = []
        self._left_out: set[str | None] = set()
        self.debug = False

    def copy(self) -> PassBuilder:
        other = PassBuilder()
        other._passes, other._analysis_passes = list(self._passes), list(self._analysis_passes)
        other._left_out, other.debug = set(self._left_out), self.debug
        return other

    def all_passes(self) -> list[str]:
        return list(self._passes)

    def analysis_passes(self) -> list[str]:
        return list(self._analysis_passes)

    def set_passes(self, passes: Iterable[str]) -> None:
        self._passes = list(passes)
        kept = {_rewrite_of(name) for name in self._passes}
        self._left_out = {rewrite for rewrite in REWRITES if rewrite not in kept}

    def append_pass(self, name: str) -> None:
        self.insert_pass(len(self._passes), name)

    def insert_pass(self, index: int, name: str) -> None:
        """The order of rewrites here does not change with it."""
        self._passes.insert(index, name)
        self._left_out.discard(_rewrite_of(name))

    def append_analysis_pass(self, name: str) -> None:
        self._analysis_passes.append(name)

    def delete_pass(self, name: str) -> None:
        self._passes = [each for each in self._passes if each != name]
        rewrite = _rewrite_of(name)
        if rewrite is not None:
            self._left_out.add(rewrite)

    def turn_on_debug(self) -> None:
        """Graphs are written as by `Config.switch_ir_debug`."""
        self.debug = True

    def debug_string(self) -> str:
        return "Passes to apply:\n" + "".join("  - %s\n" % name for name in self._passes)

    def left_out(self) -> list[str]:
        """The rewrites of Coracle to be left out."""
        return sorted(name for name in self._left_out if name)
