// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/cpuid.h"

#include <gtest/gtest.h>

namespace coracle::internal::cpu {
namespace {

/// The library of the compilers that tests are built with is no stub.
TEST(Cpuid, FindsWhatCompilersFind) {
#if defined(__x86_64__)
  __builtin_cpu_init();
#define CORACLE_EXPECT_SAME(name) EXPECT_EQ(has_feature(name), __builtin_cpu_supports(name) != 0) << (name)
  CORACLE_EXPECT_SAME("fma");
  CORACLE_EXPECT_SAME("bmi2");
  CORACLE_EXPECT_SAME("avx2");
  CORACLE_EXPECT_SAME("avx512f");
  CORACLE_EXPECT_SAME("avx512dq");
  CORACLE_EXPECT_SAME("avx512cd");
  CORACLE_EXPECT_SAME("avx512bw");
  CORACLE_EXPECT_SAME("avx512vl");
  CORACLE_EXPECT_SAME("avx512vnni");
  EXPECT_EQ(is_intel(), __builtin_cpu_is("intel") != 0);
#else
  EXPECT_FALSE(has_feature("avx2"));
  EXPECT_FALSE(has_matrix_tiles());
#endif
}

TEST(Cpuid, HasNothingWithoutAName) {
  EXPECT_FALSE(has_feature(""));
  EXPECT_FALSE(has_feature("avx1024"));
}

}  // namespace
}  // namespace coracle::internal::cpu
