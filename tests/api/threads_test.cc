// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <set>
#include <thread>
#include <vector>

#include "api/loaded.h"
#include "support/forked_child.h"

// What the C interface promises to threads, observers and forked processes.
namespace coracle::internal::test {
namespace {

constexpr int32_t kRows = 4096;  // so many that threads share the work

std::vector<float> values(int32_t rows) {
  std::vector<float> all(static_cast<size_t>(rows) * 2);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i % 101) - 50.0F;
  return all;
}

/// Whether `status` says that all is well, or that the session is busy.
bool well_or(coracle_status status, const char* busy) {
  return status == CORACLE_OK ||
         (status == CORACLE_INVALID_ARGUMENT && std::string(coracle_last_error()).find(busy) != std::string::npos);
}

/// Calls all that a session can do except to set inputs and to end. Returns those that did not answer as expected.
std::string call_everything(coracle_session* s, const std::function<bool(coracle_status)>& expected) {
  std::string wrong;
  const auto call = [&](const char* name, coracle_status status) {
    if (!expected(status)) wrong += std::string(name) + ": " + coracle_last_error() + "\n";
  };
  coracle_memory memory;
  coracle_tensor_view view;
  const char* json = nullptr;
  const size_t* offsets = nullptr;
  size_t size = 0;
  std::vector<float> room(static_cast<size_t>(kRows) * 2);
  call("set_profiling", coracle_session_set_profiling(s, 1));
  call("profile", coracle_session_profile(s, &json));
  call("memory", coracle_session_memory(s, &memory));
  call("explain", coracle_session_explain(s, &json));
  call("planned_memory", coracle_session_planned_memory(s, &size));
  call("device_memory", coracle_session_device_memory(s, &size));
  char* text = nullptr;
  call("graph_text", coracle_session_graph_text(s, &text));
  coracle_string_free(text);
  call("output", coracle_session_output(s, 1, &view));
  call("copy_output", coracle_session_copy_output(s, 1, room.data(), room.size() * sizeof(float)));
  if (coracle_session_output_lod(s, 1, 0, &offsets, &size) == CORACLE_OK) wrong += "output_lod: there is none\n";
  call("set_observer", coracle_session_set_observer(s, nullptr, nullptr));
  return wrong;
}

class Threads : public testing::Test {
 protected:
  void set(const SessionHandle& session) const {
    const int64_t dims[] = {kRows, 2};
    ASSERT_EQ(coracle_session_borrow_input(session.get(), 0, CORACLE_FLOAT32, 2, dims, input_.data()), CORACLE_OK);
  }
  SessionHandle ready(const coracle_session_options& options) const {
    SessionHandle session = open(model_, &options);
    set(session);
    return session;
  }
  SessionHandle ready(int32_t threads, const coracle_pool* pool = nullptr) const {
    coracle_session_options options;
    coracle_session_options_init(&options, sizeof(options));
    options.threads = threads;
    options.pool = pool;
    return ready(options);
  }
  static std::vector<float> run(const SessionHandle& session) {
    EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
    std::vector<float> result(static_cast<size_t>(kRows) * 2);
    EXPECT_EQ(coracle_session_copy_output(session.get(), 1, result.data(), result.size() * sizeof(float)), CORACLE_OK)
        << coracle_last_error();
    return result;
  }

