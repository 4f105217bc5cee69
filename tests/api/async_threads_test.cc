// SPDX-License-Identifier: Apache-2.0
// Asynchronous runs of several sessions, threads and processes.
#include <chrono>
#include <random>

#include "api/async.h"
#include "support/forked_child.h"

namespace coracle::internal::test {
namespace {

using AsyncThreads = Async;

TEST_F(AsyncThreads, RunsBeginInTheirOrder) {
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

TEST_F(AsyncThreads, SessionsThatShareAPoolRunAtTheSameTime) {
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

TEST_F(AsyncThreads, SeveralThreadsMayWait) {
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

TEST_F(AsyncThreads, ForkedWhileARunIsUnderWay) {
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

TEST_F(AsyncThreads, RandomInterleavings) {
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
