// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/resize.h"

#include "isa_test.h"

namespace coracle::internal::cpu {
namespace {

struct Axis {
  std::vector<int32_t> low, high;
  std::vector<float> weight;
  Axis(int in, int out) {
    for (int i = 0; i < out; ++i) {
      const float at = static_cast<float>(i) * static_cast<float>(in) / static_cast<float>(out);
      low.push_back(static_cast<int32_t>(at));
      high.push_back(std::min(low.back() + 1, in - 1));
      weight.push_back(at - static_cast<float>(low.back()));
    }
  }
  ResizeAxis view() const { return {low.data(), high.data(), weight.data()}; }
};

TEST(ResizeKernels, NearestAndBilinear) {
  struct Geometry {
    int height, width, out_height, out_width;
  };
  for (Isa isa : tested_isas()) {
    const ResizeFunctions& table = resize_table(isa);
    for (const Geometry& g : {Geometry{1, 1, 3, 5}, {4, 5, 8, 10}, {3, 40, 6, 80}, {7, 9, 3, 4}, {5, 6, 5, 17}}) {
      for (int channels : {1, 3, 16, 37}) {
        for (bool fused : {false, true}) {
          for (bool linear : {false, true}) {
            const Axis rows(g.height, g.out_height), columns(g.width, g.out_width);
            const std::vector<float> x = random_floats(static_cast<size_t>(g.height * g.width * channels), 1),
                                     add = random_floats(static_cast<size_t>(g.out_height * g.out_width * channels), 2);
            std::vector<float> y(add.size() + 1, 77.0f);
            Resize p;
            p.x = x.data();
            p.add = fused ? add.data() : nullptr;
            p.y = y.data();
            p.in_width = static_cast<size_t>(g.width);
            p.out_width = static_cast<size_t>(g.out_width);
            p.channels = static_cast<size_t>(channels);
            p.y_stride = p.channels;
            p.rows = rows.view();
            p.columns = columns.view();
            const auto check = [&] {
              EXPECT_EQ(y.back(), 77.0f);
              for (size_t i = 0; i < add.size(); ++i) {
                const size_t c = i % p.channels, column = i / p.channels % p.out_width,
                             row = i / p.channels / p.out_width;
                const auto at = [&](int r, int k) {
                  return double{x[(static_cast<size_t>(r) * p.in_width + static_cast<size_t>(k)) * p.channels + c]};
                };
                double e = at(rows.low[row], columns.low[column]);
                if (linear) {
                  const double u = columns.weight[column], v = rows.weight[row];
                  e = (e * (1 - u) + at(rows.low[row], columns.high[column]) * u) * (1 - v) +
                      (at(rows.high[row], columns.low[column]) * (1 - u) +
                       at(rows.high[row], columns.high[column]) * u) *
                          v;
                }
                if (fused) e += add[i];
                EXPECT_TRUE(near(y[i], e, 1e-6, 1))
                    << name_of(isa) << " linear " << linear << ": " << y[i] << " not " << e;
              }
            };
            const size_t out_height = static_cast<size_t>(g.out_height);
            (linear ? table.bilinear : table.nearest)(p, 0, 1);
            (linear ? table.bilinear : table.nearest)(p, 1, out_height);
            check();
            if (channels != 1) continue;
            y.assign(y.size(), 77.0f);
            (linear ? table.bilinear_plane : table.nearest_plane)(p, 0, out_height);
            check();
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
