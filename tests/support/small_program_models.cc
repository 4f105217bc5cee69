// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "support/program_writer.h"
#include "support/small_models.h"

namespace coracle::internal::test {
namespace {

constexpr int kTensor = 7;

/// -0.5, -0.4 ... again and again.
std::vector<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 11) * 0.1F - 0.5F;
  return values;
}

Tensor program_floats(const Shape& shape) {
  Tensor t = Tensor::make(DType::kFloat32, shape);
  const std::vector<float> values = ramp(static_cast<size_t>(shape.count()));
  std::copy(values.begin(), values.end(), t.data<float>());
  return t;
}

/// Collects variables, operators and parameters of a program of one or more blocks.
class Builder {
 public:
  BlockWriter& main() { return blocks_[0]; }
  BlockWriter& add_block() {
    blocks_.push_back({.index = static_cast<int64_t>(blocks_.size()), .parent = 0, .variables = {}, .operators = {}});
    return blocks_.back();
  }
  /// Parameters must be added in the order of their names, as they stand in the file.
  void parameter(const std::string& name, const Dims& dims) {
    main().variables.push_back(variable(name, kFloat32, dims, true));
    const int64_t count = std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
    params_ += record<float>(kFloat32, dims, ramp(static_cast<size_t>(count)));
  }
  void parameter(const std::string& name, const Dims& dims, const std::vector<int8_t>& values) {
    main().variables.push_back(variable(name, kInt8, dims, true));
    params_ += record<int8_t>(kInt8, dims, values);
  }
  void positive_parameter(const std::string& name, const Dims& dims, float value) {
    main().variables.push_back(variable(name, kFloat32, dims, true));
    const int64_t count = std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
    params_ += record<float>(kFloat32, dims, std::vector<float>(static_cast<size_t>(count), value));
  }
  Builder& op(const OpWriter& writer) {
    main().operators.push_back(writer);
    return *this;
  }
  ModelBytes done(const std::string& name, std::vector<Tensor> inputs) const {
    return {name, program_file(blocks_), params_, std::move(inputs)};
  }

 private:
  std::vector<BlockWriter> blocks_{BlockWriter{}};
  std::string params_;
};

ModelBytes program_convolution() {
  Builder b;
  add_feed(b.main(), "x", kFloat32, {-1, 3, -1, -1}, 0);
  b.parameter("a_filter", {4, 3, 3, 3});
  b.positive_parameter("b_mean", {4}, 0.1F);
  b.positive_parameter("c_scale", {4}, 1.5F);
  b.parameter("d_shift", {4});
  b.positive_parameter("e_variance", {4}, 2);
  b.parameter("f_filter", {4, 2, 2, 2});
  b.op(OpWriter("conv2d")
           .in("Input", {"x"})
           .in("Filter", {"a_filter"})
           .out("Output", {"c"})
           .integers("strides", {2, 1})
           .integers("paddings", {1, 1})
           .integers("dilations", {1, 1})
           .integer("groups", 1)
           .string("padding_algorithm", "EXPLICIT")
           .string("data_format", "NCHW"));
  b.op(OpWriter("batch_norm")
           .in("X", {"c"})
           .in("Mean", {"b_mean"})
           .in("Scale", {"c_scale"})
           .in("Bias", {"d_shift"})
           .in("Variance", {"e_variance"})
           .out("Y", {"n"})
           .real("epsilon", 1e-5F)
           .boolean("is_test", true)
           .string("data_layout", "NCHW"));
  b.op(OpWriter("relu6").in("X", {"n"}).out("Out", {"r"}).real("threshold", 6));
  b.op(OpWriter("pool2d")
           .in("X", {"r"})
           .out("Out", {"p"})
           .string("pooling_type", "max")
           .integers("ksize", {3, 3})
           .integers("strides", {2, 2})
           .integers("paddings", {1, 1})
           .boolean("ceil_mode", true));
  b.op(OpWriter("conv2d_transpose")
           .in("Input", {"p"})
           .in("Filter", {"f_filter"})
           .out("Output", {"t"})
           .integers("strides", {2, 2})
           .integers("paddings", {0, 0})
           .integers("dilations", {1, 1})
           .integer("groups", 2));
  b.op(OpWriter("nearest_interp_v2")
           .in("X", {"t"})
           .out("Out", {"u"})
           .reals("scale", {1.5F, 2})
           .integer("out_h", -1)
           .integer("out_w", -1)
           .string("interp_method", "nearest"));
  b.op(OpWriter("flatten_contiguous_range")
           .in("X", {"u"})
           .out("Out", {"f"})
           .integer("start_axis", 1)
           .integer("stop_axis", -1));
  b.op(OpWriter("softmax").in("X", {"f"}).out("Out", {"y"}).integer("axis", -1));
  add_fetch(b.main(), "y", 0);
  return b.done("convolution", {program_floats({1, 3, 8, 7})});
}

