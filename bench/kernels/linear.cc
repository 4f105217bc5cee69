// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/linear.h"

#include "families.h"
#include "kernel_case.h"
#include "ops/quantize/weight_only_linear.h"

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

/// Weights in fewer bits, for one token and some, and for rows enough to repay widening them first.
constexpr Row kNarrowRows[] = {
    {"1x768-3072", 1, 768, 3072},   {"1x1024-4096", 1, 1024, 4096}, {"1x4096-4096", 1, 4096, 4096},
    {"8x768-3072", 8, 768, 3072},   {"16x768-3072", 16, 768, 3072}, {"128x768-3072", 128, 768, 3072},
    {"40x120-6625", 40, 120, 6625},
};

Tensor in_type(const Tensor& from, DType dtype) {
  Tensor t = Tensor::make(dtype, from.shape());
  std::vector<double> values = from.doubles();
  if (dtype == DType::kInt8) {
    for (double& v : values) v *= 127;
  }
  t.assign(std::span<const double>(values));
  return t;
}

void add_narrow(const Row& r) {
  const Tensor x = random_floats({1, r.rows, r.depth});
  const Tensor w = random_floats({r.depth, r.columns});
  const Tensor channels = random_floats({r.columns});
  const double flops = 2.0 * static_cast<double>(r.rows * r.depth * r.columns);
  const std::string shape = r.name;
  Linear linear;
  linear.epilogue = {{EpilogueKind::kAddChannel}};
  add({.name = "float32 " + shape, .op = linear, .in = {x, w, channels}, .flops = flops});
  add({.name = "float16 " + shape, .op = linear, .in = {x, in_type(w, DType::kFloat16), channels}, .flops = flops});
  linear.epilogue = {{EpilogueKind::kMultiplyChannel}, {EpilogueKind::kAddChannel}};
  add({.name = "int8 " + shape,
       .op = linear,
       .in = {x, in_type(w, DType::kInt8), channels, channels},
       .in_counts = {1, 1, 2},
       .flops = flops});
  constexpr int64_t kGroup = 64;
  if (r.depth % kGroup != 0) return;
  WeightOnlyLinear four;
  four.weight_dtype = "int4";
  four.group_size = kGroup;
  add({.name = "int4 " + shape,
       .op = four,
       .in = {x, in_type(random_floats({r.columns / 2, r.depth}), DType::kInt8), channels,
              random_floats({r.depth / kGroup, r.columns})},
       .flops = flops});
}

}  // namespace

void add_linear() {
  for (const Row& r : kNarrowRows) add_narrow(r);
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
