// SPDX-License-Identifier: Apache-2.0
// Runs that go on while their caller does: coracle_session_run_async and coracle_session_wait.
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "api/endless_model.h"
#include "api/loaded.h"
#include "support/forked_child.h"

namespace coracle::internal::test {
namespace {

constexpr int32_t kRows = 512;

/// What a function was told.
struct Told {
  std::atomic<int> calls{0};
  coracle_status status = CORACLE_OK;
  std::string message;
  std::thread::id thread;

  static void call(void* user, coracle_status status) {
    auto& told = *static_cast<Told*>(user);
    told.status = status;
    told.message = coracle_last_error();
    told.thread = std::this_thread::get_id();
    told.calls.fetch_add(1);
  }
};

class Async : public testing::Test {
 protected:
  SessionHandle ready(int32_t threads, float factor = 1, const coracle_pool* pool = nullptr) {
    coracle_session_options options;
    coracle_session_options_init(&options, sizeof(options));
    options.threads = threads;
    options.pool = pool;
    SessionHandle session = open(model_, &options);
    set(session, factor);
    return session;
  }
  static void set(const SessionHandle& session, float factor) {
    std::vector<float> values(size_t{kRows} * 2);
    for (size_t i = 0; i < values.size(); ++i) values[i] = factor * static_cast<float>(i % 101);
    const int64_t dims[] = {kRows, 2};
    ASSERT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 2, dims, values.data()), CORACLE_OK)
        << coracle_last_error();
  }
  /// A session whose run ends when it is cancelled.
  SessionHandle endless(int32_t threads) {
    coracle_session_options options;
    coracle_session_options_init(&options, sizeof(options));
    options.threads = threads;
    SessionHandle session = open(endless_, &options);
    const int64_t dims[] = {1};
    const float zero = 0;
    EXPECT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 1, dims, &zero), CORACLE_OK);
    return session;
  }
  static coracle_status start(const SessionHandle& session, Told* told = nullptr,
                              const coracle_run_options* options = nullptr) {
    return coracle_session_run_async(session.get(), options, told == nullptr ? nullptr : &Told::call, told);
  }
  static std::vector<float> result(const coracle_session* session) {
    std::vector<float> values(size_t{kRows} * 2);
    EXPECT_EQ(coracle_session_copy_output(session, 1, values.data(), values.size() * sizeof(float)), CORACLE_OK)
        << coracle_last_error();
    return values;
  }
  static std::vector<float> run(const SessionHandle& session) {
    EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
    return result(session.get());
  }
  static coracle_run_options limited(int64_t ms) {
    coracle_run_options options;
    coracle_run_options_init(&options, sizeof(options));
    options.time_limit_ms = ms;
    return options;
  }

  const ModelBytes bytes_ = product_model();
  const ModelHandle model_ = load(bytes_);
  const ModelBytes endless_bytes_ = endless_model();
  const ModelHandle endless_ = load(endless_bytes_);
};

TEST_F(Async, GivesWhatARunGives) {
  const SessionHandle session = ready(2);
  const std::vector<float> expected = run(session);
  for (int i = 0; i < 20; ++i) {
    Told told;
    ASSERT_EQ(start(session, &told), CORACLE_OK) << coracle_last_error();
    EXPECT_EQ(coracle_session_wait(session.get()), CORACLE_OK) << coracle_last_error();
    EXPECT_EQ(told.calls.load(), 1) << "it has returned";
    EXPECT_EQ(told.status, CORACLE_OK);
    EXPECT_NE(told.thread, std::this_thread::get_id());
    EXPECT_EQ(coracle_session_wait(session.get()), CORACLE_OK) << "as often as one likes";
    EXPECT_EQ(result(session.get()), expected);
    ASSERT_EQ(start(session), CORACLE_OK) << coracle_last_error();
    EXPECT_EQ(coracle_session_wait(session.get()), CORACLE_OK);
    EXPECT_EQ(result(session.get()), expected);
  }
}

