// SPDX-License-Identifier: Apache-2.0
// Runs that go on while their caller does: coracle_session_run_async and coracle_session_wait.
#include "api/async.h"

#include <chrono>

namespace coracle::internal::test {
namespace {

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

}  // namespace
}  // namespace coracle::internal::test