  const ModelBytes bytes_ = product_model();
  const ModelHandle model_ = load(bytes_);
  const std::vector<float> input_ = values(kRows);
};

TEST_F(Threads, EveryCallDuringARunOfAnotherThreadIsRefusedOrWaitsForItsEnd) {
  const SessionHandle session = ready(2);
  const std::vector<float> expected = run(session);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::thread runner([&] {
    for (int i = 0; i < 300 || !stop.load(); ++i) {
      if (!well_or(coracle_session_run(session.get()), "in use by another thread")) wrong.fetch_add(1);
    }
  });
  std::string complaints;
  for (int i = 0; i < 200; ++i) {
    // Between a run that was refused and the next there may be no results.
    complaints += call_everything(session.get(), [](coracle_status status) {
      return well_or(status, "in use by another thread") || well_or(status, "no outputs before a run");
    });
  }
  stop = true;
  runner.join();
  EXPECT_EQ(complaints, "");
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(run(session), expected) << "nothing was damaged";
}

TEST_F(Threads, TextsStayWhateverOtherThreadsAsk) {
  const SessionHandle session = ready(1);
  ASSERT_EQ(coracle_session_set_profiling(session.get(), 1), CORACLE_OK);
  run(session);
  const char* text = nullptr;
  ASSERT_EQ(coracle_session_profile(session.get(), &text), CORACLE_OK);
  const std::string before = text;
  std::thread([&] {
    run(session);
    const char* other = nullptr;
    EXPECT_EQ(coracle_session_explain(session.get(), &other), CORACLE_OK);
    EXPECT_EQ(coracle_session_profile(session.get(), &other), CORACLE_OK);
    EXPECT_NE(other, text);
  }).join();
  EXPECT_EQ(text, before);
}

TEST_F(Threads, AnObserverMayNotUseItsSession) {
  SessionHandle session = ready(2);
  struct Seen {
    coracle_session* session;
    std::string wrong;
    int calls = 0;
    bool told = false;
  } seen{session.get(), {}};
  const coracle_observe_function observe = [](void* user, const coracle_node_value*) {
    auto* s = static_cast<Seen*>(user);
    s->wrong += call_everything(s->session, [](coracle_status status) {
      return status == CORACLE_INVALID_ARGUMENT && well_or(status, "in use by its own observer");
    });
    if (!well_or(coracle_session_run(s->session), "in use by its own observer")) s->wrong += "run\n";
    coracle_session_free(s->session);
    s->told = std::string(coracle_last_error()).find("was not freed") != std::string::npos;
    ++s->calls;
    return 0;
  };
  ASSERT_EQ(coracle_session_set_observer(session.get(), observe, &seen), CORACLE_OK);
  const std::vector<float> observed = run(session);
  EXPECT_GT(seen.calls, 0);
  EXPECT_EQ(seen.wrong, "");
  EXPECT_TRUE(seen.told);
  ASSERT_EQ(coracle_session_set_observer(session.get(), nullptr, nullptr), CORACLE_OK);
  EXPECT_EQ(run(session), observed);
}

TEST_F(Threads, AForkedChildGoesOnWithThreadsOfItsOwn) {
  SessionHandle session = ready(3);
  coracle_pool* pool = nullptr;
  ASSERT_EQ(coracle_pool_create(3, &pool), CORACLE_OK);
  SessionHandle pooled = ready(0, pool);
  const std::vector<float> expected = run(session);
  EXPECT_EQ(run(pooled), expected);
  if (CORACLE_NO_THREADS_AFTER_FORK == 0) {
    EXPECT_TRUE(holds_in_child([&] { return run(session) == expected && run(session) == expected; }));
    EXPECT_TRUE(holds_in_child([&] { return run(pooled) == expected && run(ready(0, pool)) == expected; }));
    EXPECT_TRUE(holds_in_child([&] {
      if (run(session) != expected) return false;
      session.reset();
      return holds_in_child([&] { return run(pooled) == expected; });
    })) << "the child of a child";
  }
  EXPECT_TRUE(holds_in_child([&] {
    session.reset();
    pooled.reset();
    coracle_pool_free(pool);
    return true;
  })) << "freeing";
  EXPECT_TRUE(holds_in_child([&] { return run(ready(CORACLE_NO_THREADS_AFTER_FORK != 0 ? 1 : 3)) == expected; }));
  EXPECT_TRUE(holds_in_child([&] {
    coracle_session* clone = nullptr;
    if (coracle_session_clone(session.get(), &clone) != CORACLE_OK) return false;
    const SessionHandle owner(clone);
    set(owner);
    return CORACLE_NO_THREADS_AFTER_FORK != 0 || run(owner) == expected;
  }));
  EXPECT_EQ(run(session), expected) << "in the parent all is as before";
  coracle_pool_free(pool);
}

TEST_F(Threads, WithoutThreadsAForkedChildGoesOn) {
  const SessionHandle session = ready(1);
  const std::vector<float> expected = run(session);
  EXPECT_TRUE(holds_in_child([&] { return run(session) == expected; }));
}

TEST_F(Threads, ForkedWhileAnotherThreadRuns) {
  SessionHandle session = ready(1);
  struct Gate {
    std::atomic<bool> reached{false};
    std::atomic<bool> open{false};
  } gate;
  const coracle_observe_function observe = [](void* user, const coracle_node_value*) {
    auto* g = static_cast<Gate*>(user);
    g->reached = true;
    while (!g->open.load()) std::this_thread::yield();
    return 0;
  };
  ASSERT_EQ(coracle_session_set_observer(session.get(), observe, &gate), CORACLE_OK);
  std::thread runner([&] { EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK); });
  while (!gate.reached.load()) std::this_thread::yield();
  EXPECT_TRUE(holds_in_child([&] {
    const bool refused =
        coracle_session_run(session.get()) == CORACLE_INVALID_ARGUMENT &&
        std::string(coracle_last_error()).find("load the model again in this process") != std::string::npos;
    session.reset();
    return refused;
  }));
  gate.open = true;
  runner.join();
}

