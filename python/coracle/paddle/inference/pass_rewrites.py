# SPDX-License-Identifier: Apache-2.0
"""Made by scripts/pass_rewrites.py of include/paddle/detail/pass_table.h."""

# Rewrite: the passes of Paddle whose work it does.
REWRITES = {
    "constant_folding": (
        "constant_folding_pass",
    ),
    "identity": (
        "identity_op_clean_pass", "identity_scale_op_clean_pass", "delete_dropout_op_pass",
        "delete_assign_op_pass", "delete_concat_op_pass", "simplify_with_basic_ops_pass",
    ),
    "common_subexpressions": (
        "common_subexpression_elimination_pass", "delete_repeated_ops_pass",
    ),
    "dead_code": (
        "dead_code_elimination_pass", "delete_isolated_node_pass",
    ),
    "fuse_channel_shuffle": (
        "shuffle_channel_detect_pass", "shuffle_channel_onednn_detect_pass",
    ),
    "fuse_linear": (
        "fc_fuse_pass",
    ),
    "fold_epilogue": (
        "conv_bn_fuse_pass", "conv_eltwiseadd_bn_fuse_pass", "conv_affine_channel_fuse_pass",
        "conv_affine_channel_onednn_fuse_pass", "conv2d_bn_fuse_pass", "conv2d_bn_onednn_fuse_pass",
        "conv2d_bias_bn_onednn_fuse_pass",
    ),
    "fuse_epilogue": (
        "conv_bias_onednn_fuse_pass", "conv_activation_onednn_fuse_pass", "conv_elementwise_add_fuse_pass",
        "conv_elementwise_add_act_fuse_pass", "conv_elementwise_add2_act_fuse_pass",
        "conv_elementwise_add_onednn_fuse_pass", "conv2d_bias_fuse_pass", "conv2d_add_fuse_pass",
        "conv2d_add_act_fuse_pass",
    ),
    "fuse_attention": (
        "self_attention_fuse_pass", "vit_attention_fuse_pass", "multihead_matmul_fuse_pass",
        "multihead_matmul_fuse_pass_v2", "multihead_matmul_fuse_pass_v3",
    ),
}
