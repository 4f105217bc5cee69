// SPDX-License-Identifier: Apache-2.0
// What a profiler sees of runs: ranges with the names of steps, where they are asked for.
#include <cstdlib>
#include <string>

#include "devices/cuda/driver.h"
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
  EXPECT_STREQ(ranges_(),
               "5 steps\n"
               "  copy to\n"
               "  linear (matmul_0)\n"
               "  softmax (softmax_1)\n"
               "  linear (matmul_2)\n"
               "  copy from\n"
               "  wait\n");
  EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected));
  EXPECT_STREQ(ranges_(),
               "5 steps\n"
               "  copy to\n"
               "  3 steps from linear (matmul_0) to linear (matmul_2)\n"
               "    linear (matmul_0)\n"
               "    softmax (softmax_1)\n"
               "    linear (matmul_2)\n"
               "  copy from\n"
               "  wait\n")
      << "while they are recorded";
  EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected));
  EXPECT_STREQ(ranges_(),
               "5 steps\n"
               "  copy to\n"
               "  recorded: 3 steps from linear (matmul_0) to linear (matmul_2)\n"
               "  copy from\n"
               "  wait\n");
}

TEST_F(CudaRanges, EndWithWhatFails) {
  ::setenv("CORACLE_NVTX", "1", 1);
  Session session(model(kChain), {.threads = 1});
  run(session, {rows(5)});
  for (const char* function : {"cuMemcpyHtoDAsync_v2", "cuLaunchKernel", "cublasLtMatmul", "cuStreamBeginCapture_v2"}) {
    fail_(function, cuda::CUDA_ERROR_INVALID_VALUE, 0);
    try {
      run(session, {rows(5)});
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): a capture that fails is no error
    }
    fail_("", 0, 0);
    ranges_();
    run(session, {rows(5)});
    EXPECT_EQ(std::string(ranges_()).substr(0, 8), "5 steps\n") << function << ": the next run begins in no range";
  }
}

}  // namespace
}  // namespace coracle::internal::test
