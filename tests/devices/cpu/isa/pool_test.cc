// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/pool.h"

#include "isa_test.h"

namespace coracle::cpu {
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

TEST(PoolKernels, MaxAndAverage) {
  struct Geometry {
    int height, width, size, stride, pad;
  };
  for (Isa isa : tested_isas()) {
    for (const Geometry& g :
         {Geometry{1, 1, 1, 1, 0}, {5, 7, 3, 2, 1}, {6, 6, 2, 2, 0}, {4, 9, 3, 1, 1}, {8, 8, 5, 3, 2}}) {
      for (int channels : {1, 3, 16, 37, 64, 130}) {
        for (bool exclusive : {false, true}) {
          const Spans rows = windows(g.height, g.size, g.stride, g.pad, exclusive);
          const Spans columns = windows(g.width, g.size, g.stride, g.pad, exclusive);
          const std::vector<float> x = random_floats(static_cast<size_t>(g.height * g.width * channels), 1);
          const size_t out_h = rows.begin.size(), out_w = columns.begin.size();
          std::vector<float> largest(out_h * out_w * static_cast<size_t>(channels) + 1, 77.0f), average = largest;
          Pool p;
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

}  // namespace
}  // namespace coracle::cpu
