// SPDX-License-Identifier: Apache-2.0
// Results, inputs and values between segments stay on a device, with the bits that they have by way of the host.
#include <gtest/gtest.h>

#include <thread>

#include "run/session_results.h"
#include "support/late_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

const char* const kStep = R"(graph (%x "x": float32[?, 8]) {
  @w: float32[8, 8] = random(1)
  @s: int64[2] = {-1, 4}
  %a = matmul(%x, @w)
  %b = softmax(%a)
  %c = reshape(%b, @s)
  return %b "b", %c "c"
})";
const char* const kOther = R"(graph (%x "x": float32[?, 8]) {
  %y = exp(%x)
  return %y "y"
})";

/// What was copied between host and device meanwhile.
struct Copies {
  explicit Copies(const LateDevice& d) : device(d), before(d.counts()) {}
  int up() const { return device.counts().uploads - before.uploads; }
  int down() const { return device.counts().downloads - before.downloads; }
  const LateDevice& device;
  const LateDevice::Counts before;
};

TEST(DeviceTensors, AnOutputStaysAndIsTheNextInput) {
  const auto device = LateDevice::make();
  const auto plain = model_of(kStep);
  {
    Session session(model_on({device}, kStep), {.threads = 1});
    session.keep_output_on_device(0);
    Tensor x = random_tensor({5, 8}, 1);
    Tensor there = x;
    for (int i = 0; i < 8; ++i) {
      const Copies copies(*device);
      session.set_input(0, there);
      session.run();
      EXPECT_EQ(copies.up(), i == 0 ? 2 : 0) << i << ": the constant and x, once";
      EXPECT_EQ(copies.down(), 1) << "output 1 alone";
      const Tensor given = there;
      there = session.output(0);
      EXPECT_FALSE(there.is_on_host());
      EXPECT_EQ(there.raw(), nullptr);
      const std::vector<Tensor> expected = run_fresh(plain, {x});
      EXPECT_TRUE(same_bits({there.to_host(), session.output(1)}, expected)) << i;
      EXPECT_TRUE(same_bits({given.to_host()}, {x})) << "it is not overwritten while somebody has it";
      x = expected[0];
    }
    EXPECT_GT(device->counts().replays, 0) << "two blocks, by turns";
    session.bind_output(0, nullptr, 0);
    session.run();
    EXPECT_TRUE(session.output(0).is_on_host());
    there = session.output(0);
  }
  EXPECT_EQ(device->complaint(), "");
  EXPECT_EQ(device->counts().bytes + device->counts().host_bytes, 0U);
}

TEST(DeviceTensors, GoToOtherSessionsModelsAndDevices) {
  const auto device = LateDevice::make({.threaded = true});
  const auto other_device = LateDevice::make();
  const Tensor x = random_tensor({6, 8}, 3);
  const std::vector<Tensor> expected = run_fresh(model_of(kOther), {run_fresh(model_of(kStep), {x})[0]});
  Tensor there;
  {
    Session first(model_on({device}, kStep), {.threads = 1});
    first.keep_output_on_device(0);
    first.set_input(0, x);
    first.run();
    there = first.output(0);
  }
  Session same(model_on({device}, kOther), {.threads = 1});
  Copies copies(*device);
  EXPECT_TRUE(same_bits(run(same, {there}), expected)) << "it outlives its session";
  EXPECT_EQ(copies.up(), 0);
  Session elsewhere(model_on({other_device}, kOther), {.threads = 1});
  EXPECT_TRUE(same_bits(run(elsewhere, {there}), expected));
  EXPECT_TRUE(same_bits(run_fresh(model_of(kOther), {there}), expected)) << "on the host";
  Session copied(model_of(kOther), {.threads = 1});
  copied.copy_input(0, there);
  copied.run();
  EXPECT_TRUE(same_bits({copied.output(0)}, expected));
  EXPECT_EQ(device->complaint() + other_device->complaint(), "");
}

TEST(DeviceTensors, AreRefusedWhereThereIsNoDevice) {
  Session session(model_of(kStep), {.threads = 1});
  try {
    session.keep_output_on_device(0);
    ADD_FAILURE() << "there is no device";
  } catch (const Error& e) {
    EXPECT_NE(e.text().find("the model uses none, load it with the option `device`"), std::string::npos) << e.text();
  }
  Session on_device(model_on({LateDevice::make()}, kStep), {.threads = 1});
  EXPECT_THROW(on_device.keep_output_on_device(2), Error);
}

TEST(DeviceTensors, WhatTheHostMakesIsCopiedThere) {
  const Refusals refusals(1, 100);
  const auto device = LateDevice::make();
  const Tensor x = random_tensor({6, 8}, 3);
  Session session(model_on({device}, kStep), {.threads = 1});
  session.keep_output_on_device(0);
  for (int i = 0; i < 2; ++i) {
    session.set_input(0, x);
    session.run();
    EXPECT_FALSE(session.output(0).is_on_host());
    EXPECT_TRUE(same_bits({session.output(0).to_host(), session.output(1)}, run_fresh(model_of(kStep), {x})));
  }
}

