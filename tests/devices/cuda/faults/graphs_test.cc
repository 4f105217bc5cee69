// SPDX-License-Identifier: Apache-2.0
// What is captured once and launched as a CUDA graph gives the bits of single kernels, and is launched where it can be.
#include "devices/cuda/faults/graphs.h"

#include <algorithm>
#include <cstdlib>

#include "run/saved_files.h"
#include "support/small_models.h"

namespace coracle::internal::test {
namespace {

/// While it lives, devices that are opened make no graphs.
class Eager {
 public:
  Eager() { ::setenv("CORACLE_CUDA_GRAPHS", "0", 1); }
  ~Eager() { ::unsetenv("CORACLE_CUDA_GRAPHS"); }
  Eager(const Eager&) = delete;
  Eager& operator=(const Eager&) = delete;
};

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
/// Three kernels before and three after one that the CPU runs.
const char* const kSegments = R"(graph (%x "x": float32[?, 8]) {
  @w: float32[8, 8] = random(1)
  %a = matmul(%x, @w)
  %b = softmax(%a)
  %wide = cast(%x) {dtype = float64}
  %where = nonzero(%wide)
  %c = matmul(%b, @w)
  %d = softmax(%c)
  %e = matmul(%d, @w)
  return %e "y", %where "where"
})";

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
    const int64_t kernels = single();
    const int64_t graphs = launched();
    EXPECT_TRUE(same_bits(run(session, {rows(5)}), expected)) << i;
    EXPECT_EQ(launched() - graphs, 1) << i;
    EXPECT_EQ(single() - kernels, i == 0 ? 3 : 0) << i << ": only while it is captured";
  }
  EXPECT_EQ(captured() - captures, 1);
}

/// A kernel that launches others for each step of its sequences, with a workspace between them.
TEST_F(CudaGraphs, HoldTheStepsOfRecurrentLayers) {
  const auto on_device = model(R"(graph (%x "x": float32[?, ?, 8], %n "n": int32[?]) {
  @w: float32[48, 8] = random(1)
  @v: float32[48, 12] = random(2)
  @u: float32[48, 24] = random(3)
  @b: float32[48] = random(4)
  @h: float32[4, 3, 12] = random(5)
  %1, %4, [%2, %3] = rnn(%x, [@h, @h], [@w, @v, @w, @v, @u, @v, @u, @v, @b, @b, @b, @b, @b, @b, @b, @b], %n) {mode = LSTM, hidden_size = 12, is_bidirec = true, num_layers = 2}
  %y = relu(%1)
  return %y "y", %2 "h"
})");
  Session session(on_device, {.threads = 1});
  const int64_t before = launched();
  for (const int64_t time : {9, 1, 5, 9, 5, 9, 1}) {
    Tensor lengths = Tensor::make(DType::kInt32, {3});
    lengths.assign(std::vector<int64_t>{time, 1, time / 2});
    const std::vector<Tensor> inputs = {random_tensor({time, 3, 8}, 1), lengths};
    const std::vector<Tensor> results = run(session, inputs);
    EXPECT_TRUE(same_bits(results, singly(on_device, inputs))) << time;
  }
  EXPECT_EQ(launched() - before, 4) << "one for each size that came again";
}

