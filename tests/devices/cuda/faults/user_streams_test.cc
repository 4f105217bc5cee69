// SPDX-License-Identifier: Apache-2.0
// Runs among the work of somebody else's stream: results are right in whatever order streams do their work.
#include <random>

#include "devices/cuda/faults/sharing.h"

namespace coracle::internal::test {
namespace {

class CudaUserStreams : public CudaSharing {
 protected:
  /// A session whose input and first output are in blocks of the user's, who writes one and reads the other on a
  /// stream.
  struct Shared {
    SessionHandle session;
    std::vector<Tensor> inputs;
    std::vector<Tensor> expected;  ///< first output of each
    cuda::CUdeviceptr x = 0;
    cuda::CUdeviceptr y = 0;
    cuda::CUdeviceptr old = 0;
    char* from = nullptr;
    char* to = nullptr;
    char* old_to = nullptr;
    const Tensor* last = nullptr;
  };
  Shared shared(const std::shared_ptr<const Model>& on_device, const Shape& shape, void* stream = nullptr) {
    Shared s;
    s.session = session_of(on_device);
    for (unsigned i = 0; i < 3; ++i) {
      s.inputs.push_back(random_tensor(shape, i));
      s.expected.push_back(singly(on_device, {s.inputs[i]})[0]);
    }
    const size_t in = s.inputs[0].bytes();
    const size_t out = s.expected[0].bytes();
    s.x = block(in);
    s.y = block(out);
    s.old = block(out);
    s.from = pinned(in);
    s.to = pinned(out);
    s.old_to = pinned(out);
    set(s.session, wrapped(s.inputs[0], s.x, stream));
    bind(s.session, 0, wrapped(s.expected[0], s.y));
    return s;
  }
  /// One run, with work of the user's just before and just after, for which nobody on the host waits. Whether what was
  /// read is right.
  bool is_right(Shared& s, size_t i, cuda::CUstream stream, bool is_async = false) {
    const size_t out = s.expected[i].bytes();
    std::memcpy(s.from, s.inputs[i].raw(), s.inputs[i].bytes());
    over(s.old, s.y, out, stream);  // of the run before
    up(s.x, s.from, s.inputs[i].bytes(), stream);
    if (is_async) {
      EXPECT_EQ(coracle_session_run_async(s.session.get(), nullptr, nullptr, nullptr), CORACLE_OK);
      EXPECT_EQ(coracle_session_wait(s.session.get()), CORACLE_OK) << coracle_last_error();
    } else {
      run_once(s.session);
    }
    down(s.to, s.y, out, stream);
    down(s.old_to, s.old, out, stream);
    finish(stream);
    const bool old_is_right = s.last == nullptr || std::memcmp(s.old_to, s.last->raw(), out) == 0;
    s.last = &s.expected[i];
    return old_is_right && std::memcmp(s.to, s.expected[i].raw(), out) == 0;
  }
};

TEST_F(CudaUserStreams, OrderDoesNotShowInResults) {
  for (const unsigned percent : {0U, 40U, 100U}) {
    Shared s = shared(model(random_graph(1, 12), 1, percent), {1, 4, 8, 8});
    order_by(s.session, stream_);
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      seed_(seed);
      EXPECT_TRUE(is_right(s, seed % 3, stream_, seed % 4 == 0)) << percent << "%, seed " << seed;
    }
    order_by(s.session, nullptr);
    int wrong = 0;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      seed_(seed);
      wrong += is_right(s, seed % 3, stream_) ? 0 : 1;
    }
    EXPECT_GT(wrong, 0) << "the runs before waited for nothing";
  }
}

