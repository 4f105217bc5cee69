// SPDX-License-Identifier: Apache-2.0
#include "support/pir_writer.h"
#include "support/program_writer.h"
#include "support/small_models.h"

namespace coracle::internal::test {
namespace {

// The writer's vocabulary.
using pir::attribute;
using pir::data;
using pir::fetch;
using pir::full;
using pir::full_ints;
using pir::ints_attribute;
using pir::operation;
using pir::parameter;
using pir::region;
using pir::string_attribute;
using pir::tensor;
using pir::vec;

std::string f32(const std::vector<int64_t>& dims) { return tensor("t_f32", dims); }
std::string i64(const std::vector<int64_t>& dims) { return tensor("t_i64", dims); }
std::string boolean(const std::string& name, bool value) {
  return attribute(name, "0.a_bool", value ? "true" : "false");
}
std::string integer(const std::string& name, int64_t value) {
  return attribute(name, "0.a_i32", std::to_string(value));
}
std::string real(const std::string& name, float value) { return attribute(name, "0.a_f32", std::to_string(value)); }

Tensor floats(const Shape& shape) {
  Tensor t = Tensor::make(DType::kFloat32, shape);
  for (int64_t i = 0; i < shape.count(); ++i) t.data<float>()[i] = static_cast<float>(i % 7) * 0.25F - 0.5F;
  return t;
}
std::string record_of(const Dims& dims, float first, float step) {
  std::vector<float> values;
  for (int64_t i = 0, n = Shape(dims).count(); i < n; ++i) values.push_back(first + step * static_cast<float>(i % 13));
  return record<float>(kFloat32, dims, values);
}

std::vector<std::string> convolution_attributes(int64_t stride, int64_t padding, int64_t groups) {
  return {ints_attribute("strides", {stride, stride}),
          ints_attribute("paddings", {padding, padding}),
          string_attribute("padding_algorithm", "EXPLICIT"),
          ints_attribute("dilations", {1, 1}),
          integer("groups", groups),
          string_attribute("data_format", "NCHW")};
}

ModelBytes pir_convolution() {
  const std::string map = f32({-1, 4, -1, -1});
  const std::string four = f32({4});
  return {
      "convolution",
      pir::program_file(
          {parameter(1, "a", f32({4, 3, 3, 3})), parameter(2, "b", four), parameter(3, "c", four),
           parameter(4, "d", four), parameter(5, "e", four), parameter(6, "f", f32({4, 1, 3, 3})),
           data(7, "x", f32({-1, 3, -1, -1})),
           operation("1.conv2d", {7, 1}, {{8, map}}, convolution_attributes(2, 1, 1)),
           operation("1.batch_norm_", {8, 2, 3, 4, 5}, {{9, map}, {10, four}, {11, four}, {12, four}, {13, four}},
                     {boolean("is_test", true), real("momentum", 0.9F), real("epsilon", 1e-5F),
                      string_attribute("data_format", "NCHW"), boolean("use_global_stats", true),
                      boolean("trainable_statistics", false)}),
           operation("1.hardswish", {9}, {{14, map}}),
           operation("1.depthwise_conv2d", {14, 6}, {{15, map}}, convolution_attributes(1, 1, 4)),
           operation("1.add", {14, 15}, {{16, map}}), full_ints(17, {2, 2}),
           operation("1.pool2d", {16, 17}, {{18, map}},
                     {ints_attribute("strides", {2, 2}), ints_attribute("paddings", {0, 0}), boolean("ceil_mode", true),
                      boolean("exclusive", true), string_attribute("data_format", "NCHW"),
                      string_attribute("pooling_type", "avg"), boolean("global_pooling", false),
                      boolean("adaptive", false), string_attribute("padding_algorithm", "EXPLICIT")}),
           operation("1.softmax", {18}, {{19, map}}, {integer("axis", 1)}), fetch(19, 20, 0, map)}),
      record_of({4, 3, 3, 3}, -0.5F, 0.1F) + record_of({4}, 0, 0.1F) + record_of({4}, 1, 0.1F) +
          record_of({4}, 1, 0.1F) + record_of({4}, -1, 0.5F) + record_of({4, 1, 3, 3}, -0.5F, 0.1F),
      {floats({1, 3, 8, 7})}};
}

ModelBytes control_flow() {
  const std::string pair = f32({2});
  const std::string one = i64({1});
  const std::string flag = tensor("t_bool", {1});
  // while (i < 3) { x = x + w; i = i + 1 }
  const std::string body = region(
      {operation("1.add", {-1, 1}, {{20, pair}}), operation("1.increment_", {-2}, {{21, one}}, {real("value", 1)}),
       operation("1.less_than", {21, 4}, {{22, flag}}), operation("2.yield", {22, 20, 21}, {})},
      {{-1, pair}, {-2, one}});
  Tensor condition = Tensor::make(DType::kBool, {1});
  condition.data<bool>()[0] = true;
  const std::string yes = region({operation("1.relu", {7}, {{30, pair}}), operation("2.yield", {30}, {})});
  const std::string no = region({operation("1.add", {7, 7}, {{31, pair}}), operation("2.yield", {31}, {})});
  return {"control_flow",
          pir::program_file({parameter(1, "w", pair), data(2, "x", pair), full(3, 0, "int64", "t_i64", {1}),
                             full(4, 3, "int64", "t_i64", {1}), operation("1.less_than", {3, 4}, {{6, flag}}),
                             operation("1.while", {6, 2, 3}, {{7, pair}, {8, one}}, {}, {body}), data(9, "c", flag),
                             operation("1.if", {9}, {{10, pair}}, {}, {yes, no}), fetch(10, 11, 0, pair),
                             fetch(8, 12, 1, one)}),
          record_of({2}, -1, 1.5F),
          {floats({2}), condition}};
}

ModelBytes shapes() {
  const std::string any = f32({-1, -1, 4});
  const std::string scalar = i64({});
  const auto dimension = [&](int64_t id, int64_t from, int64_t to) {
    return operation("1.slice", {5, from, to}, {{id, scalar}},
                     {ints_attribute("axes", {0}, "0.a_i64"), ints_attribute("infer_flags", {1}, "0.a_i64"),
                      ints_attribute("decrease_axis", {0}, "0.a_i64")});
  };
  return {
      "shapes",
      pir::program_file(
          {parameter(1, "w", f32({4, 2})), data(2, "x", any),
           operation("1.matmul", {2, 1}, {{3, f32({-1, -1, 2})}},
                     {boolean("transpose_x", false), boolean("transpose_y", false)}),
           operation("1.shape64", {3}, {{5, i64({3})}}), full_ints(6, {0}), full_ints(7, {1}), full_ints(8, {2}),
           dimension(9, 6, 7), dimension(10, 7, 8), operation("1.multiply", {9, 10}, {{11, scalar}}),
           full(12, 2, "int64", "t_i64", {}), operation("0.combine", {11, 12}, {{13, vec({scalar, scalar})}}),
           operation("1.stack", {13}, {{14, i64({2})}}, {integer("axis", 0)}),
           operation("1.reshape", {3, 14}, {{15, f32({-1, -1})}}),
           operation("1.transpose", {15}, {{16, f32({-1, -1})}}, {ints_attribute("perm", {1, 0})}),
           operation("1.nonzero", {16}, {{17, i64({-1, 2})}}), operation("1.gather_nd", {16, 17}, {{18, f32({-1})}}),
           fetch(18, 19, 0, f32({-1})), fetch(16, 20, 1, f32({-1, -1}))}),
      record_of({4, 2}, -0.5F, 0.25F),
      {floats({2, 3, 4})}};
}

ModelBytes quantised() {
  const std::string matrix = f32({-1, 4});
  const std::vector<std::string> per_tensor{
      integer("quant_axis", -1), integer("bit_length", 8), integer("qmin", -128),          integer("qmax", 127),
      integer("round_type", 0),  boolean("is_test", true), boolean("only_observer", false)};
  std::vector<std::string> per_channel = per_tensor;
  per_channel[0] = integer("quant_axis", 1);
  const std::vector<int8_t> weights{1, -2, 3, 100, 50, -127, 7, 8, 9, 0, 1, 2};
  return {"quantised",
          pir::program_file({parameter(1, "a", f32({1})), parameter(2, "b", tensor("t_i8", {4, 3})),
                             parameter(3, "c", f32({3})), parameter(4, "d", f32({1})), data(5, "x", matrix),
                             operation("1.quantize_linear", {5, 1, 4, 0, 0}, {{6, matrix}}, per_tensor),
                             operation("1.dequantize_linear", {6, 1, 4, 0, 0}, {{7, matrix}}, per_tensor),
                             operation("1.dequantize_linear", {2, 3, 4, 0, 0}, {{8, f32({4, 3})}}, per_channel),
                             operation("1.matmul", {7, 8}, {{9, f32({-1, 3})}},
                                       {boolean("transpose_x", false), boolean("transpose_y", false)}),
                             fetch(9, 10, 0, f32({-1, 3}))}),
          record_of({1}, 2, 0) + record<int8_t>(kInt8, {4, 3}, weights) + record_of({3}, 0.5F, 0.25F) +
              record_of({1}, 0, 0),
          {floats({2, 4})}};
}

ModelBytes lists() {
  const std::string cube = f32({-1, 6, 10});
  std::vector<std::string> values;
  for (int i = 0; i < 60; ++i) values.push_back(std::to_string(i % 9) + ".25");
  return {"lists",
          pir::program_file(
              {data(1, "x", cube),
               full(2, 0, "float32", "t_f32", {6, 10}),
               operation("1.assign_value_", {2}, {{3, f32({6, 10})}},
                         {ints_attribute("shape", {6, 10}), attribute("dtype", "1.a_dtype", "\"float32\""),
                          pir::list_attribute("values", "0.a_f64", values)}),
               operation("1.add", {1, 3}, {{4, cube}}),
               full_ints(5, {0, 9}),
               full_ints(6, {6, 0}),
               full_ints(7, {2, -2}),
               operation("1.strided_slice", {4, 5, 6, 7}, {{8, f32({-1, 3, 5})}}, {ints_attribute("axes", {1, 2})}),
               full_ints(9, {2, 3, 5}),
               full(10, 2, "int32", "t_i32", {1}),
               operation("1.split", {4, 9, 10}, {{11, vec({f32({-1, 6, 2}), f32({-1, 6, 3}), f32({-1, 6, 5})})}}),
               operation("0.split", {11}, {{12, f32({-1, 6, 2})}, {13, f32({-1, 6, 3})}, {14, f32({-1, 6, 5})}}),
               operation("0.combine", {14, 12}, {{15, vec({f32({-1, 6, 5}), f32({-1, 6, 2})})}}),
               operation("1.concat", {15, 10}, {{16, f32({-1, 6, 7})}}),
               full_ints(18, {1}),
               operation("1.unsqueeze", {13, 18}, {{19, f32({-1, 1, 6, 3})}}),
               full_ints(20, {2, 1, 1, 2}),
               operation("1.tile", {19, 20}, {{21, f32({-1, 1, 6, 6})}}),
               fetch(8, 22, 0, f32({-1, 3, 5})),
               fetch(16, 23, 1, f32({-1, 6, 7})),
               fetch(21, 24, 2, f32({-1, 1, 6, 6}))}),
          "",
          {floats({1, 6, 10})}};
}

}  // namespace

std::vector<ModelBytes> small_pir_models() {
  return {pir_convolution(), control_flow(), shapes(), quantised(), lists()};
}

}  // namespace coracle::internal::test
