// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <gtest/gtest.h>

namespace coracle::internal {
namespace {

using std::string_view_literals::operator""sv;

TEST(Printable, KeepsText) {
  for (const std::string_view s :
       {""sv, "conv2d_0.w_0"sv, "größe"sv, "文字"sv, "a\\x1b"sv, "🙂"sv, "\xEF\xBF\xBD"sv}) {
    EXPECT_EQ(printable(s), s);
  }
}

TEST(Printable, EscapesWhatIsNoText) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"\x1b[31mred"sv, "\\x1b[31mred"},
      {"a\0b"sv, "a\\x00b"},
      {"line\nline"sv, "line\\x0aline"},
      {"\x7F"sv, "\\x7f"},
      {"\xC2\x9B"
       "2J"sv,
       "\\xc2\\x9b2J"},                                // the control sequence introducer as one character
      {"\xE2\x80\xAE"sv, "\\xe2\\x80\\xae"},           // text from right to left
      {"\xC0\xAF"sv, "\\xc0\\xaf"},                    // not the shortest form
      {"\xE0\x9F\xBF"sv, "\\xe0\\x9f\\xbf"},           // the same with three bytes
      {"\xED\xA0\x80"sv, "\\xed\\xa0\\x80"},           // a surrogate
      {"\xF4\x90\x80\x80"sv, "\\xf4\\x90\\x80\\x80"},  // beyond the last code point
      {"\xF5"sv, "\\xf5"},
      {"ab\xE6\x96"sv, "ab\\xe6\\x96"},  // cut off
      {"\x80ok"sv, "\\x80ok"},
  };
  for (const auto& [given, expected] : cases) {
    EXPECT_EQ(printable(given), expected);
    EXPECT_EQ(printable(expected), expected);
  }
}

TEST(Printable, KeepsLinesOfMessages) { EXPECT_EQ(printable("a\n\tb", /*lines=*/true), "a\n\\x09b"); }

TEST(InQuotes, CutsBetweenCharacters) {
  std::string name(299, 'a');
  name += "文字";
  EXPECT_EQ(in_quotes(name), "'" + std::string(299, 'a') + "...'");
  EXPECT_EQ(in_quotes("x\n"), "'x\\x0a'");
}

}  // namespace
}  // namespace coracle::internal
