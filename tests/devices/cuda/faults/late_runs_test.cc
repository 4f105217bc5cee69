// SPDX-License-Identifier: Apache-2.0
// Runs that stay on the device whole, in memory and on a stream of the user's: nobody on the host waits for them, and
// all that comes later finds what it would find if somebody did.
#include <array>
#include <thread>

#include "devices/cuda/faults/sharing.h"

namespace coracle::internal::test {
namespace {

/// So many kernels that a run with a limit of time would wait in between.
std::string long_chain() {
  std::string graph = "graph (%x \"x\": float32[?, 8]) {\n  @w: float32[8, 8] = random(1)\n  %a0 = matmul(%x, @w)\n";
  constexpr int kSteps = 70;
  for (int i = 0; i < kSteps; ++i) {
    graph += text("  %b", i, " = softmax(%a", i, ")\n  %a", i + 1, " = matmul(%b", i, ", @w)\n");
  }
  return graph + text("  return %a", kSteps, " \"y\"\n}");
}

class CudaLateRuns : public CudaSharing {
 protected:
  /// A session on the stream, with an input and an output of four rows in blocks of the user's.
  struct Own {
    SessionHandle session;
    cuda::CUdeviceptr x = 0;
    cuda::CUdeviceptr y = 0;
  };
  static constexpr size_t kBytes = 4 * 8 * sizeof(float);

  void SetUp() override {
    CudaSharing::SetUp();
    if (HasFatalFailure() || IsSkipped()) return;
    for (unsigned i = 0; i < x_.size(); ++i) {
      x_[i] = random_tensor({4, 8}, i);
      from_[i] = pinned(kBytes);
      std::memcpy(from_[i], x_[i].raw(), kBytes);
    }
  }
  Own own(const std::shared_ptr<const Model>& on_device) {
    Own o{session_of(on_device), block(kBytes), block(kBytes)};
    order_by(o.session, stream_);
    set(o.session, wrapped(x_[0], o.x));
    bind(o.session, 0, wrapped(x_[0], o.y));
    return o;
  }
  std::vector<Tensor> expected(const std::shared_ptr<const Model>& on_device) {
    std::vector<Tensor> all;
    for (const Tensor& x : x_) all.push_back(singly(on_device, {x})[0]);
    return all;
  }
  /// Waits of the host.
  int64_t waits() const {
    return calls_("cuStreamSynchronize") + calls_("cuEventSynchronize") + calls_("cuMemFree_v2");
  }
  template <class F>
  int64_t waits_in(const F& f) const {
    const int64_t before = waits();
    f();
    return waits() - before;
  }

  std::array<Tensor, 4> x_;
  std::array<char*, 4> from_{};
};

/// Not even where kernels are given one by one, captured or launched as a graph; nothing is done until somebody waits.
TEST_F(CudaLateRuns, NobodyWaits) {
  for (const std::string& graph : {std::string(kChain), long_chain()}) {
    const auto on_device = model(graph);
    const auto all = expected(on_device);
    const Own o = own(on_device);
    char* const to = pinned(kBytes);
    run_once(o.session);  // with all memory
    finish(stream_);
    for (size_t i = 0; i < 8; ++i) {
      up(o.x, from_[i % 4], kBytes, stream_);
      log_(1);
      EXPECT_EQ(waits_in([&] { run_once(o.session); }), 0) << i;
      EXPECT_EQ(std::string(log_(0)).find('k'), std::string::npos) << i;
      down(to, o.y, kBytes, stream_);
      finish(stream_);
      EXPECT_EQ(std::memcmp(to, all[i % 4].raw(), kBytes), 0) << i;
    }
    EXPECT_GT(launched(), 0);
  }
}

/// Runs follow each other on the stream, with the user's work before and after each, in any order of the streams.
TEST_F(CudaLateRuns, ManyAreUnderWay) {
  const auto on_device = model(kChain);
  const auto all = expected(on_device);
  constexpr size_t kRuns = 7;
  std::vector<char*> to(2 * kRuns);
  for (char*& t : to) t = pinned(kBytes);
  const Own first = own(on_device);
  const Own second = own(on_device);
  set(second.session, wrapped(x_[0], first.y));  // the one's result is the other's input
  std::vector<Tensor> twice;
  for (const Tensor& y : all) twice.push_back(singly(on_device, {y})[0]);
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    seed_(seed);
    const int64_t waited = waits_in([&] {
      for (size_t i = 0; i < kRuns; ++i) {
        up(first.x, from_[(seed + i) % 4], kBytes, stream_);
        run_once(first.session);
        run_once(second.session);
        down(to[2 * i], first.y, kBytes, stream_);
        down(to[2 * i + 1], second.y, kBytes, stream_);
      }
    });
    EXPECT_TRUE(waited == 0 || seed == 1) << seed;
    finish(stream_);
    for (size_t i = 0; i < kRuns; ++i) {
      EXPECT_EQ(std::memcmp(to[2 * i], all[(seed + i) % 4].raw(), kBytes), 0) << seed << " " << i;
      EXPECT_EQ(std::memcmp(to[2 * i + 1], twice[(seed + i) % 4].raw(), kBytes), 0) << seed << " " << i;
    }
  }
}

TEST_F(CudaLateRuns, TheHostIsAFewRunsAhead) {
  const auto on_device = model(kChain);
  const Own o = own(on_device);
  up(o.x, from_[0], kBytes, stream_);
  for (int i = 0; i < 3; ++i) run_once(o.session);
  finish(stream_);
  EXPECT_EQ(waits_in([&] {
              for (int i = 0; i < 8; ++i) run_once(o.session);
            }),
            0);
  EXPECT_EQ(waits_in([&] { run_once(o.session); }), 1) << "for the first of them";
}

/// Its inputs go up to where kernels of the run before may still read.
TEST_F(CudaLateRuns, ARunFromTheHostMayFollow) {
  const auto on_device = model(kChain);
  const auto all = expected(on_device);
  const Own o = own(on_device);
  char* const to = pinned(kBytes);
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    seed_(seed);
    set(o.session, wrapped(x_[0], o.x));
    bind(o.session, 0, wrapped(x_[0], o.y));
    up(o.x, from_[seed % 4], kBytes, stream_);
    run_once(o.session);
    down(to, o.y, kBytes, stream_);
    o.session->session.bind_output(0, nullptr, 0);
    o.session->session.set_input(0, x_[(seed + 1) % 4]);
    if (seed % 2 == 0) {
      run_once(o.session);
    } else {
      EXPECT_EQ(coracle_session_run_async(o.session.get(), nullptr, nullptr, nullptr), CORACLE_OK);
      EXPECT_EQ(coracle_session_wait(o.session.get()), CORACLE_OK) << coracle_last_error();
    }
    EXPECT_TRUE(same_bits({o.session->session.output(0)}, {all[(seed + 1) % 4]})) << seed;
    finish(stream_);
    EXPECT_EQ(std::memcmp(to, all[seed % 4].raw(), kBytes), 0) << seed;
  }
}