TEST_F(Async, ASessionIsInUseUntilItsRunHasEnded) {
  const SessionHandle session = endless(1);
  Told told;
  ASSERT_EQ(start(session, &told), CORACLE_OK) << coracle_last_error();
  const char* const busy = "in use by its asynchronous run";
  const int64_t dims[] = {1};
  const float one = 1;
  coracle_tensor_view view;
  coracle_memory memory;
  expect_error(start(session), CORACLE_INVALID_ARGUMENT, busy);
  expect_error(coracle_session_run(session.get()), CORACLE_INVALID_ARGUMENT, busy);
  expect_error(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 1, dims, &one), CORACLE_INVALID_ARGUMENT,
               busy);
  expect_error(coracle_session_output(session.get(), 0, &view), CORACLE_INVALID_ARGUMENT, busy);
  expect_error(coracle_session_memory(session.get(), &memory), CORACLE_INVALID_ARGUMENT, busy);
  coracle_session* clone = nullptr;
  EXPECT_EQ(coracle_session_clone(session.get(), &clone), CORACLE_OK) << coracle_last_error();
  coracle_session_free(clone);
  EXPECT_EQ(told.calls.load(), 0);
  ASSERT_EQ(coracle_session_cancel(session.get()), CORACLE_OK);
  expect_error(coracle_session_wait(session.get()), CORACLE_CANCELLED, "the run was cancelled");
  EXPECT_EQ(told.status, CORACLE_CANCELLED);
  EXPECT_NE(told.message.find("the run was cancelled"), std::string::npos) << told.message;
  ASSERT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 1, dims, &one), CORACLE_OK);
  EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK) << "it is ready again: " << coracle_last_error();
}

TEST_F(Async, WhatCannotBeginIsNotStarted) {
  const SessionHandle session = open(model_);
  Told told;
  expect_error(coracle_session_wait(session.get()), CORACLE_INVALID_ARGUMENT, "no asynchronous run of the session");
  expect_error(start(session, &told), CORACLE_INVALID_ARGUMENT, "was not set");
  expect_error(coracle_session_wait(session.get()), CORACLE_INVALID_ARGUMENT, "no asynchronous run of the session");
  set(session, 1);
  const coracle_run_options negative = limited(-1);
  expect_error(start(session, &told, &negative), CORACLE_INVALID_ARGUMENT, "time_limit_ms is -1");
  expect_error(coracle_session_run_async(nullptr, nullptr, nullptr, nullptr), CORACLE_INVALID_ARGUMENT, "'session'");
  expect_error(coracle_session_wait(nullptr), CORACLE_INVALID_ARGUMENT, "'session'");
  EXPECT_EQ(told.calls.load(), 0);
  EXPECT_EQ(start(session, &told), CORACLE_OK) << coracle_last_error();
  EXPECT_EQ(coracle_session_wait(session.get()), CORACLE_OK);
}

TEST_F(Async, LimitsCountFromTheCall) {
  const SessionHandle session = endless(1);
  const coracle_run_options options = limited(20);
  ASSERT_EQ(start(session, nullptr, &options), CORACLE_OK);
  expect_error(coracle_session_wait(session.get()), CORACLE_RUN_FAILURE, "20");
  // One that takes all the room; the other's time is over when its turn comes.
  const SessionHandle all = endless(coracle_default_threads());
  const SessionHandle late = ready(1);
  const coracle_run_options short_time = limited(1);
  ASSERT_EQ(start(all), CORACLE_OK);
  ASSERT_EQ(start(late, nullptr, &short_time), CORACLE_OK);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  coracle_session_cancel(all.get());
  expect_error(coracle_session_wait(all.get()), CORACLE_CANCELLED, "cancelled");
  expect_error(coracle_session_wait(late.get()), CORACLE_RUN_FAILURE, "the run");
  EXPECT_EQ(coracle_session_run(late.get()), CORACLE_OK) << "its own limit holds again";
}

