// SPDX-License-Identifier: Apache-2.0
#include "serve/padding.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "serve/request_queue.h"

namespace coracle::serve {
namespace {

Tensor tensor_with(coracle::Dims dims, const std::vector<float>& elements) {
  const auto kept = std::make_shared<std::vector<float>>(elements);
  return {.dtype = CORACLE_FLOAT32,
          .dims = std::move(dims),
          .lod = {},
          .owner = kept,
          .data = reinterpret_cast<const std::byte*>(kept->data()),
          .bytes = kept->size() * sizeof(float)};
}

InferencePtr request_with(const Tensor& input) {
  auto request = std::make_shared<Inference>();
  request->inputs.push_back(input);
  return request;
}

std::vector<float> elements_of(const Tensor& tensor) {
  const auto* const data = reinterpret_cast<const float*>(tensor.data);
  return {data, data + tensor.bytes / sizeof(float)};
}

TEST(Padding, PutsZerosBehindEachRow) {
  const std::vector<InferencePtr> requests{
      request_with(tensor_with({1, 2, 2}, {1, 2, 3, 4})),
      request_with(tensor_with({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}))};
  EXPECT_FALSE(same_sizes(requests, 2));
  EXPECT_TRUE(same_sizes(requests, 1));
  const std::vector<Tensor> inputs = padded(requests, 3, 2, MemoryBudget());
  ASSERT_EQ(inputs.size(), 1U);
  EXPECT_EQ(inputs[0].dims, (coracle::Dims{3, 2, 3}));
  EXPECT_EQ(elements_of(inputs[0]), (std::vector<float>{1, 2, 0, 3, 4, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(size_along(inputs, 2), 3);
}

TEST(Padding, ResultsAreCutInProportion) {
  const std::vector<coracle::TensorInfo> outputs{
      {.name = "t", .dtype = CORACLE_FLOAT32, .rank_known = true, .dims = {-1, -1, 2}},
      {.name = "fixed", .dtype = CORACLE_FLOAT32, .rank_known = true, .dims = {-1, 2}}};
  const std::vector<Tensor> results{tensor_with({1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), tensor_with({1, 2}, {1, 2})};
  const auto half = cut(results, outputs, 8, 16, MemoryBudget());
  ASSERT_TRUE(half.has_value());
  EXPECT_EQ((*half)[0].dims, (coracle::Dims{1, 2, 2}));
  EXPECT_EQ(elements_of((*half)[0]), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(elements_of((*half)[1]), (std::vector<float>{1, 2}));
  EXPECT_FALSE(cut(results, outputs, 7, 16, MemoryBudget()).has_value()) << "7/4 elements";
  std::vector<coracle::TensorInfo> free = outputs;
  free[0].dims = {-1, -1, -1};
  EXPECT_FALSE(cut(results, free, 8, 16, MemoryBudget()).has_value()) << "it is not known which size is meant";
}

TEST(Padding, SizesOfTheAxisDoNotPartRequests) {
  const InferencePtr narrow = request_with(tensor_with({1, 2, 1}, {1, 2}));
  const InferencePtr wide = request_with(tensor_with({1, 2, 2}, {1, 2, 3, 4}));
  EXPECT_NE(shape_of(*narrow), shape_of(*wide));
  EXPECT_EQ(shape_of(*narrow, 2), shape_of(*wide, 2));
  EXPECT_NE(shape_of(*narrow, 1), shape_of(*wide, 1));
}

}  // namespace
}  // namespace coracle::serve
