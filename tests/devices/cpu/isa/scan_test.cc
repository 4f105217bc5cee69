// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/scan.h"

#include <cstring>

#include "isa_test.h"

namespace coracle::internal::cpu {
namespace {

struct Columns {
  size_t n, inner, begin, end;
};

// Numbers of very different sizes, and a few that are none, so that sums depend on the digits and the range they have.
std::vector<float> scanned_floats(size_t count) {
  std::vector<float> x(count);
  for (size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<uint32_t>(i * 2654435761u + i / 7);
    x[i] = std::ldexp(static_cast<float>(bits >> 8) - 8e6f, static_cast<int>(bits % 50) - 40);
    if (bits % 101 == 3) x[i] = bits % 2 == 0 ? 3e38f : -3e38f;
    if (bits % 4001 == 5) x[i] = std::numeric_limits<float>::infinity();
    if (bits % 4001 == 6) x[i] = std::numeric_limits<float>::quiet_NaN();
  }
  return x;
}

// The same bits as sums in double that are rounded one by one.
TEST(ScanFunctions, ColumnsOfFloatsAreAddedInDouble) {
  const Columns cases[] = {{0, 5, 0, 5},       {1, 1, 0, 1},        {3, 1, 0, 1},       {4, 3, 0, 3},
                           {5, 8, 0, 8},       {17, 19, 3, 17},     {9, 70, 0, 70},     {259, 21, 0, 21},
                           {6, 1100, 0, 1100}, {6, 1100, 35, 1097}, {7, 2050, 1, 2050}, {513, 5, 2, 5}};
  for (Isa isa : tested_isas()) {
    for (const Columns& c : cases) {
      for (int form = 0; form < 8; ++form) {
        const bool exclusive = (form & 1) != 0, reverse = (form & 2) != 0, in_place = (form & 4) != 0;
        const std::vector<float> x = scanned_floats(c.n * c.inner + 1);
        std::vector<float> y = x;
        if (!in_place) y.assign(x.size(), 77.0f);
        std::vector<float> expected = y;
        for (size_t i = c.begin; i < c.end; ++i) {
          double sum = 0;
          for (size_t k = 0; k < c.n; ++k) {
            const size_t at = (reverse ? c.n - 1 - k : k) * c.inner + i;
            const double before = sum;
            sum += static_cast<double>(x[at]);
            expected[at] = static_cast<float>(exclusive ? before : sum);
          }
        }
        scan_table(isa).strided(NumberType::kFloat32, {exclusive, reverse}, in_place ? y.data() : x.data(), y.data(),
                                c.n, c.inner, c.begin, c.end);
        size_t bad = 0;
        for (size_t i = 0; i < y.size(); ++i) {
          const bool both_nan = y[i] != y[i] && expected[i] != expected[i];
          bad += !both_nan && std::memcmp(&y[i], &expected[i], sizeof(float)) != 0;
        }
        EXPECT_EQ(bad, 0u) << name_of(isa) << ' ' << c.n << " rows, columns " << c.begin << " to " << c.end << " of "
                           << c.inner << ", form " << form;
      }
    }
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
