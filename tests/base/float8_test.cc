// SPDX-License-Identifier: Apache-2.0
#include "base/float8.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace coracle::internal {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

/// A number, the code that Paddle 3.3.1 gives it, and the number of that code (NaN where it is not equal to itself).
struct Rounded {
  float number;
  uint8_t code;
  float value;
};

template <class T>
void expect_rounded(const Rounded& r) {
  for (const bool negative : {false, true}) {
    const float number = negative ? -r.number : r.number;
    const auto code = static_cast<uint8_t>(r.code | (negative ? 0x80U : 0U));
    EXPECT_EQ(T::from_float(number), code) << number;
    const float value = T::to_float(code);
    if (r.value != r.value) {
      EXPECT_TRUE(std::isnan(value)) << number << " became " << value;
    } else {
      EXPECT_EQ(value, negative ? -r.value : r.value) << number;
      EXPECT_EQ(std::signbit(value), negative) << number;
    }
  }
}

TEST(Float8, E4m3RoundsAsPaddle) {
  const Rounded kTable[] = {
      {0, 0x00, 0},
      {1, 0x38, 1},
      {1.0625F, 0x38, 1},      // half way, down to even
      {1.1875F, 0x3A, 1.25F},  // half way, up to even
      {1.0625001F, 0x39, 1.125F},
      {0x1p-6F, 0x08, 0x1p-6F},    // the smallest of full precision
      {0x1.Ep-7F, 0x08, 0x1p-6F},  // half way to the largest below it
      {0x7p-9F, 0x07, 0x7p-9F},
      {0x1p-9F, 0x01, 0x1p-9F},  // the smallest
      {0x1p-10F, 0x00, 0},       // half of it, down to even
      {0x1.000002p-10F, 0x01, 0x1p-9F},
      {0x3p-10F, 0x02, 0x1p-8F},  // half way, up to even
      {1e-40F, 0x00, 0},
      {448, 0x7E, 448},
      {464, 0x7E, 448},  // half way to the code of NaN
      {464.1F, 0x7F, NAN},
      {479.9F, 0x7F, NAN},
      {480, 0x7E, 448},
      {1e30F, 0x7E, 448},
      {kInfinite, 0x7E, 448},
      {NAN, 0x7E, 448},
  };
  for (const Rounded& r : kTable) expect_rounded<Float8E4m3>(r);
}

TEST(Float8, E5m2RoundsAsPaddle) {
  const Rounded kTable[] = {
      {0, 0x00, 0},
      {1, 0x3C, 1},
      {1.125F, 0x3C, 1},
      {1.375F, 0x3E, 1.5F},
      {0x1p-14F, 0x04, 0x1p-14F},
      {0x1p-16F, 0x01, 0x1p-16F},
      {0x1p-17F, 0x00, 0},
      {0x1.000002p-17F, 0x01, 0x1p-16F},
      {0x3p-17F, 0x02, 0x1p-15F},
      {57344, 0x7B, 57344},
      {61439, 0x7B, 57344},
      {61440, 0x7C, kInfinite},
      {65535, 0x7C, kInfinite},
      {65536, 0x7B, 57344},
      {kInfinite, 0x7B, 57344},
      {NAN, 0x7F, NAN},
  };
  for (const Rounded& r : kTable) expect_rounded<Float8E5m2>(r);
}

/// Each code is the number nearest to its own value, but for infinity, which becomes the largest number.
template <class T>
void expect_codes_return(uint8_t first_special) {
  for (unsigned code = 0; code < 256; ++code) {
    if ((code & 0x7FU) >= first_special) continue;
    const float value = T::to_float(static_cast<uint8_t>(code));
    ASSERT_TRUE(std::isfinite(value)) << code;
    EXPECT_EQ(T::from_float(value), code) << value;
    if ((code & 0x7FU) == 0) continue;
    EXPECT_GT(std::abs(value), std::abs(T::to_float(static_cast<uint8_t>(code - 1)))) << code;
  }
}

TEST(Float8, CodesReturn) {
  expect_codes_return<Float8E4m3>(0x7F);
  expect_codes_return<Float8E5m2>(0x7C);
  for (const uint8_t code : {0x7D, 0x7E, 0x7F, 0xFD, 0xFF}) EXPECT_TRUE(std::isnan(Float8E5m2::to_float(code)));
  EXPECT_EQ(Float8E5m2::to_float(0xFC), -kInfinite);
}

}  // namespace
}  // namespace coracle::internal
