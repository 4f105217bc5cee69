// SPDX-License-Identifier: Apache-2.0
#include "blocks/scope_mark.h"

#include <gtest/gtest.h>

namespace coracle::internal {
namespace {

TEST(ScopeMark, NamesAnEngine) {
  EXPECT_EQ(engine_of_scope("/coracle_engine_openvino/"), "openvino");
  EXPECT_EQ(engine_of_scope("/encoder/coracle_engine_openvino/layer_0/Linear_1/"), "openvino");
  EXPECT_EQ(engine_of_scope("/coracle_engine_my_engine/"), "my_engine");
  EXPECT_EQ(engine_of_scope("coracle_engine_openvino"), "openvino") << "without slashes around it";
}

TEST(ScopeMark, TheInnermostHolds) {
  EXPECT_EQ(engine_of_scope("/coracle_engine_a/x/coracle_engine_b/y/"), "b");
  EXPECT_EQ(engine_of_scope("/coracle_engine_a/coracle_engine_/"), "a") << "a mark without a name is none";
}

TEST(ScopeMark, PaddlesNumbersAreLeftOut) {
  EXPECT_EQ(engine_of_scope("/coracle_engine_openvino_1/"), "openvino");
  EXPECT_EQ(engine_of_scope("/coracle_engine_openvino_27/coracle_1/"), "openvino");
  EXPECT_EQ(engine_of_scope("/coracle_engine_v2/"), "v2") << "a number of its own name";
  EXPECT_EQ(engine_of_scope("/coracle_engine_my_2nd/"), "my_2nd");
  EXPECT_EQ(engine_of_scope("/coracle_engine__1/"), "");
}

TEST(ScopeMark, OtherScopesMarkNothing) {
  for (const char* scope : {"", "/", "//", "/encoder/layer_0/", "/my_coracle_engine_a/", "/coracle_engine/"}) {
    EXPECT_EQ(engine_of_scope(scope), "") << scope;
  }
}

}  // namespace
}  // namespace coracle::internal
