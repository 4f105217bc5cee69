// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/limits.h"

#include <gtest/gtest.h>

#include "devices/cpu/isa/limits.h"
#include "isa/isa_test.h"

namespace coracle::internal::cpu {
namespace {

TEST(Limits, WorkGrowsWithItsSteps) {
  for (Isa isa : tested_isas()) {
    const LimitFunctions& functions = limits_table(isa);
    float sum = 0;
    const int64_t one = functions.multiply_add(1, &sum);
    EXPECT_GT(one, 0);
    EXPECT_EQ(functions.multiply_add(100, &sum), 100 * one);
    EXPECT_GT(sum, 0.0F);
  }
}

TEST(Limits, EveryFloatIsRead) {
  for (Isa isa : tested_isas()) {
    for (int64_t count : {0, 1, 7, 63, 64, 65, 1000}) {
      const std::vector<float> x(static_cast<size_t>(count), 0.5F);
      EXPECT_EQ(limits_table(isa).read(x.data(), count), 0.5F * static_cast<float>(count)) << count;
    }
  }
}

TEST(Limits, AreMeasuredOnAllThreads) {
  ThreadPool pool(2);
  pool.start();
  for (Isa isa : tested_isas()) {
    const MachineLimits found = measure_limits(isa, pool);
    EXPECT_GT(found.flops_per_second, 1e6);
    EXPECT_GT(found.bytes_per_second, 1e6);
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
