// SPDX-License-Identifier: Apache-2.0
#include "quantize/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace coracle::internal::quantize {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

template <class T>
Answer answer_with(const std::vector<T>& values, const std::vector<int64_t>& dims, coracle_dtype dtype) {
  return {dtype, dims, std::as_bytes(std::span(values))};
}

void add_reals(OutputAccuracy& to, const std::vector<float>& original, const std::vector<float>& quantized) {
  const std::vector<int64_t> dims{1, static_cast<int64_t>(original.size())};
  to.add(answer_with(original, dims, CORACLE_FLOAT32), answer_with(quantized, dims, CORACLE_FLOAT32));
}

TEST(QuantizeAccuracy, ErrorsAreThoseOfTheWorstAnswer) {
  OutputAccuracy accuracy;
  add_reals(accuracy, {3, 4}, {3, 4.5F});
  EXPECT_DOUBLE_EQ(accuracy.error(ErrorMetric::kRms), 0.1);
  EXPECT_DOUBLE_EQ(accuracy.error(ErrorMetric::kMax), 0.125);
  add_reals(accuracy, {-30, 40}, {-30, 40.5F});  // a hundredth of its values
  EXPECT_DOUBLE_EQ(accuracy.error(ErrorMetric::kRms), 0.1);
  EXPECT_DOUBLE_EQ(accuracy.error(ErrorMetric::kMax), 0.125);
  add_reals(accuracy, {-1, 0}, {-1.5F, 0});
  EXPECT_DOUBLE_EQ(accuracy.error(ErrorMetric::kRms), 0.5);
  EXPECT_DOUBLE_EQ(accuracy.error(ErrorMetric::kMax), 0.5);
}

TEST(QuantizeAccuracy, WhatCannotBeComparedIsInfinitelyFar) {
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  const auto infinity = std::numeric_limits<float>::infinity();
  OutputAccuracy exact;
  add_reals(exact, {0, 0}, {0, 0});
  add_reals(exact, {infinity, 1}, {infinity, 1});
  EXPECT_EQ(exact.error(ErrorMetric::kRms), 0);
  EXPECT_EQ(exact.error(ErrorMetric::kMax), 0);
  for (const auto& [original, quantized] : {std::pair(0.F, 1.F), std::pair(1.F, nan), std::pair(nan, 1.F)}) {
    OutputAccuracy accuracy;
    add_reals(accuracy, {original, 0}, {quantized, 0});
    EXPECT_EQ(accuracy.error(ErrorMetric::kRms), kInfinite) << original << quantized;
    EXPECT_EQ(accuracy.error(ErrorMetric::kMax), kInfinite) << original << quantized;
  }
  OutputAccuracy other;
  const std::vector<float> values{1, 2};
  other.add(answer_with(values, {1, 2}, CORACLE_FLOAT32), answer_with(values, {2, 1}, CORACLE_FLOAT32));
  EXPECT_EQ(other.error(ErrorMetric::kRms), kInfinite);
  EXPECT_EQ(worst_error({exact, other}, ErrorMetric::kMax), kInfinite);
}

TEST(QuantizeAccuracy, OfIntsItIsTheShareThatDiffers) {
  OutputAccuracy accuracy;
  const std::vector<int64_t> dims{4};
  accuracy.add(answer_with(std::vector<int64_t>{1, 2, 3, 4}, dims, CORACLE_INT64),
               answer_with(std::vector<int64_t>{1, 2, 3, 5}, dims, CORACLE_INT64));
  EXPECT_EQ(accuracy.error(ErrorMetric::kRms), 0.25);
  EXPECT_EQ(accuracy.error(ErrorMetric::kMax), 0.25);
  EXPECT_EQ(accuracy.changed, 1U);
}

TEST(QuantizeAccuracy, IsKeptAsBytes) {
  OutputAccuracy accuracy;
  accuracy.name = "y";
  add_reals(accuracy, {3, 4}, {3, 4.5F});
  const std::vector<OutputAccuracy> read = read_accuracy(bytes_of({accuracy, accuracy}));
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[1].name, "y");
  EXPECT_EQ(read[1].rms_error, accuracy.rms_error);
  EXPECT_EQ(read[1].max_error, accuracy.max_error);
  EXPECT_EQ(read[1].noise, accuracy.noise);
}

}  // namespace
}  // namespace coracle::internal::quantize
