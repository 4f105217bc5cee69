// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "devices/device_kernel_test.h"
#include "ops/index/gather_nd.h"
#include "ops/index/scatter.h"
#include "ops/index/scatter_nd_add.h"
#include "ops/index/set_value_with_tensor.h"

/// Kernels of devices that read and write where indices say, with CORACLE_TEST_DEVICE=cuda.
namespace coracle::internal::test {
namespace {

class DevicePlaces : public DeviceKernelTest {};

/// Many updates go to one place, and are added in their order.
TEST_F(DevicePlaces, ManyUpdatesOfOnePlace) {
  for (const DType type : {DType::kFloat32, DType::kInt64}) {
    const Tensor x = random_numbers({7, 5, 9}, type, 1);
    for (const int64_t count : {1, 301}) {
      for (const int depth : {type == DType::kFloat32 ? 3 : 2}) {
        const Tensor at = random_ints({count, depth}, -5, 5, DType::kInt64, 2);
        Shape updates{count};
        for (int d = depth; d < 3; ++d) updates.push_back(x.shape()[d]);
        EXPECT_EQ(
            taken(
                {.op = ScatterNdAdd{}, .in = {x, at, random_numbers(updates, type, 3)}, .relative = 0, .absolute = 0}),
            1);
        EXPECT_EQ(taken({.op = GatherNd{}, .in = {x, at}}), 1);
      }
      for (const bool overwrite : {false, true}) {
        const Tensor at = random_ints({count}, -7, 7, DType::kInt32, 4);
        EXPECT_EQ(taken({.op = Scatter{.overwrite = overwrite},
                         .in = {x, at, random_numbers({count, 5, 9}, type, 5)},
                         .relative = 0,
                         .absolute = 0}),
                  1);
      }
    }
  }
  EXPECT_EQ(taken({.op = GatherNd{}, .in = {random_floats({3, 2}), random_ints({4, 0}, 0, 1)}}), 0);
}

SetValueWithTensor in_slices(const Ints& axes, const Ints& dropped = {}, const Ints& none = {}, bool legacy = false) {
  SetValueWithTensor op;
  op.axes = axes;
  op.decrease_axes = dropped;
  op.none_axes = none;
  op.legacy_bounds = legacy;
  return op;
}

/// Bounds of slices as numbers; those that are computed are in GpuDecoders.
TEST_F(DevicePlaces, ValuesInSlices) {
  struct Slice {
    SetValueWithTensor op;
    Shape values;
    std::vector<int64_t> starts, ends, steps;
    int taken = 1;
  };
  const Slice slices[] = {
      {in_slices({1}), {4, 2, 7}, {1}, {3}, {1}},
      {in_slices({0, 2}), {2, 5, 3}, {-4, 1}, {INT64_MAX, 7}, {3, 2}},
      {in_slices({2}), {3}, {-1}, {-7}, {-2}},
      {in_slices({2}, {}, {}, true), {7}, {6}, {-1}, {-1}},
      {in_slices({0, 1}, {0, 1}), {7}, {-1, 3}, {4, 4}, {1, 1}},
      {in_slices({1}, {}, {1}), {4, 1, 2, 7}, {0}, {2}, {1}},
      {in_slices({1}), {1}, {3}, {3}, {1}},  // of nothing
      {in_slices({1, 1}), {1}, {0, 1}, {2, 3}, {1, 1}, 0},
      {in_slices({}), {5, 7}, {}, {}, {}},
  };
  for (const Slice& s : slices) {
    const DType type = (&s - slices) % 2 == 0 ? DType::kFloat32 : DType::kInt64;
    EXPECT_EQ(taken({.op = s.op,
                     .in = {random_numbers({4, 5, 7}, type, 1), random_numbers(s.values, type, 2), int_list(s.starts),
                            int_list(s.ends), int_list(s.steps)}}),
              s.taken)
        << &s - slices;
  }
  EXPECT_EQ(taken({.op = in_slices({0}),
                   .in = {random_floats({4, 5}), random_ints({5}, 0, 9), int_list({1}), int_list({2}), int_list({1})}}),
            0)
      << "values of another type";
}

}  // namespace
}  // namespace coracle::internal::test
