// SPDX-License-Identifier: Apache-2.0
#include "base/shortest.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

template <class T>
T read_back(const std::string& text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_EQ(error, std::errc()) << text;
  EXPECT_EQ(end, text.data() + text.size()) << text;
  return value;
}

/// Digits alone, without zeros at the end: what std::to_chars has no fewer of.
template <class T>
size_t fewest_digits(T value) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  size_t digits = 0;
  for (const char* c = buffer; c != end && *c != 'e'; ++c) digits += *c >= '0' && *c <= '9' ? 1 : 0;
  return digits;
}

size_t significant_digits(std::string text) {
  text.resize(std::min(text.size(), text.find('e')));
  const bool has_point = text.find('.') != std::string::npos;
  std::erase_if(text, [](char c) { return c < '0' || c > '9'; });
  text.erase(0, text.find_first_not_of('0'));
  if (!has_point) text.erase(text.find_last_not_of('0') + 1);
  return text.size();
}

TEST(Shortest, SomeNumbers) {
  EXPECT_EQ(shortest(0.0), "0");
  EXPECT_EQ(shortest(-0.0), "-0");
  EXPECT_EQ(shortest(1000.0), "1000");
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(0.1F), "0.1");
  EXPECT_EQ(shortest(static_cast<double>(0.1F)), "0.10000000149011612");
  EXPECT_EQ(shortest(1e20), "1e+20");
  EXPECT_EQ(shortest(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(shortest(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(shortest(std::numeric_limits<float>::denorm_min()), "1e-45");
  EXPECT_EQ(shortest(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(shortest(-std::numeric_limits<float>::infinity()), "-inf");
  EXPECT_EQ(shortest(std::nan("")), "nan");
}

TEST(Shortest, ReadsBackAndHasNoDigitTooMany) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const auto wide = std::bit_cast<double>(random());
    const auto narrow = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (std::isfinite(wide)) {
      EXPECT_EQ(read_back<double>(shortest(wide)), wide);
      EXPECT_LE(significant_digits(shortest(wide)), fewest_digits(wide)) << shortest(wide);
    }
    if (std::isfinite(narrow)) {
      EXPECT_EQ(read_back<float>(shortest(narrow)), narrow);
      EXPECT_LE(significant_digits(shortest(narrow)), fewest_digits(narrow)) << shortest(narrow);
    }
  }
}

TEST(Shortest, PointInEveryLocale) {
  // One with a comma, made here: it is rarely installed.
  const test::TemporaryFolder locales;
  const std::string make = "localedef -i de_DE -f UTF-8 " + locales.path("de_DE.UTF-8") + " >/dev/null 2>&1";
  if (std::system(make.c_str()) != 0) GTEST_SKIP() << "localedef or its sources are not installed (Debian: locales)";
  ::setenv("LOCPATH", locales.path("").c_str(), 1);
  ASSERT_NE(std::setlocale(LC_NUMERIC, "de_DE.UTF-8"), nullptr);
  ASSERT_EQ(std::string(std::localeconv()->decimal_point), ",");
  const std::string written = shortest(0.5);
  std::setlocale(LC_NUMERIC, "C");
  EXPECT_EQ(written, "0.5");
}

}  // namespace
}  // namespace coracle::internal
