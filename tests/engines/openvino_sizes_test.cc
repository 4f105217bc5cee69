// SPDX-License-Identifier: Apache-2.0
// A model on OpenVINO whose inputs have a new size with every run: the native answers, few compiles and memory that
// settles.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "loading/model.h"
#include "openvino_support.h"
#include "run/program.h"
#include "run/session.h"
#include "support/graph_model.h"
#include "support/random_graph.h"
#include "support/resident.h"

namespace coracle::internal::test {
namespace {

const char* const kLines = R"(graph (%x "x": float32[?, 3, 32, ?]) {
  @w0: float32[16, 3, 3, 3] = random(1)
  @w1: float32[16, 1, 3, 3] = random(2)
  @w2: float32[24, 16, 1, 1] = random(3)
  @w3: float32[24, 40] = random(4)
  %1 = conv2d(%x, @w0) {strides = [2, 2], paddings = [1, 1]}
  %2 = hardswish(%1)
  %3 = depthwise_conv2d(%2, @w1) {paddings = [1, 1], groups = 16}
  %4 = conv2d(%3, @w2)
  %5 = relu(%4)
  @k: int64[2] = {16, 2}
  %6 = pool2d(%5, @k) {strides = [16, 2], pooling_type = avg}
  @a: int64[1] = {2}
  %7 = squeeze(%6, @a)
  %8 = transpose(%7) {perm = [0, 2, 1]}
  %9 = matmul(%8, @w3)
  %10 = softmax(%9) {axis = -1}
  return %10 "y"
})";

ModelOptions on_openvino() {
  ModelOptions options;
  options.engines = {.engines = {{.engine = &openvino_engine(), .name = "openvino", .options = {}}},
                     .min_ops = 2,
                     .cache = FileCache({}, 0)};
  return options;
}

TEST(OpenVinoSizes, HundredsAreCompiledTwiceAndMemorySettles) {
  CORACLE_NEEDS_OPENVINO();
  const auto model = model_of(kLines, on_openvino());
  const auto native = model_of(kLines);
  Session session(model, {.threads = 1});
  Session native_session(native, {.threads = 1});
  std::mt19937 random(1);
  size_t bytes = 0;
  size_t peak = 0;
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(i);
    const Tensor x =
        random_tensor({1, 3, 32, 64 + 2 * static_cast<int64_t>(random() % 1000)}, static_cast<unsigned>(i));
    session.set_input(0, x);
    session.run();
    if (i % 20 == 0) {
      native_session.set_input(0, x);
      native_session.run();
      ASSERT_EQ(difference(std::vector{session.output(0)}, std::vector{native_session.output(0)}), "");
    }
    if (i == 2) bytes = model->engine_blocks().bytes();
    if (i > 2) {
      ASSERT_EQ(model->engine_blocks().bytes(), bytes) << text("compiled again for ", x.shape());
    }
    if (i == 299) peak = peak_resident_bytes();
  }
  EXPECT_GT(bytes, 0U);
  EXPECT_LE(peak_resident_bytes(), peak + (size_t{24} << 20U));
}

/// Runs a model of one input %x: float32[?, 5] with some sizes, and gives what ran on OpenVINO and what natively.
std::vector<std::string> kernels_for_sizes(const char* lines) {
  Session session(model_of(lines, on_openvino()), {.threads = 1});
  Session native_session(model_of(lines), {.threads = 1});
  session.set_profiling(true);
  std::vector<std::string> kernels;
  for (const int64_t rows : {3, 2, 7, 4}) {
    const Tensor x = random_tensor({rows, 5}, static_cast<unsigned>(rows));
    for (Session* s : {&session, &native_session}) {
      s->set_input(0, x);
      s->run();
    }
    EXPECT_EQ(difference(std::vector{session.output(0)}, std::vector{native_session.output(0)}), "");
    kernels.clear();
    for (const ProfileEvent& e : session.profile()) kernels.push_back(e.kernel == "openvino" ? e.kernel : e.op);
  }
  return kernels;
}

TEST(OpenVinoSizes, ThatAreComputedWithStayOutsideOfBlocks) {
  CORACLE_NEEDS_OPENVINO();
  const std::vector<std::string> kernels = kernels_for_sizes(R"(graph (%x "x": float32[?, 5]) {
  %n = numel(%x)
  %f = cast(%n) {dtype = float32}
  %a = relu(%x)
  %y = divide(%a, %f)
  return %y "y"
})");
  EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "openvino"), 1);
  EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "divide"), 0);
}

TEST(OpenVinoSizes, ThatDecideOutsideOfABlockAreKnownToIt) {
  CORACLE_NEEDS_OPENVINO();
  // The cast runs in a block, where nothing's size follows from it; that of the range does, which no engine takes.
  const std::vector<std::string> kernels = kernels_for_sizes(R"(graph (%x "x": float32[?, 5]) {
  @zero: float32[1] = {0}
  @one: float32[1] = {1}
  %n = numel(%x)
  %f = cast(%n) {dtype = float32}
  %r = arange(@zero, %f, @one)
  %a = relu(%x)
  %y = divide(%a, %f)
  return %y "y", %r "r"
})");
  EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "cast"), 0);
  EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "divide"), 0);
}

}  // namespace
}  // namespace coracle::internal::test
