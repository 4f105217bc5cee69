// SPDX-License-Identifier: Apache-2.0
// Ranges of sizes in the shapes of inputs.
#include "client/size_ranges.h"

#include <gtest/gtest.h>

#include "client/error.h"

namespace coracle::client {
namespace {

using Texts = std::vector<std::string>;

TEST(SizeRanges, AreEveryCombinationTheLargestFirst) {
  EXPECT_EQ(each_size({"x=1..2x32..96/32"}),
            (std::vector<Texts>{{"x=2x96"}, {"x=2x64"}, {"x=2x32"}, {"x=1x96"}, {"x=1x64"}, {"x=1x32"}}));
  EXPECT_EQ(each_size({"[4..4, 3,0..8/4]"}), (std::vector<Texts>{{"[4, 3,8]"}, {"[4, 3,4]"}, {"[4, 3,0]"}}));
  EXPECT_EQ(each_size({"words=1..10x32..128/32x1"}).size(), 40U);
}

TEST(SizeRanges, ThatAreWrittenTheSameVaryTogether) {
  EXPECT_EQ(each_size({"a=1..2x7", "b=5x1..2", "c=3"}),
            (std::vector<Texts>{{"a=2x7", "b=5x2", "c=3"}, {"a=1x7", "b=5x1", "c=3"}}));
  EXPECT_EQ(each_size({"a=1..2", "b=1..2/1"}).size(), 4U);
}

TEST(SizeRanges, AreNotInNames) {
  EXPECT_EQ(each_size({"a1..2=3", "b:1..2:4x5", "1,3,224,224"}),
            (std::vector<Texts>{{"a1..2=3", "b:1..2:4x5", "1,3,224,224"}}));
  EXPECT_EQ(each_size({}), (std::vector<Texts>{{}}));
}

TEST(SizeRanges, AreRefusedWithWhatWasExpected) {
  for (const char* wrong : {"x=..", "x=1..", "x=..4", "x=4..1", "x=1..4/0", "x=1..4/", "x=1..2..3", "x=1..4/2/2",
                            "x=1..99999999999999999999"}) {
    try {
      each_size({wrong});
      ADD_FAILURE() << wrong;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("is not a range of sizes, expected FIRST..LAST or FIRST..LAST/STEP"),
                std::string::npos)
          << wrong << ": " << e.what();
    }
  }
  const auto refusal = [](const Texts& shapes) {
    try {
      each_size(shapes);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(refusal({"x=32..100/32"}),
            "x=32..100/32: '32..100/32' does not end with its last size: steps of 32 from 32 on lead to 96");
  EXPECT_EQ(refusal({"x=1..10001"}), "x=1..10001: '1..10001' has more than 10000 sizes");
  EXPECT_EQ(refusal({"x=1..200x1..201"}), "the ranges of sizes have more than 10000 combinations");
}

}  // namespace
}  // namespace coracle::client
