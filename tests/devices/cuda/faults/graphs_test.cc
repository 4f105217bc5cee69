// SPDX-License-Identifier: Apache-2.0
// What is captured once and launched as a CUDA graph gives the bits of single kernels, and a capture that fails costs
// nothing but itself.
#include <atomic>
#include <cstdlib>
#include <random>
#include <thread>

#include "devices/cuda/driver.h"
#include "devices/cuda/faults/stand_in.h"
#include "run/saved_files.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"
#include "support/small_models.h"

namespace coracle::internal::test {
namespace {

using namespace cuda;  // NOLINT(google-build-using-namespace): names of its codes

/// While it lives, devices that are opened make no graphs.
class Eager {
 public:
  Eager() { ::setenv("CORACLE_CUDA_GRAPHS", "0", 1); }
  ~Eager() { ::unsetenv("CORACLE_CUDA_GRAPHS"); }
  Eager(const Eager&) = delete;
  Eager& operator=(const Eager&) = delete;
};

/// Three steps on the device; nothing of it depends on sizes.
const char* const kChain = R"(graph (%x "x": float32[?, 8]) {
  @w: float32[8, 8] = random(1)
  %a = matmul(%x, @w)
  %b = softmax(%a)
  %c = matmul(%b, @w)
  return %c "y"
})";
/// A loop whose body is on the device; how often it runs is decided on the host.
const char* const kLoop = R"(graph (%n: float32[1], %h: float32[?, 8], %w: float32[8, 8]) {
  @zero: float32[1] = {0}
  %go = greater_than(%n, @zero)
  %k = relu(%h)
  [%left, %end] = while(%go, [%n, %k], [%w]) graph (%c: bool[1], %i: float32[1], %s: float32[?, 8], %m: float32[8, 8]) {
    @one: float32[1] = {1}
    @none: float32[1] = {0}
    %j = subtract(%i, @one)
    %p = matmul(%s, %m)
    %t = tanh(%p)
    %again = greater_than(%j, @none)
    return %again, %j, %t
  }
  %y = exp(%end)
  return %y, %left })";
const char* const kGather = R"(graph (%x: float32[?, 4], %i: int64[?]) {
  %a = relu(%x)
  %b = gather(%a, %i)
  %c = exp(%b)
  return %c "y" })";

class CudaGraphs : public CudaStandIn {
 protected:
  template <class G>
  static std::shared_ptr<const Model> model(G&& graph, unsigned seed = 0, unsigned percent = 0) {
    ModelOptions options;
    options.device = kDevice.name;
    options.kernels.disabled = {"islands"};
    std::mt19937 random(seed);
    for (const KernelTable* table : kDevice.kernels()) {
      for (const KernelDef& kernel : table->kernels) {
        if (random() % 100 < percent) options.kernels.disabled.emplace_back(kernel.name);
      }
    }
    return model_of(std::forward<G>(graph), options);
  }
  /// Without graphs.
  static std::vector<Tensor> singly(const std::shared_ptr<const Model>& model, const std::vector<Tensor>& inputs) {
    return run_fresh(model, inputs, {.threads = 1, .recording_bytes = 0});
  }
  static Tensor rows(int64_t count) { return random_tensor({count, 8}, static_cast<unsigned>(count)); }
  int64_t captured() const { return calls_("cuStreamBeginCapture_v2"); }
  int64_t launched() const { return calls_("cuGraphLaunch"); }
  /// Graphs that are kept.
  int64_t kept() const { return calls_("cuGraphInstantiateWithFlags") - calls_("cuGraphExecDestroy"); }
};

TEST_F(CudaGraphs, GiveTheBitsOfSingleKernels) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    for (const unsigned percent : {0U, 40U}) {
      SCOPED_TRACE(text("graph ", seed, ", without ", percent, " % of the kernels"));
      std::vector<Shape> order;
      for (unsigned i = 0; i < 15; ++i) order.push_back(kSmallImages[i * (seed + i / 5) % kSmallImages.size()]);
      const auto results = [&] {
        Session session(model(random_graph(seed, 20), seed, percent), {.threads = 1});
        std::vector<std::vector<Tensor>> all;
        for (unsigned i = 0; i < order.size(); ++i) {
          seed_(seed + i);
          all.push_back(run(session, {random_tensor(order[i], seed + i)}));
        }
        return all;
      };
      std::vector<std::vector<Tensor>> expected;
      {
        const Eager eager;
        const int64_t before = captured();
        expected = results();
        EXPECT_EQ(captured(), before) << "they are off";
      }
      const int64_t before = launched();
      const auto replayed = results();
      for (size_t i = 0; i < order.size(); ++i) {
        EXPECT_TRUE(same_bits(replayed[i], expected[i])) << "run " << i << " of " << text(order[i]);
      }
      if (percent == 0) {
        EXPECT_GT(launched(), before);
      }
    }
  }
}