TEST(DeviceTensors, AreReadFromAnyThread) {
  const auto device = LateDevice::make({.threaded = true});
  Session session(model_on({device}, kStep), {.threads = 1});
  session.keep_output_on_device(0);
  const Tensor x = random_tensor({60, 8}, 3);
  session.set_input(0, x);
  session.run();
  const Tensor there = session.output(0);
  const Tensor expected = run_fresh(model_of(kStep), {x})[0];
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(same_bits({there.to_host()}, {expected}));
    });
  }
  for (int i = 0; i < 20; ++i) session.run();
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(device->complaint(), "");
}

TEST(DeviceTensors, FailuresOfCopiesAreErrors) {
  const auto device = LateDevice::make();
  Session session(model_on({device}, kStep), {.threads = 1});
  session.keep_output_on_device(0);
  const Tensor x = random_tensor({6, 8}, 3);
  session.set_input(0, x);
  session.run();
  const Tensor there = session.output(0);
  device->set_faults({.operation = 1});
  try {
    static_cast<void>(there.to_host());
    ADD_FAILURE() << "the copy failed";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kRunFailure);
    EXPECT_NE(e.text().find("a tensor was not copied from Late device"), std::string::npos) << e.text();
  }
  device->set_faults({});
  EXPECT_TRUE(same_bits({there.to_host()}, {run_fresh(model_of(kStep), {x})[0]}));
  device->set_faults({.allocation = 1});
  session.set_input(0, random_tensor({9, 8}, 3));
  EXPECT_THROW(session.run(), Error);
  device->set_faults({});
  session.run();
  device->set_faults({.loss = 1});
  EXPECT_THROW(session.output(0).to_host(), Error);
  EXPECT_THROW(session.run(), Error);
}

TEST(DeviceTensors, MemoryIsFlatCountedAndGivenBack) {
  const auto device = LateDevice::make();
  const auto model = model_on({device}, kStep);
  Session session(model, {.threads = 1});
  session.keep_output_on_device(0);
  size_t most = 0;
  for (int i = 0; i < 200; ++i) {
    session.set_input(0, random_tensor({1 + i * 7 % 40, 8}, 3));
    session.run();
    if (i < 80) most = std::max(most, session.memory().device);
    EXPECT_LE(session.memory().device, most);
  }
  EXPECT_GT(session.release_memory(), size_t{8} * 4);
  EXPECT_EQ(session.memory().device, 0U);
  EXPECT_EQ(device->counts().bytes, model->program()->device_bytes());
  Session limited(model, {.threads = 1, .memory_limit = 100000});
  limited.keep_output_on_device(0);
  limited.set_input(0, random_tensor({100, 8}, 1));
  limited.run();
  limited.set_input(0, random_tensor({4000, 8}, 1));
  EXPECT_THROW(limited.run(), Error);
  limited.set_input(0, random_tensor({100, 8}, 1));
  limited.run();
  EXPECT_EQ(device->complaint(), "");
}

TEST(DeviceTensors, SegmentsHandThemOnWithoutTheHost) {
  const char* const graph = R"(graph (%x: float32[?, 8]) {
    @w: float32[8, 8] = random(1)
    @axes: int64[1] = {1}
    %a = matmul(%x, @w)
    %where = nonzero(%x)
    %b = softmax(%a)
    %c = matmul(%b, @w)
    return %c, %where })";
  const auto device = LateDevice::make();
  Session session(model_on({device}, graph), {.threads = 1});
  const Tensor x = random_tensor({5, 8}, 1);
  const std::vector<Tensor> expected = run_fresh(model_of(graph), {x});
  for (int i = 0; i < 4; ++i) {
    const Copies copies(*device);
    EXPECT_TRUE(same_bits(run(session, {x}), expected)) << i;
    if (i == 0) continue;
    EXPECT_EQ(copies.up(), 1) << "x, once";
    EXPECT_EQ(copies.down(), 2) << "where it is with its number, and the result, not what lies between the segments";
  }
  EXPECT_GT(device->counts().replays, 0);
  EXPECT_EQ(device->complaint(), "");
}

