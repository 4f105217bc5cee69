// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/norm.h"

#include "isa_test.h"

namespace coracle::internal::cpu {
namespace {

TEST(NormKernels, LayerAndRms) {
  for (Isa isa : tested_isas()) {
    for (size_t n : tested_sizes()) {
      if (n == 0) continue;
      for (int form = 0; form < 16; ++form) {
        const bool rms = form & 1, with_scale = form & 2, with_bias = form & 4, with_residual = form & 8;
        const size_t rows = 3;
        const std::vector<float> x = random_floats(rows * n, 1, 10, 14), residual = random_floats(rows * n, 2),
                                 scale = random_floats(n, 3), bias = random_floats(n, 4);
        std::vector<float> y(rows * n + 1, 77.0f), sum(rows * n), mean(rows), variance(rows);
        RowNorm p;
        p.x = x.data();
        p.residual = with_residual ? residual.data() : nullptr;
        p.scale = with_scale ? scale.data() : nullptr;
        p.bias = with_bias ? bias.data() : nullptr;
        p.y = y.data();
        p.sum = sum.data();
        p.mean = mean.data();
        p.variance = variance.data();
        p.rows = rows;
        p.n = n;
        p.epsilon = 1e-3f;
        rms ? norm_table(isa).rms_norm(p) : norm_table(isa).layer_norm(p);
        EXPECT_EQ(y.back(), 77.0f);
        for (size_t r = 0; r < rows; ++r) {
          std::vector<double> v(n);
          double m = 0, var = 0;
          for (size_t i = 0; i < n; ++i) {
            v[i] = double{x[r * n + i]} + (with_residual ? residual[r * n + i] : 0);
            EXPECT_TRUE(near(sum[r * n + i], v[i], 2e-7));
            m += v[i] / static_cast<double>(n);
          }
          if (rms) m = 0;
          for (double e : v) var += (e - m) * (e - m) / static_cast<double>(n);
          if (!rms) {
            EXPECT_TRUE(near(mean[r], m, 1e-6));
            EXPECT_TRUE(near(variance[r], var, 1e-5, 1e-3));
          }
          for (size_t i = 0; i < n; ++i) {
            const double e =
                (v[i] - m) / std::sqrt(var + double{1e-3f}) * (with_scale ? scale[i] : 1) + (with_bias ? bias[i] : 0);
            EXPECT_TRUE(near(y[r * n + i], e, 1e-5, 3))
                << name_of(isa) << " n " << n << ": " << y[r * n + i] << " not " << e;
          }
        }
        // In place, without the sum.
        std::vector<float> again = x;
        p.x = again.data();
        p.y = again.data();
        p.sum = nullptr;
        rms ? norm_table(isa).rms_norm(p) : norm_table(isa).layer_norm(p);
        y.pop_back();
        EXPECT_EQ(again, y);
      }
    }
  }
}

TEST(NormKernels, Group) {
  for (Isa isa : tested_isas()) {
    for (size_t groups : {1, 2, 5}) {
      for (size_t size : {1, 3, 16, 19}) {
        for (size_t area : {1, 7, 64, 150}) {
          const size_t images = 2, channels = groups * size;
          const std::vector<float> x = random_floats(images * channels * area, 5, 3, 5),
                                   scale = random_floats(channels, 6), bias = random_floats(channels, 7);
          std::vector<double> e(x.size());
          for (size_t g = 0; g < images * groups; ++g) {
            const float* v = x.data() + g * size * area;
            double m = 0, var = 0;
            for (size_t i = 0; i < size * area; ++i) m += v[i] / static_cast<double>(size * area);
            for (size_t i = 0; i < size * area; ++i) var += (v[i] - m) * (v[i] - m) / static_cast<double>(size * area);
            for (size_t i = 0; i < size * area; ++i) {
              const size_t c = g % groups * size + i / area;
              e[g * size * area + i] = (v[i] - m) / std::sqrt(var + 1e-5) * scale[c] + bias[c];
            }
          }
          GroupNorm p;
          p.x = x.data();
          p.scale = scale.data();
          p.bias = bias.data();
          p.groups = groups;
          p.channels_per_group = size;
          p.area = area;
          std::vector<float> y(x.size());
          p.y = y.data();
          norm_table(isa).group_norm(p, 0, 1);
          norm_table(isa).group_norm(p, 1, images * groups);
          for (size_t i = 0; i < y.size(); ++i)
            EXPECT_TRUE(near(y[i], e[i], 2e-5, 3)) << name_of(isa) << ' ' << y[i] << ' ' << e[i];

          std::vector<float> last(channels * area), out(channels * area + 1, 77.0f), workspace(2 * channels);
          for (size_t c = 0; c < channels; ++c) {
            for (size_t i = 0; i < area; ++i) last[i * channels + c] = x[c * area + i];
          }
          p.x = last.data();
          p.y = out.data();
          norm_table(isa).group_norm_channels_last(p, 0, groups / 2, workspace.data());
          norm_table(isa).group_norm_channels_last(p, groups / 2, groups, workspace.data());
          EXPECT_EQ(out.back(), 77.0f);
          for (size_t c = 0; c < channels; ++c) {
            for (size_t i = 0; i < area; ++i) EXPECT_TRUE(near(out[i * channels + c], e[c * area + i], 2e-5, 3));
          }
        }
      }
    }
  }
}

TEST(NormKernels, Affine) {
  for (Isa isa : tested_isas()) {
    for (size_t rows : {0, 1, 5}) {
      for (size_t columns : {1, 3, 16, 33, 100}) {
        const std::vector<float> x = random_floats(rows * columns, 8), a = random_floats(100, 9),
                                 b = random_floats(100, 10);
        std::vector<float> y(rows * columns + 1, 77.0f);
        norm_table(isa).affine_rows(x.data(), a.data(), b.data(), y.data(), rows, columns, nullptr);
        for (size_t i = 0; i < rows * columns; ++i)
          EXPECT_TRUE(near(y[i], double{x[i]} * a[i / columns] + b[i / columns], 3e-7, 1));
        norm_table(isa).affine_columns(x.data(), a.data(), b.data(), y.data(), rows, columns, nullptr);
        for (size_t i = 0; i < rows * columns; ++i)
          EXPECT_TRUE(near(y[i], double{x[i]} * a[i % columns] + b[i % columns], 3e-7, 1));
        EXPECT_EQ(y.back(), 77.0f);
      }
    }
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
