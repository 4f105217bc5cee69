// SPDX-License-Identifier: Apache-2.0
#include "plan/upcast.h"

#include <gtest/gtest.h>

#include "loading/model.h"
#include "run/session.h"
#include "support/memory_file.h"
#include "support/program_writer.h"

// Models in float16 and bfloat16 run on the kernels for float32.
namespace coracle::internal {
namespace {

using test::OpWriter;

/// A record of `values` in the element type `dtype` (a VarType number).
std::string record_of(int dtype, const test::Dims& dims, const std::vector<float>& values) {
  if (dtype == test::kFloat32) return test::record<float>(dtype, dims, values);
  std::vector<uint16_t> bits;
  for (float v : values) bits.push_back(dtype == test::kFloat16 ? Float16(v).bits : Bfloat16(v).bits);
  return test::record<uint16_t>(dtype, dims, bits);
}

std::vector<float> ramp(size_t count, float step) {
  std::vector<float> values(count);
  // Multiples of a power of two, which all three types hold.
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(static_cast<int>(i % 9) - 4) * step;
  return values;
}

struct Files {
  std::string program;
  std::string params;
};

/// A convolution with batch normalisation (its own parameters in float32, as in files of mixed precision), a reshape
/// and a product, all values of type `dtype`.
Files classifier(int dtype) {
  test::BlockWriter main;
  test::add_feed(main, "x", dtype, {-1, 3, 8, 8}, 0);
  Files files;
  const auto parameter = [&](const char* name, int type, const test::Dims& dims, size_t count, float step, float at) {
    main.variables.push_back(test::variable(name, type, dims, true));
    std::vector<float> values = ramp(count, step);
    for (float& v : values) v += at;
    files.params += record_of(type, dims, values);
  };
  parameter("a_filter", dtype, {4, 3, 3, 3}, 108, 0.125F, 0);
  for (const char* name : {"b_mean", "c_scale", "d_shift", "e_variance"}) {
    parameter(name, test::kFloat32, {4}, 4, 0.0625F, 1);
  }
  parameter("f_weight", dtype, {64, 5}, 320, 0.03125F, 0);
  main.operators.push_back(OpWriter("conv2d")
                               .in("Input", {"x"})
                               .in("Filter", {"a_filter"})
                               .out("Output", {"c"})
                               .integers("strides", {1, 1})
                               .integers("paddings", {1, 1})
                               .integers("dilations", {1, 1})
                               .integer("groups", 1));
  main.operators.push_back(OpWriter("batch_norm")
                               .in("X", {"c"})
                               .in("Mean", {"b_mean"})
                               .in("Scale", {"c_scale"})
                               .in("Bias", {"d_shift"})
                               .in("Variance", {"e_variance"})
                               .out("Y", {"n"})
                               .real("epsilon", 1e-5F)
                               .boolean("is_test", true));
  main.operators.push_back(OpWriter("relu").in("X", {"n"}).out("Out", {"r"}));
  main.operators.push_back(OpWriter("pool2d")
                               .in("X", {"r"})
                               .out("Out", {"p"})
                               .string("pooling_type", "avg")
                               .integers("ksize", {2, 2})
                               .integers("strides", {2, 2})
                               .integers("paddings", {0, 0}));
  main.operators.push_back(OpWriter("reshape2").in("X", {"p"}).out("Out", {"f"}).integers("shape", {0, 64}));
  main.operators.push_back(OpWriter("matmul_v2").in("X", {"f"}).in("Y", {"f_weight"}).out("Out", {"m"}));
  main.operators.push_back(OpWriter("softmax").in("X", {"m"}).out("Out", {"y"}).integer("axis", -1));
  test::add_fetch(main, "y", 0);
  files.program = test::program_file({main});
  return files;
}

struct UpcastResult {
  DType dtype = DType::kFloat32;
  std::vector<double> values;
  std::vector<std::string> kernels;
};

UpcastResult run_upcast(int type, DType dtype, int threads = 1) {
  const Files files = classifier(type);
  Session session(
      Model::load(ModelSource::in_memory(test::memory_file(files.program), test::memory_file(files.params)), {}),
      {.threads = threads});
  const std::vector<float> x = ramp(2 * 3 * 8 * 8, 0.25F);
  Tensor input = Tensor::make(dtype, {2, 3, 8, 8});
  input.assign(std::span<const double>(std::vector<double>(x.begin(), x.end())));
  session.set_input(0, input);
  session.set_profiling(true);
  session.run();
  UpcastResult result{session.output(0).dtype(), session.output(0).doubles(), {}};
  for (const ProfileEvent& e : session.profile()) result.kernels.push_back(e.kernel);
  return result;
}

void expect_close(const UpcastResult& got, const UpcastResult& want, double tolerance) {
  ASSERT_EQ(got.values.size(), want.values.size());
  for (size_t i = 0; i < got.values.size(); ++i) EXPECT_NEAR(got.values[i], want.values[i], tolerance) << i;
}

TEST(Upcast, HalfModelsRunOnFloat32Kernels) {
  const UpcastResult want = run_upcast(test::kFloat32, DType::kFloat32);
  const UpcastResult half = run_upcast(test::kFloat16, DType::kFloat16);
  EXPECT_EQ(half.dtype, DType::kFloat16);
  // All but input, output and constants stay in float32: what remains is the rounding of the results.
  expect_close(half, want, 1e-3);
  constexpr int kBfloat16Type = 22;
  const UpcastResult brain = run_upcast(kBfloat16Type, DType::kBfloat16);
  EXPECT_EQ(brain.dtype, DType::kBfloat16);
  expect_close(brain, want, 1e-2);
  for (const UpcastResult* r : {&half, &brain}) {
    EXPECT_EQ(std::count(r->kernels.begin(), r->kernels.end(), "reference"), 0);
    const auto casts =
        std::count_if(r->kernels.begin(), r->kernels.end(), [](const std::string& k) { return k.starts_with("cast"); });
    EXPECT_EQ(casts, 2) << "one where values come in, one where they leave";
  }
  EXPECT_EQ(run_upcast(test::kFloat16, DType::kFloat16, 3).values, half.values);
}

TEST(Upcast, CastsToHalfRound) {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1}, 0);
  main.operators.push_back(
      OpWriter("cast").in("X", {"x"}).out("Out", {"h"}).integer("in_dtype", 5).integer("out_dtype", 4));
  main.operators.push_back(OpWriter("relu").in("X", {"h"}).out("Out", {"r"}));
  main.operators.push_back(
      OpWriter("cast").in("X", {"r"}).out("Out", {"y"}).integer("in_dtype", 4).integer("out_dtype", 5));
  test::add_fetch(main, "y", 0);
  Session session(Model::load(ModelSource::in_memory(test::memory_file(test::program_file({main})), {}), {}),
                  {.threads = 1});
  const std::vector<float> x{1.0F + 1.0F / 4096, -3, 0.333333F};
  session.set_input(0, Tensor::of<float>({3}, x));
  session.run();
  const std::vector<double> y = session.output(0).doubles();
  EXPECT_EQ(y[0], 1.0) << "float16 has no such number";
  EXPECT_EQ(y[1], 0.0);
  EXPECT_EQ(y[2], static_cast<double>(static_cast<float>(Float16(0.333333F))));
}