TEST_F(Async, WhatWaitsForItsTurnMayBeCancelled) {
  const SessionHandle all = endless(coracle_default_threads());
  const SessionHandle late = ready(1);
  const std::vector<float> expected = run(late);
  ASSERT_EQ(start(all), CORACLE_OK);
  ASSERT_EQ(start(late), CORACLE_OK);
  coracle_session_cancel(late.get());
  coracle_session_cancel(all.get());
  expect_error(coracle_session_wait(late.get()), CORACLE_CANCELLED, "the run was cancelled");
  EXPECT_EQ(run(late), expected);
}

TEST_F(Async, RunsBeginInTheirOrder) {
  struct Place {
    std::vector<int>* order;
    int number;
  };
  std::vector<int> order;
  std::vector<Place> places;
  std::vector<SessionHandle> sessions;
  const SessionHandle first = endless(coracle_default_threads());
  ASSERT_EQ(start(first), CORACLE_OK);
  for (int i = 0; i < 12; ++i) places.push_back({&order, i});
  for (Place& place : places) {
    sessions.push_back(ready(coracle_default_threads()));  // one at a time
    const coracle_run_function done = [](void* user, coracle_status) {
      const auto* p = static_cast<Place*>(user);
      p->order->push_back(p->number);
    };
    ASSERT_EQ(coracle_session_run_async(sessions.back().get(), nullptr, done, &place), CORACLE_OK);
  }
  coracle_session_cancel(first.get());
  for (const SessionHandle& session : sessions) EXPECT_EQ(coracle_session_wait(session.get()), CORACLE_OK);
  std::vector<int> expected;
  for (int i = 0; i < 12; ++i) expected.push_back(i);
  EXPECT_EQ(order, expected);
}

TEST_F(Async, SessionsThatShareAPoolRunAtTheSameTime) {
  if (coracle_default_threads() < 2) GTEST_SKIP() << "one processor";
  coracle_pool* pool = nullptr;
  ASSERT_EQ(coracle_pool_create(2, &pool), CORACLE_OK);
  const SessionHandle sessions[] = {ready(0, 1, pool), ready(0, 2, pool)};
  coracle_pool_free(pool);
  struct Meeting {
    std::atomic<int> here{0};
    std::atomic<bool> met{false};
  } meeting;
  const coracle_observe_function observe = [](void* user, const coracle_node_value* value) {
    auto* m = static_cast<Meeting*>(user);
    if (value->is_result != 0 || m->met.load()) return 0;
    if (m->here.fetch_add(1) > 0) m->met = true;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!m->met.load() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return 0;
  };
  for (const SessionHandle& session : sessions) {
    ASSERT_EQ(coracle_session_set_observer(session.get(), observe, &meeting), CORACLE_OK);
  }
  for (const SessionHandle& session : sessions) ASSERT_EQ(start(session), CORACLE_OK);
  for (const SessionHandle& session : sessions) EXPECT_EQ(coracle_session_wait(session.get()), CORACLE_OK);
  EXPECT_TRUE(meeting.met.load());
}

TEST_F(Async, FreeingWaits) {
  SessionHandle session = endless(1);
  Told told;
  const coracle_run_options options = limited(50);
  ASSERT_EQ(start(session, &told, &options), CORACLE_OK);
  session.reset();
  EXPECT_EQ(told.calls.load(), 1);
  EXPECT_EQ(told.status, CORACLE_RUN_FAILURE);
}