TEST_F(CudaGraphs, AreCapturedOnceForEachSize) {
  const auto on_device = model(kChain);
  Session session(on_device, {.threads = 1});
  const int64_t captures = captured();
  const int64_t others = kept();
  // The largest comes first: memory stays where it is.
  std::vector<int64_t> order{9, 2, 5, 1};
  std::mt19937 random(1);
  for (int round = 0; round < 5; ++round) {
    if (round > 0) std::shuffle(order.begin(), order.end(), random);
    for (const int64_t count : order) {
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

TEST_F(CudaGraphs, PaddedSizesShareOne) {
  const auto on_device = model(kChain);
  Session session(on_device, {.threads = 1, .padding = "x=8..16/8x8"});
  const int64_t captures = captured();
  const int64_t before = launched();
  for (const int64_t count : {16, 8, 3, 12, 5, 9, 1, 16, 7}) {
    EXPECT_TRUE(same_bits(run(session, {rows(count)}), singly(on_device, {rows(count)}))) << count;
  }
  EXPECT_EQ(captured() - captures, 2);
  EXPECT_EQ(launched() - before, 7) << "all but the first of each size";
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

TEST_F(CudaGraphs, TheOneUsedLeastRecentlyIsDropped) {
  Session session(model(kChain), {.threads = 1, .recording_bytes = 400'000});  // two of them
  const auto captures_of = [&](int64_t count, int runs) {
    const int64_t before = captured();
    for (int i = 0; i < runs; ++i) run(session, {rows(count)});
    return captured() - before;
  };
  EXPECT_EQ(captures_of(9, 2), 1);
  EXPECT_EQ(captures_of(2, 2), 1);
  EXPECT_EQ(captures_of(9, 1), 0) << "it is used";
  EXPECT_EQ(captures_of(5, 2), 1) << "a third, that of 2 rows goes";
  EXPECT_EQ(captures_of(9, 1), 0);
  EXPECT_EQ(captures_of(5, 1), 0);
  EXPECT_EQ(captures_of(2, 2), 1);
}

TEST_F(CudaGraphs, InputsGoToOnePlace) {
  const auto on_device = model(kChain);
  Session session(on_device, {.threads = 1});
  for (int i = 0; i < 2; ++i) run(session, {rows(5)});
  const int64_t captures = captured();
  std::vector<Tensor> inputs;  // all at other addresses of the host
  for (unsigned i = 0; i < 4; ++i) {
    inputs.push_back(random_tensor({5, 8}, i));
    const int64_t graphs = launched();
    EXPECT_TRUE(same_bits(run(session, {inputs.back()}), singly(on_device, {inputs.back()}))) << i;
    EXPECT_EQ(launched() - graphs, 1) << i;
  }
  EXPECT_EQ(captured(), captures);
}

TEST_F(CudaGraphs, TensorsOnTheDeviceHaveAGraphForEachAddress) {
  const auto on_device = model(kChain);
  Session first(on_device, {.threads = 1});
  first.keep_output_on_device(0);
  std::vector<Tensor> inputs;
  for (unsigned i = 0; i < 3; ++i) {
    first.set_input(0, random_tensor({5, 8}, i));
    first.run();
    inputs.push_back(first.output(0));
  }
  Session session(on_device, {.threads = 1});
  const int64_t captures = captured();
  for (unsigned i = 0; i < 12; ++i) {
    const Tensor& x = inputs[i % 3];
    const int64_t graphs = launched();
    EXPECT_TRUE(same_bits(run(session, {x}), singly(on_device, {x}))) << i;
    EXPECT_EQ(launched() - graphs, i < 3 ? 0 : 1) << i;
  }
  EXPECT_EQ(captured() - captures, 3);
}

/// Values that stay on the device lie where those of the same size lay before.
TEST_F(CudaGraphs, AreLaunchedBetweenStepsOnTheCpu) {
  const auto on_device = model(kSegments);
  const auto input = [](int64_t count) { return random_tensor({count, 8}, static_cast<unsigned>(count)); };
  Session session(on_device, {.threads = 1});
  std::vector<int64_t> order{9, 2, 5, 1};
  std::mt19937 random(1);
  // Memory grows in the first round.
  for (int round = 0; round < 3; ++round) {
    for (const int64_t count : order) run(session, {input(count)});
  }
  const int64_t captures = captured();
  for (int round = 0; round < 4; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const int64_t count : order) {
      const int64_t graphs = launched();
      EXPECT_TRUE(same_bits(run(session, {input(count)}), singly(on_device, {input(count)}))) << count;
      EXPECT_EQ(launched() - graphs, 2) << count << ": one before the step on the CPU, and one after it";
    }
  }
  EXPECT_EQ(captured(), captures);
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
  // The result of an odd number of iterations lies elsewhere.
  for (const float n : {20.F, 20.F, 3.F, 3.F}) EXPECT_TRUE(same_bits(run(session, inputs(n)), expected(n))) << n;
  const int64_t captures = captured();
  std::vector<int64_t> outside;  // the loop: graphs and single kernels
  for (const int n : {3, 20, 1, 7, 12}) {
    const int64_t graphs = launched();
    const int64_t kernels = single();
    const std::vector<Tensor> results = run(session, inputs(static_cast<float>(n)));
    outside.push_back(launched() - graphs - n);
    outside.push_back(single() - kernels - n);
    EXPECT_TRUE(same_bits(results, expected(static_cast<float>(n)))) << n;
  }
  EXPECT_EQ(captured(), captures) << "each iteration finds its values where others had theirs";
  for (size_t i = 2; i < outside.size(); ++i)
    EXPECT_EQ(outside[i], outside[i - 2]) << "each iteration is one graph, and one kernel that stands alone";
  EXPECT_TRUE(same_bits(run(session, inputs(0)), expected(0)));
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

}  // namespace
}  // namespace coracle::internal::test
