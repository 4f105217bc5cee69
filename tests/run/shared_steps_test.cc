// SPDX-License-Identifier: Apache-2.0
// The sessions of a model share what was planned.
#include <gtest/gtest.h>

#include <barrier>
#include <thread>

#include "base/memory_ledger.h"
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

const char* const kNet = R"(graph (%x "image": float32[?, 3, ?, ?]) {
  @w1: float32[16, 3, 3, 3] = random(1)
  @w2: float32[16, 16, 3, 3] = random(3, -0.2, 0.2)
  @matrix: float32[16, 10] = random(4)
  @axes: int64[2] = {2, 3}
  %1 = conv2d(%x, @w1) {paddings = [1, 1], strides = [2, 2]}
  %2 = relu(%1)
  %3 = conv2d(%2, @w2) {paddings = [1, 1]}
  %4 = add(%3, %2)
  %5 = bilinear_interp(%4) {out_h = 9, out_w = 31}
  %6 = mean(%5, @axes)
  %7 = matmul(%6, @matrix)
  %8 = softmax(%7)
  return %8 "out"
})";

/// Grows %v by one with each iteration; the rest of its body has the same sizes in each.
const char* const kGrowing = R"(graph (%n: int64[1], %x: float32[1, 16], %h: float32[1, 16]) {
  @zero: int64[1] = {0}
  @axis: int32[1] = {0}
  %go = less_than(@zero, %n)
  [%i, %v, %last] = while(%go, [@zero, %x, %h], [%n])
      graph (%go: bool[1], %i: int64[1], %v: float32[?, 16], %h: float32[1, 16], %n: int64[1]) {
    @axis: int32[1] = {0}
    @w: float32[16, 16] = random(2, -0.3, 0.3)
    %next = scale(%i) {bias = 1}
    %p = matmul(%h, @w)
    %q = tanh(%p)
    %longer = concat([%v, %q], @axis)
    %again = less_than(%next, %n)
    return %again, %next, %longer, %q
  }
  %s = softmax(%v)
  return %s, %last })";

/// f(number) in so many threads, which begin at the same moment.
template <class F>
void together(int threads, const F& f) {
  std::barrier begin(threads);
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      begin.arrive_and_wait();
      f(t);
    });
  }
  for (std::thread& thread : all) thread.join();
}

TEST(SharedSteps, EightSessionsPlanEachShapeOnce) {
  const std::vector<Shape> shapes{{1, 3, 31, 45}, {2, 3, 17, 8}, {1, 3, 64, 64}, {3, 3, 9, 40}};
  std::vector<std::vector<Tensor>> expected;
  for (const Shape& shape : shapes) expected.push_back(run_fresh(model_of(kNet), {random_tensor(shape, 1)}));
  const auto model = model_of(kNet);
  std::vector<std::unique_ptr<Session>> sessions;
  for (int t = 0; t < 8; ++t) sessions.push_back(std::make_unique<Session>(model, SessionOptions{.threads = 1}));
  for (size_t s = 0; s < shapes.size(); ++s) {
    const Tensor x = random_tensor(shapes[s], 1);
    together(8, [&](int t) {
      EXPECT_TRUE(same_bits(run(*sessions[static_cast<size_t>(t)], {x}), expected[s])) << text(shapes[s]);
    });
    EXPECT_EQ(model->program()->steps().plans_made(), s + 1);
  }
  together(8, [&](int t) {
    for (size_t s = 0; s < shapes.size(); ++s) {
      const size_t mine = (s + static_cast<size_t>(t)) % shapes.size();
      EXPECT_TRUE(same_bits(run(*sessions[static_cast<size_t>(t)], {random_tensor(shapes[mine], 1)}), expected[mine]));
    }
  });
  EXPECT_EQ(model->program()->steps().plans_made(), shapes.size());
}

