// SPDX-License-Identifier: Apache-2.0
#include "model/missing_operator.h"

#include "graph/model_info.h"
#include "graph/op.h"

namespace coracle::internal {
namespace {

constexpr const char* kTraining = "it belongs to training";

// tests/oracle/registered.py compares these names with what Paddle registers; docs/operators.md has them, too.
constexpr MissingOperators kMissing[] = {
    {kTraining,
     "accuracy_check adadelta adam adamax adamw alloc_float_status asgd average_accumulates check_finite_and_unscale "
     "class_center_sample clear_float_status cross_entropy_with_softmax_bwd_w_downcast dgc dgc_clip_by_norm "
     "dgc_momentum distributed_fused_lamb distributed_fused_lamb_init dpsgd fake_init ftrl fused_adam "
     "fused_dconv_drelu_dbn fused_swiglu_weighted_bwd generate_mask_labels generate_proposal_labels get_float_status "
     "lamb lars_momentum merged_adam merged_momentum mine_hard_examples momentum nadam pow2_decay_with_linear_warmup "
     "proximal_gd radam retinanet_target_assign rmsprop rpn_target_assign rprop sgd shuffle_batch sparse_momentum "
     "tdm_sampler update_loss_scaling"},
    {"it is a loss or a metric, which training takes",
     "auc bpr_loss c_softmax_with_cross_entropy c_softmax_with_multi_label_cross_entropy cal_aux_loss chunk_eval "
     "cross_entropy cross_entropy2 detection_map hinge_loss linear_chain_crf margin_cross_entropy modified_huber_loss "
     "nce positive_negative_pair precision_recall rank_loss teacher_student_sigmoid_loss warpctc warprnnt yolo_loss "
     "yolov3_loss"},
    {"it exchanges data with other processes",
     "all_gather all_reduce all_to_all alltoall assign_pos barrier broadcast build_src_rank_and_local_expert_id "
     "c_allgather c_allreduce_max c_allreduce_min c_allreduce_prod c_allreduce_sum c_broadcast c_comm_init "
     "c_comm_init_all c_comm_init_multitrainer c_concat c_embedding c_gen_xccl_id c_identity c_reduce_max c_reduce_min "
     "c_reduce_prod c_reduce_sum c_reducescatter c_scatter c_split c_sync_calc_stream c_sync_comm_stream c_wait_comm "
     "c_wait_compute comm_init_all dist_concat distributed_lookup_table distributed_push_sparse "
     "expand_modality_expert_id fetch_barrier global_gather global_scatter heter_listen_and_serv limit_by_capacity "
     "listen_and_serv moe_combine moe_combine_auto moe_combine_no_weight moe_gate_dispatch "
     "moe_gate_dispatch_and_quant moe_gate_dispatch_auto moe_gate_dispatch_partial_nosoftmaxtopk "
     "moe_gate_dispatch_permute moe_permute moe_unpermute mp_allreduce_sum number_count p_recv p_recv_array p_send "
     "p_send_array partial_allgather partial_recv partial_send prune_gate_by_capacity pull_box_extended_sparse "
     "pull_box_sparse pull_gpups_sparse pull_sparse pull_sparse_v2 push_dense random_routing recv_v2 reduce "
     "reduce_scatter send send_and_recv send_barrier send_v2 sync_calc_stream sync_comm_stream"},
    {"it reads or writes files or queues",
     "create_double_buffer_reader create_py_reader decode_jpeg dequeue enqueue load load_combine queue_generator read "
     "read_file save save_combine"},
    {"its operands are strings", "faster_tokenizer"},
    {"it runs parts of a program that are not in the file", "cuda_graph pylayer run_program"},
    {"its operands are sparse tensors", "get_tensor_from_selected_rows merge_selected_rows"},
    {"Paddle has it for other devices than CPUs",
     "add_group_norm_silu apply_per_channel_scale batched_gemm blha_get_max_len block_multihead_attention "
     "calc_reduced_attn_scores fast_ln fast_rms_norm flash_attn_qkvpacked flash_attn_v3 flash_attn_v3_varlen "
     "flash_attn_varlen_qkvpacked flashmask_attention flashmask_attention_v2 fp8_fp8_half_gemm_fused "
     "fp8_gemm_blockwise fp8_quant_blockwise fused_act_dequant fused_attention fused_batch_norm_act "
     "fused_bn_add_activation fused_dot_product_attention fused_feedforward fused_gate_attention "
     "fused_multi_transformer fused_multi_transformer_int8 fused_partial_rope fused_rms_norm_ext fused_rms_norm_quant "
     "fused_scale_bias_add_relu fused_scale_bias_relu_conv_bn fused_stack_quant fused_stack_transpose_quant "
     "fused_token_prune fused_transpose_split_quant fused_transpose_wlch_split_quant fused_weighted_swiglu_act_quant "
     "fusion_group gemm_epilogue int_bincount masked_multihead_attention max_pool2d_v2 moe npu_identity "
     "qkv_unpack_mha quant_linear resnet_basic_block resnet_unit squeeze_excitation_block tensorrt_engine "
     "yolo_box_head yolo_box_post"},
    {"it belongs to how Paddle itself runs a program",
     "ap_facade ap_trivial_fusion_begin ap_trivial_fusion_end ap_variadic check_memory_continue check_numerics "
     "copy_cross_scope copy_to data delete_var depend disable_check_model_nan_inf enable_check_model_nan_inf "
     "get_places memcpy_d2h_multi_io onednn_to_paddle_layout shadow_feed shadow_feed_tensors shadow_output "
     "shape_broadcast share_buffer trans_layout unzip"},
    {"it is a primitive of Paddle's automatic differentiation",
     "abs_p add_p bernoulli_p broadcast_p cast_p concat_p cos_p div_p eq_p erf_p exp_p fill_constant_p gather_p ge_p "
     "gt_p log_p matmul_p max_p mul_p ne_p pow_p reduce_sum_p reshape_p rsqrt_p scatter_add_p select_p sin_p "
     "slice_assign_p slice_select_p split_p sqrt_p sub_p tanh_p transpose_p uniform_random_p"},
    {"Coracle does not have it yet",
     "bilateral_slice conv2d_transpose_bias correlation deformable_psroi_pooling depthwise_conv2d_bias "
     "depthwise_conv3d_bias dequantize dirichlet dropout_nd fused_seqpool_cvm gaussian_inplace graph_khop_sampler "
     "graph_sample_neighbors index_elementwise_get index_elementwise_put index_elementwise_put_with_tensor linear_v2 "
     "max_with_index min_with_index nansum openvino_engine pyramid_hash quantize random range_v2 rank_attention "
     "requantize restrict_nonzero rint seed set slogdet_v2 std uniform_inplace uniform_random_inplace var variance "
     "view_slice weighted_sample_neighbors"},
};

/// True if `names`, words with a space between two, has `word`.
bool has_word(std::string_view names, std::string_view word) {
  if (word.empty() || word.find(' ') != std::string_view::npos) return false;
  for (size_t at = names.find(word); at != std::string_view::npos; at = names.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ')) return true;
  }
  return false;
}

}  // namespace

std::span<const MissingOperators> missing_operators() { return kMissing; }

const char* missing_operator(std::string_view type) {
  if (type.ends_with("_grad")) return kTraining;
  for (const MissingOperators& group : missing_operators()) {
    if (has_word(group.names, type)) return group.reason;
  }
  if (type.starts_with("sparse_")) return "its operands are sparse tensors";
  if (type.ends_with("_xpu")) return "Paddle has it for other devices than CPUs";
  if (find_op(type) != nullptr) return "Coracle reads it from models of Paddle 3 alone, inference.json";
  if (find_legacy_op(type) != nullptr) return "Coracle reads it from models of the older format alone, .pdmodel";
  return left_out_operator(
      "neither Paddle 2.6 nor 3.3 has it: a custom operator (PD_BUILD_OP), which has to be registered before the model "
      "is loaded (--operators, coracle_register_operator), or one of another version");
}

const char* custom_operator() {
  return "a custom operator (PD_BUILD_OP), which has to be registered before the model is loaded (--operators, "
         "coracle_register_operator)";
}

}  // namespace coracle::internal