/// An output that the host makes, or that is copied, is written after what the stream still reads there.
TEST_F(CudaUserStreams, CopiesAreOrderedToo) {
  const auto on_device = model("graph (%x \"x\": float32[?, 8]) {\n  %y = exp(%x)\n  return %x \"same\", %y \"y\"\n}");
  Shared s = shared(on_device, {4, 8});
  order_by(s.session, stream_);
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    seed_(seed);
    EXPECT_TRUE(is_right(s, seed % 3, stream_)) << seed;
  }
  // From the host, by the host.
  const auto by_host = model(kChain, 1, 100);
  s = shared(by_host, {4, 8});
  order_by(s.session, stream_);
  for (size_t i = 0; i < 30; ++i) {
    seed_(i);
    s.session->session.set_input(0, s.inputs[i % 3]);
    over(s.old, s.y, s.expected[0].bytes(), stream_);
    run_once(s.session);
    EXPECT_TRUE(same_bits({read(s.expected[0], s.y)}, {s.expected[i % 3]})) << i;
    if (i == 0) continue;
    EXPECT_TRUE(same_bits({read(s.expected[0], s.old)}, {s.expected[(i - 1) % 3]})) << i;
  }
}

TEST_F(CudaUserStreams, OneOfATensorIsEnoughForIt) {
  const auto on_device = model(kChain);
  const Tensor x = rows(4);
  const std::vector<Tensor> expected = singly(on_device, {x});
  const SessionHandle session = session_of(on_device);
  char* const from = pinned(x.bytes());
  std::memcpy(from, x.raw(), x.bytes());
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    seed_(seed);
    const cuda::CUdeviceptr there = block(x.bytes());
    const auto legacy = reinterpret_cast<cuda::CUstream>(uintptr_t{1});
    const cuda::CUstream stream = seed % 2 == 0 ? stream_ : legacy;
    up(there, from, x.bytes(), stream);
    set(session, wrapped(x, there, stream));
    run_once(session);
    EXPECT_TRUE(same_bits({session->session.output(0)}, expected)) << seed;
    finish(stream);
  }
}

TEST_F(CudaUserStreams, SessionsOfManyStreams) {
  const auto on_device = model(random_graph(3, 10), 3, 20);
  const cuda::CUstream streams[] = {stream_, make_stream(), make_stream()};
  std::vector<Shared> all;
  for (const cuda::CUstream stream : streams) {
    all.push_back(shared(on_device, {1, 4, 8, 8}));
    order_by(all.back().session, stream);
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    seed_(random());
    for (size_t i = 0; i < 3; ++i) {  // all at the same time
      std::memcpy(all[i].from, all[i].inputs[i].raw(), all[i].inputs[i].bytes());
      up(all[i].x, all[i].from, all[i].inputs[i].bytes(), streams[i]);
      EXPECT_EQ(coracle_session_run_async(all[i].session.get(), nullptr, nullptr, nullptr), CORACLE_OK);
    }
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(coracle_session_wait(all[i].session.get()), CORACLE_OK) << coracle_last_error();
      down(all[i].to, all[i].y, all[i].expected[i].bytes(), streams[i]);
      finish(streams[i]);
      EXPECT_EQ(std::memcmp(all[i].to, all[i].expected[i].raw(), all[i].expected[i].bytes()), 0) << round << " " << i;
    }
  }
}

/// Somebody reads a result on his stream, and gives it back before that is done.
TEST_F(CudaUserStreams, FreedResultsAreNotOverwrittenWhileTheyAreRead) {
  const auto on_device = model(kChain);
  const Tensor x[] = {random_tensor({4, 8}, 1), random_tensor({4, 8}, 2)};
  const Tensor expected[] = {singly(on_device, {x[0]})[0], singly(on_device, {x[1]})[0]};
  const cuda::CUdeviceptr copy = block(x[0].bytes());
  for (const bool is_sessions : {true, false}) {
    const SessionHandle session = session_of(on_device);
    EXPECT_EQ(coracle_session_keep_output_on_device(session.get(), 0), CORACLE_OK);
    if (is_sessions) order_by(session, stream_);
    const int64_t freed = calls_("cuMemFree_v2");
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      seed_(seed);
      session->session.set_input(0, x[seed % 2]);
      run_once(session);
      DeviceTensorHandle y = result(session, 0);
      over(copy, address(y), x[0].bytes(), stream_);
      y.reset();
      session->session.set_input(0, x[1 - seed % 2]);
      run_once(session);
      EXPECT_TRUE(same_bits({read(x[0], copy)}, {expected[seed % 2]})) << is_sessions << " " << seed;
    }
    EXPECT_EQ(calls_("cuMemFree_v2") - freed > 20, !is_sessions) << "on the session's stream it is used again";
  }
}