TEST_F(Async, WhoIsToldMayDoAllWithTheSession) {
  struct Chain {
    coracle_session* session;
    int left;
    std::vector<std::vector<float>> results;
    std::string wrong;
    std::atomic<bool> freed{false};

    static void call(void* user, coracle_status status) {
      auto& c = *static_cast<Chain*>(user);
      if (status != CORACLE_OK) c.wrong += coracle_last_error();
      c.results.push_back(result(c.session));
      if (coracle_session_wait(c.session) != CORACLE_OK) c.wrong += coracle_last_error();
      if (--c.left > 0) {
        if (coracle_session_run_async(c.session, nullptr, call, user) != CORACLE_OK) c.wrong += coracle_last_error();
      } else if (c.left < 0) {
        coracle_session_free(c.session);
        c.freed = true;
      }
    }
  };
  SessionHandle session = ready(1);
  const std::vector<float> expected = run(session);
  Chain chain{session.get(), 25, {}, {}, {}};
  ASSERT_EQ(coracle_session_run_async(session.get(), nullptr, &Chain::call, &chain), CORACLE_OK);
  EXPECT_EQ(coracle_session_wait(session.get()), CORACLE_OK) << "the whole chain is waited for";
  EXPECT_EQ(chain.wrong, "");
  EXPECT_EQ(chain.results, std::vector<std::vector<float>>(25, expected));
  // It frees the session, the last one, in the thread that is told.
  Chain last{session.release(), 0, {}, {}, {}};
  ASSERT_EQ(coracle_session_run_async(last.session, nullptr, &Chain::call, &last), CORACLE_OK);
  while (!last.freed.load()) std::this_thread::yield();
  EXPECT_EQ(last.wrong, "");
  EXPECT_EQ(last.results, std::vector<std::vector<float>>(1, expected));
}

TEST_F(Async, ARunMayNotWaitForAnother) {
  struct Pair {
    coracle_session* other;
    coracle_status waited = CORACLE_OK;
    std::string message;
    bool not_freed = false;
  };
  const SessionHandle never = endless(coracle_default_threads());
  const SessionHandle session = ready(1);
  Pair pair{never.get(), CORACLE_OK, {}, false};
  const coracle_run_function done = [](void* user, coracle_status) {
    auto& p = *static_cast<Pair*>(user);
    EXPECT_EQ(coracle_session_run_async(p.other, nullptr, nullptr, nullptr), CORACLE_OK);
    p.waited = coracle_session_wait(p.other);
    p.message = coracle_last_error();
    coracle_session_free(p.other);
    p.not_freed = std::string(coracle_last_error()).find("was not freed") != std::string::npos;
  };
  ASSERT_EQ(coracle_session_run_async(session.get(), nullptr, done, &pair), CORACLE_OK);
  EXPECT_EQ(coracle_session_wait(session.get()), CORACLE_OK);
  coracle_session_cancel(never.get());
  EXPECT_EQ(coracle_session_wait(never.get()), CORACLE_CANCELLED);
  EXPECT_EQ(pair.waited, CORACLE_INVALID_ARGUMENT);
  EXPECT_NE(pair.message.find("may not wait for another"), std::string::npos) << pair.message;
  EXPECT_TRUE(pair.not_freed);
}

TEST_F(Async, AnObserverMayNeitherWaitForItsRunNorUseTheSession) {
  const SessionHandle session = ready(1);
  struct Seen {
    coracle_session* session;
    int wrong = 0;
    int calls = 0;
  } seen{session.get()};
  const coracle_observe_function observe = [](void* user, const coracle_node_value*) {
    auto& s = *static_cast<Seen*>(user);
    ++s.calls;
    const auto says = [](const char* part) {
      return std::string(coracle_last_error()).find(part) != std::string::npos;
    };
    if (coracle_session_wait(s.session) != CORACLE_INVALID_ARGUMENT || !says("may not wait for another")) ++s.wrong;
    if (coracle_session_run(s.session) != CORACLE_INVALID_ARGUMENT || !says("its own observer")) ++s.wrong;
    coracle_session_free(s.session);
    if (!says("was not freed")) ++s.wrong;
    return 0;
  };
  ASSERT_EQ(coracle_session_set_observer(session.get(), observe, &seen), CORACLE_OK);
  ASSERT_EQ(start(session), CORACLE_OK);
  EXPECT_EQ(coracle_session_wait(session.get()), CORACLE_OK) << coracle_last_error();
  EXPECT_GT(seen.calls, 0);
  EXPECT_EQ(seen.wrong, 0);
}

