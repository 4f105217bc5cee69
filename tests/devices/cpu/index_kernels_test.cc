// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/creation/meshgrid.h"
#include "ops/creation/one_hot.h"
#include "ops/index/argsort.h"
#include "ops/index/gather_nd.h"
#include "ops/index/index_sample.h"
#include "ops/index/masked_select.h"
#include "ops/index/nonzero.h"
#include "ops/index/scatter.h"
#include "ops/index/scatter_nd_add.h"
#include "ops/index/take_along_axis.h"
#include "ops/index/topk.h"
#include "ops/index/topk_v1.h"
#include "ops/index/unique.h"
#include "ops/movement/pad3d.h"
#include "ops/movement/tril.h"
#include "ops/movement/triu.h"
#include "ops/reduce/cumsum.h"
#include "support/check_kernels.h"

namespace coracle::internal::test {
namespace {

TEST(SortKernels, FewOfManyAndAll) {
  const std::pair<Shape, int64_t> cases[] = {{{1}, 1},          {{5}, 0},        {{3, 40}, 40},    {{2, 6625}, 5},
                                             {{1, 5000}, 100},  {{4, 900}, 300}, {{3, 50, 19}, 7}, {{2, 100, 3, 5}, 4},
                                             {{2, 90, 35}, 17}, {{2, 9, 40}, 9}, {{0, 7}, 2}};
  for (const auto& [shape, k] : cases) {
    for (DType type : {DType::kFloat32, DType::kInt64, DType::kInt32, DType::kUint8}) {
      // Few different values, so that many are equal.
      const Tensor x = random_numbers(shape, type, 3, true);
      for (int axis = -1; axis < shape.rank() - 1; ++axis) {
        if (k > shape[normalize_axis(axis, shape.rank())]) continue;
        for (bool largest : {true, false}) {
          Topk topk;
          topk.axis = axis;
          topk.largest = largest;
          check_on_every_kernel({.op = topk, .in = {x, int_list({k})}, .out_counts = {1, 1}, .kernels = {"topk"}});
          Argsort argsort;
          argsort.axis = axis;
          argsort.descending = largest;
          check_on_every_kernel({.op = argsort, .in = {x}, .out_counts = {1, 1}, .kernels = {"argsort"}});
        }
      }
    }
  }
  const Tensor x = random_floats({3, 4000});
  check_on_every_kernel({.op = TopkV1{}, .in = {x, int_list({9})}, .out_counts = {1, 1}, .kernels = {"topk_v1"}});
}

TEST(SortKernels, RowsThatGrow) {
  Tensor rising = Tensor::make(DType::kFloat32, {2, 3000});
  for (int64_t i = 0; i < rising.count(); ++i) rising.data<float>()[i] = static_cast<float>(i);
  for (bool largest : {true, false}) {
    Topk topk;
    topk.largest = largest;
    check_on_every_kernel({.op = topk, .in = {rising, int_list({10})}, .out_counts = {1, 1}, .kernels = {"topk"}});
  }
}

TEST(SortKernels, TheLastHasAnEqualBehindIt) {
  constexpr int64_t kLength = 1200;
  constexpr int64_t kWanted = 5;
  for (int64_t first : {int64_t{0}, int64_t{3}, int64_t{700}, kLength - 2}) {
    for (int64_t inner : {1, 19}) {
      Tensor x = Tensor::make(DType::kFloat32, {2, kLength, inner});
      for (int64_t i = 0; i < x.count(); ++i) {
        const int64_t row = i / inner % kLength;
        // All are different but for the fifth and the sixth largest, which are at `first` and at the end.
        x.data<float>()[i] = static_cast<float>(row * 7 % kLength);
        if (row == first || row == kLength - 1) x.data<float>()[i] = static_cast<float>(kLength) + 1;
        if (row >= 100 && row < 100 + kWanted - 1) x.data<float>()[i] = static_cast<float>(2 * kLength + row);
      }
      Topk topk;
      topk.axis = 1;
      check_on_every_kernel({.op = topk, .in = {x, int_list({kWanted})}, .out_counts = {1, 1}, .kernels = {"topk"}});
    }
  }
}

TEST(ScanKernels, RunningSums) {
  for (const Shape& s : {Shape{}, Shape{1}, Shape{0, 3}, Shape{1, 700}, Shape{19, 67}, Shape{3, 5, 70},
                         Shape{2, 40, 3, 5}, Shape{3, 140}}) {
    for (DType type : {DType::kFloat32, DType::kInt64, DType::kInt32, DType::kFloat64}) {
      for (int64_t axis = -1; axis < s.rank() - 1; ++axis) {
        for (int form = 0; form < 4; ++form) {
          Cumsum op;
          op.exclusive = (form & 1) != 0;
          op.reverse = (form & 2) != 0;
          check_on_every_kernel(
              {.op = op, .in = {random_numbers(s, type, 1), Tensor::scalar<int64_t>(axis)}, .kernels = {"cumsum"}});
        }
      }
      Cumsum flat;
      flat.flatten = true;
      check_on_every_kernel({.op = flat, .in = {random_numbers(s, type, 1)}, .kernels = {"cumsum"}});
    }
  }
}

TEST(ScanKernels, RunningSumsOfManyRowsAndColumns) {
  for (const Shape& s : {Shape{700, 13}, Shape{9, 1100}, Shape{41, 333}, Shape{2, 57, 56}, Shape{6, 1}, Shape{5, 2}}) {
    for (int form = 0; form < 4; ++form) {
      Cumsum op;
      op.exclusive = (form & 1) != 0;
      op.reverse = (form & 2) != 0;
      const auto axis = Tensor::scalar<int64_t>(s.rank() - 2);
      check_on_every_kernel({.op = op, .in = {random_floats(s), axis}, .kernels = {"cumsum"}});
    }
  }
}

TEST(SizedKernels, Distinct) {
  for (const Shape& s : {Shape{}, Shape{0}, Shape{1}, Shape{40}, Shape{3, 700}}) {
    for (DType type : {DType::kFloat32, DType::kInt64, DType::kInt32, DType::kUint8}) {
      for (DType index : {DType::kInt64, DType::kInt32}) {
        Unique op;
        op.is_sorted = true;
        op.dtype = index;
        const Tensor x = random_ints(s, 0, 30, type);
        check_on_every_kernel({.op = op, .in = {x}, .out_counts = {1, 1, 1, 1}, .kernels = {"unique"}});
        check_on_every_kernel({.op = op, .in = {x}, .out_counts = {1, 0, 1, 0}, .kernels = {"unique"}});
      }
    }
  }
}

TEST(IndexedKernels, RowsAndElements) {
  for (DType index : {DType::kInt64, DType::kInt32}) {
    for (DType type : {DType::kFloat32, DType::kInt64, DType::kUint8}) {
      const Tensor x = random_numbers({7, 30, 9}, type, 1);
      for (int depth : {1, 2, 3}) {
        const Tensor at = random_ints({300, depth}, -7, 7, index, 2);
        check_on_every_kernel({.op = GatherNd{}, .in = {x, at}, .kernels = {"gather_nd"}});
        Shape updates{300};
        for (int d = depth; d < 3; ++d) updates.push_back(x.shape()[d]);
        check_on_every_kernel(
            {.op = ScatterNdAdd{}, .in = {x, at, random_numbers(updates, type, 3)}, .kernels = {"scatter_nd_add"}});
      }
      for (int axis : {0, 1, 2}) {
        Shape s = x.shape();
        s[axis] = 41;
        TakeAlongAxis op;
        op.axis = axis;
        check_on_every_kernel({.op = op, .in = {x, random_ints(s, -7, 7, index, 4)}, .kernels = {"take_along_axis"}});
      }
      const Tensor table = random_numbers({50, 80}, type, 1);
      check_on_every_kernel(
          {.op = IndexSample{}, .in = {table, random_ints({50, 33}, 0, 80, index)}, .kernels = {"index_sample"}});
      for (bool overwrite : {true, false}) {
        Scatter op;
        op.overwrite = overwrite;
        const Tensor at = random_ints({120}, -50, 50, index, 5);
        check_on_every_kernel(
            {.op = op, .in = {table, at, random_numbers({120, 80}, type, 6)}, .kernels = {"scatter"}});
      }
    }
    OneHot op;
    for (bool skips : {false, true}) {
      op.allow_out_of_range = skips;
      const Tensor x = random_ints({5, 70}, skips ? -3 : 0, skips ? 99 : 90, index);
      check_on_every_kernel({.op = op, .in = {x, int_list({90})}, .kernels = {"one_hot"}});
    }
  }
}

TEST(RearrangeKernels, RowsAndWhatIsFilled) {
  for (DType type : {DType::kFloat32, DType::kInt64, DType::kUint8}) {
    check_on_every_kernel(
        {.op = Meshgrid{},
         .in = {random_numbers({30}, type, 1), random_numbers({1}, type, 2), random_numbers({70}, type, 3)},
         .in_counts = {3},
         .out_counts = {3},
         .kernels = {"meshgrid"}});
    for (const Shape& s : {Shape{5, 33}, Shape{3, 40, 7}, Shape{2, 0, 4}}) {
      for (int diagonal : {-50, -2, 0, 3, 50}) {
        Tril tril;
        tril.diagonal = diagonal;
        Triu triu;
        triu.diagonal = diagonal;
        check_on_every_kernel({.op = tril, .in = {random_numbers(s, type, 1)}, .kernels = {"tril"}});
        check_on_every_kernel({.op = triu, .in = {random_numbers(s, type, 1)}, .kernels = {"triu"}});
      }
    }
    for (const char* mode : {"constant", "reflect", "replicate", "circular"}) {
      Pad3d pad;
      pad.mode = mode;
      pad.pad_value = 3;
      check_on_every_kernel({.op = pad,
                             .in = {random_numbers({2, 3, 4, 5, 33}, type, 1), int_list({3, 1, 2, 0, 1, 2})},
                             .kernels = {"pad3d"}});
    }
  }
}

TEST(SizedKernels, WhatIsNotZero) {
  for (const Shape& s : {Shape{}, Shape{0}, Shape{1}, Shape{63}, Shape{64}, Shape{65}, Shape{3, 0, 2}, Shape{5, 7, 3},
                         Shape{300, 701}}) {
    for (DType type : {DType::kBool, DType::kInt64, DType::kInt32, DType::kFloat32, DType::kUint8}) {
      for (int64_t most : {1, 2, 20}) {  // nothing, half, most
        check_on_every_kernel({.op = Nonzero{}, .in = {random_ints(s, 0, most, type, 4)}, .kernels = {"nonzero"}});
      }
    }
    for (DType type : {DType::kFloat32, DType::kInt64, DType::kUint8, DType::kInt16}) {
      const Tensor mask = random_ints(s, 0, 2, DType::kBool, 5);
      check_on_every_kernel(
          {.op = MaskedSelect{}, .in = {random_ints(s, 0, 99, type), mask}, .kernels = {"masked_select"}});
    }
  }
}

}  // namespace
}  // namespace coracle::internal::test
