// SPDX-License-Identifier: Apache-2.0
// Blocks beside each other and beside native work give what they give one after the other, whatever happens.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "run/session_results.h"
#include "support/engine_models.h"
#include "support/forked_child.h"
#include "support/random_graph.h"
#include "support/warnings.h"

namespace coracle::internal::test {
namespace {

constexpr auto kLongest = std::chrono::seconds(30);  // that a test waits for what must happen

/// Each of `count` threads waits here until all have come.
class Meeting {
 public:
  explicit Meeting(int count) : count_(count) {}
  void come() {
    std::unique_lock lock(mutex_);
    ++come_;
    changed_.notify_all();
    if (!changed_.wait_for(lock, kLongest, [&] { return come_ >= count_; }))
      fail(ErrorCode::kRunFailure, "nobody came");
  }
  bool held() {
    const std::lock_guard lock(mutex_);
    return come_ >= count_;
  }

 private:
  const int count_;
  int come_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// relu runs on the engine, and sigmoid, which waits for tanh, which runs natively.
constexpr const char* kTwoBlocks = R"(graph (%x "x": float32[8, 33]) {
  %1 = relu(%x)
  %2 = tanh(%x)
  %3 = sigmoid(%2)
  %4 = maximum(%1, %3)
  return %4 "y"
}
)";

struct TwoBlocks {
  std::shared_ptr<ChanceEngine> engine = ChanceEngine::make("chance", 0, 100);
  std::shared_ptr<const Model> model = [&] {
    UsedEngine used = use(*engine);
    used.automatic = false;
    const auto mark = [](std::string type) {
      return EngineMark{.kind = EngineMark::Kind::kType, .pattern = std::move(type)};
    };
    return model_of(kTwoBlocks, with_engines({.engines = {used}, .marks = {mark("relu"), mark("sigmoid")}}));
  }();
  Tensor x = random_tensor({8, 33}, 1);
  std::vector<Tensor> expected = run_fresh(model_of(kTwoBlocks), {x});
};

TEST(ParallelEngines, RunBesideEachOtherAndBesideNativeWork) {
  const TwoBlocks two;
  ASSERT_EQ(two.model->engine_report().blocks, 2);
  Session session(two.model, {.threads = 2, .parallel_engines = 2});
  session.set_profiling(true);
  for (int i = 0; i < 3; ++i) {
    const Warnings warnings;
    Meeting meeting(2);
    two.engine->set_hook([&] { meeting.come(); });
    EXPECT_TRUE(same_bits(run(session, {two.x}), two.expected));
    EXPECT_TRUE(meeting.held());
    EXPECT_EQ(warnings.all(), "");
    // What both waited for, and they for each other, can only have been done on different threads.
    int lanes = 0;
    for (const ProfileEvent& e : session.profile()) lanes += e.device == "engine lane 1" ? 1 : 0;
    EXPECT_EQ(lanes, 1);
    EXPECT_EQ(session.profile().size(), 4U);
  }
  EXPECT_EQ(two.engine->counts().threads, 1) << "each has its part of two threads";
}

TEST(ParallelEngines, TakeBlocksOfAsynchronousRuns) {
  const TwoBlocks two;
  std::atomic<int> runs{0};
  two.engine->set_hook([&] { runs.fetch_add(1); });
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 3; ++i) {
    sessions.push_back(
        std::make_unique<Session>(two.model, SessionOptions{.threads = 2, .parallel_engines = 1 + i % 2}));
    sessions.back()->set_input(0, two.x);
  }
  for (int i = 0; i < 5; ++i) {
    for (const auto& session : sessions) session->run_async({}, nullptr);
    for (const auto& session : sessions) {
      session->wait();
      EXPECT_TRUE(same_bits({session->output(0)}, two.expected));
    }
  }
  EXPECT_EQ(runs.load(), 30);
  two.engine->set_hook(nullptr);
}