/// Kernels of a program that transposes float16 values [2, 3], `before` and `after` that with a relu.
std::vector<std::string> kernels_around_transpose(bool before, bool after) {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat16, {2, 3}, 0);
  if (before) main.operators.push_back(OpWriter("relu").in("X", {"x"}).out("Out", {"r"}));
  main.operators.push_back(
      OpWriter("transpose2").in("X", {before ? "r" : "x"}).out("Out", {"t"}).integers("axis", {1, 0}));
  if (after) main.operators.push_back(OpWriter("tanh").in("X", {"t"}).out("Out", {"y"}));
  test::add_fetch(main, after ? "y" : "t", 0);
  Session session(Model::load(ModelSource::in_memory(test::memory_file(test::program_file({main})), {}), {}),
                  {.threads = 1});
  Tensor x = Tensor::make(DType::kFloat16, {2, 3});
  x.assign(std::span<const double>(std::vector<double>{1, -2, 3, -4, 5, -6}));
  session.set_input(0, x);
  session.set_profiling(true);
  session.run();
  if (!after) {
    EXPECT_EQ(session.output(0).doubles(),
              before ? (std::vector<double>{1, 0, 0, 5, 3, 0}) : (std::vector<double>{1, -4, -2, 5, 3, -6}));
  }
  std::vector<std::string> kernels;
  for (const ProfileEvent& e : session.profile()) kernels.push_back(e.kernel.substr(0, e.kernel.find('.')));
  return kernels;
}

TEST(Upcast, WhatOnlyMovesElementsTakesThemAsTheyAre) {
  EXPECT_EQ(kernels_around_transpose(false, false), (std::vector<std::string>{"transpose"}));
  EXPECT_EQ(kernels_around_transpose(false, true), (std::vector<std::string>{"transpose", "cast", "tanh", "cast"}));
  // What stands in float32 is not rounded for it.
  EXPECT_EQ(kernels_around_transpose(true, true),
            (std::vector<std::string>{"cast", "relu", "transpose", "tanh", "cast"}));
}

TEST(Upcast, ConstantsKeepTheirElements) {
  Tensor half = Tensor::make(DType::kBfloat16, {3});
  const std::vector<double> values{1.5, -0.25, 1024};
  half.assign(std::span<const double>(values));
  const Tensor* const constant = &half;
  ThreadPool pool(1);
  const UpcastForm form{half.count()};
  const std::shared_ptr<const void> upcast = packed_unshared(Packing::of(form), {&constant, 1}, pool, RunContext());
  EXPECT_EQ(Tensor::borrow(DType::kFloat32, half.shape(), upcast.get()).doubles(), values);
}

}  // namespace
}  // namespace coracle::internal
