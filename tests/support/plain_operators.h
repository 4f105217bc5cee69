// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "support/program_writer.h"

/// Operators of files that tests put together, by the names of their operands.
namespace coracle::internal::test {

inline OpWriter add(const std::string& x, const std::string& y, const std::string& to, int axis = -1) {
  return OpWriter("elementwise_add").in("X", {x}).in("Y", {y}).out("Out", {to}).integer("axis", axis);
}
inline OpWriter unary(const char* type, const std::string& x, const std::string& to) {
  return OpWriter(type).in("X", {x}).out("Out", {to});
}
inline OpWriter matmul(const std::string& x, const std::string& y, const std::string& to, bool transposed_y = false) {
  return OpWriter("matmul_v2")
      .in("X", {x})
      .in("Y", {y})
      .out("Out", {to})
      .boolean("trans_x", false)
      .boolean("trans_y", transposed_y);
}
/// "conv2d", "depthwise_conv2d", of stride 1.
inline OpWriter convolution(const char* type, const std::string& x, const std::string& filter, const std::string& to,
                            int groups = 1, int64_t padding = 1) {
  return OpWriter(type)
      .in("Input", {x})
      .in("Filter", {filter})
      .out("Output", {to})
      .integers("strides", {1, 1})
      .integers("paddings", {padding, padding})
      .integers("dilations", {1, 1})
      .integer("groups", groups)
      .string("data_format", "NCHW");
}
/// With parameters "scale", "shift", "mean" and "variance", and results "saved_mean" and "saved_variance".
inline OpWriter batch_norm(const std::string& x, const std::string& to) {
  return OpWriter("batch_norm")
      .in("X", {x})
      .in("Scale", {"scale"})
      .in("Bias", {"shift"})
      .in("Mean", {"mean"})
      .in("Variance", {"variance"})
      .out("Y", {to})
      .out("MeanOut", {"mean"})
      .out("VarianceOut", {"variance"})
      .out("SavedMean", {"saved_mean"})
      .out("SavedVariance", {"saved_variance"})
      .real("epsilon", 1e-5F)
      .boolean("is_test", true)
      .string("data_layout", "NCHW");
}
inline OpWriter reshape(const std::string& x, const Dims& shape, const std::string& to) {
  return OpWriter("reshape2").in("X", {x}).out("Out", {to}).integers("shape", shape);
}
/// With the result that keeps the shape of x.
inline OpWriter reshape(const std::string& x, const Dims& shape, const std::string& to, const std::string& x_shape) {
  return reshape(x, shape, to).out("XShape", {x_shape});
}
inline OpWriter transpose(const std::string& x, const Dims& order, const std::string& to) {
  return OpWriter("transpose2").in("X", {x}).out("Out", {to}).integers("axis", order);
}

}  // namespace coracle::internal::test