TEST_F(CudaGraphs, AreOneForARunThatIsOnTheDeviceWhole) {
  Session session(model(kChain), {.threads = 1});
  const std::vector<Tensor> expected = run(session, {rows(5)});
  const int64_t captures = captured();
  for (int i = 0; i < 4; ++i) {
    const int64_t kernels = calls_("cuLaunchKernel");
    const int64_t graphs = launched();
    EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected)) << i;
    EXPECT_EQ(launched() - graphs, 1) << i;
    EXPECT_EQ(calls_("cuLaunchKernel") - kernels, i == 0 ? 3 : 0) << i << ": only while it is captured";
  }
  EXPECT_EQ(captured() - captures, 1);
}

TEST_F(CudaGraphs, AreCapturedOnceForEachSize) {
  const auto on_device = model(kChain);
  Session session(on_device, {.threads = 1});
  const int64_t captures = captured();
  const int64_t others = kept();
  // The largest comes first: memory stays where it is.
  for (int round = 0; round < 5; ++round) {
    for (const int64_t count : {9, 2, 5, 1}) {
      EXPECT_TRUE(same_bits(run(session, {rows(count)}), singly(on_device, {rows(count)}))) << count;
    }
  }
  EXPECT_EQ(captured() - captures, 4);
  EXPECT_EQ(kept() - others, 4);
  session.release_memory();
  EXPECT_EQ(kept() - others, 0);
  for (int i = 0; i < 2; ++i) run(session, {rows(9)});
  EXPECT_EQ(kept() - others, 1);
  for (int i = 0; i < 2; ++i) run(session, {rows(90000)});
  EXPECT_EQ(kept() - others, 1) << "memory is elsewhere for all sizes";
}

TEST_F(CudaGraphs, TakeNoMoreThanTheirBound) {
  const auto on_device = model(kChain);
  for (const size_t bytes : {0U, 1000U, 400'000U, 100'000'000U}) {
    Session session(on_device, {.threads = 1, .recording_bytes = bytes});
    const int64_t before = kept();
    int64_t most = 0;
    for (int round = 0; round < 3; ++round) {
      for (const int64_t count : {9, 2, 5, 1}) {
        // So that it is captured before it is dropped for another.
        for (int i = 0; i < 2; ++i) {
          EXPECT_TRUE(same_bits(run(session, {rows(count)}), singly(on_device, {rows(count)}))) << count;
          most = std::max(most, kept() - before);
        }
      }
    }
    EXPECT_EQ(most, bytes < 200'000 ? 0 : bytes < 1'000'000 ? 2 : 4) << bytes;
  }
}

TEST_F(CudaGraphs, LoopsAreCapturedPieceByPiece) {
  const auto inputs = [](float n) {
    return std::vector<Tensor>{Tensor::of<float>(Shape{1}, {&n, 1}), random_tensor({3, 8}, 2),
                               random_tensor({8, 8}, 3)};
  };
  const auto on_device = model(kLoop);
  const auto expected = [&](float n) {
    Session session(on_device, {.threads = 1, .recording_bytes = 0});
    return run(session, inputs(n));
  };
  Session session(on_device, {.threads = 1});
  run(session, inputs(20));
  run(session, inputs(20));
  for (const float n : {3.F, 20.F, 1.F, 0.F, 7.F}) {
    const int64_t graphs = launched();
    EXPECT_TRUE(same_bits(run(session, inputs(n)), expected(n))) << n;
    if (n > 1) {
      EXPECT_GT(launched(), graphs) << n;
    }
  }
}

TEST_F(CudaGraphs, ModelsGiveTheBitsOfSingleKernels) {
  for (const auto& models : {small_program_models(), small_pir_models()}) {
    for (const ModelBytes& m : models) {
      SCOPED_TRACE(m.name);
      ModelOptions options;
      options.device = kDevice.name;
      options.kernels.disabled = {"islands"};
      const auto results = [&] {
        Session session(loaded(m, options), {.threads = 1});
        for (size_t i = 0; i < m.inputs.size(); ++i) {
          session.set_input(i, m.inputs[i]);
          if (!m.inputs[i].lod().empty()) session.set_input_lod(i, m.inputs[i].lod());
        }
        std::vector<std::vector<Tensor>> all;
        for (int i = 0; i < 4; ++i) {
          session.run();
          std::vector<Tensor>& outputs = all.emplace_back();
          for (size_t o = 0; o < session.model().info().outputs.size(); ++o) {
            outputs.push_back(session.output(o).clone());
          }
        }
        return all;
      };
      std::vector<std::vector<Tensor>> expected;
      {
        const Eager eager;
        expected = results();
      }
      const auto replayed = results();
      for (size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(same_bits(replayed[i], expected[i])) << i;
    }
  }
}

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
  const int64_t kernels = calls_("cuLaunchKernel");
  session.set_profiling(true);
  EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected));
  EXPECT_EQ(launched(), graphs);
  EXPECT_EQ(calls_("cuLaunchKernel") - kernels, 3);
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
