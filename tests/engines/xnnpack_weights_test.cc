// SPDX-License-Identifier: Apache-2.0
// The engine xnnpack and one model in many sizes, sessions and threads: they share packed weights and memory.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

#include "graph/text.h"
#include "run_block.h"
#include "support/random_graph.h"
#include "xnnpack_support.h"

namespace coracle::internal::test {
namespace {

/// All operators that pack weights, among some that do not; its paddings are such as follow from sizes too.
constexpr const char* kModel = R"(graph (%x: float32[?, 3, ?, ?]) {
  @w1: float32[8, 3, 3, 3] = random(1)
  @b1: float32[8] = random(2)
  %a = conv2d_fused(%x, @w1, [@b1]) {strides = [2, 2], paddings = [1, 1], epilogue = ["add_channel", "relu"], epilogue_numbers = [0, 0, 0, 0, 0, 0]}
  @w2: float32[8, 1, 3, 3] = random(3)
  %b = depthwise_conv2d(%a, @w2) {groups = 8, padding_algorithm = SAME, strides = [2, 2]}
  @slopes: float32[8] = random(4)
  %c = prelu(%b, @slopes) {mode = channel}
  @w3: float32[8, 4, 2, 2] = random(5)
  %d = conv2d_transpose(%c, @w3, _) {strides = [2, 2], groups = 2}
  @w4: float32[4, 8, 1, 1] = random(6)
  %e = conv2d(%d, @w4) {strides = [3, 3], padding_algorithm = SAME}
  %s = sigmoid(%e)
  %m = multiply(%e, %s)
  @axes: int64[2] = {2, 3}
  %f = mean(%m, @axes)
  @w5: float32[4, 7] = random(7)
  %y = matmul(%f, @w5)
  %z = relu6(%m)
  return %y, %z
})";

/// Whose weights are by far the most of what it takes.
constexpr const char* kHeavyModel = R"(graph (%x: float32[?, 64, ?, ?]) {
  @w: float32[1024, 64, 3, 3] = random(1)
  %a = conv2d(%x, @w) {paddings = [1, 1], strides = [2, 2]}
  %r = relu(%a)
  @axes: int64[2] = {2, 3}
  %m = mean(%r, @axes)
  @v: float32[1024, 512] = random(2)
  %p = matmul(%m, @v)
  @u: float32[512, 512] = random(3)
  %y = matmul(%p, @u)
  return %y
})";
constexpr size_t kHeavyBytes = (size_t{1024} * 64 * 9 + 1024 * 512 + 512 * 512) * sizeof(float);

/// By the references.
std::vector<Tensor> wanted(const Graph& graph, const Tensor& image) { return evaluate_graph(graph, {&image, 1}); }

/// Eight sizes, even and odd.
std::vector<Tensor> images(int64_t channels, unsigned seed) {
  std::vector<Tensor> all;
  for (int64_t i = 0; i < 8; ++i) {
    all.push_back(random_tensor({1 + i % 2, channels, 9 + 3 * i, 22 - i}, seed + static_cast<unsigned>(i)));
  }
  return all;
}

class XnnpackWeights : public WithXnnpack {
 protected:
  std::shared_ptr<const CompiledBlock> compiled(const Graph& graph, const Tensor& image) {
    return compile_block(*engine_, graph, {image}, 1);
  }
};

TEST_F(XnnpackWeights, SizesInAnyOrderGiveTheSame) {
  const Graph graph = parse(kModel);
  const std::vector<Tensor> inputs = images(3, 1);
  std::vector<std::shared_ptr<const CompiledBlock>> blocks;
  std::vector<std::unique_ptr<BlockRun>> used;
  for (const Tensor& x : inputs) {
    blocks.push_back(compiled(graph, x));
    used.push_back(blocks.back()->make_run());
  }
  std::vector<size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937 random(1);
  for (int round = 0; round < 6; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (size_t i : order) {
      SCOPED_TRACE(text(inputs[i].shape(), " in round ", round));
      const std::vector<Tensor> want = wanted(graph, inputs[i]);
      expect_near(run_block(*used[i], graph, {inputs[i]}), want);
      const auto fresh = (round % 2 == 0 ? blocks[i] : compiled(graph, inputs[i]))->make_run();
      expect_near(run_block(*fresh, graph, {inputs[i]}), want);
    }
  }
}