/// Most runs of an engine at a time.
class Crowd {
 public:
  explicit Crowd(ChanceEngine& engine) {
    engine.set_hook([this] {
      int most = most_;
      const int now = ++inside_;
      while (now > most && !most_.compare_exchange_weak(most, now)) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      --inside_;
    });
  }
  int most() const { return most_; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> most_{0};
};

TEST(ParallelEngines, AreNoMoreThanAskedForNorThanThreads) {
  for (const auto& [threads, parallel, most] : {std::tuple{1, 4, 1}, {4, 1, 1}, {2, 4, 2}, {4, 2, 2}}) {
    const TwoBlocks two;
    const Crowd crowd(*two.engine);
    Session session(two.model, {.threads = threads, .parallel_engines = parallel});
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(same_bits(run(session, {two.x}), two.expected));
    EXPECT_LE(crowd.most(), most);
    EXPECT_EQ(two.engine->counts().threads, threads / most) << "threads of a block";
    two.engine->set_hook(nullptr);
  }
}

TEST(ParallelEngines, ThatAreAloneHaveAllThreads) {
  const auto engine = ChanceEngine::make("chance", 0, 100);
  const auto model = model_of(R"(graph (%x "x": float32[4]) {
  %1 = relu(%x)
  %2 = sigmoid(%1)
  return %2 "y"
}
)",
                              with_engines({.engines = {use(*engine)}}));
  Session session(model, {.threads = 4, .parallel_engines = 2});
  run(session, {random_tensor({4}, 1)});
  EXPECT_EQ(engine->counts().threads, 4);
}

class RandomParallelEngines : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomParallelEngines, GiveTheBitsOfASequence) {
  const unsigned seed = GetParam();
  const Graph graph = random_graph(seed, 60);
  int async = 0;
  for (const int percent : {30, 60}) {
    const auto engine = ChanceEngine::make("chance", seed, percent);
    const auto other = ChanceEngine::make("other", seed + 7, 60);
    const auto model = model_of(Graph(graph), with_engines({.engines = {use(*engine), use(*other)}, .min_ops = 1}));
    const Graph& cut = model->program()->graph();
    async += static_cast<int>(std::count_if(cut.order().begin(), cut.order().end(),
                                            [&](NodeId id) { return model->engine_blocks().async(cut, id); }));
    std::vector<std::unique_ptr<Session>> sessions;
    for (const int parallel : {2, 3, 4}) {
      sessions.push_back(std::make_unique<Session>(model, SessionOptions{.threads = 4, .parallel_engines = parallel}));
    }
    const size_t limit = size_t{64} << 20U;
    sessions.push_back(std::make_unique<Session>(
        model, SessionOptions{.threads = 2, .cache_bytes = 0, .memory_limit = limit, .parallel_engines = 2}));
    for (const Shape& shape : {Shape{1, 4, 8, 8}, {2, 4, 5, 7}, {1, 4, 33, 20}, {1, 4, 8, 8}}) {
      const Tensor x = random_tensor(shape, seed);
      const std::vector<Tensor> expected = run_fresh(model, {x});
      for (const auto& session : sessions) {
        for (int i = 0; i < 3; ++i) {
          EXPECT_TRUE(same_bits(run(*session, {x}), expected))
              << session->options().parallel_engines << " at a time, run " << i << text(shape);
        }
      }
    }
  }
  EXPECT_GT(async, 0);
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomParallelEngines, ::testing::Range(1U, 9U));

TEST(ParallelEngines, ThatFailRunNativelyWithOneNotice) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const Graph graph = random_graph(seed, 60);
    const Tensor x = random_tensor({1, 4, 6, 6}, 1);
    for (const auto& [name, faults] : {std::pair{"compile", ChanceFaults{.compile = 2}},
                                       {"start", {.start = 2}},
                                       {"run", {.run = 1}},
                                       {"later run", {.run = 3}},
                                       {"memory", {.memory = 2}}}) {
      SCOPED_TRACE(text(name, " ", seed));
      const auto engine = ChanceEngine::make("chance", seed, 50);
      const auto model = model_of(Graph(graph), with_engines({.engines = {use(*engine)}, .min_ops = 1}));
      const std::vector<Tensor> expected = run_fresh(model, {x});
      const auto again = model_of(Graph(graph), with_engines({.engines = {use(*engine)}, .min_ops = 1}));
      const Warnings warnings;
      const ChanceEngine::Counts before = engine->counts();
      ChanceFaults later = faults;
      if (later.compile != 0) later.compile += before.compiled;
      if (later.start != 0) later.start += before.compiled;
      if (later.run != 0) later.run += before.runs;
      if (later.memory != 0) later.memory += before.runs;
      engine->set_faults(later);
      Session session(again, {.threads = 3, .parallel_engines = 3});
      for (int i = 0; i < 4; ++i) EXPECT_TRUE(same_bits(run(session, {x}), expected)) << "run " << i;
      const std::string told = warnings.all();
      EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
      EXPECT_NE(told.find("natively"), std::string::npos) << told;
    }
  }
}

