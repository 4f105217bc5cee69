// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/linear.h"

#include "families.h"
#include "kernel_case.h"

namespace coracle::bench {
namespace {

struct Row {
  const char* name;
  int64_t rows, depth, columns;
};

constexpr Row kRows[] = {
    {"bert 128x768-768", 128, 768, 768},       {"bert 128x768-3072", 128, 768, 3072},
    {"bert 128x3072-768", 128, 3072, 768},     {"vit 197x768-2304", 197, 768, 2304},
    {"rec 40x120-360", 40, 120, 360},          {"rec classes 40x120-6625", 40, 120, 6625},
    {"classifier 1x2048-1000", 1, 2048, 1000}, {"one token 1x768-3072", 1, 768, 3072},
    {"eight tokens 8x768-3072", 8, 768, 3072},
};

}  // namespace

void add_linear() {
  for (const Row& r : kRows) {
    Linear linear;
    linear.epilogue = {{EpilogueKind::kAddChannel}};
    add({.name = r.name,
         .op = linear,
         .in = {random_floats({1, r.rows, r.depth}), random_floats({r.depth, r.columns}), random_floats({r.columns})},
         .flops = 2.0 * static_cast<double>(r.rows * r.depth * r.columns)});
  }
}

}  // namespace coracle::bench
