// SPDX-License-Identifier: Apache-2.0
// What a profiler sees of runs: ranges with the names of steps, where they are asked for.
#include <cstdlib>
#include <string>

#include "devices/cuda/faults/graphs.h"

namespace coracle::internal::test {
namespace {

/// The stand-in for a profiler watches this process.
class CudaRanges : public CudaGraphs {
 protected:
  void SetUp() override {
    ::setenv("NVTX_INJECTION64_PATH", "libfake_nvtx.so", 1);
    void* profiler = ::dlopen("libfake_nvtx.so", RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(profiler, nullptr) << ::dlerror();
    ranges_ = reinterpret_cast<FakeNvtxRanges>(::dlsym(profiler, "fake_nvtx_ranges"));
    ASSERT_NE(ranges_, nullptr);
    CudaGraphs::SetUp();
  }
  void TearDown() override {
    ::unsetenv("CORACLE_NVTX");
    ::unsetenv("NVTX_INJECTION64_PATH");
    CudaGraphs::TearDown();
  }

  FakeNvtxRanges ranges_ = nullptr;
};

TEST_F(CudaRanges, AreAbsentByDefault) {
  Session session(model(kChain), {.threads = 1});
  for (int i = 0; i < 3; ++i) run(session, {rows(5)});
  EXPECT_STREQ(ranges_(), "");
}

TEST_F(CudaRanges, NestAndHaveTheNamesOfSteps) {
  ::setenv("CORACLE_NVTX", "1", 1);
  Session session(model(kChain), {.threads = 1});
  const std::vector<Tensor> expected = run(session, {rows(5)});
  const std::string steps = "copy to\nmatmul (matmul_0)\nsoftmax (softmax_0)\nmatmul (matmul_1)\ncopy from\n";
  EXPECT_EQ(std::string(ranges_()), steps);
  EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected));
  EXPECT_EQ(std::string(ranges_()), steps);
  EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected));
  EXPECT_EQ(std::string(ranges_()), steps);
}

}  // namespace
}  // namespace coracle::internal::test
