// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "error.h"
#include "pass_names.h"

namespace paddle {
namespace detail {

/// A pass of Paddle and the rewrite of Coracle that does the same.
struct PassRow {
  const char* paddle;
  const char* rewrite;
};

/// Deleting a pass of the first column leaves the rewrite of the second out. Paddle's other passes have no rewrite of
/// their own: what they do is done when reading a model (is_test_pass, map_matmul_*), by kernels
/// (onednn_placement_pass) or not at all. Transposed convolutions go through the same rewrites as the others and cannot
/// be told apart, so their passes are not in the table. The Python package's table is made of this one
/// (scripts/pass_rewrites.py).
inline const std::vector<PassRow>& pass_table() {
  static const std::vector<PassRow> kRows = {
      {"constant_folding_pass", "constant_folding"},
      {"identity_op_clean_pass", "identity"},
      {"identity_scale_op_clean_pass", "identity"},
      {"delete_dropout_op_pass", "identity"},
      {"delete_assign_op_pass", "identity"},
      {"delete_concat_op_pass", "identity"},
      {"simplify_with_basic_ops_pass", "identity"},
      {"common_subexpression_elimination_pass", "common_subexpressions"},
      {"delete_repeated_ops_pass", "common_subexpressions"},
      {"dead_code_elimination_pass", "dead_code"},
      {"delete_isolated_node_pass", "dead_code"},
      {"shuffle_channel_detect_pass", "fuse_channel_shuffle"},
      {"shuffle_channel_onednn_detect_pass", "fuse_channel_shuffle"},
      {"fc_fuse_pass", "fuse_linear"},
      {"conv_bn_fuse_pass", "fold_epilogue"},
      {"conv_eltwiseadd_bn_fuse_pass", "fold_epilogue"},
      {"conv_affine_channel_fuse_pass", "fold_epilogue"},
      {"conv_affine_channel_onednn_fuse_pass", "fold_epilogue"},
      {"conv2d_bn_fuse_pass", "fold_epilogue"},
      {"conv2d_bn_onednn_fuse_pass", "fold_epilogue"},
      {"conv2d_bias_bn_onednn_fuse_pass", "fold_epilogue"},
      {"conv_bias_onednn_fuse_pass", "fuse_epilogue"},
      {"conv_activation_onednn_fuse_pass", "fuse_epilogue"},
      {"conv_elementwise_add_fuse_pass", "fuse_epilogue"},
      {"conv_elementwise_add_act_fuse_pass", "fuse_epilogue"},
      {"conv_elementwise_add2_act_fuse_pass", "fuse_epilogue"},
      {"conv_elementwise_add_onednn_fuse_pass", "fuse_epilogue"},
      {"conv2d_bias_fuse_pass", "fuse_epilogue"},
      {"conv2d_add_fuse_pass", "fuse_epilogue"},
      {"conv2d_add_act_fuse_pass", "fuse_epilogue"},
      {"self_attention_fuse_pass", "fuse_attention"},
      {"vit_attention_fuse_pass", "fuse_attention"},
      {"multihead_matmul_fuse_pass", "fuse_attention"},
      {"multihead_matmul_fuse_pass_v2", "fuse_attention"},
      {"multihead_matmul_fuse_pass_v3", "fuse_attention"},
  };
  return kRows;
}

/// True for a pass that Paddle has. A pass of somebody's own cannot run here.
inline bool is_paddle_pass(const std::string& name) {
  for (const auto* list :
       {&cpu_passes(), &onednn_passes(), &onednn_int8_passes(), &onednn_bfloat16_passes(), &gpu_passes(), &trt_passes(),
        &pir_gpu_passes(), &pir_xpu_passes(), &pir_cpu_passes(), &pir_onednn_passes(), &pir_onednn_bfloat16_passes()}) {
    if (std::find(list->begin(), list->end(), name) != list->end()) return true;
  }
  for (const PassRow& row : pass_table()) {
    if (name == row.paddle) return true;
  }
  return name == "graph_viz_pass" || name == "onednn_placement_pass" || name == "cudnn_placement_pass" ||
         name == "mkldnn_placement_pass";
}

/// Rewrites to leave out, separated by commas, for a list of passes and those deleted from it: those of all rows if
/// nothing is left of the list.
inline std::string rewrites_without(const std::vector<std::string>& passes,
                                    const std::unordered_set<std::string>& deleted) {
  std::string out;
  for (const PassRow& row : pass_table()) {
    const bool deleted_here = deleted.count(row.paddle) != 0;
    const bool gone = passes.empty() || (deleted_here && std::count(passes.begin(), passes.end(), row.paddle) == 0);
    const std::string name = row.rewrite;
    if (gone && ("," + out + ",").find("," + name + ",") == std::string::npos) out += (out.empty() ? "" : ",") + name;
  }
  return out;
}

inline void check_passes(const std::vector<std::string>& passes, const char* call) {
  for (const std::string& name : passes) {
    require(is_paddle_pass(name), call, " names '", name,
            "', which is not a pass of Paddle: passes of one's own cannot run here, take it out");
  }
}

}  // namespace detail
}  // namespace paddle
