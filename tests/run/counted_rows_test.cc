// SPDX-License-Identifier: Apache-2.0
// Results whose number of rows a device counts: the bits of the CPU, no copies in between but of the numbers, memory of
// the user's that keeps what is behind the rows, and errors.
#include <gtest/gtest.h>

#include <algorithm>

#include "run/session_results.h"
#include "support/late_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

class RandomCountedRows : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomCountedRows, AreThoseOfTheCpu) {
  const unsigned seed = GetParam();
  const Graph graph = random_graph(seed, 24, 2);
  const auto plain = model_of(Graph(graph));
  for (const int percent : {0, 30, 60}) {
    SCOPED_TRACE(text(percent, " % of the nodes refused"));
    const Refusals refusals(seed, percent);
    const auto device = LateDevice::make({.threaded = seed % 2 == 0, .seed = seed});
    {
      const auto model = model_on({device}, Graph(graph));
      Session session(model, {.threads = 2});
      for (unsigned i = 0; i < 12; ++i) {
        // The same size again with other data, and with memory of another run.
        const Tensor x = random_tensor(kSmallImages[(i / 2) % kSmallImages.size()], seed + i);
        const std::vector<Tensor> expected = run_fresh(plain, {x});
        EXPECT_TRUE(same_bits(run(session, {x}), expected)) << "run " << i;
        if (i == 7) session.release_memory();
        if (i % 6 == 0) {
          EXPECT_TRUE(same_bits(run_fresh(model, {x}, {.threads = 1}), expected)) << "fresh session";
        }
      }
    }
    EXPECT_EQ(device->complaint(), "");
    EXPECT_EQ(device->counts().bytes + device->counts().host_bytes, 0U) << "the model is gone";
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCountedRows, ::testing::Range(1U, 13U));

/// Steps before and behind what is counted; the last one counts, too.
const char* const kCountedChain = R"(graph (%x "x": float32[?, 8]) {
  @zero: float32[1] = {0}
  @w: float32[8, 8] = random(1)
  %a = matmul(%x, @w)
  %m = greater_than(%a, @zero)
  %c = masked_select(%a, %m)
  %d = exp(%c)
  %n = nonzero(%d)
  return %d "exp", %n "where"
})";

Tensor rows_of_eight(int64_t count, unsigned seed = 1) { return random_tensor({count, 8}, seed); }

TEST(CountedRows, ComeDownWithTheirNumberAlone) {
  const auto plain = model_of(kCountedChain);
  const auto device = LateDevice::make();
  Session session(model_on({device}, kCountedChain), {.threads = 1});
  for (unsigned i = 0; i < 6; ++i) {
    const LateDevice::Counts before = device->counts();
    EXPECT_TRUE(same_bits(run(session, {rows_of_eight(5, i)}), run_fresh(plain, {rows_of_eight(5, i)}))) << i;
    if (i == 0) continue;  // constants go up, too
    EXPECT_EQ(device->counts().uploads - before.uploads, 1) << "x";
    EXPECT_EQ(device->counts().downloads - before.downloads, 2) << "a number, then results with theirs";
  }
  EXPECT_EQ(device->complaint(), "");
}

TEST(CountedRows, OfManyOnlyThoseThereAreComeDown) {
  const char* const graph = "graph (%x: float32[?]) { %n = nonzero(%x) return %n }";
  const auto device = LateDevice::make();
  Session session(model_on({device}, graph), {.threads = 1});
  Tensor x = Tensor::make(DType::kFloat32, {300000});
  std::fill_n(x.data<float>(), x.count(), 0.0F);
  for (const int64_t at : {7, 0, 299999}) {
    x.data<float>()[at] = 1;
    EXPECT_TRUE(same_bits(run(session, {x}), run_fresh(model_of(graph), {x}))) << at;
  }
  EXPECT_LT(session.arena_bytes(), size_t{1} << 20U) << "there is no room for all rows on the host";
  EXPECT_EQ(device->complaint(), "");
}

TEST(CountedRows, MayStayOnTheDevice) {
  const auto device = LateDevice::make();
  Session session(model_on({device}, kCountedChain), {.threads = 1});
  const std::vector<Tensor> expected = run_fresh(model_of(kCountedChain), {rows_of_eight(5)});
  session.keep_output_on_device(1);
  for (int i = 0; i < 3; ++i) {
    session.set_input(0, rows_of_eight(5));
    session.run();
    const Tensor there = session.output(1);
    EXPECT_FALSE(there.is_on_host());
    EXPECT_TRUE(same_bits({session.output(0), there.to_host()}, expected)) << i;
  }
}

