// SPDX-License-Identifier: Apache-2.0
// coracle_session_run_with: what holds for one run, and for no other.
#include <atomic>
#include <chrono>
#include <coracle/coracle.hpp>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "api/endless_model.h"
#include "api/loaded.h"

namespace coracle::internal {
namespace {

using test::expect_error;
using Clock = std::chrono::steady_clock;

coracle_run_options run_options() {
  coracle_run_options options;
  std::memset(&options, 0xFF, sizeof(options));
  coracle_run_options_init(&options, sizeof(options));
  return options;
}

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// A session whose runs go on for ever unless the input is at least 1.
class EndlessRun : public testing::Test {
 protected:
  test::SessionHandle open(int64_t time_limit_ms = 0) const {
    coracle_session_options options;
    coracle_session_options_init(&options, sizeof(options));
    options.time_limit_ms = time_limit_ms;
    options.threads = 1;
    return test::open(model_, &options);
  }
  static void set(const test::SessionHandle& session, float i) {
    const int64_t dims[] = {1};
    ASSERT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 1, dims, &i), CORACLE_OK);
  }

  const test::ModelBytes bytes_ = test::endless_model();
  const test::ModelHandle model_ = test::load(bytes_);
};

TEST_F(EndlessRun, ATimeLimitIsOfOneRun) {
  const test::SessionHandle session = open(200);
  set(session, 0);
  coracle_run_options options = run_options();
  expect_error(coracle_session_run_with(session.get(), &options), CORACLE_RUN_FAILURE, "limit of 200 ms");
  options.time_limit_ms = 50;
  expect_error(coracle_session_run_with(session.get(), &options), CORACLE_RUN_FAILURE, "limit of 50 ms");
  options.time_limit_ms = 400;
  const Clock::time_point start = Clock::now();
  expect_error(coracle_session_run_with(session.get(), &options), CORACLE_RUN_FAILURE, "limit of 400 ms");
  EXPECT_GE(ms_since(start), 400) << "a higher one than the session's holds too";
  expect_error(coracle_session_run(session.get()), CORACLE_RUN_FAILURE, "limit of 200 ms");
  expect_error(coracle_session_run_with(session.get(), nullptr), CORACLE_RUN_FAILURE, "limit of 200 ms");
  set(session, 1);
  EXPECT_EQ(coracle_session_run_with(session.get(), &options), CORACLE_OK) << coracle_last_error();
}

TEST_F(EndlessRun, IsCancelledByItsPointerFromAnotherThread) {
  const test::SessionHandle session = open();
  set(session, 0);
  std::atomic<uint32_t> cancelled{0};
  coracle_run_options options = run_options();
  options.cancelled = reinterpret_cast<const uint32_t*>(&cancelled);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancelled = 1;
  });
  expect_error(coracle_session_run_with(session.get(), &options), CORACLE_CANCELLED, "the run was cancelled");
  other.join();
  expect_error(coracle_session_run_with(session.get(), &options), CORACLE_CANCELLED, "the run was cancelled");
  set(session, 1);
  expect_error(coracle_session_run_with(session.get(), &options), CORACLE_CANCELLED, "the run was cancelled");
  EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK) << "which has no such pointer: " << coracle_last_error();
  cancelled = 0;
  EXPECT_EQ(coracle_session_run_with(session.get(), &options), CORACLE_OK) << coracle_last_error();
}

TEST_F(EndlessRun, IsCancelledByItsSessionToo) {
  const test::SessionHandle session = open();
  set(session, 0);
  const uint32_t never = 0;
  coracle_run_options options = run_options();
  options.cancelled = &never;
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) EXPECT_EQ(coracle_session_cancel(session.get()), CORACLE_OK);
  });
  expect_error(coracle_session_run_with(session.get(), &options), CORACLE_CANCELLED, "the run was cancelled");
  done = true;
  other.join();
}

TEST_F(EndlessRun, TwoAtOnceEndAtTheirOwnTimes) {
  std::vector<std::thread> threads;
  for (const int64_t limit : {100, 1500}) {
    threads.emplace_back([this, limit] {
      const test::SessionHandle session = open();
      set(session, 0);
      coracle_run_options options = run_options();
      options.time_limit_ms = limit;
      const Clock::time_point start = Clock::now();
      const std::string text = "limit of " + std::to_string(limit) + " ms";
      expect_error(coracle_session_run_with(session.get(), &options), CORACLE_RUN_FAILURE, text);
      EXPECT_GE(ms_since(start), static_cast<double>(limit));
      EXPECT_LT(ms_since(start), static_cast<double>(limit) + 1300);
    });
  }
  for (std::thread& t : threads) t.join();
}