TEST_F(CudaLateRuns, WhoReadsAResultWaits) {
  const auto on_device = model(kChain);
  const auto all = expected(on_device);
  const Own o = own(on_device);
  const auto start = [&](size_t i) {
    up(o.x, from_[i], kBytes, stream_);
    run_once(o.session);
  };
  start(0);
  EXPECT_TRUE(same_bits({o.session->session.output(0).to_host()}, {all[0]}));
  start(1);
  DeviceTensorHandle y = result(o.session, 0);
  Tensor copied = Tensor::make(DType::kFloat32, {4, 8});
  EXPECT_EQ(coracle_device_tensor_copy(y.get(), copied.raw(), kBytes), CORACLE_OK);
  EXPECT_TRUE(same_bits({copied}, {all[1]}));
  // On the session's stream nobody needs to, elsewhere somebody does.
  start(2);
  y = result(o.session, 0);
  EXPECT_EQ(address(y), o.y);
  const cuda::CUstream other = make_stream();
  for (const cuda::CUstream stream : {stream_, other}) {
    void* managed = nullptr;
    const int64_t waited =
        waits_in([&] { EXPECT_EQ(coracle_device_tensor_to_dlpack(y.get(), 0, stream, &managed), CORACLE_OK); });
    EXPECT_EQ(waited == 0, stream == stream_);
    DeviceTensorHandle back;
    coracle_device_tensor* taken = nullptr;
    EXPECT_EQ(coracle_device_tensor_from_dlpack(managed, 0, nullptr, &taken), CORACLE_OK) << coracle_last_error();
    back.reset(taken);
  }
  // An input of a session without a stream.
  start(3);
  y = result(o.session, 0);
  const SessionHandle next = session_of(on_device);
  set(next, y);
  run_once(next);
  EXPECT_TRUE(same_bits({next->session.output(0)}, singly(on_device, {all[3]})));
  // Another stream for later runs.
  start(1);
  order_by(o.session, other);
  EXPECT_TRUE(same_bits({read(all[1], o.y)}, {all[1]}));
}

TEST_F(CudaLateRuns, MemoryIsHeldUntilTheyAreDone) {
  const auto on_device = model(kChain);
  Own o = own(on_device);
  int released = 0;
  up(o.x, from_[0], kBytes, stream_);
  set(o.session, wrapped(x_[0], o.x, nullptr, &released));
  bind(o.session, 0, wrapped(x_[0], o.y, nullptr, &released));
  run_once(o.session);
  set(o.session, wrapped(x_[0], o.x));
  bind(o.session, 0, wrapped(x_[0], o.y));
  EXPECT_EQ(released, 0) << "the run may read and write there";
  run_once(o.session);
  EXPECT_EQ(released, 0);
  finish(stream_);
  run_once(o.session);
  EXPECT_EQ(released, 2);
  // A session ends after its runs.
  set(o.session, wrapped(x_[0], o.x, nullptr, &released));
  run_once(o.session);
  o.session.reset();
  EXPECT_EQ(released, 3);
  const auto all = expected(on_device);
  EXPECT_TRUE(same_bits({read(all[0], o.y)}, {all[0]}));
}