TEST(SharedSteps, ASessionThatComesLaterPlansNothing) {
  const auto model = model_of(kNet);
  const Tensor x = random_tensor({1, 3, 20, 20}, 1);
  const std::vector<Tensor> first = run_fresh(model, {x}, {.threads = 1});
  EXPECT_TRUE(same_bits(run_fresh(model, {x}, {.threads = 1}), first));
  EXPECT_EQ(model->program()->steps().plans_made(), 1U);
  EXPECT_TRUE(same_bits(run_fresh(model, {x}, {.threads = 2}), first));
  EXPECT_EQ(model->program()->steps().plans_made(), 2U) << "loops are cut for other threads";
}

/// With room for one plan, threads of a model drop each other's while they run.
TEST(SharedSteps, PlansAreDroppedWhileOthersRunThem) {
  for (const size_t bound : {size_t{0}, size_t{1}, size_t{60000}}) {
    const auto model = model_of(kNet);
    std::vector<std::vector<Tensor>> expected;
    for (int64_t side = 0; side < 6; ++side) {
      expected.push_back(run_fresh(model_of(kNet), {random_tensor({1, 3, 8 + side, 12}, 1)}));
    }
    together(4, [&](int t) {
      Session session(model, {.threads = 1, .cache_bytes = bound});
      for (int64_t round = 0; round < 60; ++round) {
        const int64_t side = (round * (t + 1) + t) % 6;
        EXPECT_TRUE(
            same_bits(run(session, {random_tensor({1, 3, 8 + side, 12}, 1)}), expected[static_cast<size_t>(side)]));
        if (round % 20 == 19) session.release_memory();
      }
    });
    const size_t kept = model->program()->steps().bytes();
    EXPECT_LE(kept, bound == 0 ? 0 : size_t{60000});
  }
}

TEST(SharedSteps, MemoryIsFlatOverHundredsOfShapes) {
  const auto model = model_of(kNet);
  Session one(model, {.threads = 1, .cache_bytes = 100000});
  Session two(model, {.threads = 1, .cache_bytes = 100000});
  size_t most = 0;
  for (int64_t i = 0; i < 300; ++i) {
    run(i % 2 == 0 ? one : two, {random_tensor({1, 3, 4 + i % 17, 4 + i / 17}, 1)});
    EXPECT_LE(model->program()->steps().bytes(), 100000U);
    most = std::max(most, one.plan_bytes() + two.plan_bytes());
  }
  EXPECT_LE(most, 100000U) << "each is bound to one plan";
  EXPECT_GT(model->program()->steps().bytes(), 30000U);
}

TEST(SharedSteps, LoopsThatGrowArePlannedOnceForEachSize) {
  const auto model = model_of(kGrowing);
  const auto inputs = [](int64_t n) {
    return std::vector<Tensor>{Tensor::ints({&n, 1}), random_tensor({1, 16}, 1), random_tensor({1, 16}, 2)};
  };
  const std::vector<Tensor> expected = run_fresh(model_of(kGrowing), inputs(100));
  Session session(model, {.threads = 1});
  EXPECT_TRUE(same_bits(run(session, inputs(100)), expected));
  const size_t first = model->program()->steps().plans_made();
  EXPECT_GE(first, 100U);
  EXPECT_LE(first, 106U) << "what comes before the value that grows is planned once";
  EXPECT_TRUE(same_bits(run(session, inputs(100)), expected));
  EXPECT_EQ(model->program()->steps().plans_made(), first);
  run(session, inputs(101));
  EXPECT_LE(model->program()->steps().plans_made(), first + 3) << "an iteration, and what comes behind the loop";
  Session other(model, {.threads = 1});
  EXPECT_TRUE(same_bits(run(other, inputs(100)), expected));
  EXPECT_LE(model->program()->steps().plans_made(), first + 3);
}