/// Kernels have memory for more rows than there are; what the user has behind those is his.
TEST(CountedRows, AreAllThatIsWrittenInMemoryOfTheUsers) {
  const auto device = LateDevice::make();
  Session session(model_on({device}, kCountedChain), {.threads = 1});
  const std::vector<Tensor> expected = run_fresh(model_of(kCountedChain), {rows_of_eight(5)});
  std::vector<int64_t> memory(5 * 8 + 1, -77);
  session.bind_output(1, memory.data(), memory.size() * sizeof(int64_t));
  session.set_input(0, rows_of_eight(5));
  session.run();
  EXPECT_TRUE(same_bits({session.output(0), session.output(1)}, expected));
  EXPECT_EQ(session.output(1).raw(), memory.data());
  const auto end = memory.begin() + expected[1].count();
  EXPECT_TRUE(std::all_of(end, memory.end(), [](int64_t v) { return v == -77; }));
}

TEST(CountedRows, AreWhatObserversSee) {
  const auto device = LateDevice::make();
  Session session(model_on({device}, kCountedChain), {.threads = 1});
  const std::vector<Tensor> expected = run_fresh(model_of(kCountedChain), {rows_of_eight(5)});
  int seen = 0;
  session.set_observer([&](const ObservedValue& v) {
    const std::string_view op = v.node.op.name();
    if (!v.is_result || (op != "masked_select" && op != "nonzero")) return;
    EXPECT_EQ(v.fact.shape[0], expected[1].shape()[0]) << op;
    ++seen;
  });
  run(session, {rows_of_eight(5)});
  EXPECT_EQ(seen, 2);
}

TEST(CountedRows, EveryOperationMayFail) {
  const std::vector<Tensor> expected = run_fresh(model_of(kCountedChain), {rows_of_eight(5)});
  for (const bool threaded : {false, true}) {
    const auto device = LateDevice::make({.threaded = threaded});
    Session session(model_on({device}, kCountedChain), {.threads = 1});
    const auto operations_of = [&] {
      const int before = device->counts().operations;
      EXPECT_TRUE(same_bits(run(session, {rows_of_eight(5)}), expected));
      return device->counts().operations - before;
    };
    operations_of();
    const int operations = operations_of();
    EXPECT_GT(operations, 3);
    for (int n = 1; n <= operations; ++n) {
      device->set_faults({.operation = n});
      try {
        run(session, {rows_of_eight(5)});
        ADD_FAILURE() << "operation " << n << " has failed";
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::kRunFailure);
        EXPECT_NE(e.text().find("the device made a mistake"), std::string::npos) << e.text();
        EXPECT_NE(e.text().find("Late device"), std::string::npos) << e.text();
      }
      device->set_faults({});
      EXPECT_TRUE(same_bits(run(session, {rows_of_eight(5)}), expected)) << "after operation " << n << " had failed";
    }
    EXPECT_EQ(device->complaint(), "");
  }
}

/// Rows by the number of iterations, counted in each of them.
TEST(CountedRows, AreCountedInLoops) {
  const char* const graph = R"(graph (%n: float32[1], %h: float32[?]) {
  @zero: float32[1] = {0}
  %go = greater_than(%n, @zero)
  [%left, %end] = while(%go, [%n, %h], []) graph (%c: bool[1], %i: float32[1], %s: float32[?]) {
    @one: float32[1] = {1}
    @none: float32[1] = {0}
    @least: float32[1] = {-0.5}
    @half: float32[1] = {0.3}
    %j = subtract(%i, @one)
    %m = greater_than(%s, @least)
    %t = masked_select(%s, %m)
    %u = subtract(%t, @half)
    %again = greater_than(%j, @none)
    return %again, %j, %u
  }
  return %end, %left })";
  const auto device = LateDevice::make();
  Session session(model_on({device}, graph), {.threads = 1});
  for (const float n : {1.0F, 4.0F, 3.0F, 9.0F, 2.0F}) {
    const std::vector<Tensor> inputs = {Tensor::of<float>(Shape{1}, {&n, 1}), random_tensor({40}, 3)};
    EXPECT_TRUE(same_bits(run(session, inputs), run_fresh(model_of(graph), inputs))) << n;
  }
  EXPECT_EQ(device->complaint(), "");
}

}  // namespace
}  // namespace coracle::internal::test
