// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/half.h"
#include "lite_files/lite_file_writer.h"
#include "loading/model.h"
#include "run/session.h"
#include "support/memory_file.h"

/// What opt makes of Paddle's operators, in files of a few of them.
namespace coracle::internal {
namespace {

using test::lite_parameter;
using test::LiteFile;
using test::LiteOperator;
using Attributes = std::vector<std::pair<std::string, test::LiteValue>>;
using Reals = std::vector<float>;

constexpr const char* kKernel = "__@kernel_type_attr@__";

/// Runs operators that make "out" of "x".
Reals results(std::vector<LiteOperator> operators, const Reals& x, const Shape& shape,
              std::vector<test::LiteParameter> parameters = {}, int32_t type = 5) {
  operators.insert(operators.begin(), {"feed", {{"X", {"feed"}}}, {{"Out", {"x"}}}, {{"col", 0}}});
  operators.push_back({"fetch", {{"X", {"out"}}}, {{"Out", {"fetch"}}}, {{"col", 0}}});
  std::vector<test::LiteVariable> variables{{"x", std::vector<int64_t>(shape.begin(), shape.end()), type}, {"out"}};
  for (const auto& p : parameters) variables.push_back({p.name, p.dims, 5, 7, true});
  const LiteFile file{{{-1, variables, operators}}, std::move(parameters)};
  Session session(Model::load(ModelSource::in_memory(test::memory_file(file.bytes(), "model.nb"), {}), {}),
                  {.threads = 1});
  if (type == 3) {
    session.set_input(0, Tensor::of<int64_t>(shape, std::vector<int64_t>(x.begin(), x.end())));
  } else {
    session.set_input(0, Tensor::of<float>(shape, x));
  }
  session.run();
  const Tensor out = session.output(0).clone();
  Reals all;
  for (int64_t i = 0; i < out.count(); ++i) all.push_back(static_cast<float>(out.number(i)));
  return all;
}

void expect_near(const Reals& got, const Reals& expected, float tolerance = 1e-5F) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << "element " << i;
}

template <class F>
Reals each(const Reals& values, const F& f) {
  Reals all;
  for (float v : values) all.push_back(f(v));
  return all;
}

/// A convolution that gives x itself, of one channel.
LiteOperator convolution(Attributes attributes, const test::LiteSlots& inputs = {}) {
  LiteOperator op{"conv2d", {{"Input", {"x"}}, {"Filter", {"w"}}}, {{"Output", {"out"}}}, std::move(attributes)};
  op.inputs.insert(op.inputs.end(), inputs.begin(), inputs.end());
  for (const char* name : {"strides", "dilations"}) op.attributes.emplace_back(name, std::vector<int32_t>{1, 1});
  op.attributes.emplace_back("paddings", std::vector<int32_t>{0, 0});
  op.attributes.emplace_back("groups", 1);
  return op;
}

const Reals kValues{-7, -2.5, -0.5, 0, 0.5, 2, 3.5, 9};
const Shape kImage{1, 1, 2, 4};
const test::LiteParameter kOne = lite_parameter<float>("w", {1, 1, 1, 1}, 5, {1});

TEST(LiteOperators, ConvolutionsWithActivations) {
  struct Case {
    const char* name;
    Attributes attributes;
    float (*f)(float);
  };
  const std::vector<Case> cases{
      {"relu", {{"fuse_relu", true}}, [](float v) { return std::max(v, 0.0F); }},
      {"relu6", {{"fuse_brelu_threshold", 3.0F}}, [](float v) { return std::min(std::max(v, 0.0F), 3.0F); }},
      {"leaky_relu", {{"leaky_relu_alpha", 0.25F}}, [](float v) { return v < 0 ? v * 0.25F : v; }},
      {"hard_swish",
       {{"hard_swish_threshold", 4.0F}, {"hard_swish_scale", 5.0F}, {"hard_swish_offset", 2.0F}},
       [](float v) { return v * std::min(std::max(v + 2, 0.0F), 4.0F) / 5; }},
      {"hard_sigmoid",
       {{"slope", 0.25F}, {"offset", 0.5F}},
       [](float v) { return std::min(std::max(v * 0.25F + 0.5F, 0.0F), 1.0F); }},
      {"sigmoid", {{"fuse_sigmoid", true}}, [](float v) { return 1 / (1 + std::exp(-v)); }},
      {"tanh_act", {{"fuse_tanh", true}}, [](float v) { return std::tanh(v); }},
      {"abs_act", {{"fuse_abs", true}}, [](float v) { return std::abs(v); }},
      {"swish", {{"fuse_swish", true}, {"swish_scale", 2.0F}}, [](float v) { return v / (1 + std::exp(-2 * v)); }}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Attributes attributes = c.attributes;
    attributes.emplace_back("with_act", true);
    attributes.emplace_back("act_type", std::string(c.name));
    expect_near(results({convolution(attributes)}, kValues, kImage, {kOne}), each(kValues, c.f));
  }
  expect_near(
      results({convolution({{"with_act", true}, {"act_type", std::string("prelu")}, {"prelu_mode", std::string("all")}},
                           {{"Prelu_alpha", {"slope"}}})},
              kValues, kImage, {kOne, lite_parameter<float>("slope", {1}, 5, {0.5F})}),
      each(kValues, [](float v) { return v < 0 ? v * 0.5F : v; }));
}

TEST(LiteOperators, ConvolutionsWithASecondOperand) {
  const Attributes relu{{"with_act", true}, {"act_type", std::string("relu")}};
  Attributes difference = relu;
  difference.emplace_back("fuse_elementwise_op_type", std::string("elementwise_sub"));
  expect_near(results({convolution(difference, {{"SecondInput", {"x"}}})}, kValues, kImage, {kOne}),
              each(kValues, [](float v) { return v - std::max(v, 0.0F); }));
  Attributes fused = relu;
  fused.emplace_back("fuse_elementwise_op_type", std::string("fusion_elementwise_add_activation"));
  expect_near(results({convolution(fused, {{"SecondInput", {"x"}}})}, kValues, kImage, {kOne}),
              each(kValues, [](float v) { return std::max(v + std::max(v, 0.0F), 0.0F); }));
}

TEST(LiteOperators, FullyConnected) {
  const std::vector<test::LiteParameter> parameters{lite_parameter<float>("w", {2, 2}, 5, {1, 2, 3, 4}),
                                                    lite_parameter<float>("b", {2}, 5, {1, -20})};
  const test::LiteSlots operands{{"Input", {"x"}}, {"W", {"w"}}, {"Bias", {"b"}}};
  const auto fc = [&](Attributes attributes) {
    return LiteOperator{"fc", operands, {{"Out", {"out"}}}, std::move(attributes)};
  };
  const Reals x{1, 1, 1, 3};
  // Of `mul`, with what that had; of `matmul_v2` the product is over the last dimension, whatever stands there.
  expect_near(results({fc({{"in_num_col_dims", 1}, {"op_type", std::string("mul")}, {"x_num_col_dims", 1}})}, x, {2, 2},
                      parameters),
              {5, -14, 11, -6});
  expect_near(results({fc({{"in_num_col_dims", 1}, {"op_type", std::string("matmul_v2")}, {"trans_x", false}})}, x,
                      {1, 2, 2}, parameters),
              {5, -14, 11, -6});
  expect_near(results({fc({{"in_num_col_dims", 1}, {"activation_type", std::string("relu6")}, {"alpha", 6.0F}})}, x,
                      {2, 2}, parameters),
              {5, 0, 6, 0});
}

TEST(LiteOperators, ScalesAndSumsWithActivations) {
  LiteOperator scale{"scale",
                     {{"X", {"x"}}},
                     {{"Out", {"out"}}},
                     {{"scale", 2.0F},
                      {"bias", 1.0F},
                      {"bias_after_scale", true},
                      {"activation_type", std::string("leaky_relu")},
                      {"alpha", 0.5F}}};
  const auto leaky = [](float v) { return 2 * v + 1 < 0 ? v + 0.5F : 2 * v + 1; };
  expect_near(results({scale}, kValues, kImage), each(kValues, leaky));
  scale.attributes.insert(scale.attributes.end(), {{"fuse_scaleact", true}, {"scale1", 3.0F}, {"bias1", -1.0F}});
  expect_near(results({scale}, kValues, kImage), each(kValues, [&](float v) { return 3 * leaky(v) - 1; }));
  const LiteOperator sum{"fusion_elementwise_add_activation",
                         {{"X", {"x"}}, {"Y", {"x"}}},
                         {{"Out", {"out"}}},
                         {{"axis", -1}, {"act_type", std::string("tanh")}}};
  expect_near(results({sum}, kValues, kImage), each(kValues, [](float v) { return std::tanh(2 * v); }));
}

/// Between devices, layouts and precisions.
TEST(LiteOperators, CopiesOfTensors) {
  const auto copy = [](const char* type, const char* from, const char* to, Attributes attributes) {
    return LiteOperator{type, {{"Input", {from}}}, {{"Out", {to}}}, std::move(attributes)};
  };
  expect_near(results({copy("io_copy", "x", "a", {{"process_type", 2}}), copy("layout_once", "a", "b", {}),
                       copy("calib", "b", "c", {{kKernel, std::string("calib/fp32_to_fp16/4/5/1")}}),
                       copy("calib", "c", "out", {{kKernel, std::string("calib/fp16_to_fp32/4/5/1")}})},
                      kValues, kImage),
              kValues);
  // To int8 and back: steps of 0.5, 127 of them.
  expect_near(
      results({copy("calib", "x", "a", {{kKernel, std::string("calib/fp32_to_int8/4/2/1")}, {"scale", 0.5F}}),
               copy("calib", "a", "out", {{kKernel, std::string("calib/int8_to_fp32/4/2/1")}, {"scale", 0.5F}})},
              {0.6F, -0.7F, 63.4F, 100, -100, 1}, {6}),
      {0.5F, -0.5F, 63.5F, 63.5F, -63.5F, 1});
  expect_near(
      results({copy("calib", "x", "out", {{kKernel, std::string("calib/int64_to_fp32/2/1/1")}})}, {1, -2}, {2}, {}, 3),
      {1, -2});
  EXPECT_THROW(results({copy("calib", "x", "out", {})}, {1}, {1}), Error);
}

/// A convolution in int8: its operand was rounded before, its weights are integers, and it rounds its result.
TEST(LiteOperators, LayersInInt8) {
  const auto layer = [](const char* kernel) {
    LiteOperator op = convolution({{kKernel, std::string(kernel)},
                                   {"enable_int8", true},
                                   {"bit_length", 8},
                                   {"Input0_scale", Reals{0.5F}},
                                   {"Filter0_scale", Reals{0.25F}},
                                   {"Output0_scale", Reals{2.0F}},
                                   {"Input0_threshold", 63.5F},
                                   {"out_threshold", 254.0F}});
    op.inputs.front().second = {"q"};
    return op;
  };
  const LiteOperator calib{"calib",
                           {{"Input", {"x"}}},
                           {{"Out", {"q"}}},
                           {{kKernel, std::string("calib/fp32_to_int8/4/2/1")}, {"scale", 0.5F}}};
  const std::vector<test::LiteParameter> weights{lite_parameter<int8_t>("w", {1, 1, 1, 1}, 21, {12})};
  const Reals x{0.6F, -2, 5, 100};
  expect_near(results({calib, layer("conv2d/fp32_out/4/2/1")}, x, {1, 1, 2, 2}, weights), {1.5F, -6, 15, 190.5F});
  expect_near(results({calib, layer("conv2d/int8_out/4/2/1")}, x, {1, 1, 2, 2}, weights), {2, -6, 16, 190}, 1e-4F);
}

/// quant_model: one operator has the scales, for all that read the parameter. And parameters in float16.
TEST(LiteOperators, ParametersInFewerBits) {
  const std::vector<test::LiteParameter> parameters{lite_parameter<int8_t>("w", {2, 2}, 21, {10, 20, 30, 40})};
  const LiteOperator product{
      "matmul_v2",
      {{"X", {"x"}}, {"Y", {"w"}}},
      {{"Out", {"y"}}},
      {{"trans_x", false}, {"trans_y", false}, {"w_quant_scale", Reals{0.1F, 0.01F}}, {"quantize_weight_bits", 8}}};
  const LiteOperator sum{"elementwise_add", {{"X", {"y"}}, {"Y", {"w"}}}, {{"Out", {"out"}}}, {{"axis", -1}}};
  expect_near(results({product, sum}, {1, 1, 0, 1}, {2, 2}, parameters), {5, 0.8F, 6, 0.8F}, 1e-4F);
  const std::vector<Float16> halves{Float16(0.5F), Float16(-3.0F)};
  expect_near(results({{"elementwise_add", {{"X", {"x"}}, {"Y", {"h"}}}, {{"Out", {"out"}}}, {{"axis", -1}}}}, {1, 1},
                      {1, 2}, {lite_parameter<Float16>("h", {2}, 4, halves)}),
              {1.5F, -2});
}

}  // namespace
}  // namespace coracle::internal