/// What the host makes, moves or watches is waited for, and what may tell of a wrong index.
TEST_F(CudaLateRuns, OthersAreWaitedFor) {
  const auto on_device = model(kChain);
  const Own o = own(on_device);
  const auto run = [&] { run_once(o.session); };
  const auto done = [&] {
    up(o.x, from_[0], kBytes, stream_);
    log_(1);
    run();
    return std::string(log_(0)).find('k') != std::string::npos;
  };
  run();
  EXPECT_FALSE(done());
  coracle_run_options limited;
  coracle_run_options_init(&limited, sizeof(limited));
  limited.time_limit_ms = 100000;
  log_(1);
  EXPECT_EQ(coracle_session_run_with(o.session.get(), &limited), CORACLE_OK) << coracle_last_error();
  EXPECT_NE(std::string(log_(0)).find('k'), std::string::npos) << "it has a limit of time";
  o.session->session.set_profiling(true);
  EXPECT_TRUE(done());
  o.session->session.set_profiling(false);
  EXPECT_FALSE(done());
  o.session->session.set_input(0, x_[0]);
  EXPECT_TRUE(done()) << "from the host";
  set(o.session, wrapped(x_[0], o.x));
  bind(o.session, 0, wrapped(x_[0], block(kBytes + 4) + 4));
  EXPECT_TRUE(done()) << "copied to where kernels do not write";
  bind(o.session, 0, wrapped(x_[0], o.y));
  EXPECT_FALSE(done());
  o.session->session.keep_output_on_device(0);
  EXPECT_TRUE(done()) << "in memory of the session's";
  const auto gathers = model(R"(graph (%x "x": float32[?, 8], %i "i": int32[?]) {
  %y = gather(%x, %i)
  return %y "y"
})");
  Own g = own(gathers);
  const std::array<int32_t, 4> rows = {3, 1, 2, 9};
  const Tensor index = Tensor::of<int32_t>({4}, rows);
  EXPECT_EQ(coracle_session_set_input_on_device(g.session.get(), 1, wrapped(index, block_of(index)).get()), CORACLE_OK);
  up(g.x, from_[0], kBytes, stream_);
  EXPECT_NE(coracle_session_run(g.session.get()), CORACLE_OK) << "the index 9";
}

TEST_F(CudaLateRuns, FailuresAreToldByLaterCalls) {
  auto on_device = model(kChain);
  Own o = own(on_device);
  for (int i = 0; i < 3; ++i) run_once(o.session);
  finish(stream_);
  run_once(o.session);
  DeviceTensorHandle y = result(o.session, 0);
  lose_(1);
  Tensor copied = Tensor::make(DType::kFloat32, {4, 8});
  EXPECT_NE(coracle_device_tensor_copy(y.get(), copied.raw(), kBytes), CORACLE_OK);
  EXPECT_NE(std::string(coracle_last_error()).find("waiting for a run on the device fake GPU failed"),
            std::string::npos)
      << coracle_last_error();
  EXPECT_NE(coracle_session_run(o.session.get()), CORACLE_OK);
  EXPECT_NE(std::string(coracle_last_error()).find("fake GPU"), std::string::npos) << coracle_last_error();
  o.session.reset();
  y.reset();
  on_device.reset();
  lose_(0);
}

TEST_F(CudaLateRuns, EachCallMayFail) {
  const auto on_device = model(kChain);
  const auto all = expected(on_device);
  const Own o = own(on_device);
  char* const to = pinned(kBytes);
  int failed = 0;
  for (const char* function : {"cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuEventQuery", "cuGraphLaunch",
                               "cuLaunchKernel", "cublasLtMatmul", "cuEventSynchronize", "cuStreamSynchronize"}) {
    for (int64_t skipped = 0; skipped < 8; ++skipped) {
      const auto i = static_cast<size_t>(skipped % 4);
      up(o.x, from_[i], kBytes, stream_);
      run_once(o.session);
      fail_(function, cuda::CUDA_ERROR_OUT_OF_MEMORY, skipped);
      const coracle_status status = coracle_session_run(o.session.get());
      fail_("", 0, 0);
      if (status != CORACLE_OK) {
        ++failed;
        EXPECT_NE(std::string(coracle_last_error()).find("fake GPU"), std::string::npos) << coracle_last_error();
      }
      EXPECT_EQ(coracle_session_run(o.session.get()), CORACLE_OK) << function << " " << skipped;
      down(to, o.y, kBytes, stream_);
      finish(stream_);
      EXPECT_EQ(std::memcmp(to, all[i].raw(), kBytes), 0) << function << " " << skipped;
    }
  }
  EXPECT_GE(failed, 4);
}

}  // namespace
}  // namespace coracle::internal::test