TEST_F(CudaUserStreams, AreLookedAt) {
  const auto on_device = model(kChain);
  const Tensor x = rows(3);
  const SessionHandle session = session_of(on_device);
  session->session.set_input(0, x);
  const auto set_to = [&](cuda::CUstream stream) { return coracle_session_set_stream(session.get(), stream); };
  expect_error(
      set_to(reinterpret_cast<cuda::CUstream>(uintptr_t{0xabc000})), CORACLE_INVALID_ARGUMENT,
      "0xabc000 is not a stream of the device cuda:0 (fake GPU): the driver returned CUDA_ERROR_INVALID_HANDLE");
  elsewhere_(2);
  expect_error(set_to(stream_), CORACLE_INVALID_ARGUMENT,
               " is of CUDA's device 2, expected one of cuda:0, CUDA's device 0 (fake GPU)");
  elsewhere_(-1);
  expect_error(set_to(stream_), CORACLE_INVALID_ARGUMENT,
               " is of another context of cuda:0, expected one of its primary");
  elsewhere_(0);
  const SessionHandle host = session_of(model_of(kChain));
  expect_error(coracle_session_set_stream(host.get(), stream_), CORACLE_INVALID_ARGUMENT, "the model uses no device");
  EXPECT_EQ(coracle_session_set_stream(host.get(), nullptr), CORACLE_OK);
  order_by(session, stream_);
  run_once(session);
  // A capture of the user's, of a thread of its own.
  ASSERT_EQ(api_->cuStreamBeginCapture_v2(stream_, cuda::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), 0);
  expect_error(coracle_session_run(session.get()), CORACLE_INVALID_ARGUMENT,
               " is being captured: a run waits for what");
  expect_error(coracle_session_run_async(session.get(), nullptr, nullptr, nullptr), CORACLE_INVALID_ARGUMENT,
               " is being captured");
  cuda::CUgraph graph = nullptr;
  EXPECT_EQ(api_->cuStreamEndCapture(stream_, &graph), 0) << "the capture is as it was";
  EXPECT_EQ(api_->cuGraphDestroy(graph), 0);
  fail_("cuStreamIsCapturing", cuda::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 0);
  expect_error(coracle_session_run(session.get()), CORACLE_INVALID_ARGUMENT,
               " may not be used while another one is being captured");
  fail_("", 0, 0);
  run_once(session);
  EXPECT_TRUE(same_bits({session->session.output(0)}, singly(on_device, {x})));
}

TEST_F(CudaUserStreams, EachCallMayFail) {
  const auto on_device = model(random_graph(1, 8), 1, 20);
  Shared s = shared(on_device, {1, 4, 8, 8}, stream_);
  order_by(s.session, stream_);
  EXPECT_TRUE(is_right(s, 0, stream_));
  int failed = 0;
  for (const char* function : {"cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuStreamGetCtx",
                               "cuStreamIsCapturing", "cuMemcpyDtoDAsync_v2"}) {
    for (int64_t skipped = 0; skipped < 12; skipped += 1 + skipped / 3) {
      fail_(function, cuda::CUDA_ERROR_OUT_OF_MEMORY, skipped);
      const coracle_status status = coracle_session_run(s.session.get());
      fail_("", 0, 0);
      if (status != CORACLE_OK) {
        ++failed;
        EXPECT_NE(std::string(coracle_last_error()).find("fake GPU"), std::string::npos) << coracle_last_error();
      }
      s.last = nullptr;
      EXPECT_TRUE(is_right(s, 1, stream_)) << "after " << function << " " << skipped;
    }
  }
  EXPECT_GE(failed, 8);
}

}  // namespace
}  // namespace coracle::internal::test
