// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/copy.h"

#include "isa_test.h"

namespace coracle::internal::cpu {
namespace {

TEST(CopyKernels, Rows) {
  for (Isa isa : tested_isas()) {
    for (size_t bytes : {0, 1, 4, 7, 8, 16, 31, 32, 64, 100}) {
      for (size_t extra : {0, 5}) {
        for (size_t rows : {0, 1, 6}) {
          std::vector<uint8_t> x(rows * (bytes + extra) + 1), y(rows * (bytes + 2 * extra) + 1, 77);
          for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint8_t>(i * 31);
          copy_table(isa).rows(x.data(), bytes + extra, y.data(), bytes + 2 * extra, rows, bytes);
          for (size_t r = 0; r < rows; ++r) {
            for (size_t i = 0; i < bytes + 2 * extra; ++i) {
              EXPECT_EQ(y[r * (bytes + 2 * extra) + i], i < bytes ? x[r * (bytes + extra) + i] : 77);
            }
          }
          EXPECT_EQ(y.back(), 77);
        }
      }
    }
  }
}

TEST(CopyKernels, Gather) {
  const std::vector<float> table = random_floats(5 * 3, 1);
  for (Isa isa : tested_isas()) {
    GatherRows p;
    p.table = table.data();
    p.table_rows = 5;
    p.row_bytes = 3 * sizeof(float);
    p.zero_id = 2;
    std::vector<float> y(12, 77.0f);
    p.y = y.data();
    const int64_t ids[] = {4, 2, 0, 1};
    EXPECT_EQ(copy_table(isa).gather_int64(p, ids, 4), -1);
    for (size_t i = 0; i < 4; ++i) {
      for (size_t k = 0; k < 3; ++k)
        EXPECT_EQ(y[i * 3 + k], ids[i] == 2 ? 0 : table[static_cast<size_t>(ids[i]) * 3 + k]);
    }
    const int32_t bad[] = {1, 5, -1};
    EXPECT_EQ(copy_table(isa).gather_int32(p, bad, 3), 1);
    const int32_t negative[] = {-1};
    EXPECT_EQ(copy_table(isa).gather_int32(p, negative, 1), 0);
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
