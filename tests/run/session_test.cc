// SPDX-License-Identifier: Apache-2.0
#include "run/session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>
#include <thread>

#include "base/workers.h"
#include "loading/model.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal {
namespace {

using test::model_of;
using test::random_tensor;
using test::run;
using test::run_fresh;
using test::same_bits;

/// A small classifier: convolutions with batch_norm, a residual, pooling, a product, softmax.
const char* const kClassifier = R"(graph (%x "image": float32[?, 3, ?, ?]) {
  @w1: float32[16, 3, 3, 3] = random(1)
  @c1: float32[16] = random(2, 0.5, 1.5)
  @w2: float32[16, 16, 3, 3] = random(3, -0.2, 0.2)
  @matrix: float32[16, 10] = random(4)
  @bias: float32[10] = random(5)
  @axes: int64[2] = {2, 3}
  %1 "conv1" = conv2d(%x, @w1) {paddings = [1, 1], strides = [2, 2]}
  %2 = batch_norm(%1, @c1, @c1, @c1, @c1)
  %3 "features" = relu(%2)
  %4 = conv2d(%3, @w2) {paddings = [1, 1]}
  %5 = add(%4, %3)
  %6 = hardswish(%5)
  %7 = mean(%6, @axes)
  %8 = matmul(%7, @matrix)
  %9 = add(%8, @bias)
  %10 "probabilities" = softmax(%9)
  return %10 "out"
})";

template <class F>
std::string error_of(ErrorCode code, const F& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.text();
    return e.text();
  }
  return "no error";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// ---- the thread contract

TEST(SessionThreads, UseFromASecondThreadIsAnError) {
  const auto model = model_of(kClassifier);
  Session session(model, {.threads = 1});
  const Tensor image = random_tensor({1, 3, 96, 96}, 1);
  const std::vector<Tensor> expected = run(session, {image});
  std::atomic<bool> stop{false};
  std::atomic<int> refused{0};
  std::atomic<int> wrong{0};
  std::thread other([&] {
    while (!stop.load()) {
      try {
        session.run();
      } catch (const Error& e) {
        const bool told = e.code() == ErrorCode::kInvalidArgument && contains(e.text(), "in use by another thread");
        (told ? refused : wrong).fetch_add(1);
      }
      std::this_thread::yield();
    }
  });
  int refused_here = 0;
  for (int i = 0; i < 1000 && (refused.load() == 0 || refused_here == 0 || i < 10); ++i) {
    try {
      session.set_input(0, image);
      session.run();
    } catch (const Error& e) {
      EXPECT_TRUE(contains(e.text(), "in use by another thread")) << e.text();
      ++refused_here;
    }
  }
  stop = true;
  other.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_GT(refused.load() + refused_here, 0);
  EXPECT_TRUE(same_bits(run(session, {image}), expected)) << "nothing was damaged";
}

