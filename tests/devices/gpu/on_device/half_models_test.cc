// SPDX-License-Identifier: Apache-2.0
// Models whose products have float16 tensors.
#include <cmath>

#include "devices/gpu/on_device/first_device.h"
#include "graph/text.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"
#include "support/temporary_folder.h"

namespace coracle::internal::test {
namespace {

const char* const kNetwork = R"(graph (%x "x": float32[?, 3, 16, 16]) {
  @f: float32[8, 3, 3, 3] = random(1)
  @g: float32[8, 8, 3, 3] = random(2)
  @s: float32[8] = random(3, 1, 2)
  @w: float32[8, 10] = random(4)
  @axes: int64[2] = {2, 3}
  %0 = scale(%x, _) {bias = -1}
  %1 = conv2d(%0, @f) {paddings = [1, 1]}
  %2 = batch_norm(%1, @s, @s, @s, @s)
  %3 = relu(%2)
  %4 = conv2d(%3, @g) {paddings = [1, 1]}
  %5 = add(%3, %4)
  %6 = mean(%5, @axes)
  %7 = matmul(%6, @w)
  %8 = softmax(%7)
  return %8 "y"
})";

std::shared_ptr<const Model> model(Precision precision) {
  ModelOptions options;
  options.device = kDevice.name;
  options.kernels.precision = precision;
  options.kernels.disabled = {"islands"};
  return model_of(kNetwork, options);
}

/// The largest difference of two tensors.
float difference_of(const Tensor& a, const Tensor& b) {
  float largest = 0;
  for (int64_t i = 0; i < b.count(); ++i) {
    largest = std::max(largest, std::abs(a.data<float>()[i] - b.data<float>()[i]));
  }
  return largest;
}

class GpuHalfTensors : public FirstDevice {};

TEST_F(GpuHalfTensors, AreUsedWhereTheUserAllowsIt) {
  const auto half = model(Precision::kFp16);
  const std::string graph = print(half->program()->graph());
  EXPECT_NE(graph.find("float16[8, 3, 3, 3]"), std::string::npos) << graph;
  EXPECT_NE(graph.find("float16[8, 10]"), std::string::npos) << graph;
  EXPECT_EQ(graph.find("float32[8, 8, 3, 3]"), std::string::npos) << graph;
  const auto strict = model(Precision::kStrict);
  EXPECT_EQ(print(strict->program()->graph()).find("float16"), std::string::npos);
  for (const int64_t batch : {1, 3}) {
    const Tensor x = random_tensor({batch, 3, 16, 16}, 5);
    const Tensor expected = run_fresh(strict, {x}, {.threads = 1}).at(0);
    const Tensor result = run_fresh(half, {x}, {.threads = 1}).at(0);
    ASSERT_EQ(result.dtype(), DType::kFloat32);
    ASSERT_EQ(result.shape(), expected.shape());
    EXPECT_LT(difference_of(result, expected), 5e-3F);
    EXPECT_GT(difference_of(result, expected), 0.0F);
  }
}

/// A model that was saved with them has them everywhere: the same bits here, and nearly the same on the processor.
TEST_F(GpuHalfTensors, AreSaved) {
  const TemporaryFolder folder;
  const std::string path = folder.path("half.coracle");
  const auto half = model(Precision::kFp16);
  half->save(path, true);
  ModelOptions options;
  options.device = kDevice.name;
  options.kernels.disabled = {"islands"};
  const Tensor x = random_tensor({2, 3, 16, 16}, 6);
  const Tensor expected = run_fresh(half, {x}, {.threads = 1}).at(0);
  const auto read = Model::load(ModelSource::on_disk(path), options);
  EXPECT_TRUE(same_bits(run_fresh(read, {x}, {.threads = 1}), {expected}));
  const auto on_processor = Model::load(ModelSource::on_disk(path), {});
  EXPECT_LT(difference_of(run_fresh(on_processor, {x}, {.threads = 1}).at(0), expected), 5e-3F);
}

}  // namespace
}  // namespace coracle::internal::test