/// Processors that the threads of this process but the calling one may run on, each as a text of numbers.
std::set<std::string> processors_of_helpers() {
  std::set<std::string> all;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto id = static_cast<pid_t>(std::stol(task.path().filename()));
    cpu_set_t cpus;
    if (id == ::getpid() || ::sched_getaffinity(id, sizeof(cpus), &cpus) != 0) continue;
    std::string text;
    for (int i = 0; i < CPU_SETSIZE; ++i) text += CPU_ISSET(i, &cpus) ? std::to_string(i) + " " : "";
    all.insert(text);
  }
  return all;
}

TEST_F(Threads, PoolsOnProcessorsThatWereNamed) {
  coracle_pool* pool = nullptr;
  expect_error(coracle_pool_create_on("a", 0, &pool), CORACLE_INVALID_ARGUMENT, "cpus is 'a'");
  expect_error(coracle_pool_create_on(nullptr, 0, &pool), CORACLE_INVALID_ARGUMENT, "argument 'cpus' is null");
  expect_error(coracle_pool_create_on("0", -1, &pool), CORACLE_INVALID_ARGUMENT, "threads is -1");
  expect_error(coracle_pool_create_on("node4000", 0, &pool), CORACLE_INVALID_ARGUMENT, "no such NUMA node");
  EXPECT_EQ(coracle_pool_threads(nullptr), 0);
  cpu_set_t mine;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(mine), &mine), 0);
  if (CPU_COUNT(&mine) < 2) GTEST_SKIP() << "one processor";
  int last = CPU_SETSIZE - 1;
  while (CPU_ISSET(last, &mine) == 0) --last;
  const std::string others = std::to_string(last);

  const std::vector<float> expected = run(ready(1));
  ASSERT_EQ(coracle_pool_create_on(others.c_str(), 0, &pool), CORACLE_OK);
  EXPECT_EQ(coracle_pool_threads(pool), 1) << "one for each processor";
  EXPECT_EQ(run(ready(0, pool)), expected);
  coracle_pool_free(pool);

  ASSERT_EQ(coracle_pool_create_on(others.c_str(), 2, &pool), CORACLE_OK);
  const SessionHandle session = ready(0, pool);
  coracle_pool_free(pool);
  EXPECT_EQ(run(session), expected);
  const std::set<std::string> places = processors_of_helpers();
  EXPECT_EQ(places.count(others + " "), 1U);
#ifndef CORACLE_SANITIZED  // ThreadSanitizer has a thread of its own
  EXPECT_EQ(places.size(), 1U);
#endif
  cpu_set_t after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(after), &after), 0);
  EXPECT_NE(CPU_EQUAL(&mine, &after), 0) << "the calling thread stays where it may run";
}

