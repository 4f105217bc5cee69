// SPDX-License-Identifier: Apache-2.0
#include "plan/kernel.h"

#include <gtest/gtest.h>

#include <new>

namespace coracle {
namespace {

TEST(KernelCall, FailsWithTheLongerTextWhereThereIsMemoryForIt) {
  std::string text;
  KernelCall call;
  call.failure_detail = &text;
  call.fail("short", [] { return std::string("long"); });
  EXPECT_STREQ(call.failure, "short");
  EXPECT_EQ(text, "long");
  call.fail("short", []() -> std::string { throw std::bad_alloc(); });
  EXPECT_STREQ(call.failure, "short");
  EXPECT_EQ(text, "");
  KernelCall alone;
  alone.fail("short", [] { return std::string("long"); });
  EXPECT_STREQ(alone.failure, "short");
}

}  // namespace
}  // namespace coracle
