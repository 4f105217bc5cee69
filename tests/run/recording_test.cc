// SPDX-License-Identifier: Apache-2.0
// What a device records of a segment, and replays from then on, gives the bits of the same calls one at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "run/session_results.h"
#include "support/late_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

class RandomRecording : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomRecording, GivesTheBitsOfSingleCalls) {
  const unsigned seed = GetParam();
  const Graph graph = random_graph(seed, 40);
  const auto plain = model_of(Graph(graph));
  for (const int percent : {0, 30, 60}) {
    SCOPED_TRACE(text(percent, " % of the nodes refused"));
    const Refusals refusals(seed, percent);
    const auto device = LateDevice::make({.threaded = seed % 2 == 0, .seed = seed});
    {
      Session session(model_on({device}, Graph(graph)), {.threads = 2});
      std::mt19937 random(seed);
      for (int i = 0; i < 24; ++i) {
        // Each size runs a few times; then there is other memory, or the same for other steps.
        const Shape& shape = kSmallImages[i < 12 ? static_cast<size_t>(i) / 4 % std::size(kSmallImages)
                                                 : random() % std::size(kSmallImages)];
        const Tensor x = random_tensor(shape, seed + static_cast<unsigned>(i));
        EXPECT_TRUE(same_bits(run(session, {x}), run_fresh(plain, {x}))) << "run " << i << " of " << text(shape);
        if (i == 15) session.release_memory();
      }
    }
    EXPECT_EQ(device->complaint(), "");
    if (percent == 0) {
      EXPECT_GT(device->counts().replays, device->counts().recordings);
    }
    EXPECT_EQ(device->counts().bytes + device->counts().host_bytes, 0U) << "the model is gone";
  }
}

