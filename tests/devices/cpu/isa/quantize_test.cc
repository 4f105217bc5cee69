// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/quantize.h"

#include "isa_test.h"

namespace coracle::internal::cpu {
namespace {

// In float, since the rounding must fall on the same side.
float expected_integers(const Quantization& q, float x, float scale) {
  const float inverse = 1.0f / (scale <= 1e-30f ? scale + 1e-6f : scale);
  const float factor = q.range * inverse;
  float value;
  if (q.round_half_away) {
    value = std::round(factor * std::max(-scale, std::min(scale, x)));
  } else {
    value = std::max(-q.range - 1, std::min(q.range, std::nearbyint(factor * x)));
  }
  return q.dequantize ? value * scale / q.range : value;
}

TEST(QuantizeKernels, TensorRowsColumns) {
  for (Isa isa : tested_isas()) {
    const QuantizeFunctions& table = quantize_table(isa);
    for (bool half_away : {false, true}) {
      for (bool dequantize : {false, true}) {
        const Quantization q{127, half_away, dequantize};
        for (size_t rows : {1, 3}) {
          for (size_t columns : tested_sizes()) {
            std::vector<float> x = random_floats(rows * columns, 1, -3, 3);
            for (size_t i = 0; i < x.size(); i += 5) x[i] = static_cast<float>(i % 17) * 0.5f / 127;  // ties at scale 1
            const std::vector<float> scales = [&] {
              std::vector<float> s = random_floats(rows + columns, 2, 0.5f, 2);
              if (s.size() > 1) s[1] = 0;
              return s;
            }();
            std::vector<float> y(x.size() + 1, 77.0f);
            table.tensor(q, x.data(), 1.0f, y.data(), x.size());
            for (size_t i = 0; i < x.size(); ++i)
              EXPECT_EQ(y[i], expected_integers(q, x[i], 1.0f)) << name_of(isa) << ' ' << x[i];
            table.rows(q, x.data(), scales.data(), y.data(), rows, columns);
            for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], expected_integers(q, x[i], scales[i / columns]));
            table.columns(q, x.data(), scales.data(), y.data(), rows, columns);
            for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], expected_integers(q, x[i], scales[i % columns]));
            EXPECT_EQ(y.back(), 77.0f);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