TEST_F(Async, SeveralThreadsMayWait) {
  const SessionHandle session = endless(1);
  ASSERT_EQ(start(session), CORACLE_OK);
  std::atomic<int> cancelled{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { cancelled += coracle_session_wait(session.get()) == CORACLE_CANCELLED ? 1 : 0; });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  coracle_session_cancel(session.get());
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cancelled.load(), 4);
}

TEST_F(Async, ForkedWhileARunIsUnderWay) {
  SessionHandle session = endless(1);
  SessionHandle ended = ready(1);
  const std::vector<float> expected = run(ended);
  ASSERT_EQ(start(ended), CORACLE_OK);
  ASSERT_EQ(coracle_session_wait(ended.get()), CORACLE_OK);
  ASSERT_EQ(start(session), CORACLE_OK);
  EXPECT_TRUE(holds_in_child([&] {
    const auto says = [](const char* part) {
      return std::string(coracle_last_error()).find(part) != std::string::npos;
    };
    const bool refused = coracle_session_run(session.get()) == CORACLE_INVALID_ARGUMENT &&
                         says("load the model again in this process") &&
                         coracle_session_wait(session.get()) == CORACLE_INVALID_ARGUMENT &&
                         says("when this process was forked");
    session.reset();  // left as it is
    return refused && coracle_session_wait(ended.get()) == CORACLE_OK && run(ended) == expected;
  }));
  if (CORACLE_NO_THREADS_AFTER_FORK == 0) {
    EXPECT_TRUE(holds_in_child([&] {
      if (start(ended) != CORACLE_OK || coracle_session_wait(ended.get()) != CORACLE_OK) return false;
      if (result(ended.get()) != expected) return false;
      ended.reset();
      SessionHandle own = ready(1);
      return start(own) == CORACLE_OK && coracle_session_wait(own.get()) == CORACLE_OK && result(own.get()) == expected;
    })) << "a child has threads of its own";
  }
  EXPECT_TRUE(holds_in_child([&] {
    ended.reset();
    return true;
  })) << "freeing";
  coracle_session_cancel(session.get());
  EXPECT_EQ(coracle_session_wait(session.get()), CORACLE_CANCELLED);
}

TEST_F(Async, RandomInterleavings) {
  constexpr int kThreads = 4;
  constexpr int kSteps = 150;
  std::vector<std::vector<float>> expected;
  for (int factor = 0; factor < 3; ++factor) expected.push_back(run(ready(1, static_cast<float>(factor))));
  coracle_pool* pool = nullptr;
  ASSERT_EQ(coracle_pool_create(2, &pool), CORACLE_OK);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < kSteps; ++i) {
        std::vector<SessionHandle> sessions;
        std::vector<int> factors;
        std::vector<bool> cancelled;
        Told told[3];
        for (Told& each : told) {
          factors.push_back(static_cast<int>(random() % 3));
          sessions.push_back(ready(static_cast<int32_t>(random() % 3), static_cast<float>(factors.back()),
                                   random() % 2 == 0 ? pool : nullptr));
          if (start(sessions.back(), &each) != CORACLE_OK) wrong.fetch_add(1);
          cancelled.push_back(random() % 4 == 0);
          if (cancelled.back()) coracle_session_cancel(sessions.back().get());
        }
        for (size_t s = 0; s < sessions.size(); ++s) {
          if (random() % 4 == 0) {
            sessions[s].reset();
            if (told[s].calls.load() != 1) wrong.fetch_add(1);
            continue;
          }
          const coracle_status status = coracle_session_wait(sessions[s].get());
          if (told[s].calls.load() != 1 || told[s].status != status) wrong.fetch_add(1);
          if (status != CORACLE_OK && !(cancelled[s] && status == CORACLE_CANCELLED)) wrong.fetch_add(1);
          if (status == CORACLE_OK && result(sessions[s].get()) != expected[static_cast<size_t>(factors[s])]) {
            wrong.fetch_add(1);
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  coracle_pool_free(pool);
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace coracle::internal::test
