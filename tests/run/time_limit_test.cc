// SPDX-License-Identifier: Apache-2.0
// time_limit_ms ends what takes long within a kernel, while planning and while loading.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/run_context.h"
#include "base/thread_pool.h"
#include "ops/control/while.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/memory_file.h"
#include "support/program_writer.h"

namespace coracle::internal {
namespace {

using test::model_of;
using test::run;
using Clock = std::chrono::steady_clock;

/// Twice as much as is promised, and what a busy machine adds; what is ended would take many seconds.
constexpr double kMostLateAtLimitMs = 2000;

template <class F>
std::string expect_ended(int64_t limit_ms, const F& f) {
  const auto start = Clock::now();
  std::string message;
  try {
    f();
    ADD_FAILURE() << "it came to its end";
  } catch (const Error& e) {
    message = e.what();
    EXPECT_EQ(e.code(), ErrorCode::kRunFailure) << message;
  }
  const std::chrono::duration<double, std::milli> taken = Clock::now() - start;
  EXPECT_LT(taken.count(), static_cast<double>(limit_ms) + kMostLateAtLimitMs) << message;
  EXPECT_NE(message.find(text("its limit of ", limit_ms, " ms")), std::string::npos) << message;
  return message;
}

Tensor ones_of(const Shape& shape) {
  Tensor t = Tensor::make(DType::kFloat32, shape);
  std::fill_n(t.data<float>(), t.count(), 1.0F);
  return t;
}

TEST(TimeLimit, EndsAKernel) {
  for (int threads : {1, 2}) {
    Session session(model_of("graph (%x: float32[?, ?], %y: float32[?, ?]) { %z = matmul(%x, %y) return %z }"),
                    {.threads = threads, .time_limit_ms = 100});
    const Tensor large = ones_of({9000, 9000});
    expect_ended(100, [&] { run(session, {large, large}); });
    const Tensor small = ones_of({3, 3});
    EXPECT_EQ(run(session, {small, small}).at(0).number(0), 3.0);
  }
}

/// A loop whose region does nothing and whose condition stays.
TEST(TimeLimit, EndsAnEmptyLoop) {
  Graph graph;
  const ValueId condition = graph.add_input("condition", Fact(DType::kBool, Shape{1}));
  auto region = std::make_shared<Graph>();
  region->add_output(region->add_input("condition", Fact(DType::kBool, Shape{1})), "condition");
  graph.add_node(While{}, {{condition}, {}, {}}, {0}, "loop", {region});
  Tensor yes = Tensor::make(DType::kBool, {1});
  *yes.data<bool>() = true;
  const Node& loop = graph.node(graph.order().back());
  const RunContext context(Deadline("the run", Clock::now(), 100, nullptr));
  expect_ended(100, [&] { evaluate_node(context, loop, {yes}, {}); });
}

TEST(TimeLimit, EndsPlanning) {
  Session session(model_of("graph (%x: float32[1, 1, 1, 4]) { %y = bilinear_interp(%x) {out_h = 1, out_w = "
                           "400000000} %m = max(%y) {keepdim = false} return %m }"),
                  {.threads = 1, .time_limit_ms = 100});
  expect_ended(100, [&] { run(session, {ones_of({1, 1, 1, 4})}); });
}

/// A result of 1 GB of zeros, whose size an operand decides.
TEST(TimeLimit, EndsFillingALargeResult) {
  Session session(model_of("graph (%x: float32[1, 1], %i: int64[1]) { %y = segment_pool(%x, %i) return %y }"),
                  {.threads = 1, .time_limit_ms = 20});
  const std::vector<int64_t> id{int64_t{1} << 28};
  expect_ended(20, [&] { run(session, {ones_of({1, 1}), Tensor::ints(id)}); });
}

TEST(TimeLimit, EndsLoading) {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 4}, 0);
  constexpr int kCount = 300000;
  for (int i = 0; i < kCount; ++i) {
    main.operators.push_back(test::OpWriter("exp")
                                 .in("X", {i == 0 ? "x" : "v" + std::to_string(i)})
                                 .out("Out", {"v" + std::to_string(i + 1)}));
  }
  test::add_fetch(main, "v" + std::to_string(kCount), 0);
  const std::string program = test::program_file({main});
  ModelOptions options;
  options.time_limit_ms = 1;
  const std::string message = expect_ended(
      1, [&] { Model::load(ModelSource::in_memory(test::memory_file(program), test::memory_file("")), options); });
  EXPECT_NE(message.find("loading took longer"), std::string::npos) << message;
}

TEST(TimeLimit, ChangesNoBits) {
  const auto model =
      model_of("graph (%x: float32[?, ?], %y: float32[?, ?]) { %z = matmul(%x, %y) %s = softmax(%z) return %s }");
  Tensor x = ones_of({300, 200});
  for (int64_t i = 0; i < x.count(); ++i) x.data<float>()[i] = static_cast<float>(i % 97) / 97;
  const Tensor y = x.reshaped({200, 300});
  const std::vector<Tensor> expected = test::run_fresh(model, {x, y}, {.threads = 1});
  for (int threads : {1, 2, 3}) {
    EXPECT_TRUE(
        test::same_bits(test::run_fresh(model, {x, y}, {.threads = threads, .time_limit_ms = 100000}), expected));
  }
}

TEST(TimeLimit, LoopsInPiecesCoverEverything) {
  ThreadPool pool(3);
  pool.start();
  const ThreadPool::Run run(pool, RunContext(Deadline("the test", Clock::now(), 100000, nullptr)));
  for (int64_t n : {1, 2, 63, 64, 65, 1000, 100003}) {
    for (int64_t grain : {1, 7, 5000}) {
      std::vector<std::atomic<int>> met(static_cast<size_t>(n));
      pool.parallel_for(n, grain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++met[static_cast<size_t>(i)];
      });
      EXPECT_TRUE(std::all_of(met.begin(), met.end(), [](const std::atomic<int>& m) { return m == 1; })) << n;
    }
  }
}

}  // namespace
}  // namespace coracle::internal