TEST_P(RandomRecording, IsMadeOnceForEachSizeInWhateverOrder) {
  const unsigned seed = GetParam();
  for (const int percent : {0, 30, 60}) {
    SCOPED_TRACE(text(percent, " % of the nodes refused"));
    const Refusals refusals(seed, percent);
    const auto device = LateDevice::make({.seed = seed});
    Session session(model_on({device}, random_graph(seed, 40)), {.threads = 1});
    std::vector<Shape> order = kSmallImages;
    std::mt19937 random(seed);
    // Memory grows, is bound for the first time, and what runs is recorded.
    for (int round = 0; round < 3; ++round) {
      for (const Shape& shape : order) run(session, {random_tensor(shape, seed)});
    }
    const LateDevice::Counts before = device->counts();
    for (int round = 0; round < 3; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      for (const Shape& shape : order) run(session, {random_tensor(shape, seed)});
    }
    EXPECT_EQ(device->counts().recordings, before.recordings);
    EXPECT_EQ(device->counts().allocations, before.allocations);
    if (before.replays > 0) {
      EXPECT_GT(device->counts().replays, before.replays);
    }
    EXPECT_EQ(device->complaint(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomRecording, ::testing::Range(1U, 13U));

const Tensor& picture() {
  static const Tensor x = random_tensor({1, 4, 9, 7}, 1);
  return x;
}

/// Two kernels on the device, one on the host, and two on the device.
const char* const kTwoStretches = R"(graph (%x "x": float32[?, 8]) {
  @w: float32[8, 8] = random(1)
  %a = matmul(%x, @w)
  %b = matmul(%a, @w)
  %c = softmax(%b)
  %d = matmul(%c, @w)
  %e = matmul(%d, @w)
  return %e "y"
})";
std::shared_ptr<const Model> two_stretches_on(const std::shared_ptr<LateDevice>& device) {
  return model_on({device}, kTwoStretches, {"late.softmax", "late.reference"});
}
const Tensor& rows() {
  static const Tensor x = random_tensor({5, 8}, 1);
  return x;
}

/// The error of a run; fails the test where there is none.
std::string text_of_failure(Session& session) {
  try {
    run(session, {rows()});
  } catch (const Error& e) {
    return e.text();
  }
  ADD_FAILURE() << "the run succeeded";
  return {};
}

TEST(Recording, IsMadeInTheSecondRunWithTheSameMemory) {
  const auto device = LateDevice::make();
  Session session(model_on({device}, random_graph(4, 30)), {.threads = 1});
  std::vector<int> recordings;
  std::vector<int> replays;
  for (int i = 0; i < 4; ++i) {
    run(session, {picture()});
    recordings.push_back(device->counts().recordings);
    replays.push_back(device->counts().replays);
  }
  const int stretches = recordings[1];
  EXPECT_GT(stretches, 0);
  EXPECT_EQ(recordings, (std::vector<int>{0, stretches, stretches, stretches}));
  EXPECT_EQ(replays, (std::vector<int>{0, stretches, 2 * stretches, 3 * stretches}));
  // Larger images need more memory, which is elsewhere.
  run(session, {random_tensor({1, 4, 90, 70}, 1)});
  run(session, {picture()});
  EXPECT_EQ(device->counts().replays, 3 * stretches);
  EXPECT_EQ(device->counts().recordings, stretches);
  run(session, {picture()});
  EXPECT_EQ(device->counts().recordings, 2 * stretches);
  EXPECT_EQ(device->complaint(), "");
}

TEST(Recording, IsNotNeeded) {
  const std::vector<Tensor> expected = run_fresh(model_of(random_graph(4, 30)), {picture()});
  const auto without = LateDevice::make({.records = false});
  const auto fails = LateDevice::make({.faults = {.recording = 1}});
  for (const auto& device : {without, fails}) {
    Session session(model_on({device}, random_graph(4, 30)), {.threads = 1});
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(same_bits(run(session, {picture()}), expected)) << i;
    EXPECT_EQ(device->complaint(), "");
  }
  EXPECT_EQ(without->counts().recordings + without->counts().replays, 0);
  EXPECT_EQ(fails->counts().replays, 3 * (fails->counts().recordings - 1)) << "one is missing, in each run";
}

TEST(Recording, IsNotUsedWhereSomebodyWatches) {
  const auto device = LateDevice::make();
  Session session(model_on({device}, random_graph(4, 30)), {.threads = 1});
  const std::vector<Tensor> expected = run(session, {picture()});
  for (int i = 0; i < 3; ++i) run(session, {picture()});
  const int replays = device->counts().replays;
  session.set_profiling(true);
  EXPECT_TRUE(same_bits(run(session, {picture()}), expected));
  EXPECT_GT(session.profile().size(), 10U) << "each kernel has its time";
  session.set_profiling(false);
  int seen = 0;
  session.set_observer([&](const ObservedValue&) { ++seen; });
  EXPECT_TRUE(same_bits(run(session, {picture()}), expected));
  EXPECT_GT(seen, 20);
  session.set_observer(nullptr);
  EXPECT_EQ(device->counts().replays, replays);
  EXPECT_TRUE(same_bits(run(session, {picture()}), expected));
  EXPECT_GT(device->counts().replays, replays);
  EXPECT_EQ(device->complaint(), "");
}

TEST(Recording, FailuresOfReplaysNameTheOperators) {
  const std::vector<Tensor> expected = run_fresh(model_of(kTwoStretches), {rows()});
  for (const bool threaded : {false, true}) {
    const auto device = LateDevice::make({.threaded = threaded});
    Session session(two_stretches_on(device), {.threads = 1});
    std::string failures;
    // A copy there, two kernels, a copy back; and again.
    for (int n = 1; n <= 8; ++n) {
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(same_bits(run(session, {rows()}), expected)) << n;
      const int replays = device->counts().replays;
      device->set_faults({.operation = n});
      const std::string failure = text_of_failure(session);
      EXPECT_NE(failure.find("the device made a mistake"), std::string::npos) << failure;
      EXPECT_TRUE(failure.find("running operators linear (") != std::string::npos ||
                  failure.find("copying tensors between the host and ") != std::string::npos)
          << failure;
      failures += failure;
      EXPECT_GT(device->counts().replays, replays) << "it was a replay that failed";
      device->set_faults({});
    }
    EXPECT_NE(failures.find("running operators linear ("), std::string::npos) << failures;
    EXPECT_EQ(device->complaint(), "");
  }
}

TEST(Recording, DataThatMakesAReplayFailNamesTheOperator) {
  const auto device = LateDevice::make();
  Session session(model_on({device}, R"(graph (%x: float32[?, 4], %i: int64[?]) {
    %a = relu(%x)
    %b = gather(%a, %i)
    %c = exp(%b)
    return %c "y" })"),
                  {.threads = 1});
  const Tensor x = random_tensor({3, 4}, 1);
  const int64_t good[] = {2, 0};
  const int64_t bad[] = {2, 70};
  const std::vector<Tensor> expected = run(session, {x, Tensor::ints(good)});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(run(session, {x, Tensor::ints(good)}), expected));
  EXPECT_GT(device->counts().replays, 0);
  try {
    run(session, {x, Tensor::ints(bad)});
    ADD_FAILURE() << "an index is out of range";
  } catch (const Error& e) {
    EXPECT_NE(e.text().find("70"), std::string::npos) << e.text();
    EXPECT_NE(e.text().find("gather"), std::string::npos) << e.text();
  }
  EXPECT_TRUE(same_bits(run(session, {x, Tensor::ints(good)}), expected));
}

TEST(Recording, RunsEndBetweenReplays) {
  std::atomic<uint32_t> cancelled = 0;
  int left = 0;
  const auto device = LateDevice::make({.replayed = [&] { cancelled = --left == 0 ? 1 : 0; }});
  Session session(two_stretches_on(device), {.threads = 1});
  const std::vector<Tensor> expected = run(session, {rows()});
  run(session, {rows()});
  const int stretches = device->counts().recordings;
  ASSERT_EQ(stretches, 2);
  for (int n = 1; n <= stretches; ++n) {
    // In the run that records, and in one that only replays.
    for (const int before : {1, 3}) {
      for (int i = 0; i < before; ++i) EXPECT_TRUE(same_bits(run(session, {rows()}), expected));
      left = n;
      const int replays = device->counts().replays;
      try {
        session.run({.cancelled = &cancelled});
        ADD_FAILURE() << "the run was not cancelled after replay " << n;
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::kCancelled) << e.text();
      }
      EXPECT_EQ(device->counts().replays, replays + n);
      left = 0;
      cancelled = 0;
    }
  }
  EXPECT_TRUE(same_bits(run(session, {rows()}), expected));
  EXPECT_EQ(device->complaint(), "");
}

}  // namespace
}  // namespace coracle::internal::test
