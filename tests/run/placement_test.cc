// SPDX-License-Identifier: Apache-2.0
// Programs on a device that does everything late give the bits of the CPU, wherever their nodes run.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/late_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

class RandomPlacement : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomPlacement, GivesTheBitsOfTheCpu) {
  const unsigned seed = GetParam();
  const Graph graph = random_graph(seed, 40);
  const auto plain = model_of(Graph(graph));
  for (const int percent : {0, 20, 50, 80}) {
    SCOPED_TRACE(text(percent, " % of the nodes refused"));
    const Refusals refusals(seed, percent);
    const std::shared_ptr<LateDevice> device = LateDevice::make({.threaded = seed % 2 == 0, .seed = seed});
    {
      const auto model = model_on({device}, Graph(graph));
      Session used(model, {.threads = 2});
      for (const Shape& shape : kSmallImages) {
        SCOPED_TRACE(text(shape));
        const Tensor x = random_tensor(shape, seed);
        const std::vector<Tensor> expected = run_fresh(plain, {x}, {.threads = 2});
        EXPECT_TRUE(same_bits(run(used, {x}), expected)) << "used session";
        EXPECT_TRUE(same_bits(run_fresh(model, {x}, {.threads = 1}), expected)) << "fresh session";
      }
    }
    EXPECT_EQ(device->complaint(), "");
    EXPECT_GT(device->counts().kernels, 0);
    EXPECT_EQ(device->counts().bytes + device->counts().host_bytes, 0U) << "the model is gone";
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlacement, ::testing::Range(1U, 25U));

/// Convolutions that follow each other on large images: they run in row tiles where they stay on the host.
const char* const kChain = R"(graph (%x "x": float32[?, 3, ?, ?]) {
  @w1: float32[16, 3, 3, 3] = random(1)
  @w2: float32[16, 1, 5, 5] = random(2)
  @w3: float32[32, 16, 1, 1] = random(3)
  @w4: float32[32, 1, 3, 3] = random(4)
  @w6: float32[24, 32, 1, 1] = random(6)
  @b: float32[1, 24, 1, 1] = random(7)
  %1 = conv2d(%x, @w1) {paddings = [1, 1], strides = [2, 2]}
  %2 = conv2d(%1, @w2) {paddings = [2, 2], groups = 16}
  %3 = hardswish(%2)
  %4 = conv2d(%3, @w3)
  %5 = conv2d(%4, @w4) {paddings = [1, 1], groups = 32}
  %6 = relu(%5)
  %8 = conv2d(%6, @w6)
  %9 = add(%8, @b)
  return %9 "y"
})";

TEST(Placement, StripsOfTheHostLieBetweenStepsOfDevices) {
  const auto plain = model_of(kChain);
  const Tensor x = random_tensor({1, 3, 330, 310}, 1);
  const std::vector<Tensor> expected = run_fresh(plain, {x}, {.threads = 3});
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Refusals refusals(seed, 50);
    const auto device = LateDevice::make({.threaded = seed % 2 == 0, .seed = seed});
    EXPECT_TRUE(same_bits(run_fresh(model_on({device}, kChain), {x}, {.threads = 3}), expected)) << seed;
    EXPECT_EQ(device->complaint(), "");
  }
}

TEST(Placement, WhatGoesFromDeviceToDeviceGoesThroughTheHost) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Graph graph = random_graph(seed, 40);
    const Tensor x = random_tensor({1, 4, 16, 16}, seed);
    // The first takes what fits into its blocks: products of halves of images, as a rule.
    const auto small = LateDevice::make({.largest_allocation = 2048});
    const auto large = LateDevice::make({.threaded = true, .seed = seed});
    const auto model = model_on({small, large}, Graph(graph));
    EXPECT_TRUE(same_bits(run_fresh(model, {x}), run_fresh(model_of(Graph(graph)), {x}))) << seed;
    EXPECT_EQ(small->complaint() + large->complaint(), "");
    EXPECT_GT(large->counts().kernels, 0);
  }
}

TEST(Placement, ArenasAreSplitWhereBlocksAreSmall) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Graph graph = random_graph(seed, 40);
    const Tensor x = random_tensor({1, 4, 16, 16}, seed);
    const auto device = LateDevice::make({.largest_allocation = 8192});
    const auto model = model_on({device}, Graph(graph));
    Session session(model, {.threads = 2});
    session.set_input(0, x);
    const std::shared_ptr<const Steps> planned = session.explain();
    EXPECT_GT(planned->devices.at(0).allocations.size(), 1U);
    for (size_t bytes : planned->devices.at(0).allocations) EXPECT_LE(bytes, 8192U);
    EXPECT_TRUE(same_bits(run(session, {x}), run_fresh(model_of(Graph(graph)), {x}))) << seed;
    EXPECT_EQ(device->complaint(), "");
  }
}

const char* const kTwoAndTwo = R"(graph (%x "x": float32[?, 8], %y "y": float32[?, 8]) {
  @w: float32[8, 8] = random(1)
  %a = matmul(%x, @w)
  %b = add(%a, %y)
  %c = exp(%b)
  return %b "b", %c "c"
})";

