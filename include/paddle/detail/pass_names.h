// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// Names of Paddle's passes, list by list as Paddle has them: what programs see and change in a pass builder.
namespace paddle {
namespace detail {

/// A list that is made with its first use: a const std::vector<std::string> but for its type.
class PassList {
 public:
  using Names = std::vector<std::string>;
  constexpr explicit PassList(const Names& (*names)()) : names_(names) {}
  operator const Names&() const { return names_(); }  // NOLINT(google-explicit-constructor)
  Names::const_iterator begin() const { return names_().begin(); }
  Names::const_iterator end() const { return names_().end(); }
  size_t size() const { return names_().size(); }
  bool empty() const { return names_().empty(); }
  const std::string& operator[](size_t i) const { return names_()[i]; }

 private:
  const Names& (*names_)();
};

/// CpuPassStrategy.
inline const std::vector<std::string>& cpu_passes() {
  static const std::vector<std::string> kNames = {"simplify_with_basic_ops_pass",
                                                  "layer_norm_fuse_pass",
                                                  "attention_lstm_fuse_pass",
                                                  "seqconv_eltadd_relu_fuse_pass",
                                                  "seqpool_cvm_concat_fuse_pass",
                                                  "mul_lstm_fuse_pass",
                                                  "fc_gru_fuse_pass",
                                                  "mul_gru_fuse_pass",
                                                  "seq_concat_fc_fuse_pass",
                                                  "gpu_cpu_squeeze2_matmul_fuse_pass",
                                                  "gpu_cpu_reshape2_matmul_fuse_pass",
                                                  "gpu_cpu_flatten2_matmul_fuse_pass",
                                                  "matmul_v2_scale_fuse_pass",
                                                  "gpu_cpu_map_matmul_v2_to_mul_pass",
                                                  "gpu_cpu_map_matmul_v2_to_matmul_pass",
                                                  "matmul_scale_fuse_pass",
                                                  "gpu_cpu_map_matmul_to_mul_pass",
                                                  "fc_fuse_pass",
                                                  "repeated_fc_relu_fuse_pass",
                                                  "squared_mat_sub_fuse_pass",
                                                  "conv_bn_fuse_pass",
                                                  "conv_eltwiseadd_bn_fuse_pass",
                                                  "conv_transpose_bn_fuse_pass",
                                                  "conv_transpose_eltwiseadd_bn_fuse_pass",
                                                  "is_test_pass",
                                                  "constant_folding_pass"};
  return kNames;
}

/// What EnableMKLDNN appends to them.
inline const std::vector<std::string>& onednn_passes() {
  static const std::vector<std::string> kNames = {"squeeze2_transpose2_onednn_fuse_pass",
                                                  "depthwise_conv_onednn_pass",
                                                  "conv_bn_fuse_pass",
                                                  "conv_eltwiseadd_bn_fuse_pass",
                                                  "conv_affine_channel_onednn_fuse_pass",
                                                  "conv_transpose_bn_fuse_pass",
                                                  "conv_transpose_eltwiseadd_bn_fuse_pass",
                                                  "conv_bias_onednn_fuse_pass",
                                                  "conv_transpose_bias_onednn_fuse_pass",
                                                  "conv_elementwise_add_onednn_fuse_pass",
                                                  "conv_activation_onednn_fuse_pass",
                                                  "scale_matmul_fuse_pass",
                                                  "reshape_transpose_matmul_onednn_fuse_pass",
                                                  "matmul_transpose_reshape_onednn_fuse_pass",
                                                  "matmul_elementwise_add_onednn_fuse_pass",
                                                  "matmul_activation_onednn_fuse_pass",
                                                  "fc_onednn_pass",
                                                  "fc_act_onednn_fuse_pass",
                                                  "self_attention_fuse_pass",
                                                  "batch_norm_act_fuse_pass",
                                                  "softplus_activation_onednn_fuse_pass",
                                                  "shuffle_channel_onednn_detect_pass",
                                                  "elementwise_act_onednn_fuse_pass",
                                                  "operator_scale_onednn_fuse_pass",
                                                  "operator_unsqueeze2_onednn_fuse_pass",
                                                  "operator_reshape2_onednn_fuse_pass"};
  return kNames;
}

/// What EnableMkldnnInt8 has besides.
inline const std::vector<std::string>& onednn_int8_passes() {
  static const std::vector<std::string> kNames = {"quant_dequant_onednn_pass",
                                                  "fc_lstm_fuse_pass",
                                                  "multi_gru_fuse_pass",
                                                  "multi_gru_seq_fuse_pass",
                                                  "compute_propagate_scales_onednn_pass",
                                                  "cpu_quantize_placement_pass",
                                                  "cpu_quantize_pass",
                                                  "cpu_quantize_squash_pass",
                                                  "quant_transpose2_dequant_onednn_fuse_pass"};
  return kNames;
}

/// What EnableMkldnnBfloat16 appends.
inline const std::vector<std::string>& onednn_bfloat16_passes() {
  static const std::vector<std::string> kNames = {"cpu_bfloat16_placement_pass", "cpu_bfloat16_pass",
                                                  "cpu_quantize_squash_pass"};
  return kNames;
}

/// GpuPassStrategy.
inline const std::vector<std::string>& gpu_passes() {
  static const std::vector<std::string> kNames = {"map_op_to_another_pass",
                                                  "is_test_pass",
                                                  "simplify_with_basic_ops_pass",
                                                  "delete_quant_dequant_linear_op_pass",
                                                  "delete_weight_dequant_linear_op_pass",
                                                  "sparse_conv_optim_pass",
                                                  "constant_folding_pass",
                                                  "silu_fuse_pass",
                                                  "conv_bn_fuse_pass",
                                                  "conv_eltwiseadd_bn_fuse_pass",
                                                  "embedding_eltwise_layernorm_fuse_pass",
                                                  "multihead_matmul_fuse_pass_v2",
                                                  "vit_attention_fuse_pass",
                                                  "fused_multi_transformer_encoder_pass",
                                                  "fused_multi_transformer_decoder_pass",
                                                  "fused_multi_transformer_encoder_fuse_qkv_pass",
                                                  "fused_multi_transformer_decoder_fuse_qkv_pass",
                                                  "multi_devices_fused_multi_transformer_encoder_pass",
                                                  "multi_devices_fused_multi_transformer_encoder_fuse_qkv_pass",
                                                  "multi_devices_fused_multi_transformer_decoder_fuse_qkv_pass",
                                                  "fuse_multi_transformer_layer_pass",
                                                  "gpu_cpu_squeeze2_matmul_fuse_pass",
                                                  "gpu_cpu_reshape2_matmul_fuse_pass",
                                                  "gpu_cpu_flatten2_matmul_fuse_pass",
                                                  "gpu_cpu_map_matmul_v2_to_mul_pass",
                                                  "gpu_cpu_map_matmul_v2_to_matmul_pass",
                                                  "matmul_scale_fuse_pass",
                                                  "multihead_matmul_fuse_pass_v3",
                                                  "gpu_cpu_map_matmul_to_mul_pass",
                                                  "fc_fuse_pass",
                                                  "fc_elementwise_layernorm_fuse_pass",
                                                  "conv_elementwise_add_act_fuse_pass",
                                                  "conv_elementwise_add2_act_fuse_pass",
                                                  "conv_elementwise_add_fuse_pass",
                                                  "transpose_flatten_concat_fuse_pass",
                                                  "transfer_layout_pass",
                                                  "transfer_layout_elim_pass",
                                                  "auto_mixed_precision_pass",
                                                  "identity_op_clean_pass",
                                                  "inplace_op_var_pass"};
  return kNames;
}

/// kTRTSubgraphPasses.
inline const std::vector<std::string>& trt_passes() {
  static const std::vector<std::string> kNames = {"set_subgraph_edge_pass",
                                                  "trt_remove_amp_strategy_op_pass",
                                                  "trt_support_nhwc_pass",
                                                  "adaptive_pool2d_convert_global_pass",
                                                  "trt_map_ops_to_matrix_multiply_pass",
                                                  "shuffle_channel_detect_pass",
                                                  "quant_conv2d_dequant_fuse_pass",
                                                  "delete_quant_dequant_op_pass",
                                                  "delete_quant_dequant_filter_op_pass",
                                                  "trt_delete_weight_dequant_linear_op_pass",
                                                  "delete_quant_dequant_linear_op_pass",
                                                  "identity_op_clean_pass",
                                                  "add_support_int8_pass",
                                                  "simplify_with_basic_ops_pass",
                                                  "trt_prompt_tuning_embedding_eltwise_layernorm_fuse_pass",
                                                  "trt_embedding_eltwise_layernorm_fuse_pass",
                                                  "preln_embedding_eltwise_layernorm_fuse_pass",
                                                  "trt_multihead_matmul_fuse_pass_v2",
                                                  "trt_multihead_matmul_fuse_pass_v3",
                                                  "multihead_matmul_roformer_fuse_pass",
                                                  "sparse_conv_optim_pass",
                                                  "constant_folding_pass",
                                                  "vit_attention_fuse_pass",
                                                  "trt_qk_multihead_matmul_fuse_pass",
                                                  "layernorm_shift_partition_fuse_pass",
                                                  "merge_layernorm_fuse_pass",
                                                  "split_layernorm_to_math_ops_pass",
                                                  "trt_skip_layernorm_fuse_pass",
                                                  "preln_skip_layernorm_fuse_pass",
                                                  "preln_residual_bias_fuse_pass",
                                                  "preln_layernorm_x_fuse_pass",
                                                  "reverse_roll_fuse_pass",
                                                  "conv_bn_fuse_pass",
                                                  "conv_elementwise_add_fuse_pass",
                                                  "trans_layernorm_fuse_pass",
                                                  "remove_padding_recover_padding_pass",
                                                  "delete_remove_padding_recover_padding_pass",
                                                  "dense_fc_to_sparse_pass",
                                                  "dense_multihead_matmul_to_sparse_pass",
                                                  "elementwise_groupnorm_act_pass",
                                                  "preln_elementwise_groupnorm_act_pass",
                                                  "groupnorm_act_pass",
                                                  "elementwiseadd_transpose_pass",
                                                  "tensorrt_subgraph_pass",
                                                  "conv_elementwise_add_act_fuse_pass",
                                                  "conv_elementwise_add2_act_fuse_pass",
                                                  "transpose_flatten_concat_fuse_pass",
                                                  "auto_mixed_precision_pass"};
  return kNames;
}

/// kGpuLowerPrecisionPasses.
inline const std::vector<std::string>& gpu_low_precision_passes() {
  static const std::vector<std::string> kNames = {"map_op_to_another_pass",
                                                  "identity_op_clean_pass",
                                                  "simplify_with_basic_ops_pass",
                                                  "silu_fuse_pass",
                                                  "delete_quant_dequant_linear_op_pass",
                                                  "delete_weight_dequant_linear_op_pass",
                                                  "conv_bn_fuse_pass",
                                                  "conv_eltwiseadd_bn_fuse_pass",
                                                  "conv_elementwise_add_act_fuse_pass",
                                                  "conv_elementwise_add2_act_fuse_pass",
                                                  "conv_elementwise_add_fuse_pass",
                                                  "transfer_layout_pass",
                                                  "multihead_matmul_fuse_pass_v2",
                                                  "gpu_cpu_map_matmul_v2_to_mul_pass",
                                                  "gpu_cpu_map_matmul_v2_to_matmul_pass",
                                                  "gpu_cpu_map_matmul_to_mul_pass",
                                                  "fc_fuse_pass",
                                                  "embedding_eltwise_layernorm_fuse_pass",
                                                  "inplace_op_var_pass"};
  return kNames;
}

/// kTrtLowerPrecisionPasses.
inline const std::vector<std::string>& trt_low_precision_passes() {
  static const std::vector<std::string> kNames = {"trt_remove_amp_strategy_op_pass",
                                                  "trt_support_nhwc_pass",
                                                  "trt_map_ops_to_matrix_multiply_pass",
                                                  "simplify_with_basic_ops_pass",
                                                  "trt_embedding_eltwise_layernorm_fuse_pass",
                                                  "trt_skip_layernorm_fuse_pass",
                                                  "tensorrt_subgraph_pass"};
  return kNames;
}

/// kCINNCompilerPasses.
inline const std::vector<std::string>& cinn_passes() {
  static const std::vector<std::string> kNames = {
      "gpu_cpu_map_matmul_v2_to_mul_pass", "gpu_cpu_map_matmul_v2_to_matmul_pass", "gpu_cpu_map_matmul_to_mul_pass"};
  return kNames;
}

/// kPirGpuPasses.
inline const std::vector<std::string>& pir_gpu_passes() {
  static const std::vector<std::string> kNames = {"add_shadow_output_after_dead_parameter_pass",
                                                  "delete_quant_dequant_linear_op_pass",
                                                  "delete_weight_dequant_linear_op_pass",
                                                  "map_op_to_another_pass",
                                                  "identity_op_clean_pass",
                                                  "silu_fuse_pass",
                                                  "conv2d_bn_fuse_pass",
                                                  "conv2d_add_act_fuse_pass",
                                                  "conv2d_add_fuse_pass",
                                                  "embedding_eltwise_layernorm_fuse_pass",
                                                  "fused_rotary_position_embedding_pass",
                                                  "fused_flash_attn_pass",
                                                  "multihead_matmul_fuse_pass",
                                                  "fused_weight_only_linear_pass",
                                                  "matmul_add_act_fuse_pass",
                                                  "fc_elementwise_layernorm_fuse_pass",
                                                  "add_norm_fuse_pass",
                                                  "group_norm_silu_fuse_pass",
                                                  "matmul_scale_fuse_pass",
                                                  "matmul_transpose_fuse_pass",
                                                  "transpose_flatten_concat_fuse_pass",
                                                  "remove_redundant_transpose_pass",
                                                  "horizontal_fuse_pass"};
  return kNames;
}

/// kPirXpuPasses.
inline const std::vector<std::string>& pir_xpu_passes() {
  static const std::vector<std::string> kNames = {"add_shadow_output_after_dead_parameter_pass",
                                                  "delete_quant_dequant_linear_op_pass",
                                                  "delete_weight_dequant_linear_op_pass",
                                                  "map_op_to_another_pass",
                                                  "identity_op_clean_pass",
                                                  "add_activation_xpu_fuse_pass",
                                                  "add_layernorm_xpu_fuse_pass",
                                                  "rms_norm_xpu_fuse_pass",
                                                  "elementwise_mul_add_xpu_fuse_pass",
                                                  "conv2d_bn_xpu_fuse_pass",
                                                  "conv2d_add_xpu_fuse_pass",
                                                  "group_norm_silu_fuse_pass",
                                                  "fc_xpu_fuse_pass"};
  return kNames;
}

/// kPirCpuPasses.
inline const std::vector<std::string>& pir_cpu_passes() {
  static const std::vector<std::string> kNames = {"add_shadow_output_after_dead_parameter_pass",
                                                  "delete_quant_dequant_linear_op_pass",
                                                  "delete_weight_dequant_linear_op_pass"};
  return kNames;
}

/// kPirMkldnnPasses.
inline const std::vector<std::string>& pir_onednn_passes() {
  static const std::vector<std::string> kNames = {"add_shadow_output_after_dead_parameter_pass",
                                                  "delete_quant_dequant_linear_op_pass",
                                                  "delete_weight_dequant_linear_op_pass",
                                                  "depthwise_conv_onednn_pass",
                                                  "squeeze_transpose_onednn_fuse_pass",
                                                  "conv2d_bn_onednn_fuse_pass",
                                                  "conv2d_bias_bn_onednn_fuse_pass",
                                                  "conv2d_bias_fuse_pass",
                                                  "conv2d_transpose_bn_fuse_pass",
                                                  "conv2d_transpose_bias_bn_fuse_pass",
                                                  "conv2d_transpose_bias_fuse_pass",
                                                  "conv3d_bias_fuse_pass",
                                                  "conv_elementwise_add_onednn_fuse_pass",
                                                  "conv_activation_onednn_fuse_pass",
                                                  "conv_concat_activation_onednn_fuse_pass",
                                                  "matmul_scale_fuse_pass",
                                                  "scale_matmul_fuse_pass",
                                                  "reshape_transpose_matmul_fuse_pass",
                                                  "matmul_transpose_reshape_fuse_pass",
                                                  "matmul_add_act_fuse_pass",
                                                  "matmul_reshape_add_fuse_pass",
                                                  "fc_onednn_enable_pass",
                                                  "matmul_elementwise_add_fuse_pass",
                                                  "matmul_activation_fuse_pass",
                                                  "fc_activation_fuse_pass",
                                                  "self_attention_fuse_pass",
                                                  "batch_norm_act_fuse_pass",
                                                  "softplus_activation_fuse_pass",
                                                  "shuffle_channel_detect_pass",
                                                  "elementwise_act_onednn_fuse_pass",
                                                  "operator_scale_onednn_fuse_pass",
                                                  "operator_unsqueeze_onednn_fuse_pass",
                                                  "operator_reshape_onednn_fuse_pass",
                                                  "onednn_placement_pass"};
  return kNames;
}

/// kPirMkldnnBf16Passes.
inline const std::vector<std::string>& pir_onednn_bfloat16_passes() {
  static const std::vector<std::string> kNames = {"add_shadow_output_after_dead_parameter_pass",
                                                  "cpu_bfloat16_placement_pass",
                                                  "cpu_bfloat16_pass",
                                                  "cpu_bfloat16_type_placement_pass",
                                                  "cpu_special_ops_bf16_pass",
                                                  "cpu_bf16_quantize_squash_pass"};
  return kNames;
}

}  // namespace detail
}  // namespace paddle
