// SPDX-License-Identifier: Apache-2.0
#include "quantize/pir_names.h"

namespace coracle::internal::quantize {
namespace {

const std::vector<PirOperation>& operations() {
  static const std::vector<PirOperation> kOperations{
      {"add", "elementwise_add", {"X", "Y"}, {"Out"}},
      {"batch_norm", "batch_norm", {"X", "Mean", "Variance", "Scale", "Bias"}, {"Y"}},
      {"conv2d", "conv2d", {"Input", "Filter"}, {"Output"}},
      {"conv2d_transpose", "conv2d_transpose", {"Input", "Filter"}, {"Output"}},
      {"data", "feed", {}, {"Out"}},
      {"depthwise_conv2d", "depthwise_conv2d", {"Input", "Filter"}, {"Output"}},
      {"depthwise_conv2d_transpose", "depthwise_conv2d_transpose", {"Input", "Filter"}, {"Output"}},
      {"embedding", "lookup_table_v2", {"Ids", "W"}, {"Out"}},
      {"feed", "feed", {}, {"Out"}},
      {"flatten", "flatten_contiguous_range", {"X"}, {"Out"}},
      {"layer_norm", "layer_norm", {"X", "Scale", "Bias"}, {"Y"}},
      {"matmul", "matmul_v2", {"X", "Y"}, {"Out"}},
      {"matmul_with_flatten", "mul", {"X", "Y"}, {"Out"}},
      {"reshape", "reshape2", {"X", "Shape"}, {"Out"}},
      {"rms_norm",
       "rms_norm",
       {"x", "bias", "residual", "norm_weight", "norm_bias"},
       {"out", "residual_out", "inv_var"}},
      {"squeeze", "squeeze2", {"X", "Axes"}, {"Out"}},
      {"transpose", "transpose2", {"X"}, {"Out"}},
      {"unsqueeze", "unsqueeze2", {"X", "Axes"}, {"Out"}},
  };
  return kOperations;
}

}  // namespace

const PirOperation* find_pir_operation(std::string_view name) {
  for (const PirOperation& o : operations()) {
    if (name == o.name) return &o;
  }
  return nullptr;
}

std::string input_slot(const PirOperation* operation, size_t at) {
  if (operation != nullptr && at < operation->inputs.size()) return operation->inputs[at];
  return at == 0 ? "X" : at == 1 ? "Y" : std::to_string(at);
}

std::string output_slot(const PirOperation* operation, size_t at) {
  if (operation != nullptr && at < operation->outputs.size()) return operation->outputs[at];
  return at == 0 ? "Out" : std::to_string(at);
}

}  // namespace coracle::internal::quantize