TEST(Placement, InputsGoInOneCopyAndResultsInAnother) {
  const auto device = LateDevice::make();
  const auto model = model_on({device}, kTwoAndTwo);
  const std::vector<Tensor> inputs{random_tensor({5, 8}, 1), random_tensor({5, 8}, 2)};
  const std::vector<Tensor> expected = run_fresh(model_of(kTwoAndTwo), inputs);
  Session first(model, {.threads = 1});
  EXPECT_TRUE(same_bits(run(first, inputs), expected));
  Session second(model, {.threads = 1});
  const LateDevice::Counts before = device->counts();
  EXPECT_TRUE(same_bits(run(second, inputs), expected));
  const LateDevice::Counts after = device->counts();
  EXPECT_EQ(after.uploads - before.uploads, 1) << "constants are there already";
  EXPECT_EQ(after.downloads - before.downloads, 1);
  EXPECT_EQ(after.waits - before.waits, 1) << "at the end alone";
}

TEST(Placement, MemoryOfDevicesIsFlatAndGivenBack) {
  const auto device = LateDevice::make();
  const auto model = model_on({device}, random_graph(3, 40));
  Session session(model, {.threads = 2, .cache_bytes = size_t{64} << 10U});
  std::mt19937 random(1);
  run(session, {random_tensor({2, 4, 40, 40}, 1)});
  const size_t held = session.memory().device;
  const LateDevice::Counts first = device->counts();
  EXPECT_GT(held, size_t{2} * 4 * 40 * 40 * 4);
  for (int i = 0; i < 300; ++i) {
    const auto size = [&] { return 1 + static_cast<int64_t>(random() % 40); };
    run(session, {random_tensor({1 + static_cast<int64_t>(random() % 2), 4, size(), size()}, 1)});
  }
  EXPECT_LE(session.memory().device, held + held / 4) << "another shape may want a little more";
  EXPECT_LE(device->counts().bytes + device->counts().host_bytes, first.bytes + first.host_bytes + held / 4);
  EXPECT_GE(session.release_memory(), held);
  EXPECT_EQ(session.memory().device, 0U);
  EXPECT_EQ(device->counts().bytes, model->program()->device_bytes()) << "the model's constants stay";
  EXPECT_EQ(device->counts().host_bytes, 0U);
  run(session, {random_tensor({1, 4, 8, 8}, 1)});
}

TEST(Placement, AMemoryLimitCountsMemoryOfDevices) {
  const auto device = LateDevice::make();
  const auto model = model_on({device}, kTwoAndTwo);
  Session session(model, {.threads = 1, .memory_limit = 200000});
  EXPECT_EQ(run(session, {random_tensor({5, 8}, 1), random_tensor({5, 8}, 2)}).size(), 2U);
  try {
    run(session, {random_tensor({2000, 8}, 1), random_tensor({2000, 8}, 2)});
    ADD_FAILURE() << "more than the limit";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory);
    EXPECT_NE(e.text().find("intermediate tensors on Late device"), std::string::npos) << e.text();
  }
  EXPECT_EQ(run(session, {random_tensor({5, 8}, 1), random_tensor({5, 8}, 2)}).size(), 2U);
}

TEST(Placement, ObserversSeeWhatIsOnDevices) {
  const Graph graph = random_graph(5, 40);
  const auto observed = [&](const std::shared_ptr<const Model>& model) {
    std::map<std::string, std::string> values;
    Session session(model, {.threads = 1});
    session.set_observer([&](const ObservedValue& v) {
      std::string bytes(static_cast<const char*>(v.data), v.fact.bytes());
      values[text(v.node.name, v.is_result ? " gives " : " takes ", v.fact.shape)] += bytes;
    });
    run(session, {random_tensor({1, 4, 9, 7}, 1)});
    return values;
  };
  // Alone, so that no step reads an operand where it lies in a larger tensor on one side only.
  ModelOptions plain;
  plain.kernels.disabled = {"strided"};
  const auto expected = observed(model_of(Graph(graph), plain));
  EXPECT_GT(expected.size(), 20U);
  for (const int percent : {0, 50}) {
    const Refusals refusals(1, percent);
    EXPECT_TRUE(observed(model_on({LateDevice::make()}, Graph(graph), {"strided"})) == expected) << percent;
  }
}

TEST(Placement, ProfilesTellWhenDevicesWorked) {
  const auto device = LateDevice::make({.threaded = true});
  const auto model = model_on({device}, kTwoAndTwo);
  Session session(model, {.threads = 1});
  session.set_profiling(true);
  run(session, {random_tensor({500, 8}, 1), random_tensor({500, 8}, 2)});
  int copies = 0;
  int64_t end = 0;
  for (const ProfileEvent& e : session.profile()) {
    EXPECT_EQ(e.device, e.op == "copy" ? "late copies" : "late") << e.node;
    EXPECT_GE(e.start_ns, end) << e.node << ": one after the other";
    EXPECT_GE(e.duration_ns, 0);
    end = e.start_ns + e.duration_ns;
    copies += e.op == "copy" ? 1 : 0;
  }
  EXPECT_GE(session.profile().size(), 4U);
  EXPECT_EQ(copies, 2);
}

}  // namespace
}  // namespace coracle::internal::test