TEST_F(EndlessRun, OptionsThatCannotBeAreRefusedBeforeItBegins) {
  const test::SessionHandle session = open();
  set(session, 0);
  coracle_run_options options = run_options();
  EXPECT_EQ(options.struct_size, sizeof(options));
  EXPECT_EQ(options.time_limit_ms, 0);
  EXPECT_EQ(options.memory_limit, 0U);
  EXPECT_EQ(options.cancelled, nullptr);
  options.time_limit_ms = -1;
  expect_error(coracle_session_run_with(session.get(), &options), CORACLE_INVALID_ARGUMENT, "time_limit_ms is -1");
  options = run_options();
  options.struct_size = 3;
  expect_error(coracle_session_run_with(session.get(), &options), CORACLE_INVALID_ARGUMENT,
               "coracle_run_options has struct_size 3");
  options = run_options();
  expect_error(coracle_session_run_with(nullptr, &options), CORACLE_INVALID_ARGUMENT, "'session' is null");
  coracle_run_options_init(nullptr, sizeof(options));
  // A program compiled before a field was added does not give it.
  options.time_limit_ms = 30;
  options.memory_limit = 1;
  options.struct_size = offsetof(coracle_run_options, memory_limit);
  expect_error(coracle_session_run_with(session.get(), &options), CORACLE_RUN_FAILURE, "limit of 30 ms");
}

class RunOfProducts : public testing::Test {
 protected:
  static void set(const test::SessionHandle& session, int64_t rows) {
    std::vector<float> x(static_cast<size_t>(rows) * 2);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 101) - 50.0F;
    const int64_t dims[] = {rows, 2};
    ASSERT_EQ(coracle_session_set_input(session.get(), 0, CORACLE_FLOAT32, 2, dims, x.data()), CORACLE_OK);
  }
  static std::vector<float> result(const test::SessionHandle& session) {
    coracle_tensor_view view;
    EXPECT_EQ(coracle_session_output(session.get(), 1, &view), CORACLE_OK) << coracle_last_error();
    const auto* data = static_cast<const float*>(view.data);
    return {data, data + view.bytes / sizeof(float)};
  }

  const test::ModelBytes bytes_ = test::product_model();
  const test::ModelHandle model_ = test::load(bytes_);
};

TEST_F(RunOfProducts, AMemoryLimitIsOfOneRunAndLeavesTheBitsAsTheyAre) {
  constexpr int64_t kRows = 10000;
  const test::SessionHandle fresh = test::open(model_);
  set(fresh, kRows);
  ASSERT_EQ(coracle_session_run(fresh.get()), CORACLE_OK);
  const std::vector<float> expected = result(fresh);
  const test::SessionHandle session = test::open(model_);
  set(session, kRows);
  coracle_run_options options = run_options();
  for (int again = 0; again < 3; ++again) {
    options.memory_limit = 1024;
    expect_error(coracle_session_run_with(session.get(), &options), CORACLE_OUT_OF_MEMORY, "the memory limit is 1024");
    ASSERT_EQ(coracle_session_run(session.get()), CORACLE_OK) << coracle_last_error();
    EXPECT_EQ(result(session), expected);
    options.memory_limit = size_t{1} << 24U;
    ASSERT_EQ(coracle_session_run_with(session.get(), &options), CORACLE_OK) << coracle_last_error();
    EXPECT_EQ(result(session), expected);
  }
}

TEST_F(RunOfProducts, ALimitAboveTheSessionsHolds) {
  coracle_session_options session_options;
  coracle_session_options_init(&session_options, sizeof(session_options));
  session_options.memory_limit = 10000;
  const test::SessionHandle session = test::open(model_, &session_options);
  set(session, 10000);
  coracle_run_options options = run_options();
  options.memory_limit = size_t{1} << 24U;
  for (int again = 0; again < 2; ++again) {
    expect_error(coracle_session_run(session.get()), CORACLE_OUT_OF_MEMORY, "the memory limit is 10000");
    ASSERT_EQ(coracle_session_run_with(session.get(), &options), CORACLE_OK) << coracle_last_error();
  }
  set(session, 10);
  EXPECT_EQ(coracle_session_run(session.get()), CORACLE_OK)
      << "what the large one left is freed: " << coracle_last_error();
}

TEST_F(RunOfProducts, InCpp) {
  const coracle::Model model(std::as_bytes(std::span(bytes_.program)), std::as_bytes(std::span(bytes_.params)));
  coracle::Session session(model, {.threads = 1});
  session.set_input(0, {10000, 2}, std::vector<float>(20000, 1.0F));
  const auto status_of = [&](const coracle::RunOptions& options) -> coracle_status {
    try {
      session.run(options);
      return CORACLE_OK;
    } catch (const coracle::Exception& e) {
      return e.status();
    }
  };
  const std::atomic<uint32_t> cancelled{1};
  EXPECT_EQ(status_of({}), CORACLE_OK);
  EXPECT_EQ(status_of({.memory_limit = 1024}), CORACLE_OUT_OF_MEMORY);
  EXPECT_EQ(status_of({.cancelled = &cancelled}), CORACLE_CANCELLED);
  EXPECT_EQ(status_of({.time_limit_ms = -1}), CORACLE_INVALID_ARGUMENT);
  EXPECT_EQ(status_of({.time_limit_ms = 100000, .memory_limit = size_t{1} << 30U}), CORACLE_OK);
  EXPECT_NO_THROW(session.run());
}

}  // namespace
}  // namespace coracle::internal
