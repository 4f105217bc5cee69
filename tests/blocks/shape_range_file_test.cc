// SPDX-License-Identifier: Apache-2.0
// Paddle's file of shape ranges, as a protobuf text may be written, and what is none.
#include "blocks/shape_range_file.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/text.h"

namespace coracle::internal::test {
namespace {

using Sizes = std::vector<int64_t>;

TEST(ShapeRangeFile, IsReadHoweverItIsWritten) {
  const std::vector<ShapeRange> ranges = parse_shape_range_file(R"(# made by hand
shape_range_info {
  name: "x"
  min_shape: 1
  min_shape: 3
  max_shape: 8
  max_shape: 3
  opt_shape: 2
  opt_shape: 3
  min_value: 7
}
shape_range_info: < name: 'a\"b\\\054\x63' "d", min_shape: [1]; max_shape: [ 4 ] opt_shape: [2] other { a: 1 b [ "s" ] } >
shape_range_info { name: "scalar" }
later_field: 1.5e3
)");
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[0].input, "x");
  EXPECT_EQ(ranges[0].min, (Sizes{1, 3}));
  EXPECT_EQ(ranges[0].opt, (Sizes{2, 3}));
  EXPECT_EQ(ranges[0].max, (Sizes{8, 3}));
  EXPECT_EQ(ranges[1].input, "a\"b\\,cd");
  EXPECT_EQ(ranges[1].max, (Sizes{4}));
  EXPECT_TRUE(ranges[2].min.empty());
  EXPECT_TRUE(parse_shape_range_file("").empty());
}

TEST(ShapeRangeFile, WhatIsNoneIsRefusedWithItsLine) {
  const auto refusal = [](std::string_view text) -> std::string {
    try {
      parse_shape_range_file(text);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(refusal("shape_range_info {\n  name: x\n}").find("'x' in line 2, expected a text in quotes"),
            std::string::npos);
  EXPECT_NE(refusal("shape_range_info {\n\nmin_shape: many}").find("in line 3, expected a whole number"),
            std::string::npos);
  EXPECT_NE(refusal("shape_range_info {").find("has its end in line 1, expected the name of a field"),
            std::string::npos);
  EXPECT_NE(refusal("shape_range_info { name: \"x\" min_shape: 1 }").find("'x' 1 least, 0 usual and 0 largest"),
            std::string::npos);
  for (const char* wrong :
       {"{", "shape_range_info", "shape_range_info 1", "\x80\x08", "a: {", "a: \"b", "a: \"b\\",
        "shape_range_info { name: \"\n\" }", "shape_range_info { min_shape: 99999999999999999999 }"}) {
    EXPECT_NE(refusal(wrong), "") << wrong;
  }
  std::string nested;
  for (int i = 0; i < 100000; ++i) nested += "a {";
  EXPECT_NE(refusal(nested), "");
}

TEST(ShapeRangeFile, OnlyInputsThatNobodyNamesTakeTheirSizesFromIt) {
  const Graph graph =
      parse("graph (%x \"x\": float32[?, 3], %y \"y\": float32[?]) {\n  %1 = tanh(%x)\n  return %1 \"z\"\n}\n");
  EngineChoice choice;
  choice.shapes = {{"y", {1}, {2}, {3}}};
  choice.variables = {{"y", {7}, {7}, {7}}, {"x", {1, 3}, {2, 3}, {8, 3}}, {"z", {1, 3}, {2, 3}, {8, 3}}};
  add_known_ranges(graph, choice);
  ASSERT_EQ(choice.shapes.size(), 2U);
  EXPECT_EQ(choice.shapes[0].max, (Sizes{3}));
  EXPECT_EQ(choice.shapes[1].input, "x");
  EXPECT_TRUE(choice.variables.empty());
  EngineChoice other;
  other.variables = {{"x", {1}, {2}, {8}}};
  add_known_ranges(graph, other);
  EXPECT_TRUE(other.shapes.empty()) << "another number of dimensions";
}

}  // namespace
}  // namespace coracle::internal::test
