// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/matmul/addmm.h"
#include "ops/matmul/baddbmm.h"
#include "ops/matmul/bilinear.h"
#include "ops/matmul/bmm.h"
#include "ops/matmul/einsum.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/mv.h"
#include "support/check_kernels.h"

/// Products of computed operands, wherever their rows, columns and depth lie.
namespace coracle::internal::test {
namespace {

using KernelNames = std::set<std::string>;

constexpr double kTolerance = 2e-5;

Tensor random_doubles(const Shape& shape, unsigned seed) {
  const Tensor floats = random_floats(shape, -1, 1, seed);
  Tensor t = Tensor::make(DType::kFloat64, shape);
  for (int64_t i = 0; i < t.count(); ++i) t.data<double>()[i] = static_cast<double>(floats.data<float>()[i]);
  return t;
}

Shape turned(Shape s, bool transposed) {
  if (transposed && s.rank() > 1) std::swap(s[s.rank() - 1], s[s.rank() - 2]);
  return s;
}

TEST(ContractionKernels, MatmulOfAnyOperands) {
  const std::pair<Shape, Shape> shapes[] = {
      {{5, 7}, {7, 9}},
      {{1, 40}, {40, 1}},
      {{3, 25, 33}, {3, 33, 40}},
      {{2, 3, 8, 5}, {5, 19}},
      {{2, 1, 13, 4}, {3, 4, 24}},
      {{4, 1, 70}, {4, 70, 300}},
      {{14, 200}, {200, 50}},
      {{70, 33}, {33, 150}},
      {{64}, {64, 200}},
      {{3, 7, 129}, {129}},
      {{129}, {129}},
      {{1, 300}, {300, 77}},
      {{600, 3, 3}, {600, 3, 3}},
      {{1, 1}, {1, 1}},
      {{2, 50, 70}, {1, 70, 90}},
      {{6, 13, 70}, {6, 70, 65}},
      {{25, 9, 64}, {25, 64, 70}},
      {{40, 1}, {1, 60}},
      {{2, 4, 6}, {5, 1, 6, 3}},
  };
  for (const auto& [x, y] : shapes) {
    for (const bool transpose_x : {false, true}) {
      for (const bool transpose_y : {false, true}) {
        const Matmul op{.transpose_x = transpose_x, .transpose_y = transpose_y};
        const Shape left = turned(x, transpose_x);
        const Shape right = turned(y, transpose_y);
        EXPECT_EQ(kernels_that_take({.op = op,
                                     .in = {random_floats(left, -1, 1, 1), random_floats(right, -1, 1, 2)},
                                     .relative = kTolerance,
                                     .absolute = kTolerance}),
                  KernelNames{"matmul"});
        EXPECT_EQ(kernels_that_take({.op = op,
                                     .in = {random_doubles(left, 1), random_doubles(right, 2)},
                                     .relative = 1e-12,
                                     .absolute = 1e-12}),
                  KernelNames{"matmul.float64"});
      }
    }
  }
}

TEST(ContractionKernels, OtherProducts) {
  const auto floats = [](const Shape& s, unsigned seed) { return random_floats(s, -1, 1, seed); };
  const auto rows = [](const Op& op, std::vector<Tensor> in) {
    return kernels_that_take({.op = op, .in = std::move(in), .relative = kTolerance, .absolute = kTolerance});
  };
  EXPECT_EQ(rows(Bmm{}, {floats({3, 9, 31}, 1), floats({3, 31, 17}, 2)}), KernelNames{"bmm"});
  EXPECT_EQ(rows(Mv{}, {floats({67, 131}, 1), floats({131}, 2)}), KernelNames{"mv"});
  EXPECT_EQ(rows(Mv{}, {floats({1, 1}, 1), floats({1}, 2)}), KernelNames{"mv"});
  const Addmm addmm{.beta = 0.5, .alpha = 2};
  for (const Shape& input : {Shape{20, 33}, Shape{33}, Shape{1, 33}, Shape{20, 1}, Shape{1}}) {
    EXPECT_EQ(rows(addmm, {floats(input, 3), floats({20, 50}, 1), floats({50, 33}, 2)}), KernelNames{"addmm"});
  }
  const Baddbmm baddbmm{.beta = -1, .alpha = 0.25};
  for (const Shape& input : {Shape{3, 20, 33}, Shape{1, 20, 33}, Shape{3, 1, 33}, Shape{3, 20, 1}}) {
    EXPECT_EQ(rows(baddbmm, {floats(input, 3), floats({3, 20, 5}, 1), floats({3, 5, 33}, 2)}), KernelNames{"baddbmm"});
  }
}

TEST(ContractionKernels, Einsum) {
  struct Case {
    const char* equation;
    std::vector<Shape> shapes;
  };
  const Case cases[] = {
      {"bij,bjk->bik", {{3, 25, 33}, {3, 33, 40}}},
      {"bqhd,bkhd->bhqk", {{2, 17, 3, 20}, {2, 19, 3, 20}}},
      {"bhqk,bkhd->bqhd", {{2, 3, 17, 19}, {2, 19, 3, 20}}},
      {"bqdef,bfked->bqk", {{6, 20, 5, 4, 6}, {6, 6, 50, 4, 5}}},
      {"i,j->ij", {{70}, {300}}},
      {"i,i->", {{77}, {77}}},
      {"bld,de->ble", {{2, 30, 40}, {40, 50}}},
      {"bld,ed->ble", {{2, 30, 40}, {50, 40}}},
      {"bhwc,hkc->bhwk", {{2, 5, 6, 16}, {5, 7, 16}}},
      {"bhwc,wkc->bhwk", {{2, 5, 6, 16}, {6, 7, 16}}},
      {"bcij,bcij->b", {{2, 3, 9, 11}, {2, 3, 9, 11}}},
      {"bij,bkj->kib", {{4, 9, 11}, {4, 6, 11}}},
      {"ij,kj->ki", {{30, 40}, {20, 40}}},
      {"abcd,dcbe->ae", {{5, 3, 4, 6}, {6, 4, 3, 7}}},
      {"...ij,...jk->...ik", {{2, 1, 9, 8}, {3, 8, 7}}},
      {"iij,jk->ik", {{6, 6, 9}, {9, 5}}},
      {"bi,kij,bj->bk", {{8, 20}, {6, 20, 33}, {8, 33}}},
      {"ij,jk,kl->il", {{30, 20}, {20, 40}, {40, 10}}},
      {"bn,bnd->bd", {{4, 50}, {4, 50, 30}}},
      {"bnd,bn->bd", {{4, 50, 30}, {4, 50}}},
      {"nk,nk->n", {{40, 33}, {40, 33}}},
  };
  for (const Case& c : cases) {
    KernelCase k{.op = Einsum{.equation = c.equation}, .in = {}, .relative = kTolerance, .absolute = kTolerance};
    k.in_counts = {static_cast<int>(c.shapes.size())};
    for (const Shape& s : c.shapes) k.in.push_back(random_floats(s, -1, 1, 1 + static_cast<unsigned>(k.in.size())));
    EXPECT_EQ(kernels_that_take(k), KernelNames{"einsum"}) << c.equation;
  }
}

TEST(ContractionKernels, Bilinear) {
  for (const bool biased : {false, true}) {
    KernelCase c{.op = Bilinear{}, .in = {}, .relative = kTolerance, .absolute = kTolerance};
    c.in = {random_floats({9, 20}, -1, 1, 1), random_floats({9, 33}, -1, 1, 2), random_floats({7, 20, 33}, -1, 1, 3)};
    if (biased) c.in.push_back(random_floats({1, 7}, -1, 1, 4));
    c.in_counts = {1, 1, 1, biased ? 1 : 0};
    EXPECT_EQ(kernels_that_take(c), KernelNames{"bilinear"});
  }
}

}  // namespace
}  // namespace coracle::internal::test
