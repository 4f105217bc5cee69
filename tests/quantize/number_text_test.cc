// SPDX-License-Identifier: Apache-2.0
#include "quantize/number_text.h"

#include <gtest/gtest.h>

#include <clocale>
#include <limits>

namespace coracle::internal::quantize {
namespace {

TEST(QuantizeNumberText, PointsDoNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* locale : {"C", "de_DE.UTF-8"}) {
    std::setlocale(LC_NUMERIC, locale);  // where the system has it
    EXPECT_EQ(fixed(38.25, 1), "38.2");
    EXPECT_EQ(fixed(2, 2), "2.00");
    EXPECT_EQ(general(0.5, 3), "0.5");
    EXPECT_EQ(general(0.00001234, 3), "1.23e-05");
    EXPECT_EQ(general(std::numeric_limits<double>::infinity(), 3), "inf");
  }
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST(QuantizeNumberText, ColumnsAreThoseOfTerminals) {
  EXPECT_EQ(padded("conv", 6), "conv  ");
  EXPECT_EQ(padded("longer", 3), "longer");
  EXPECT_EQ(padded("Ärger", 7), "Ärger  ");
  EXPECT_EQ(padded("模型", 6), "模型  ");
}

}  // namespace
}  // namespace coracle::internal::quantize