TEST(SessionThreads, SessionsOfOneModelRunAtOnce) {
  const auto model = model_of(kClassifier);
  constexpr int kThreads = 3;
  std::vector<Tensor> images;
  std::vector<std::vector<Tensor>> expected;
  for (int i = 0; i < 6; ++i) {
    images.push_back(random_tensor({1 + i % 2, 3, 20 + 7 * i, 33}, static_cast<unsigned>(i)));
    expected.push_back(run_fresh(model_of(kClassifier), {images.back()}));
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Session session(model, {.threads = 1 + t % 2});
      for (size_t i = 0; i < 12; ++i) {
        const size_t which = (i * 5 + static_cast<size_t>(t)) % images.size();
        wrong += same_bits(run(session, {images[which]}), expected[which]) ? 0 : 1;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

// ---- the same bits

TEST(SessionDeterminism, WhateverTheNumberOfThreads) {
  const auto model = model_of(kClassifier);
  for (const Shape& shape : {Shape{1, 3, 31, 45}, Shape{4, 3, 17, 8}, Shape{1, 3, 96, 96}}) {
    const Tensor image = random_tensor(shape, 1);
    const std::vector<Tensor> one = run_fresh(model, {image}, {.threads = 1});
    for (int threads : {2, 3}) {
      Session session(model, {.threads = threads});
      for (int again = 0; again < 3; ++again) {
        EXPECT_TRUE(same_bits(run(session, {image}), one)) << threads << " threads, " << text(shape);
      }
    }
  }
}

TEST(SessionDeterminism, WhateverElseIsInTheBatch) {
  const auto model = model_of(kClassifier);
  for (const int64_t side : {9, 24}) {
    const Tensor batch = random_tensor({5, 3, side, side}, 3);
    const std::vector<Tensor> together = run_fresh(model, {batch});
    const int64_t elements = 3 * side * side;
    for (int64_t i = 0; i < 5; ++i) {
      const Tensor one = Tensor::borrow(DType::kFloat32, {1, 3, side, side}, batch.data<float>() + i * elements);
      const std::vector<Tensor> alone = run_fresh(model, {one});
      EXPECT_EQ(std::memcmp(alone[0].raw(), together[0].data<float>() + i * 10, alone[0].bytes()), 0) << i;
    }
  }
}

class RandomGraphs : public ::testing::TestWithParam<unsigned> {};

/// Any history of shapes, any threads, with and without rewriting: a fresh session's bits, and the references' numbers.
TEST_P(RandomGraphs, RunAsTheirReferencesSay) {
  const unsigned seed = GetParam();
  const auto model = model_of(test::random_graph(seed, 25));
  const Graph reference = test::random_graph(seed, 25);
  Session session(model, {.threads = 2, .cache_bytes = seed % 2 == 0 ? size_t{20000} : size_t{1} << 20U});
  std::mt19937 random(seed);
  for (int round = 0; round < 12; ++round) {
    const auto size = [&](int64_t most) { return 1 + static_cast<int64_t>(random() % static_cast<unsigned>(most)); };
    const Tensor x = random_tensor({size(3), 4, size(12), size(12)}, random());
    const std::vector<Tensor> outputs = run(session, {x});
    EXPECT_TRUE(same_bits(outputs, run_fresh(model, {x}, {.threads = 1}))) << text(x.shape());
    const std::vector<Tensor> expected = evaluate_graph(reference, std::vector<Tensor>{x});
    for (size_t i = 0; i < outputs.size(); ++i) {
      ASSERT_EQ(outputs[i].shape(), expected[i].shape());
      double largest = 1e-3;
      double worst = 0;
      for (int64_t k = 0; k < outputs[i].count(); ++k) {
        largest = std::max(largest, std::fabs(expected[i].number(k)));
        worst = std::max(worst, std::fabs(expected[i].number(k) - outputs[i].number(k)));
      }
      EXPECT_LE(worst, 1e-4 * largest) << "output " << i << " at " << text(x.shape());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, ::testing::Range(0U, 16U));

// ---- memory

TEST(SessionMemory, NoCacheGivesTheSameResults) {
  const auto model = model_of(kClassifier);
  Session cached(model, {.threads = 2});
  Session uncached(model, {.threads = 2, .cache_bytes = 0});
  for (int64_t side : {16, 24, 16, 7, 24}) {
    const Tensor image = random_tensor({1, 3, side, side}, static_cast<unsigned>(side));
    EXPECT_TRUE(same_bits(run(cached, {image}), run(uncached, {image})));
    EXPECT_EQ(uncached.plan_bytes(), 0U);
  }
  EXPECT_GT(cached.plan_bytes(), 0U);
}

TEST(SessionMemory, APlanLargerThanTheBoundIsKept) {
  Session session(model_of(kClassifier), {.threads = 1, .cache_bytes = 1});
  const Tensor image = random_tensor({1, 3, 16, 16}, 1);
  run(session, {image});
  const size_t one = session.plan_bytes();
  EXPECT_GT(one, 1U);
  run(session, {image});
  EXPECT_EQ(session.plan_bytes(), one);
  run(session, {random_tensor({1, 3, 24, 24}, 1)});
  EXPECT_LE(session.plan_bytes(), 2 * one) << "one plan, of the new shape";
}

TEST(SessionMemory, CachedPlansStayWithinTheirBound) {
  const auto model = model_of(kClassifier);
  run_fresh(model, {random_tensor({1, 3, 8, 8}, 1)});
  Session session(model, {.threads = 1, .cache_bytes = 40000});
  size_t most = 0;
  for (int64_t side = 4; side < 40; ++side) {
    run(session, {random_tensor({1, 3, side, side}, 1)});
    EXPECT_LE(session.plan_bytes(), 40000U);
    most = std::max(most, session.plan_bytes());
  }
  EXPECT_GT(most, 0U);
}

TEST(SessionMemory, TheLimitIsAnErrorThatNamesTheTensorAndASmallerRunSucceeds) {
  const auto model = model_of(kClassifier);
  const Tensor small = random_tensor({1, 3, 16, 16}, 1);
  const std::vector<Tensor> expected = run_fresh(model, {small});
  Session session(model, {.threads = 1, .memory_limit = 200000});
  for (int again = 0; again < 3; ++again) {
    const std::string error = error_of(ErrorCode::kOutOfMemory, [&] {
      run(session, {random_tensor({1, 3, 256, 256}, 1)});
    });
    EXPECT_TRUE(contains(error, "bytes for intermediate tensors")) << error;
    EXPECT_TRUE(contains(error, "the largest is float32[1, 16, 128, 128]")) << error;
    EXPECT_TRUE(contains(error, "1048576 bytes, of conv2d_fused")) << error;
    EXPECT_TRUE(contains(error, "the memory limit is 200000")) << error;
    EXPECT_LE(session.arena_bytes(), 200000U);
    EXPECT_TRUE(contains(error_of(ErrorCode::kInvalidArgument, [&] { session.output(0); }), "no outputs before a run"));
    EXPECT_TRUE(same_bits(run(session, {small}), expected));
  }
}

TEST(SessionMemory, TheLimitCountsResultsToo) {
  const auto model = model_of(R"(graph (%x: float32[?]) { %y "large" = exp(%x) return %y "out" })");
  Session session(model, {.threads = 1, .memory_limit = 5000});
  const std::string error = error_of(ErrorCode::kOutOfMemory, [&] { run(session, {random_tensor({2000}, 1)}); });
  EXPECT_TRUE(contains(error, "a run needs 8000 bytes for a tensor float32[2000]")) << error;
  EXPECT_EQ(run(session, {random_tensor({1000}, 1)})[0].count(), 1000);
}

TEST(SessionMemory, IsGivenBackOnRequest) {
  const auto model = model_of(kClassifier);
  Session session(model, {.threads = 2});
  const Tensor image = random_tensor({1, 3, 64, 64}, 1);
  const std::vector<Tensor> expected = run(session, {image});
  const size_t held = session.arena_bytes() + session.plan_bytes();
  EXPECT_GT(session.arena_bytes(), 0U);
  EXPECT_GE(session.release_memory(), held);
  EXPECT_EQ(session.arena_bytes(), 0U);
  EXPECT_EQ(session.plan_bytes(), 0U);
  EXPECT_TRUE(contains(error_of(ErrorCode::kInvalidArgument, [&] { session.output(0); }), "no outputs"));
  session.run();
  EXPECT_TRUE(same_bits({session.output(0)}, expected)) << "inputs stay";
}

TEST(SessionMemory, TheArenaIsAsLargeAsTheLargestRunNeeded) {
  const auto model = model_of(kClassifier);
  Session session(model, {.threads = 1});
  run(session, {random_tensor({1, 3, 64, 64}, 1)});
  const size_t large = session.arena_bytes();
  for (int64_t side : {8, 60, 33}) run(session, {random_tensor({1, 3, side, side}, 1)});
  EXPECT_EQ(session.arena_bytes(), large);
}

// ---- inputs, outputs, variables

TEST(Session, KeptVariablesAreReadByName) {
  ModelOptions options;
  options.keep_tensors = {"features", "conv1"};
  const auto model = model_of(kClassifier, options);
  const Tensor image = random_tensor({1, 3, 8, 8}, 1);
  Session session(model, {.threads = 1});
  EXPECT_TRUE(
      contains(error_of(ErrorCode::kInvalidArgument, [&] { session.kept("conv1"); }), "no tensors before a run"));
  const std::vector<Tensor> outputs = run(session, {image});
  EXPECT_EQ(session.kept("conv1").shape(), (Shape{1, 16, 4, 4}));
  EXPECT_EQ(session.kept("features").shape(), (Shape{1, 16, 4, 4}));
  double least = 0;
  for (double v : session.kept("features").doubles()) least = std::min(least, v);
  EXPECT_EQ(least, 0) << "behind a relu";
  EXPECT_TRUE(
      contains(error_of(ErrorCode::kInvalidArgument, [&] { session.kept("nothing"); }), "'nothing' is not kept"));
  const std::vector<Tensor> plain = run_fresh(model_of(kClassifier), {image});
  for (int64_t i = 0; i < 10; ++i) EXPECT_NEAR(outputs[0].number(i), plain[0].number(i), 1e-5);

  options.keep_tensors = {"*"};
  Session all(model_of(kClassifier, options), {.threads = 1});
  run(all, {image});
  EXPECT_EQ(all.kept("probabilities").shape(), (Shape{1, 10}));
  options.keep_tensors = {"missing"};
  EXPECT_TRUE(contains(error_of(ErrorCode::kInvalidArgument, [&] { model_of(kClassifier, options); }), "'missing'"));
}

TEST(Session, TensorsWithoutElementsLieSomewhere) {
  // The second head starts behind the first, of keys that are not there.
  const auto model = model_of(R"(graph (%x "x": float32[1, ?, 2, 4]) {
  %1 = exp(%x)
  %2 = flash_attn(%x, %1, %1)
  return %2 "out"
})");
  EXPECT_EQ(run_fresh(model, {Tensor::make(DType::kFloat32, Shape{1, 0, 2, 4})}).at(0).shape(), (Shape{1, 0, 2, 4}));
}

TEST(Session, ResultsWithoutElementsTakeNoMemoryWhateverTheirSizes) {
  const auto model = model_of(R"(graph (%x "x": float32[?, 1, 2, 2]) {
  %1 = bicubic_interp(%x) {out_h = 1000000000, out_w = 1000000000}
  %2 = bilinear_interp(%x) {out_h = 1000000000, out_w = 1000000000}
  return %1 "cubic", %2 "linear"
})");
  EXPECT_EQ(run_fresh(model, {Tensor::make(DType::kFloat32, Shape{0, 1, 2, 2})}).at(1).shape(),
            (Shape{0, 1, 1000000000, 1000000000}));
}

TEST(Session, InputsAreCheckedByNameTypeAndRank) {
  Session session(model_of(kClassifier), {.threads = 1});
  constexpr ErrorCode kWrong = ErrorCode::kInvalidArgument;
  EXPECT_TRUE(contains(error_of(kWrong, [&] { session.run(); }), "input 'image' (float32[?, 3, ?, ?]) was not set"));
  EXPECT_TRUE(contains(error_of(kWrong, [&] { session.output(0); }), "no outputs before a run"));
  EXPECT_TRUE(contains(error_of(kWrong,
                                [&] {
                                  session.set_input(0, Tensor::make(DType::kInt32, {1, 3, 4, 4}));
                                }),
                       "'image' takes elements of type float32, given int32"));
  EXPECT_TRUE(contains(error_of(kWrong,
                                [&] {
                                  session.set_input(0, random_tensor({3, 4, 4}, 1));
                                }),
                       "'image' has 4 dimensions [?, 3, ?, ?], given [3, 4, 4]"));
  EXPECT_TRUE(contains(error_of(kWrong, [&] { session.set_input(1, random_tensor({1}, 1)); }), "there is no input 1"));
  session.set_input(0, random_tensor({1, 5, 8, 8}, 1));
  const std::string error = error_of(kWrong, [&] { session.run(); });
  EXPECT_TRUE(contains(error, "conv2d")) << error;
  EXPECT_TRUE(contains(error, "'image' float32[1, 5, 8, 8]")) << error;
  session.set_input(0, random_tensor({1, 3, 8, 8}, 1));
  session.run();
  EXPECT_EQ(session.output(0).shape(), (Shape{1, 10}));
}

TEST(Session, ProfilesNameNodesKernelsAndTimes) {
  Session session(model_of(kClassifier), {.threads = 1});
  run(session, {random_tensor({1, 3, 8, 8}, 1)});
  EXPECT_TRUE(session.profile().empty());
  session.set_profiling(true);
  session.run();
  const Profile profile = session.profile();
  ASSERT_GE(profile.size(), 4U);
  int64_t end = 0;
  for (const ProfileEvent& e : profile) {
    EXPECT_FALSE(e.node.empty() || e.op.empty() || e.kernel.empty() || e.outputs.empty());
    EXPECT_GE(e.start_ns, end) << "in order, one after the other";
    EXPECT_GT(e.duration_ns, 0);
    end = e.start_ns + e.duration_ns;
  }
  session.set_profiling(false);
  session.run();
  EXPECT_TRUE(session.profile().empty());
}

TEST(Session, ProfilesOfImaginedThreadsTellHowLoopsAreCut) {
  const Tensor x = random_tensor({1, 3, 200, 200}, 1);
  Session one(model_of(kClassifier), {.threads = 1});
  const std::vector<Tensor> expected = run(one, {x});
  Session many(model_of(kClassifier), {.workers = Workers::imagined(16)});
  many.set_profiling(true);
  EXPECT_TRUE(same_bits(run(many, {x}), expected));
  int64_t loops = 0;
  for (const ProfileEvent& e : many.profile()) {
    EXPECT_TRUE(e.helpers.empty());
    EXPECT_LE(e.waited_ns + e.beside_ns, e.duration_ns);
    EXPECT_EQ(e.loops == 0, e.beside_ns == 0) << e.node;
    loops += e.loops;
  }
  EXPECT_GT(loops, 0);
}

}  // namespace
}  // namespace coracle::internal
