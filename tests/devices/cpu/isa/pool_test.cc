// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/pool.h"

#include "isa_test.h"

namespace coracle::internal::cpu {
namespace {

struct Spans {
  std::vector<int32_t> begin, end, divisor;
  PoolAxis view() const { return {begin.data(), end.data(), divisor.data()}; }
};

Spans windows(int in, int size, int stride, int pad, bool exclusive) {
  Spans axis;
  for (int start = -pad; start + size <= in + pad; start += stride) {
    const int begin = std::max(start, 0), end = std::min(start + size, in);
    axis.begin.push_back(begin);
    axis.end.push_back(end);
    axis.divisor.push_back(exclusive ? end - begin : size);
  }
  return axis;
}

struct Geometry {
  int height, width, size, stride, pad;
};

constexpr Geometry kGeometries[] = {
    {1, 1, 1, 1, 0}, {5, 7, 3, 2, 1}, {6, 6, 2, 2, 0}, {4, 9, 3, 1, 1}, {8, 8, 5, 3, 2}};

TEST(PoolKernels, MaxAndAverage) {
  for (Isa isa : tested_isas()) {
    for (const Geometry& g : kGeometries) {
      for (int channels : {1, 3, 16, 37, 64, 130}) {
        for (bool exclusive : {false, true}) {
          const Spans rows = windows(g.height, g.size, g.stride, g.pad, exclusive);
          const Spans columns = windows(g.width, g.size, g.stride, g.pad, exclusive);
          const std::vector<float> x = random_floats(static_cast<size_t>(g.height * g.width * channels), 1);
          const size_t out_h = rows.begin.size(), out_w = columns.begin.size();
          std::vector<float> largest(out_h * out_w * static_cast<size_t>(channels) + 1, 77.0f), average = largest;
          Pool<float> p;
          p.x = x.data();
          p.in_width = static_cast<size_t>(g.width);
          p.out_width = out_w;
          p.channels = static_cast<size_t>(channels);
          p.y_stride = p.channels;
          p.rows = rows.view();
          p.columns = columns.view();
          p.y = largest.data();
          pool_table(isa).max(p, 0, out_h / 2);
          pool_table(isa).max(p, out_h / 2, out_h);
          p.y = average.data();
          pool_table(isa).average(p, 0, out_h / 2);
          pool_table(isa).average(p, out_h / 2, out_h);
          EXPECT_EQ(largest.back(), 77.0f);
          EXPECT_EQ(average.back(), 77.0f);
          for (size_t i = 0; i + 1 < largest.size(); ++i) {
            const size_t c = i % p.channels, column = i / p.channels % out_w, row = i / p.channels / out_w;
            double best = -INFINITY, sum = 0;
            for (int r = rows.begin[row]; r < rows.end[row]; ++r) {
              for (int k = columns.begin[column]; k < columns.end[column]; ++k) {
                const double v = x[static_cast<size_t>(r * g.width + k) * p.channels + c];
                best = std::max(best, v);
                sum += v;
              }
            }
            EXPECT_EQ(largest[i], best);
            EXPECT_TRUE(near(average[i], sum / (rows.divisor[row] * columns.divisor[column]), 1e-6, 1)) << name_of(isa);
          }
        }
      }
    }
  }
}

TEST(PoolKernels, MaxOfInt8) {
  // The last one has windows of padding alone.
  std::vector<Geometry> geometries(std::begin(kGeometries), std::end(kGeometries));
  geometries.push_back({3, 2, 2, 1, 3});
  for (Isa isa : tested_isas()) {
    for (const Geometry& g : geometries) {
      for (size_t channels : {1, 3, 4, 7, 8, 13, 16, 24, 31, 33, 48, 64, 103, 128, 200, 300}) {
        SCOPED_TRACE(std::string(name_of(isa)) + " " + std::to_string(channels));
        const Spans rows = windows(g.height, g.size, g.stride, g.pad, true);
        const Spans columns = windows(g.width, g.size, g.stride, g.pad, true);
        std::vector<int8_t> x;
        for (size_t i = 0; i < static_cast<size_t>(g.height * g.width) * channels; ++i) {
          x.push_back(static_cast<int8_t>(i * i * 37 + i * 11));
        }
        const size_t out_h = rows.begin.size(), out_w = columns.begin.size();
        const size_t stride = channels + 2;  // what is between the pixels stays as it is
        std::vector<int8_t> y(out_h * out_w * stride, 77), expected = y;
        const Pool<int8_t> p{.x = x.data(),
                             .y = y.data(),
                             .in_width = static_cast<size_t>(g.width),
                             .out_width = out_w,
                             .channels = channels,
                             .y_stride = stride,
                             .rows = rows.view(),
                             .columns = columns.view()};
        pool_table(isa).max_int8(p, 0, out_h / 2);
        pool_table(isa).max_int8(p, out_h / 2, out_h);
        for (size_t i = 0; i < out_h * out_w * channels; ++i) {
          const size_t c = i % channels, column = i / channels % out_w, row = i / channels / out_w;
          int8_t& best = expected[(row * out_w + column) * stride + c];
          best = -128;
          for (int r = rows.begin[row]; r < rows.end[row]; ++r) {
            for (int k = columns.begin[column]; k < columns.end[column]; ++k) {
              best = std::max(best, x[static_cast<size_t>(r * g.width + k) * channels + c]);
            }
          }
        }
        ASSERT_EQ(y, expected);
      }
    }
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