ModelBytes program_control_flow() {
  Builder b;
  add_feed(b.main(), "x", kFloat32, {2}, 0);
  b.parameter("w", {2});
  for (const char* n : {"i", "n"}) {
    b.main().variables.push_back(variable(n, kInt64, {1}));
    b.op(OpWriter("fill_constant")
             .out("Out", {n})
             .integers("shape", {1})
             .integer("dtype", kInt64)
             .real("value", *n == 'i' ? 0 : 3));
  }
  b.main().variables.push_back(variable("go", kBool, {1}));
  b.main().variables.push_back(variable("stop", kBool, {1}));
  b.main().variables.push_back(variable("many", kFloat32, {}, false, 13));
  b.op(OpWriter("write_to_array").in("X", {"x"}).in("I", {"i"}).out("Out", {"many"}));
  b.op(OpWriter("less_than").in("X", {"i"}).in("Y", {"n"}).out("Out", {"go"}));
  b.op(OpWriter("while")
           .in("X", {"x", "i", "n", "many", "w"})
           .in("Condition", {"go"})
           .out("Out", {"x", "i", "go", "many"})
           .block("sub_block", 1));
  b.op(OpWriter("logical_not").in("X", {"go"}).out("Out", {"stop"}));
  b.main().variables.push_back(variable("r", kFloat32, {2}));
  b.op(OpWriter("assign").in("X", {"x"}).out("Out", {"r"}));
  b.op(OpWriter("conditional_block")
           .in("Cond", {"stop"})
           .in("Input", {"x"})
           .out("Out", {"r"})
           .boolean("is_scalar_condition", true)
           .block("sub_block", 2));
  b.op(OpWriter("lod_array_length").in("X", {"many"}).out("Out", {"length"}));
  b.op(OpWriter("read_from_array").in("X", {"many"}).in("I", {"i"}).out("Out", {"last"}));
  add_fetch(b.main(), "r", 0);
  add_fetch(b.main(), "length", 1);
  add_fetch(b.main(), "last", 2);
  BlockWriter& body = b.add_block();
  body.variables.push_back(variable("t", kFloat32, {2}));
  body.operators.push_back(
      OpWriter("elementwise_add").in("X", {"x"}).in("Y", {"w"}).out("Out", {"t"}).integer("axis", -1));
  body.operators.push_back(OpWriter("increment").in("X", {"i"}).out("Out", {"i"}).real("step", 1));
  body.operators.push_back(OpWriter("assign").in("X", {"t"}).out("Out", {"x"}));
  body.operators.push_back(OpWriter("write_to_array").in("X", {"x"}).in("I", {"i"}).out("Out", {"many"}));
  body.operators.push_back(OpWriter("less_than").in("X", {"i"}).in("Y", {"n"}).out("Out", {"go"}));
  BlockWriter& branch = b.add_block();
  branch.operators.push_back(OpWriter("scale").in("X", {"x"}).out("Out", {"r"}).real("scale", -1).real("bias", 0.5F));
  return b.done("control_flow", {program_floats({2})});
}