TEST_F(Threads, SessionsOnProcessorsThatWereNamed) {
  coracle_session_options options;
  coracle_session_options_init(&options, sizeof(options));
  EXPECT_EQ(options.cpus, nullptr);
  coracle_session* session = nullptr;
  options.cpus = "a";
  expect_error(coracle_session_create(model_.get(), &options, &session), CORACLE_INVALID_ARGUMENT, "cpus is 'a'");
  coracle_pool* pool = nullptr;
  ASSERT_EQ(coracle_pool_create(1, &pool), CORACLE_OK);
  options.cpus = "0";
  options.pool = pool;
  expect_error(coracle_session_create(model_.get(), &options, &session), CORACLE_INVALID_ARGUMENT,
               "give either cpus or a pool");
  coracle_pool_free(pool);
  options.pool = nullptr;
  cpu_set_t mine;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(mine), &mine), 0);
  if (CPU_COUNT(&mine) < 2) GTEST_SKIP() << "one processor";
  int last = CPU_SETSIZE - 1;
  while (CPU_ISSET(last, &mine) == 0) --last;
  const std::string other = std::to_string(last);
  const std::vector<float> expected = run(ready(1));
  options.cpus = other.c_str();
  options.threads = 2;
  const SessionHandle bound = ready(options);
  EXPECT_EQ(run(bound), expected);
  EXPECT_EQ(processors_of_helpers().count(other + " "), 1U);
}

TEST_F(Threads, ABoundThreadBindsWhatItStarts) {
  expect_error(coracle_bind_thread("a"), CORACLE_INVALID_ARGUMENT, "cpus is 'a'");
  expect_error(coracle_bind_thread(nullptr), CORACLE_INVALID_ARGUMENT, "argument 'cpus' is null");
  expect_error(coracle_bind_thread("node4000"), CORACLE_INVALID_ARGUMENT, "no such NUMA node");
  cpu_set_t mine;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(mine), &mine), 0);
  int last = CPU_SETSIZE - 1;
  while (CPU_ISSET(last, &mine) == 0) --last;
  const std::vector<float> expected = run(ready(1));
  std::thread([&] {
    ASSERT_EQ(coracle_bind_thread(std::to_string(last).c_str()), CORACLE_OK);
    EXPECT_EQ(coracle_default_threads(), 1);
    cpu_set_t now;
    ASSERT_EQ(::sched_getaffinity(0, sizeof(now), &now), 0);
    EXPECT_EQ(CPU_COUNT(&now), 1);
    EXPECT_NE(CPU_ISSET(last, &now), 0);
    EXPECT_EQ(run(ready(0)), expected);
    // Of a node all or nothing: its processors and its memory, or an error that says why not.
    if (coracle_bind_thread("node0") == CORACLE_OK) return;
    const std::string why = coracle_last_error();
    EXPECT_TRUE(why.find("NUMA node") != std::string::npos || why.find("processors") != std::string::npos) << why;
    cpu_set_t left;
    ASSERT_EQ(::sched_getaffinity(0, sizeof(left), &left), 0);
    EXPECT_NE(CPU_EQUAL(&now, &left), 0);
  }).join();
  cpu_set_t after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(after), &after), 0);
  EXPECT_NE(CPU_EQUAL(&mine, &after), 0) << "other threads stay where they may run";
}

TEST_F(Threads, SessionsShareAPool) {
  coracle_pool* pool = nullptr;
  expect_error(coracle_pool_create(-1, &pool), CORACLE_INVALID_ARGUMENT, "threads is -1");
  expect_error(coracle_pool_create(1025, &pool), CORACLE_INVALID_ARGUMENT, "threads is 1025");
  expect_error(coracle_pool_create(2, nullptr), CORACLE_INVALID_ARGUMENT, "argument 'pool' is null");
  coracle_pool_free(nullptr);
  EXPECT_GE(coracle_default_threads(), 1);
  ASSERT_EQ(coracle_pool_create(2, &pool), CORACLE_OK);
  const std::vector<float> expected = run(ready(1));
  std::vector<SessionHandle> sessions;
  for (int32_t i = 0; i < 4; ++i) sessions.push_back(ready(i % 3, pool));
  coracle_pool_free(pool);  // the sessions keep it
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (const SessionHandle& session : sessions) {
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) wrong += run(session) == expected ? 0 : 1;
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(run(sessions[0]), expected);
}

}  // namespace
}  // namespace coracle::internal::test