TEST_F(XnnpackWeights, SessionsInThreadsDoNotMeet) {
  const Graph graph = parse(kModel);
  std::vector<std::vector<Tensor>> last(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < last.size(); ++t) {
    threads.emplace_back([&, t] {
      const std::vector<Tensor> inputs = images(3, 100 * t);
      for (unsigned i = 0; i < 40; ++i) {
        // Each compiles for itself; blocks come and go while others run.
        const Tensor& x = inputs[(i + t) % inputs.size()];
        const auto run = compiled(graph, x)->make_run();
        for (int again = 0; again < 3; ++again) last[t] = run_block(*run, graph, {x});
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (unsigned t = 0; t < last.size(); ++t) {
    const Tensor x = images(3, 100 * t)[(39 + t) % 8];
    expect_near(last[t], wanted(graph, x));
  }
}

TEST_F(XnnpackWeights, PackedWeightsCountOnce) {
  const Graph graph = parse(kHeavyModel);
  const std::vector<Tensor> inputs = images(64, 1);
  auto first = compiled(graph, inputs[0]);
  EXPECT_GE(first->bytes(), kHeavyBytes);
  EXPECT_LT(first->bytes(), kHeavyBytes + kHeavyBytes / 10);
  for (size_t i = 1; i < inputs.size(); ++i) EXPECT_LT(compiled(graph, inputs[i])->bytes(), kHeavyBytes / 100);
  // Constants at other addresses are others; what nobody has any more is packed again.
  EXPECT_GE(compiled(parse(kHeavyModel), inputs[0])->bytes(), kHeavyBytes);
  first.reset();
  EXPECT_GE(compiled(graph, inputs[1])->bytes(), kHeavyBytes);
}

#ifndef CORACLE_SANITIZED
/// Of the process, as its allocator counts.
size_t memory() {
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

TEST_F(XnnpackWeights, EightSizesTakeAboutAsMuchAsOne) {
  const Graph graph = parse(kHeavyModel);
  const std::vector<Tensor> inputs = images(64, 1);
  const size_t before = memory();
  std::vector<std::shared_ptr<const CompiledBlock>> blocks;
  std::vector<std::unique_ptr<BlockRun>> runs;
  size_t one = 0;
  for (int round = 0; round < 2; ++round) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (round == 0) {
        blocks.push_back(compiled(graph, inputs[i]));
        runs.push_back(blocks.back()->make_run());
      }
      run_block(*runs[i], graph, {inputs[i]});
      if (blocks.size() == 1) one = memory() - before;
    }
  }
  EXPECT_GE(one, kHeavyBytes);
  EXPECT_LT(static_cast<double>(memory() - before), 1.2 * static_cast<double>(one));
  runs.clear();
  EXPECT_GE(memory() - before, kHeavyBytes);  // they belong to the blocks
  blocks.clear();
  EXPECT_LT(memory() - before, kHeavyBytes / 10);
}
#endif

TEST_F(XnnpackWeights, ElementsOfOneSizeAreItsOwn) {
  // The filter and the addend are no constants: their elements are known for this compilation alone.
  const Graph graph = parse(R"(graph (%x: float32[1, 4, 6, 7], %w: float32[5, 4, 2, 2], %b: float32[5, 1, 1]) {
    %c = conv2d(%x, %w)
    %y = add(%c, %b)
    return %y
  })");
  const std::vector<Tensor> given = random_inputs(graph, 1);
  const auto compile = [&](unsigned seed) {
    std::vector<Tensor> inputs = {given[0], random_tensor({5, 4, 2, 2}, seed), random_tensor({5, 1, 1}, seed + 1)};
    std::vector<Fact> facts = facts_for(graph, inputs);
    for (size_t i : {1, 2}) facts[index(graph.inputs()[i])].value = std::make_shared<const Tensor>(inputs[i]);
    const EngineOptions options;
    const auto block = engine_->compile({graph, facts, 1, options});
    return std::pair(block, evaluate_graph(graph, inputs));
  };
  const auto [one, want_one] = compile(11);
  const auto [two, want_two] = compile(22);
  expect_near(run_block(*one->make_run(), graph, given), want_one);
  expect_near(run_block(*two->make_run(), graph, given), want_two);
}

TEST_F(XnnpackWeights, ClampsOnlyWhatNothingElseReads) {
  // Clamps behind a convolution: alone, with another reader before it, twice, and with bounds that hold nothing
  // together.
  const Graph graph = parse(R"(graph (%x: float32[1, 3, 9, 8]) {
    @w: float32[4, 3, 3, 3] = random(1)
    %a = conv2d(%x, @w)
    %b = relu(%a)
    %c = conv2d(%x, @w)
    %d = relu6(%c)
    %e = add(%c, %d)
    %f = conv2d(%x, @w)
    %g = relu(%f)
    @low: float32[1] = {-1}
    @high: float32[1] = {0.25}
    %h = clip(%g, @low, @high)
    %i = conv2d(%x, @w)
    %j = relu(%i)
    @below: float32[1] = {-2}
    %k = clip(%j, @below, @low)
    %l = add(%a, %k)
    %m = relu(%l)
    return %b, %c, %e, %g, %h, %k, %m
  })");
  const std::vector<Tensor> inputs = random_inputs(graph, 1);
  const auto block = compile_block(*engine_, graph, inputs, 1);
  expect_near(run_block(*block->make_run(), graph, inputs), evaluate_graph(graph, inputs));
}

}  // namespace
}  // namespace coracle::internal::test