ModelBytes sequences() {
  Builder b;
  add_feed(b.main(), "words", kInt64, {-1, 1}, 0);
  b.main().variables.back() = variable("words", kInt64, {-1, 1}, false, kTensor, 1);
  b.parameter("a_table", {10, 4});
  b.parameter("b_filter", {12, 6});
  b.parameter("c_recurrent", {2, 6});
  b.parameter("d_bias", {1, 6});
  b.op(OpWriter("lookup_table").in("Ids", {"words"}).in("W", {"a_table"}).out("Out", {"e"}).integer("padding_idx", -1));
  b.op(OpWriter("sequence_conv")
           .in("X", {"e"})
           .in("Filter", {"b_filter"})
           .out("Out", {"c"})
           .integer("contextLength", 3)
           .integer("contextStart", -1)
           .integer("contextStride", 1));
  b.op(OpWriter("gru")
           .in("Input", {"c"})
           .in("Weight", {"c_recurrent"})
           .in("Bias", {"d_bias"})
           .out("Hidden", {"h"})
           .boolean("is_reverse", true)
           .string("activation", "tanh")
           .string("gate_activation", "sigmoid"));
  b.op(OpWriter("sequence_reverse").in("X", {"h"}).out("Y", {"v"}));
  b.op(OpWriter("sequence_pool").in("X", {"v"}).out("Out", {"p"}).string("pooltype", "MAX"));
  b.op(OpWriter("sequence_expand").in("X", {"p"}).in("Y", {"e"}).out("Out", {"x"}).integer("ref_level", 0));
  b.op(OpWriter("elementwise_add").in("X", {"h"}).in("Y", {"x"}).out("Out", {"y"}).integer("axis", -1));
  add_fetch(b.main(), "p", 0);
  add_fetch(b.main(), "y", 1);
  Tensor words = Tensor::make(DType::kInt64, {5, 1});
  for (int i = 0; i < 5; ++i) words.data<int64_t>()[i] = 2 * i;
  words.set_lod({{0, 3, 5}});
  return b.done("sequences", {words});
}

ModelBytes program_quantised() {
  Builder b;
  add_feed(b.main(), "x", kFloat32, {-1, 4}, 0);
  b.positive_parameter("a_in_scale", {1}, 2);
  b.parameter("b_weight", {4, 3}, {1, -2, 3, 100, 50, -127, 7, 8, 9, 0, 1, 2});
  b.positive_parameter("c_weight_scale", {3}, 0.5F);
  b.positive_parameter("d_zero", {1}, 0);
  b.parameter("e_filter", {2, 1, 1, 1});
  b.positive_parameter("f_state", {1}, 1);
  b.op(OpWriter("quantize_linear")
           .in("X", {"x"})
           .in("Scale", {"a_in_scale"})
           .in("ZeroPoint", {"d_zero"})
           .out("Y", {"q"})
           .integer("quant_axis", -1)
           .integer("bit_length", 8));
  b.op(OpWriter("dequantize_linear")
           .in("X", {"q"})
           .in("Scale", {"a_in_scale"})
           .in("ZeroPoint", {"d_zero"})
           .out("Y", {"dx"})
           .integer("quant_axis", -1)
           .integer("bit_length", 8));
  b.op(OpWriter("dequantize_linear")
           .in("X", {"b_weight"})
           .in("Scale", {"c_weight_scale"})
           .in("ZeroPoint", {"d_zero"})
           .out("Y", {"dw"})
           .integer("quant_axis", 1)
           .integer("bit_length", 8));
  b.op(OpWriter("mul")
           .in("X", {"dx"})
           .in("Y", {"dw"})
           .out("Out", {"m"})
           .integer("x_num_col_dims", 1)
           .integer("y_num_col_dims", 1));
  b.op(OpWriter("fake_quantize_dequantize_moving_average_abs_max")
           .in("X", {"m"})
           .in("InScale", {"a_in_scale"})
           .in("InAccum", {"f_state"})
           .in("InState", {"f_state"})
           .out("Out", {"fq"})
           .out("OutScale", {"a_in_scale"})
           .integer("bit_length", 8)
           .boolean("is_test", true));
  b.op(OpWriter("unsqueeze2").in("X", {"fq"}).out("Out", {"u"}).integers("axes", {1, 3}));
  b.op(OpWriter("conv2d")
           .in("Input", {"u"})
           .in("Filter", {"e_filter"})
           .out("Output", {"y"})
           .integers("strides", {1, 1})
           .integers("paddings", {0, 0})
           .integers("dilations", {1, 1})
           .integer("groups", 1));
  add_fetch(b.main(), "y", 0);
  return b.done("quantised", {program_floats({2, 4})});
}

