// SPDX-License-Identifier: Apache-2.0
// Sizes that a user names for engines: how they are written, and what is wrong with them.
#include <gtest/gtest.h>

#include "support/graph_model.h"

namespace coracle::internal::test {
namespace {

TEST(ShapeRanges, AreWrittenAsLeastUsualAndMost) {
  const ShapeRange range = parse_shape_range("a=b=1x3x48x32..1x3x48x320..8x3x48x3200");
  EXPECT_EQ(range.input, "a=b");
  EXPECT_EQ(range.min, (std::vector<int64_t>{1, 3, 48, 32}));
  EXPECT_EQ(range.opt, (std::vector<int64_t>{1, 3, 48, 320}));
  EXPECT_EQ(range.max, (std::vector<int64_t>{8, 3, 48, 3200}));
  for (const char* wrong : {"", "x", "x=", "x=1", "x=1..2", "x=1..2..", "=1..2..3", "x=1..2..3..4", "x=1x..2..3",
                            "x=-1..2..3", "x=1,2..3..4", "x=1..2..99999999999999999999", "x=a..b..c", "..=1..2"}) {
    EXPECT_THROW(parse_shape_range(wrong), Error) << wrong;
  }
}

TEST(ShapeRanges, MustFitTheModel) {
  const Graph graph = parse("graph (%x \"x\": float32[?, 3]) {\n  %1 = tanh(%x)\n  return %1 \"y\"\n}\n");
  const auto load = [&](const std::vector<const char*>& ranges) {
    ModelOptions options;
    for (const char* r : ranges) options.engines.shapes.push_back(parse_shape_range(r));
    return model_of(Graph(graph), options);
  };
  EXPECT_NO_THROW(load({"x=1x3..2x3..9x3"}));
  const auto says = [&](const std::vector<const char*>& ranges, const char* what) {
    try {
      load(ranges);
      ADD_FAILURE() << "no error for " << ranges[0];
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
      EXPECT_NE(e.text().find(what), std::string::npos) << e.text();
    }
  };
  says({"z=1x3..2x3..9x3"}, "which the model does not have; it has: x");
  says({"x=1..2..9"}, "expected as many as it has: [?, 3]");
  says({"x=1x3..2x3..9x3x1"}, "2, 2 and 3 dimensions");
  says({"x=3x3..2x3..9x3"}, "dimension 0 of the input 'x' the range 3..2..9");
  says({"x=1x3..2x3..9x3", "x=1x3..2x3..9x3"}, "twice");
}

}  // namespace
}  // namespace coracle::internal::test
