// SPDX-License-Identifier: Apache-2.0
// Many sizes of one model: what they hold together, and what its file holds.
#include "support/size_buckets.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "run/saved_files.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

constexpr int64_t kWidth = 256;

TEST(SizeBuckets, HoldHardlyMoreTogetherThanTheLargest) {
  const std::vector<Shape> sizes = test::size_buckets(kWidth);
  ASSERT_EQ(sizes.size(), 40U);
  const auto bytes = [](const std::vector<Shape>& of) {
    return test::bytes_of_runs(test::model_of(test::encoder_text(kWidth)), of);
  };
  const size_t largest = bytes({sizes[0]});
  EXPECT_LE(static_cast<double>(bytes(sizes)), 1.15 * static_cast<double>(largest));
}

TEST(SizeBuckets, TakeHardlyMoreOfAFileThanOne) {
  const test::TemporaryFolder folder;
  const std::vector<Shape> sizes = test::size_buckets(kWidth);
  const auto saved_bytes = [&](const std::vector<Shape>& of, const char* name) {
    const auto model = test::model_of(test::encoder_text(kWidth));
    test::bytes_of_runs(model, of);
    model->save(folder.path(name), true);
    return std::filesystem::file_size(folder.path(name));
  };
  const auto one = static_cast<double>(saved_bytes({sizes[0]}, "one.coracle"));
  const auto all = static_cast<double>(saved_bytes(sizes, "all.coracle"));
  EXPECT_LE(all, 1.1 * one);
  // A file with all of them packs nothing anew.
  const auto loaded = test::loaded(folder.path("all.coracle"));
  test::bytes_of_runs(loaded, {sizes.begin(), sizes.begin() + 8});
  EXPECT_EQ(loaded->program()->packed().bytes(), 0U);
}

}  // namespace
}  // namespace coracle::internal
