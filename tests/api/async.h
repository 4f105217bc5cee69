// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "api/endless_model.h"
#include "api/loaded.h"

namespace coracle::internal::test {

inline constexpr int32_t kPairs = 512;

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
    std::vector<float> values(size_t{kPairs} * 2);
    for (size_t i = 0; i < values.size(); ++i) values[i] = factor * static_cast<float>(i % 101);
    const int64_t dims[] = {kPairs, 2};
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
    std::vector<float> values(size_t{kPairs} * 2);
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

}  // namespace coracle::internal::test