/// Carried values, one of which is read by the condition, and captured ones.
const char* const kLoop = R"(graph (%n: float32[1], %h: float32[?, 8], %w: float32[8, 8]) {
  @zero: float32[1] = {0}
  %go = greater_than(%n, @zero)
  %k = relu(%h)
  %v = relu(%w)
  [%left, %end] = while(%go, [%n, %k], [%v]) graph (%c: bool[1], %i: float32[1], %s: float32[?, 8], %m: float32[8, 8]) {
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

TEST(DeviceTensors, LoopsCarryThemOnTheDevice) {
  const auto device = LateDevice::make();
  const auto model = model_on({device}, kLoop);
  Session session(model, {.threads = 1});
  const auto inputs = [](float n) {
    return std::vector<Tensor>{Tensor::of<float>(Shape{1}, {&n, 1}), random_tensor({3, 8}, 2),
                               random_tensor({8, 8}, 3)};
  };
  const auto plain = model_of(kLoop);
  EXPECT_TRUE(same_bits(run(session, inputs(2)), run_fresh(plain, inputs(2))));
  std::vector<int> up;
  std::vector<int> down;
  for (const float n : {10.F, 20.F}) {
    const Copies copies(*device);
    EXPECT_TRUE(same_bits(run(session, inputs(n)), run_fresh(plain, inputs(n)))) << n;
    up.push_back(copies.up());
    down.push_back(copies.down());
  }
  EXPECT_EQ(up[1] - up[0], 0) << "nothing goes there in an iteration";
  EXPECT_EQ(down[1] - down[0], 10) << "the condition alone comes to the host";
  EXPECT_GT(device->counts().replays, 20) << "iterations are replayed, with two blocks by turns";
  const LateDevice::Counts before = device->counts();
  run(session, inputs(20));
  EXPECT_EQ(device->counts().recordings, before.recordings);
  EXPECT_GE(device->counts().replays - before.replays, 20) << "each of them, the first ones too";
  EXPECT_EQ(device->complaint(), "");
}

TEST(DeviceTensors, LoopsGiveTheBitsOfTheCpuWhateverIsRefused) {
  for (unsigned seed = 1; seed <= 16; ++seed) {
    const Refusals refusals(seed, 40);
    const auto device = LateDevice::make({.threaded = seed % 2 == 0, .seed = seed});
    Session session(model_on({device}, kLoop), {.threads = 1});
    for (const float n : {0.F, 3.F, 3.F, 5.F}) {
      const std::vector<Tensor> inputs{Tensor::of<float>(Shape{1}, {&n, 1}),
                                       random_tensor({1 + static_cast<int64_t>(n), 8}, seed),
                                       random_tensor({8, 8}, seed + 1)};
      EXPECT_TRUE(same_bits(run(session, inputs), run_fresh(model_of(kLoop), inputs))) << seed << " " << n;
    }
    EXPECT_EQ(device->complaint(), "");
  }
}

TEST(DeviceTensors, ObserversSeeThemBetweenSegments) {
  const auto observed = [](const std::shared_ptr<const Model>& model) {
    std::string bytes;
    Session session(model, {.threads = 1});
    session.set_observer([&](const ObservedValue& v) {
      bytes += text(v.node.name, v.is_result ? " gives " : " takes ", v.fact.shape);
      bytes.append(static_cast<const char*>(v.data), v.fact.bytes());
    });
    const float n = 3;
    run(session, {Tensor::of<float>(Shape{1}, {&n, 1}), random_tensor({3, 8}, 2), random_tensor({8, 8}, 3)});
    return bytes;
  };
  EXPECT_EQ(observed(model_on({LateDevice::make()}, kLoop)), observed(model_of(kLoop)));
}

class RandomDeviceTensors : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomDeviceTensors, GiveTheBitsOfTheCpu) {
  const unsigned seed = GetParam();
  const Graph graph = random_graph(seed, 40);
  const auto plain = model_of(Graph(graph));
  const char* const before = "graph (%x \"x\": float32[?, ?, ?, ?]) {\n  %y = relu(%x)\n  return %y \"y\"\n}";
  for (const int percent : {0, 30, 60}) {
    SCOPED_TRACE(text(percent, " % of the nodes refused"));
    const Refusals refusals(seed, percent);
    const auto device = LateDevice::make({.threaded = seed % 2 == 0, .seed = seed});
    {
      Session first(model_on({device}, before), {.threads = 1});
      first.keep_output_on_device(0);
      Session second(model_on({device}, Graph(graph)), {.threads = 2});
      const size_t outputs = second.model().info().outputs.size();
      for (size_t i = 0; i < outputs; i += 1 + seed % 2) second.keep_output_on_device(i);
      for (const Shape& shape : kSmallImages) {
        const Tensor x = random_tensor(shape, seed);
        for (int round = 0; round < 3; ++round) {
          first.set_input(0, x);
          first.run();
          EXPECT_TRUE(same_bits(run(second, {first.output(0)}), run_fresh(plain, run_fresh(model_of(before), {x}))))
              << text(shape) << " round " << round;
        }
      }
    }
    EXPECT_EQ(device->complaint(), "");
    EXPECT_EQ(device->counts().bytes + device->counts().host_bytes, 0U) << "the models are gone";
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomDeviceTensors, ::testing::Range(1U, 13U));

}  // namespace
}  // namespace coracle::internal::test
