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

TEST(SizeBuckets, TakeHardlyMoreTogetherThanTheLargest) {
  const test::TemporaryFolder folder;
  const std::vector<Shape> sizes = test::size_buckets(kWidth);
  ASSERT_EQ(sizes.size(), 40U);
  struct Bytes {
    double memory;
    double file;
  };
  const auto measured = [&](const std::vector<Shape>& of, const std::string& path) -> Bytes {
    const auto model = test::model_of(test::encoder_text(2, kWidth));
    const size_t memory = test::bytes_of_runs(model, of);
    model->save(path, true);
    return {static_cast<double>(memory), static_cast<double>(std::filesystem::file_size(path))};
  };
  const Bytes largest = measured({sizes[0]}, folder.path("largest.coracle"));
  const Bytes all = measured(sizes, folder.path("all.coracle"));
  EXPECT_LE(all.memory, 1.15 * largest.memory);
  EXPECT_LE(all.file, 1.1 * largest.file);
  // Of none of the sizes that the file is for anything is packed anew.
  const auto loaded = test::loaded(folder.path("all.coracle"));
  test::bytes_of_runs(loaded, {sizes[7], sizes[39]});
  EXPECT_EQ(loaded->program()->packed().bytes(), 0U);
}

}  // namespace
}  // namespace coracle::internal
