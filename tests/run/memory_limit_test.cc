// SPDX-License-Identifier: Apache-2.0
// memory_limit bounds all that a run holds at a time, and what it refuses leaves the session as good as new.
#include <gtest/gtest.h>

#include <chrono>

#include "base/run_context.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/resident.h"

namespace coracle::internal {
namespace {

using test::model_of;
using test::run;

constexpr size_t kMegabyte = size_t{1} << 20U;

Tensor ones(int64_t count) {
  Tensor t = Tensor::make(DType::kFloat32, Shape{count});
  std::fill_n(t.data<float>(), count, 1.0F);
  return t;
}

/// Runs into the limit: the error says so and how much was asked for, and no memory beyond the limit was touched.
std::string expect_over_limit(Session& session, const std::vector<Tensor>& inputs) {
  const size_t limit = session.options().memory_limit;
  const size_t before = test::peak_resident_bytes();
  std::string message;
  try {
    for (size_t i = 0; i < inputs.size(); ++i) session.set_input(i, inputs[i]);
    session.run();
    ADD_FAILURE() << "it ran";
  } catch (const Error& e) {
    message = e.what();
    EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory) << message;
  }
  EXPECT_NE(message.find(text("the memory limit is ", limit)), std::string::npos) << message;
  EXPECT_NE(message.find("a run needs "), std::string::npos) << message;
  EXPECT_LT(test::peak_resident_bytes() - before, limit + 16 * kMegabyte) << message;
  return message;
}

/// %x, then where its elements are not 0, then where those are not 0 ...
std::string chain_of_nonzero(int count) {
  std::string graph = "graph (%x: float32[?]) {\n";
  for (int i = 0; i < count; ++i) {
    graph += text("  %n", i, " = nonzero(", i == 0 ? std::string("%x") : text("%n", i - 1), ")\n");
  }
  return graph + text("  return %n", count - 1, " }");
}

TEST(MemoryLimit, ChainsOfResultsThatDependOnData) {
  Session session(model_of(chain_of_nonzero(10)), {.threads = 1, .memory_limit = 20 * kMegabyte});
  for (int again = 0; again < 3; ++again) {
    const std::string message = expect_over_limit(session, {ones(1000000)});
    EXPECT_NE(message.find("int64["), std::string::npos) << message;
    EXPECT_NE(message.find("nonzero"), std::string::npos) << message;
    EXPECT_GT(run(session, {ones(1000)}).at(0).count(), 0);
  }
}

TEST(MemoryLimit, WhatIsNotUsedAnyMoreDoesNotCount) {
  // Each of ten results takes 8 MB, never more than two at a time.
  std::string graph = "graph (%x: float32[?]) {\n  @axis: int32[1] = {0}\n  %m0 = greater_equal(%x, %x)\n";
  for (int i = 0; i < 10; ++i) {
    graph += text("  %n", i, " = nonzero(%m", i, ")\n  %m", i + 1, " = greater_equal(%n", i, ", %n", i, ")\n");
  }
  graph += "  %all = all(%m10)\n  return %all }";
  Session session(model_of(graph), {.threads = 1, .memory_limit = 40 * kMegabyte});
  // Positions of a matrix have two columns: the number of elements doubles with each step.
  EXPECT_EQ(run(session, {ones(2000)}).at(0).count(), 1);
}

TEST(MemoryLimit, LoopsThatFillArrays) {
  const char* const graph = R"(graph (%n: int64[1], %x: float32[?]) {
    @zero: int64[1] = {0}
    %go = less_than(@zero, %n)
    %a = create_array() {dtype = float32}
    [%i, %all] = while(%go, [@zero, %a], [%n, %x])
        graph (%go: bool[1], %i: int64[1], %a: float32[...]:array, %n: int64[1], %x: float32[?]) {
      %more = array_write(%a, %x, %i)
      %next = scale(%i) {bias = 1}
      %again = less_than(%next, %n)
      return %again, %next, %more
    }
    %length = array_length(%all)
    return %length })";
  Session session(model_of(graph), {.threads = 1, .memory_limit = 20 * kMegabyte});
  const Tensor x = ones(1 << 20U);
  for (int64_t n : {100, 3, 100, 4}) {
    const std::vector<Tensor> inputs{Tensor::ints({&n, 1}), x};
    if (n == 100) {
      expect_over_limit(session, inputs);
    } else {
      EXPECT_EQ(run(session, inputs).at(0).integer(0), n);
    }
  }
}

