// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "made_up_numbers.h"
#include "vision/answers.h"

// Detectors that leave non-maximum suppression to their user, against what NumPy makes of the same numbers
// (raw_objects.txt, by make_raw_objects.py).
namespace coracle::vision {
namespace {

constexpr std::int64_t kClasses = 3;
constexpr std::int64_t kBins = 8;

Output output(std::vector<std::int64_t> dims, std::vector<float> values) {
  Output o;
  o.dims = std::move(dims);
  o.size = values.size();
  o.converted = std::move(values);
  o.data = o.converted.data();
  return o;
}

/// Outputs are moved: a copy would go on pointing at the numbers of the first.
template <class... Outputs>
std::vector<Output> list(Outputs... outputs) {
  std::vector<Output> all;
  (all.push_back(std::move(outputs)), ...);
  return all;
}

Prepared prepared() {
  Prepared p;
  p.width = 96;
  p.height = 64;
  p.picture_width = 144;
  p.picture_height = 120;
  p.resized_width = 96;
  p.resized_height = 60;
  p.scale_x = 96.0 / 144;
  p.scale_y = 60.0 / 120;
  return p;
}

/// What NumPy made: rows of six.
std::vector<float> rows_of(const std::string& name) {
  std::ifstream file(CORACLE_VISION_TESTS "/raw_objects.txt");
  std::string word;
  std::size_t count = 0;
  while (file >> word) {
    if (word != name) continue;
    file >> count;
    break;
  }
  std::vector<float> rows(count * 6);
  for (float& v : rows) file >> v;
  EXPECT_TRUE(file) << "raw_objects.txt has no " << name;
  return rows;
}

void expect_rows(const std::optional<std::vector<float>>& rows, const std::string& name) {
  const std::vector<float> expected = rows_of(name);
  ASSERT_TRUE(rows.has_value());
  ASSERT_EQ(rows->size(), expected.size());
  ASSERT_GT(expected.size(), 60U);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR((*rows)[i], expected[i], 2e-4) << "number " << i;
}

std::vector<Output> raw_maps(const std::vector<int>& strides) {
  std::vector<Output> outputs;
  for (const bool sides : {false, true}) {
    for (std::size_t i = 0; i < strides.size(); ++i) {
      const std::int64_t cells = ((64 + strides[i] - 1) / strides[i]) * ((96 + strides[i] - 1) / strides[i]);
      const auto level = static_cast<std::uint32_t>(i);
      outputs.push_back(sides ? output({1, cells, 4 * kBins}, made_up_numbers(20 + level, cells * 4 * kBins, 6))
                              : output({1, cells, kClasses}, made_up_numbers(10 + level, cells * kClasses)));
    }
  }
  return outputs;
}

TEST(RawObjects, DistancesToSides) {
  ObjectOptions options;
  options.strides = {8, 16, 32};
  expect_rows(suppressed_objects(raw_maps(options.strides), prepared(), false, 0.5F, options), "distances");
  // Other strides, or one map less, are other outputs.
  EXPECT_FALSE(suppressed_objects(raw_maps({8, 16}), prepared(), false, 0.5F, options));
  EXPECT_FALSE(suppressed_objects(raw_maps({8, 16, 64}), prepared(), false, 0.5F, options));
}

TEST(RawObjects, BoxesAndScores) {
  constexpr std::int64_t kCount = 80;
  std::vector<float> boxes = made_up_numbers(1, kCount * 4, 60);
  for (std::size_t i = 0; i < boxes.size(); i += 4) {
    boxes[i + 2] += boxes[i] + 20;
    boxes[i + 3] += boxes[i + 1] + 20;
  }
  const std::vector<float> scores = made_up_numbers(2, kClasses * kCount);
  const std::vector<Output> two = list(output({1, kCount, 4}, boxes), output({1, kClasses, kCount}, scores));
  expect_rows(suppressed_objects(two, prepared(), true, 0.5F, {}), "boxes");
  // Both in one output, here in pixels of the input.
  std::vector<float> one;
  for (std::size_t i = 0; i < kCount; ++i) {
    one.insert(one.end(), boxes.begin() + static_cast<std::ptrdiff_t>(4 * i),
               boxes.begin() + static_cast<std::ptrdiff_t>(4 * i + 4));
    for (std::size_t c = 0; c < kClasses; ++c) one.push_back(scores[c * kCount + i]);
  }
  const std::vector<Output> joined = list(output({1, kCount, 4 + kClasses}, one));
  expect_rows(suppressed_objects(joined, prepared(), true, 0.5F, {}), "boxes");
  const std::vector<float> rows = rows_of("boxes");
  const std::optional<std::vector<float>> scaled = suppressed_objects(joined, prepared(), false, 0.5F, {});
  ASSERT_TRUE(scaled && scaled->size() == rows.size());
  EXPECT_NEAR((*scaled)[2], rows[2] * 1.5F, 1e-3);
  EXPECT_NEAR((*scaled)[3], std::min(rows[3], 60.0F) * 2, 1e-3);
}

TEST(RawObjects, OutputsOfOtherModels) {
  EXPECT_FALSE(suppressed_objects({}, prepared(), true, 0.5F, {}));
  const auto refused = [](const std::vector<Output>& outputs) {
    return !suppressed_objects(outputs, prepared(), true, 0.5F, {}).has_value();
  };
  EXPECT_TRUE(refused(list(output({1, 4}, {1, 2, 3, 4}))));
  EXPECT_TRUE(refused(list(output({1, 1, 4}, {1, 2, 3, 4}))));
  EXPECT_TRUE(refused(list(output({1, 1, 4}, {1, 2, 3, 4}), output({1, 3, 2}, made_up_numbers(1, 6)))));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Output> no_numbers = list(output({1, 1, 5}, {nan, nan, nan, nan, nan}));
  const std::optional<std::vector<float>> none = suppressed_objects(no_numbers, prepared(), true, 0.5F, {});
  EXPECT_TRUE(none && none->empty());
}

}  // namespace
}  // namespace coracle::vision
