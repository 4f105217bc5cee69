// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "plan/engine.h"

namespace coracle::internal::test {

/// Tests of the engine `xnnpack`, which skip where it was not built.
class WithXnnpack : public ::testing::Test {
 protected:
  void SetUp() override {
    const FoundEngine found = find_engine("xnnpack");
#ifndef CORACLE_HAS_XNNPACK
    GTEST_SKIP() << "the engine xnnpack is not built: " << found.missing;
#else
    ASSERT_NE(found.engine, nullptr) << found.missing;
    ASSERT_EQ(found.engine->missing(), "");
    engine_ = found.engine;
#endif
  }

  const Engine* engine_ = nullptr;
};

}  // namespace coracle::internal::test