TEST(MemoryLimit, ScratchOfReferences) {
  Session session(model_of("graph (%x: float32[?]) { %y = nanmedian(%x) return %y }"),
                  {.threads = 1, .memory_limit = kMegabyte});
  const std::string message = expect_over_limit(session, {ones(10000000)});
  EXPECT_NE(message.find("nanmedian"), std::string::npos) << message;
  EXPECT_EQ(run(session, {ones(1000)}).at(0).number(0), 1.0);
}

TEST(MemoryLimit, SegmentsTakeNoMoreThanTheirResult) {
  Session session(model_of("graph (%x: float32[?, 1], %i: int64[?]) { %y = segment_pool(%x, %i) return %y }"),
                  {.threads = 1, .memory_limit = 6 * kMegabyte});
  const Tensor x = ones(3).reshaped({3, 1});
  const std::vector<int64_t> ids{5, 1'000'000, 1'000'000};  // a result of 4 MB
  const Tensor y = run(session, {x, Tensor::ints(ids)}).at(0);
  EXPECT_EQ(y.shape(), (Shape{1'000'001, 1}));
  EXPECT_EQ(y.number(4), 0);
  EXPECT_EQ(y.number(5), 1);
  EXPECT_EQ(y.number(1'000'000), 2);
  const std::vector<int64_t> far{0, 1, int64_t{1} << 31};
  expect_over_limit(session, {x, Tensor::ints(far)});
}

TEST(MemoryLimit, KernelsThatSizeTheirResults) {
  Session session(model_of("graph (%x: float32[?]) { %n = nonzero(%x) return %n }"),
                  {.threads = 1, .memory_limit = 20 * kMegabyte});
  expect_over_limit(session, {ones(3000000)});
  EXPECT_EQ(run(session, {ones(2000000)}).at(0).count(), 2000000);
}

TEST(MemoryLimit, TablesMadeWhilePlanning) {
  for (const char* op : {"nearest_interp", "bilinear_interp", "bicubic_interp"}) {
    Session session(model_of(text("graph (%x: float32[1, 1, 1, 4]) { %y = ", op,
                                  "(%x) {out_h = 1, out_w = 1000000000} %m = max(%y) {keepdim = false} return %m }")),
                    {.threads = 1, .memory_limit = 100 * kMegabyte});
    const auto start = std::chrono::steady_clock::now();
    const std::string message =
        expect_over_limit(session, {Tensor::of<float>(Shape{1, 1, 1, 4}, std::vector<float>{1, 2, 3, 4})});
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    EXPECT_LT(taken.count(), 2.0) << op;
    EXPECT_NE(message.find(op), std::string::npos) << message;
  }
}

TEST(MemoryLimit, WhatALargerRunLeftDoesNotCount) {
  // The results of one run are small where those of the other are large.
  const char* const graph = R"(graph (%x: float32[?], %y: float32[?]) {
    %a = exp(%x)
    %b = exp(%y)
    return %a, %b })";
  Session session(model_of(graph), {.threads = 1, .memory_limit = 20 * kMegabyte});
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(run(session, {ones(4000000), ones(1)}).at(0).count(), 4000000);
    EXPECT_EQ(run(session, {ones(1), ones(4000000)}).at(1).count(), 4000000);
  }
}

TEST(MemoryLedger, TheProcessKnowsWhatItHolds) {
  const size_t before = MemoryLedger::process_bytes();
  {
    Session session(model_of("graph (%x: float32[?]) { %y = exp(%x) return %y }"), {.threads = 1});
    session.set_input(0, ones(1000000));
    session.run();
    EXPECT_GE(MemoryLedger::process_bytes() - before, size_t{8000000});
  }
  EXPECT_EQ(MemoryLedger::process_bytes(), before);
}

TEST(MemoryLedger, ChargesFollowTheirOwners) {
  const auto ledger = std::make_shared<MemoryLedger>(1000);
  Tensor kept;
  {
    const RunContext context = RunContext().with_ledger(ledger);
    kept = Tensor::make(context, DType::kFloat32, Shape{200});
    EXPECT_EQ(ledger->used(), 800U);
    EXPECT_THROW(Tensor::make(context, DType::kFloat32, Shape{51}), Error);
    EXPECT_EQ(ledger->used(), 800U);
    const Tensor other = Tensor::make(context, DType::kFloat32, Shape{50});
    EXPECT_EQ(ledger->used(), 1000U);
  }
  EXPECT_EQ(ledger->used(), 800U);
  const Tensor uncharged = Tensor::make(DType::kFloat32, Shape{500});
  EXPECT_EQ(ledger->used(), 800U);
  kept = Tensor();
  EXPECT_EQ(ledger->used(), 0U);
}

}  // namespace
}  // namespace coracle::internal