TEST(SharedSteps, LoopsThatDoNotGrowArePlannedOnceInARunThatKeepsNothing) {
  const auto model = model_of(R"(graph (%n: int64[1], %h: float32[1, 16]) {
    @zero: int64[1] = {0}
    %go = less_than(@zero, %n)
    [%i, %last] = while(%go, [@zero, %h], [%n])
        graph (%go: bool[1], %i: int64[1], %h: float32[1, 16], %n: int64[1]) {
      @w: float32[16, 16] = random(2, -0.3, 0.3)
      %next = scale(%i) {bias = 1}
      %p = matmul(%h, @w)
      %again = less_than(%next, %n)
      return %again, %next, %p
    }
    return %last })");
  const int64_t n = 50;
  Session session(model, {.threads = 1, .cache_bytes = 0});
  run(session, {Tensor::ints({&n, 1}), random_tensor({1, 16}, 2)});
  EXPECT_LE(model->program()->steps().plans_made(), 3U);
  EXPECT_EQ(session.plan_bytes(), 0U);
}

/// Where not all iterations' plans have room, some are found again nevertheless.
TEST(SharedSteps, LoopsKeepWhatHasRoom) {
  const auto model = model_of(kGrowing);
  const int64_t n = 100;
  const std::vector<Tensor> inputs{Tensor::ints({&n, 1}), random_tensor({1, 16}, 1), random_tensor({1, 16}, 2)};
  Session session(model, {.threads = 1, .cache_bytes = 100000});
  const std::vector<Tensor> first = run(session, inputs);
  const size_t all = model->program()->steps().plans_made();
  EXPECT_TRUE(same_bits(run(session, inputs), first));
  const size_t again = model->program()->steps().plans_made() - all;
  EXPECT_GT(again, 0U) << "the bound is too large to show anything";
  EXPECT_LT(again, all);
  EXPECT_LE(model->program()->steps().bytes(), 100000U);
}

/// What only later segments read does not decide a plan.
TEST(SharedSteps, SegmentsAreKnownByWhatTheyRead) {
  const auto model = model_of(R"(graph (%x: float32[?], %later: float32[?]) {
    @axis: int32[1] = {0}
    %a = exp(%x)
    %where = nonzero(%a)
    %b = concat([%later, %x], @axis)
    return %a, %where, %b })");
  Session session(model, {.threads = 1});
  const auto plans_of = [&](int64_t later) {
    const size_t before = model->program()->steps().plans_made();
    run(session, {random_tensor({6}, 1), random_tensor({later}, 2)});
    return model->program()->steps().plans_made() - before;
  };
  const size_t first = plans_of(3);
  EXPECT_GT(first, 1U);
  EXPECT_EQ(plans_of(4), 1U) << "the last segment";
  EXPECT_EQ(plans_of(3), 0U);
}

/// Tables that come with a plan count for each session that uses it, and for none that does not.
TEST(SharedSteps, TablesCountOnTheLimitOfWhoeverUsesThem) {
  const char* const graph = R"(graph (%x: float32[1, 1, 1, ?]) {
    @axes: int64[2] = {2, 3}
    %y = bilinear_interp(%x) {out_h = 1, out_w = 100000}
    %m = max(%y) {keepdim = false}
    return %m })";
  const auto model = model_of(graph);
  const Tensor x = random_tensor({1, 1, 1, 4}, 1);
  const std::vector<Tensor> expected = run_fresh(model_of(graph), {x}, {.threads = 1});
  constexpr size_t kEnough = 5'000'000;
  Session first(model, {.threads = 1, .memory_limit = kEnough});
  EXPECT_TRUE(same_bits(run(first, {x}), expected));
  Session small(model, {.threads = 1, .memory_limit = 500'000});
  EXPECT_THROW(run(small, {x}), Error);
  Session second(model, {.threads = 1, .memory_limit = kEnough});
  for (int64_t width = 4; width < 12; ++width) {  // each has tables of its own, which the other session has made
    run(first, {random_tensor({1, 1, 1, width}, 1)});
    run(second, {random_tensor({1, 1, 1, width}, 1)});
  }
  EXPECT_TRUE(same_bits(run(second, {x}), expected));
  EXPECT_THROW(run(small, {x}), Error);
}

}  // namespace
}  // namespace coracle::internal
