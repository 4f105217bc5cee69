// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/transpose.h"

#include "isa_test.h"

namespace coracle::internal::cpu {
namespace {

template <class T>
void check_matrices(Isa isa) {
  for (size_t rows : {0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 33, 64, 70, 131}) {
    for (size_t columns : {0, 1, 2, 3, 4, 7, 8, 16, 19, 32, 65, 130}) {
      for (size_t extra : {0, 3}) {
        const size_t x_stride = columns + extra, y_stride = rows + extra;
        std::vector<T> x(rows * x_stride + 1), y(columns * y_stride + 1, T{77});
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 2654435761u + i / 7);
        transpose_table(isa).matrix(sizeof(T), x.data(), x_stride, y.data(), y_stride, rows, columns);
        size_t bad = 0;
        for (size_t c = 0; c < columns; ++c) {
          for (size_t r = 0; r < rows; ++r) bad += y[c * y_stride + r] != x[r * x_stride + c];
          for (size_t r = rows; r < y_stride; ++r) bad += y[c * y_stride + r] != T{77};
        }
        bad += y.back() != T{77};
        EXPECT_EQ(bad, 0u) << name_of(isa) << ' ' << sizeof(T) << " bytes, " << rows << " x " << columns << " + "
                           << extra;
      }
    }
  }
}

// Rows of either side that lie so far apart that they share places of the caches.
template <class T>
void check_far_apart(Isa isa) {
  for (size_t x_stride : {1024, 1100}) {
    for (size_t y_stride : {1024, 2048, 1030}) {
      for (size_t rows : {15, 64, 1001}) {
        const size_t columns = 70;
        std::vector<T> x(rows * x_stride), y(columns * y_stride, T{77});
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 2654435761u + i / 7);
        transpose_table(isa).matrix(sizeof(T), x.data(), x_stride, y.data(), y_stride, rows, columns);
        size_t bad = 0;
        for (size_t c = 0; c < columns; ++c) {
          for (size_t r = 0; r < y_stride; ++r) bad += y[c * y_stride + r] != (r < rows ? x[r * x_stride + c] : T{77});
        }
        EXPECT_EQ(bad, 0u) << name_of(isa) << ' ' << sizeof(T) << " bytes, " << rows << " rows of " << x_stride
                           << " to " << y_stride;
      }
    }
  }
}

TEST(TransposeKernels, FarApart) {
  for (Isa isa : tested_isas()) {
    check_far_apart<uint8_t>(isa);
    check_far_apart<uint16_t>(isa);
    check_far_apart<uint32_t>(isa);
    check_far_apart<uint64_t>(isa);
  }
}

TEST(TransposeKernels, Matrices) {
  for (Isa isa : tested_isas()) {
    check_matrices<uint8_t>(isa);
    check_matrices<uint16_t>(isa);
    check_matrices<uint32_t>(isa);
    check_matrices<uint64_t>(isa);
  }
}

template <class T>
void check_permutations(Isa isa) {
  const int64_t in[] = {3, 5, 17, 4};
  const int orders[][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 3, 2}, {0, 3, 1, 2}, {0, 2, 3, 1},
                           {3, 2, 1, 0}, {1, 0, 2, 3}, {3, 0, 1, 2}, {2, 3, 0, 1}};
  std::vector<T> x(3 * 5 * 17 * 4);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 40503u + i / 3);
  const int64_t in_strides[] = {5 * 17 * 4, 17 * 4, 4, 1};
  for (const auto& order : orders) {
    Permutation p;
    p.rank = 4;
    for (int a = 0; a < 4; ++a) {
      p.dims[a] = in[order[a]];
      p.strides[a] = in_strides[order[a]];
    }
    std::vector<T> y(x.size() + 1, T{77}), expected;
    for (int64_t a = 0; a < p.dims[0]; ++a) {
      for (int64_t b = 0; b < p.dims[1]; ++b) {
        for (int64_t c = 0; c < p.dims[2]; ++c) {
          for (int64_t d = 0; d < p.dims[3]; ++d) {
            expected.push_back(
                x[static_cast<size_t>(a * p.strides[0] + b * p.strides[1] + c * p.strides[2] + d * p.strides[3])]);
          }
        }
      }
    }
    expected.push_back(T{77});
    transpose_table(isa).permute(sizeof(T), p, x.data(), y.data(), 0, 1);
    transpose_table(isa).permute(sizeof(T), p, x.data(), y.data(), 1, p.dims[0]);
    EXPECT_EQ(y, expected) << name_of(isa) << ' ' << sizeof(T) << " bytes, order " << order[0] << order[1] << order[2]
                           << order[3];
  }
}

TEST(TransposeKernels, Permutations) {
  for (Isa isa : tested_isas()) {
    check_permutations<uint8_t>(isa);
    check_permutations<uint16_t>(isa);
    check_permutations<uint32_t>(isa);
    check_permutations<uint64_t>(isa);
    // Rank 0, broadcast and reversed axes.
    const uint32_t x[] = {1, 2, 3};
    uint32_t y[6] = {};
    transpose_table(isa).permute(4, Permutation{}, x, y, 0, 1);
    EXPECT_EQ(y[0], 1u);
    Permutation p;
    p.rank = 2;
    p.dims[0] = 2;
    p.dims[1] = 3;
    p.strides[1] = -1;
    transpose_table(isa).permute(4, p, x + 2, y, 0, 2);
    EXPECT_EQ(std::vector<uint32_t>(y, y + 6), (std::vector<uint32_t>{3, 2, 1, 3, 2, 1}));
    p.strides[0] = 1;
    p.strides[1] = 0;
    transpose_table(isa).permute(4, p, x, y, 0, 2);
    EXPECT_EQ(std::vector<uint32_t>(y, y + 6), (std::vector<uint32_t>{1, 1, 1, 2, 2, 2}));
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