TEST(ParallelEngines, EndAtCancelAndTimeLimit) {
  const TwoBlocks two;
  Session session(two.model, {.threads = 2, .parallel_engines = 2});
  run(session, {two.x});
  two.engine->set_hook([&] { session.cancel(); });
  EXPECT_THROW(
      {
        try {
          session.run();
        } catch (const Error& e) {
          EXPECT_EQ(e.code(), ErrorCode::kCancelled) << e.text();
          throw;
        }
      },
      Error);
  two.engine->set_hook(nullptr);
  EXPECT_TRUE(same_bits(run(session, {two.x}), two.expected));

  Session limited(two.model, {.threads = 2, .time_limit_ms = 2000, .parallel_engines = 2});
  EXPECT_TRUE(same_bits(run(limited, {two.x}), two.expected));
  two.engine->set_hook([&] { std::this_thread::sleep_for(std::chrono::milliseconds(2500)); });
  const Warnings warnings;
  EXPECT_THROW(run(limited, {two.x}), Error);
  two.engine->set_hook(nullptr);
  EXPECT_TRUE(same_bits(run(limited, {two.x}), two.expected));
  EXPECT_EQ(warnings.all(), "") << "the engine is not to blame";
}

TEST(ParallelEngines, FailNativelyTooWithoutBlameForTheEngine) {
  const auto engine = ChanceEngine::make("chance", 1, 100);
  UsedEngine used = use(*engine);
  used.automatic = false;
  const auto mark = [](std::string type) {
    return EngineMark{.kind = EngineMark::Kind::kType, .pattern = std::move(type)};
  };
  const auto model = model_of(R"(graph (%x "x": float32[4, 3], %i "i": int64[100]) {
  @a: int32[1] = {0}
  %1 = gather(%x, %i, @a)
  %2 = relu(%x)
  %3 = tanh(%2)
  return %1 "y", %3 "z"
}
)",
                              with_engines({.engines = {used}, .marks = {mark("gather"), mark("relu")}}));
  const Warnings warnings;
  Session session(model, {.threads = 2, .parallel_engines = 2});
  const Tensor x = random_tensor({4, 3}, 1);
  const auto indices = [](int64_t last) {
    std::vector<int64_t> all(100, 1);
    all.back() = last;
    return Tensor::ints(all);
  };
  const std::vector<Tensor> expected = run(session, {x, indices(3)});
  for (int i = 0; i < 3; ++i) EXPECT_THROW(run(session, {x, indices(4)}), Error);
  const int before = engine->counts().runs;
  EXPECT_TRUE(same_bits(run(session, {x, indices(3)}), expected));
  EXPECT_EQ(engine->counts().runs, before + 2) << "both still run on the engine";
  EXPECT_EQ(warnings.all(), "");
}

TEST(ParallelEngines, ShowValuesInTheOrderOfTheProgram) {
  const TwoBlocks two;
  Session session(two.model, {.threads = 2, .parallel_engines = 2});
  const std::thread::id here = std::this_thread::get_id();
  std::vector<std::string> results;
  session.set_observer([&](const ObservedValue& value) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    if (value.is_result) results.push_back(value.node.name);
  });
  EXPECT_TRUE(same_bits(run(session, {two.x}), two.expected));
  EXPECT_EQ(results.size(), 4U);
}

#ifndef CORACLE_SANITIZED  // ThreadSanitizer has a thread of its own
TEST(ParallelEngines, StartThreadsOfTheirOwnInAForkedProcess) {
  const TwoBlocks two;
  auto* session = new Session(two.model, {.threads = 2, .parallel_engines = 2});
  run(*session, {two.x});
  EXPECT_TRUE(holds_in_child([&] {
    if (!same_bits(run(*session, {two.x}), two.expected)) return false;
    delete session;
    Session own(two.model, {.threads = 2, .parallel_engines = 2});
    return same_bits(run(own, {two.x}), two.expected);
  }));
  delete session;
}
#endif

}  // namespace
}  // namespace coracle::internal::test
