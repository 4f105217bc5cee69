// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ops/activation/maxout.h"
#include "ops/conv_pool/unpool.h"
#include "ops/conv_pool/unpool3d.h"
#include "ops/detection/roi_align.h"
#include "ops/detection/roi_pool.h"
#include "ops/interp/bicubic_interp.h"
#include "ops/interp/grid_sample.h"
#include "ops/interp/linear_interp.h"
#include "ops/interp/nearest_interp.h"
#include "ops/interp/trilinear_interp.h"
#include "ops/rnn/gru.h"
#include "ops/rnn/gru_unit.h"
#include "ops/rnn/lstm.h"
#include "ops/sequence/row_conv.h"
#include "ops/sequence/sequence_conv.h"
#include "ops/sequence/sequence_pool.h"
#include "support/check_kernels.h"

/// Kernels that sum lines of elements: interpolation, pooling of regions, and what runs along sequences.
namespace coracle::internal::test {
namespace {

using KernelNames = std::set<std::string>;

template <class T>
void check_interpolation(const Shape& x, const Ints& size) {
  for (const bool corners : {false, true}) {
    for (const int mode : {0, 1}) {
      for (const bool last : {false, true}) {
        T op;
        op.align_corners = corners;
        op.align_mode = mode;
        op.data_format = last ? DataFormat::kNhwc : DataFormat::kNchw;
        op.out_w = size.back();
        if (size.size() > 1) op.out_h = size[size.size() - 2];
        if (size.size() > 2) op.out_d = size[0];
        EXPECT_EQ(
            kernels_that_take(
                {.op = op, .in = {random_floats(x)}, .in_counts = {1, 0, 0, 0}, .relative = 1e-5, .absolute = 1e-5}),
            KernelNames{T::kName});
      }
    }
  }
}

TEST(SamplingKernels, Interpolation) {
  check_interpolation<BicubicInterp>({2, 19, 6, 5}, {13, 4});
  check_interpolation<BicubicInterp>({1, 1, 3, 3}, {7, 9});
  check_interpolation<BicubicInterp>({1, 67, 2, 5}, {2, 5});
  check_interpolation<LinearInterp>({2, 19, 6}, {13});
  check_interpolation<LinearInterp>({1, 1, 1}, {4});
  check_interpolation<TrilinearInterp>({2, 18, 3, 6, 5}, {5, 4, 11});
  check_interpolation<NearestInterp>({2, 18, 3, 6, 5}, {5, 4, 11});
}

TEST(SamplingKernels, Grids) {
  const struct {
    Shape x, grid;
  } cases[] = {{{2, 19, 6, 5}, {2, 7, 3, 2}},
               {{1, 1, 1, 1}, {1, 1, 1, 2}},
               {{1, 64, 9, 11}, {1, 4, 40, 2}},
               {{2, 18, 3, 6, 5}, {2, 2, 4, 3, 3}}};
  for (const auto& c : cases) {
    for (const GridSampleMode mode : {GridSampleMode::kBilinear, GridSampleMode::kNearest}) {
      for (const GridPadding padding : {GridPadding::kZeros, GridPadding::kBorder, GridPadding::kReflection}) {
        GridSample op;
        op.mode = mode;
        op.padding_mode = padding;
        for (const bool corners : {false, true}) {
          op.align_corners = corners;
          EXPECT_EQ(kernels_that_take({.op = op,
                                       .in = {random_floats(c.x), random_floats(c.grid, -1.4, 1.4, 2)},
                                       .relative = 1e-5,
                                       .absolute = 1e-5}),
                    KernelNames{"grid_sample"});
        }
      }
    }
  }
}

TEST(SamplingKernels, Regions) {
  // Inside, across each side, outside, empty, turned, whole.
  const float corners[] = {3,   4,   20, 17, -9, 2,    12, 30, 10, -8, 50, 6, 200,   200,
                           240, 230, 15, 15, 15, 15.5, 30, 20, 8,  5,  0,  0, 47.9F, 39.5F};
  const int64_t count = static_cast<int64_t>(std::size(corners)) / 4;
  Tensor boxes = Tensor::make(DType::kFloat32, {count, 4});
  std::copy(std::begin(corners), std::end(corners), boxes.data<float>());
  for (const Shape& s : {Shape{2, 19, 10, 12}, Shape{2, 64, 11, 13}}) {
    const Tensor x = random_floats(s);
    Tensor numbers = Tensor::make(DType::kInt32, {2});
    numbers.assign(std::span<const int64_t>(std::vector<int64_t>{3, count - 3}));
    Tensor ordered = boxes;
    ordered.set_lod({{0, 4, static_cast<size_t>(count)}});
    for (const bool told : {false, true}) {
      std::vector<Tensor> in = {x, told ? boxes : ordered};
      if (told) in.push_back(numbers);
      for (const bool aligned : {false, true}) {
        for (const int ratio : {-1, 2}) {
          RoiAlign op;
          op.pooled_height = 3;
          op.pooled_width = 5;
          op.spatial_scale = 0.25;
          op.sampling_ratio = ratio;
          op.aligned = aligned;
          EXPECT_EQ(kernels_that_take(
                        {.op = op, .in = in, .in_counts = {1, 1, told ? 1 : 0}, .relative = 1e-5, .absolute = 1e-5}),
                    KernelNames{"roi_align"});
        }
      }
      RoiPool op;
      op.pooled_height = 3;
      op.pooled_width = 5;
      op.spatial_scale = 0.25;
      EXPECT_EQ(kernels_that_take({.op = op, .in = in, .in_counts = {1, 1, told ? 1 : 0}}), KernelNames{"roi_pool"});
    }
  }
}

TEST(SamplingKernels, Unpooling) {
  for (const DType type : {DType::kInt32, DType::kInt64}) {
    Unpool op;
    op.ksize = op.strides = {2, 2};
    op.padding = {0, 0};
    // Places may occur several times: the last element stays.
    EXPECT_EQ(
        kernels_that_take({.op = op, .in = {random_floats({2, 19, 5, 7}), random_ints({2, 19, 5, 7}, 0, 140, type)}}),
        KernelNames{"unpool"});
    Unpool3d volume;
    volume.ksize = volume.strides = {1, 2, 2};
    volume.padding = {0, 0, 0};
    EXPECT_EQ(kernels_that_take(
                  {.op = volume, .in = {random_floats({1, 3, 2, 4, 3}), random_ints({1, 3, 2, 4, 3}, 0, 96, type)}}),
              KernelNames{"unpool3d"});
  }
}

TEST(SamplingKernels, Maxout) {
  for (const Shape& s : {Shape{2, 18, 7, 9}, Shape{5, 36}, Shape{1, 6, 40, 31}}) {
    for (int axis = 1; axis < s.rank(); ++axis) {
      Maxout op;
      op.groups = 3;
      op.axis = axis;
      if (s[axis] % 3 == 0) {
        EXPECT_EQ(kernels_that_take({.op = op, .in = {random_floats(s)}}), KernelNames{"maxout"});
      }
    }
  }
}

TEST(SamplingKernels, GruUnit) {
  for (const int64_t batch : {1, 7}) {
    for (const bool origin : {false, true}) {
      GruUnit op;
      op.origin_mode = origin;
      KernelCase c{.op = op, .in = {}, .relative = 2e-5, .absolute = 2e-5};
      c.in = {random_floats({batch, 60}), random_floats({batch, 20}, -1, 1, 2), random_floats({20, 60}, -1, 1, 3),
              random_floats({1, 60}, -1, 1, 4)};
      c.out_counts = {1, 1, 1};
      EXPECT_EQ(kernels_that_take(c), KernelNames{"gru_unit"});
      c.out_counts = {0, 0, 1};
      EXPECT_EQ(kernels_that_take(c), KernelNames{"gru_unit"});
    }
  }
}

/// Rows of sequences of 5, 0, 1, 9 and 2 rows, or of one.
Tensor rows_of_sequences(int64_t width, bool several, unsigned seed = 1) {
  Tensor x = random_floats({17, width}, -1, 1, seed);
  if (several) x.set_lod({{0, 5, 5, 6, 15, 17}});
  return x;
}

TEST(SamplingKernels, AlongSequences) {
  for (const bool several : {false, true}) {
    for (const int64_t width : {1, 19, 70}) {
      const Tensor x = rows_of_sequences(width, several);
      for (const int start : {-1, 0, -4}) {
        SequenceConv op;
        op.context_length = 3;
        op.context_start = start;
        EXPECT_EQ(kernels_that_take({.op = op,
                                     .in = {x, random_floats({3 * width, 33}, -1, 1, 2)},
                                     .in_counts = {1, 0, 1},
                                     .relative = 2e-5,
                                     .absolute = 2e-5}),
                  KernelNames{"sequence_conv"});
      }
      EXPECT_EQ(kernels_that_take({.op = RowConv{}, .in = {x, random_floats({4, width}, -1, 1, 2)}}),
                KernelNames{"row_conv"});
      if (!several) continue;  // how many rows come out is known by the offsets only
      for (const SequencePooling type :
           {SequencePooling::kSum, SequencePooling::kAverage, SequencePooling::kSqrt, SequencePooling::kMax}) {
        SequencePool op;
        op.pooltype = type;
        op.pad_value = 0.5;
        EXPECT_EQ(kernels_that_take({.op = op, .in = {x}, .out_counts = {1, 1}, .relative = 1e-5, .absolute = 1e-5}),
                  KernelNames{"sequence_pool"});
      }
    }
  }
  EXPECT_EQ(kernels_that_take({.op = RowConv{}, .in = {random_floats({3, 7, 20}), random_floats({9, 20}, -1, 1, 2)}}),
            KernelNames{"row_conv"});
}

TEST(SamplingKernels, FirstRecurrentLayers) {
  for (const bool several : {false, true}) {
    for (const int64_t hidden : {1, 20, 37}) {
      for (const bool reverse : {false, true}) {
        for (const bool state : {false, true}) {
          const int64_t sequences = several ? 5 : 1;
          const Tensor h0 = random_floats({sequences, hidden}, -1, 1, 7);
          const Tensor c0 = random_floats({sequences, hidden}, -1, 1, 8);
          const int given = state ? 1 : 0;
          for (const bool more : {false, true}) {  // peepholes, or the other share of a GRU
            Lstm lstm;
            lstm.is_reverse = reverse;
            lstm.use_peepholes = more;
            KernelCase c{
                .op = lstm, .in = {rows_of_sequences(4 * hidden, several)}, .relative = 2e-5, .absolute = 2e-5};
            if (state) c.in.insert(c.in.end(), {h0, c0});
            c.in.push_back(random_floats({hidden, 4 * hidden}, -0.5, 0.5, 2));
            c.in.push_back(random_floats({1, (more ? 7 : 4) * hidden}, -1, 1, 3));
            c.in_counts = {1, given, given, 1, 1};
            c.out_counts = {1, 1, 1, 1};
            EXPECT_EQ(kernels_that_take(c), KernelNames{"lstm"});
            Gru gru;
            gru.is_reverse = reverse;
            gru.origin_mode = more;
            c = {.op = gru, .in = {rows_of_sequences(3 * hidden, several)}, .relative = 2e-5, .absolute = 2e-5};
            if (state) c.in.push_back(h0);
            c.in.push_back(random_floats({hidden, 3 * hidden}, -0.5, 0.5, 2));
            if (more) c.in.push_back(random_floats({1, 3 * hidden}, -1, 1, 3));
            c.in_counts = {1, given, 1, more ? 1 : 0};
            c.out_counts = {1, 1, 1, 1};
            EXPECT_EQ(kernels_that_take(c), KernelNames{"gru"});
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace coracle::internal::test
