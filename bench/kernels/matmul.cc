// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul.h"

#include "families.h"
#include "kernel_case.h"

namespace coracle::bench {
namespace {

struct Row {
  const char* name;
  int64_t heads, rows, depth, columns;
  bool transpose_y;
};

constexpr Row kRows[] = {
    {"bert scores 12x128x64x128", 12, 128, 64, 128, true}, {"bert values 12x128x128x64", 12, 128, 128, 64, false},
    {"vit scores 12x197x64x197", 12, 197, 64, 197, true},  {"rec scores 8x40x15x40", 8, 40, 15, 40, false},
    {"rec values 8x40x40x15", 8, 40, 40, 15, false},
};

}  // namespace

void add_matmul() {
  for (const Row& r : kRows) {
    Matmul matmul;
    matmul.transpose_y = r.transpose_y;
    const Shape y = r.transpose_y ? Shape{1, r.heads, r.columns, r.depth} : Shape{1, r.heads, r.depth, r.columns};
    add({.name = r.name,
         .op = matmul,
         .in = {random_floats({1, r.heads, r.rows, r.depth}), random_floats(y)},
         .flops = 2.0 * static_cast<double>(r.heads * r.rows * r.depth * r.columns)});
  }
}

}  // namespace coracle::bench
