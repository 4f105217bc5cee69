// SPDX-License-Identifier: Apache-2.0
// What goes wrong while graphs are captured and launched costs a graph at most, and what has to be told is.
#include <atomic>
#include <thread>

#include "devices/cuda/driver.h"
#include "devices/cuda/faults/graphs.h"

namespace coracle::internal::test {
namespace {

using namespace cuda;  // NOLINT(google-build-using-namespace): names of its codes

const char* const kGather = R"(graph (%x: float32[?, 4], %i: int64[?]) {
  %a = relu(%x)
  %b = gather(%a, %i)
  %c = exp(%b)
  return %c "y" })";

TEST_F(CudaGraphs, WrongIndicesAreToldByReplays) {
  Session session(model(kGather), {.threads = 1});
  const Tensor x = random_tensor({3, 4}, 1);
  const int64_t good[] = {2, 0};
  const int64_t bad[] = {2, 70};
  const std::vector<Tensor> expected = run(session, {x, Tensor::ints(good)});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(run(session, {x, Tensor::ints(good)}), expected));
  const int64_t graphs = launched();
  try {
    run(session, {x, Tensor::ints(bad)});
    ADD_FAILURE() << "an index is out of range";
  } catch (const Error& e) {
    EXPECT_NE(e.text().find("70"), std::string::npos) << e.text();
  }
  EXPECT_GT(launched(), graphs);
  EXPECT_TRUE(same_bits(run(session, {x, Tensor::ints(good)}), expected));
}

TEST_F(CudaGraphs, ACaptureThatFailsFailsNoRun) {
  const std::vector<Tensor> expected = singly(model(kChain), {rows(5)});
  for (const char* function : {"cuStreamCreate", "cuStreamBeginCapture_v2", "captured cuLaunchKernel",
                               "cuStreamEndCapture", "cuGraphInstantiateWithFlags", "cuGraphLaunch"}) {
    for (const int code : {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED}) {
      SCOPED_TRACE(text(function, " ", code));
      Session session(model(kChain), {.threads = 1});
      run(session, {rows(5)});
      const int64_t captures = captured();
      const int64_t live = live_();
      fail_(function, code, 0);
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected)) << i;
      fail_("", 0, 0);
      EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected));
      EXPECT_LE(captured() - captures, 1) << "nobody tries again";
      EXPECT_EQ(live_(), live) << "nothing is left of it";
    }
  }
}

TEST_F(CudaGraphs, ADeviceThatGoesIsAnErrorOfTheRun) {
  std::vector<Tensor> expected;
  int64_t calls = 0;
  {
    Session session(model(kChain), {.threads = 1});
    expected = run(session, {rows(5)});
    const int64_t before = calls_(nullptr);
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected));
    calls = calls_(nullptr) - before;
  }
  int failed = 0;
  for (int64_t i = 1; i <= calls; ++i) {
    {
      Session session(model(kChain), {.threads = 1});
      run(session, {rows(5)});
      lose_(i);
      try {
        // It records, and then replays.
        for (int n = 0; n < 2; ++n) EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected)) << i << " of " << calls;
      } catch (const Error& e) {
        ++failed;
        EXPECT_EQ(e.code(), ErrorCode::kRunFailure) << e.text();
        EXPECT_NE(e.text().find("fake GPU"), std::string::npos) << e.text();
      }
    }
    lose_(0);
  }
  EXPECT_GT(failed, calls / 2);
  Session session(model(kChain), {.threads = 1});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected)) << "it is there again";
}

TEST_F(CudaGraphs, AreNotUsedWhereSomebodyWatches) {
  Session session(model(kChain), {.threads = 1});
  const std::vector<Tensor> expected = run(session, {rows(5)});
  for (int i = 0; i < 2; ++i) run(session, {rows(5)});
  const int64_t graphs = launched();
  const int64_t kernels = single();
  session.set_profiling(true);
  EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected));
  EXPECT_EQ(launched(), graphs);
  EXPECT_EQ(single() - kernels, 3);
  session.set_profiling(false);
  EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected));
  EXPECT_EQ(launched(), graphs + 1);
}

TEST_F(CudaGraphs, SessionsOfThreadsCaptureAtTheSameTime) {
  const auto on_device = model(random_graph(1, 20));
  const Tensor x = random_tensor({1, 4, 8, 8}, 1);
  const std::vector<Tensor> expected = singly(on_device, {x});
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Session session(on_device, {.threads = 1});
      for (int i = 0; i < 6; ++i) wrong += same_bits(run(session, {x}), expected) ? 0 : 1;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

/// What the stand-in says of captures: tests above go by it.
TEST_F(CudaGraphs, StandInRefusesWhatCaptureForbids) {
  const auto device = kDevice.open(0);  // holds the context
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  DriverApi api;
  const auto find = [&]<class F>(F& f, const char* name) { f = reinterpret_cast<F>(::dlsym(driver, name)); };
#define CORACLE_FIND(result, name, ...) find(api.name, #name);
  CORACLE_CUDA_FUNCTIONS(CORACLE_FIND)
#undef CORACLE_FIND
  CUcontext context = nullptr;
  ASSERT_EQ(api.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(api.cuCtxPushCurrent_v2(context), CUDA_SUCCESS);
  CUstream stream = nullptr;
  ASSERT_EQ(api.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  CUdeviceptr memory = 0;
  ASSERT_EQ(api.cuMemAlloc_v2(&memory, 64), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  unsigned char bytes[64] = {};

  ASSERT_EQ(api.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  CUdeviceptr more = 0;
  EXPECT_EQ(api.cuMemAlloc_v2(&more, 64), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(api.cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);

  EXPECT_EQ(api.cuMemsetD8Async(memory, 1, 64, stream), CUDA_SUCCESS);
  ASSERT_EQ(api.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  EXPECT_EQ(api.cuMemsetD8Async(memory, 2, 64, stream), CUDA_SUCCESS);
  std::thread([&] {
    CUgraph others = nullptr;
    CUdeviceptr others_memory = 0;
    EXPECT_EQ(api.cuCtxPushCurrent_v2(context), CUDA_SUCCESS);
    EXPECT_EQ(api.cuStreamEndCapture(stream, &others), CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    EXPECT_EQ(api.cuMemAlloc_v2(&others_memory, 64), CUDA_SUCCESS) << "it is another thread's capture";
    EXPECT_EQ(api.cuMemFree_v2(others_memory), CUDA_SUCCESS);
  }).join();
  ASSERT_EQ(api.cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  ASSERT_EQ(api.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  const auto read = [&] {
    EXPECT_EQ(api.cuMemcpyDtoHAsync_v2(bytes, memory, 64, stream), CUDA_SUCCESS);
    EXPECT_EQ(api.cuStreamSynchronize(stream), CUDA_SUCCESS);
    return static_cast<int>(bytes[63]);
  };
  EXPECT_EQ(read(), 1) << "what is captured is not done";
  EXPECT_EQ(api.cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(api.cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(read(), 2);
  EXPECT_EQ(api.cuMemFree_v2(memory), CUDA_SUCCESS);
  EXPECT_DEATH(api.cuGraphLaunch(exec, stream), "a graph is launched of which memory or a kernel is gone");
  EXPECT_EQ(api.cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(api.cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(api.cuCtxPopCurrent_v2(&context), CUDA_SUCCESS);
  EXPECT_EQ(api.cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
}

}  // namespace
}  // namespace coracle::internal::test