ModelBytes program_lists() {
  Builder b;
  add_feed(b.main(), "x", kFloat32, {-1, 6, 10}, 0);
  b.op(OpWriter("assign_value")
           .out("Out", {"c"})
           .integers("shape", {6, 10})
           .integer("dtype", kFloat32)
           .reals("fp32_values", ramp(60)));
  Dims many(300);
  std::iota(many.begin(), many.end(), 0);
  b.op(OpWriter("elementwise_add")
           .in("X", {"x"})
           .in("Y", {"c"})
           .out("Out", {"s"})
           .integer("axis", -1)
           .integers("op_notes", many));
  b.op(OpWriter("strided_slice")
           .in("Input", {"s"})
           .out("Out", {"t"})
           .integers("axes", {1, 2})
           .integers("starts", {0, 9})
           .integers("ends", {6, 0})
           .integers("strides", {2, -2})
           .integers("infer_flags", {1, 1}));
  b.op(OpWriter("split")
           .in("X", {"s"})
           .out("Out", {"a", "b", "d"})
           .integers("sections", {2, 3, 5})
           .integer("axis", 2)
           .integer("num", 0));
  b.op(OpWriter("slice")
           .in("Input", {"b"})
           .out("Out", {"e"})
           .integers("axes", {1, 2})
           .integers("starts", {-4, 1})
           .integers("ends", {1000, 2})
           .integers("infer_flags", {1, 1})
           .integers("decrease_axis", {2}));
  b.op(OpWriter("concat").in("X", {"a", "d"}).out("Out", {"g"}).integer("axis", 2));
  b.op(OpWriter("transpose2").in("X", {"g"}).out("Out", {"h"}).integers("axis", {2, 0, 1}));
  b.op(OpWriter("reshape2").in("X", {"h"}).out("Out", {"k"}).integers("shape", {0, -1, 3}));
  b.op(OpWriter("reduce_mean").in("X", {"k"}).out("Out", {"m"}).integers("dim", {0, 2}).boolean("keep_dim", true));
  b.op(OpWriter("top_k_v2").in("X", {"e"}).out("Out", {"v"}).out("Indices", {"o"}).integer("k", 2).integer("axis", 1));
  b.op(OpWriter("tile").in("X", {"m"}).out("Out", {"l"}).integers("repeat_times", {2, 1, 3}));
  b.op(OpWriter("expand_v2").in("X", {"v"}).out("Out", {"w"}).integers("shape", {3, -1, 2}));
  for (int i = 0; const char* out : {"t", "l", "w", "o"}) add_fetch(b.main(), out, i++);
  return b.done("lists", {program_floats({1, 6, 10})});
}

}  // namespace

ModelBytes product_model() {
  BlockWriter main;
  add_feed(main, "x", kFloat32, {-1, 2}, 0);
  main.variables.push_back(variable("w", kFloat32, {2, 2}, true));
  main.operators.push_back(OpWriter("matmul_v2").in("X", {"x"}).in("Y", {"w"}).out("Out", {"product"}));
  main.operators.push_back(
      OpWriter("elementwise_add").in("X", {"x"}).in("Y", {"x"}).out("Out", {"twice"}).integer("axis", -1));
  add_fetch(main, "product", 1);
  add_fetch(main, "twice", 0);
  return {"product", program_file({main}), record<float>(kFloat32, {2, 2}, {1, 2, 3, 4}), {program_floats({1, 2})}};
}

std::vector<ModelBytes> small_program_models() {
  return {program_convolution(), program_control_flow(), sequences(), program_quantised(), program_lists()};
}

}  // namespace coracle::internal::test
