// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace coracle::internal {
namespace {

class Log : public testing::Test {
 protected:
  ~Log() override { set_logger(LogLevel::kOff, nullptr); }

  void listen(LogLevel most) {
    set_logger(most, [this](LogLevel level, const char* message) {
      seen_.push_back(text(static_cast<int>(level), " ", message));
      log(LogLevel::kWarning, "within a message");
    });
  }

  std::vector<std::string> seen_;
};

TEST_F(Log, MessagesUpToTheLevel) {
  log(LogLevel::kWarning, "nobody listens");
  listen(LogLevel::kInfo);
  EXPECT_TRUE(logs(LogLevel::kWarning));
  EXPECT_FALSE(logs(LogLevel::kDebug));
  log(LogLevel::kWarning, "a ", 1);
  log(LogLevel::kInfo, "b");
  log(LogLevel::kDebug, "c");
  EXPECT_EQ(seen_, std::vector<std::string>({"1 a 1", "2 b"})) << "and none that a logger makes";
  listen(LogLevel::kOff);
  log(LogLevel::kWarning, "d");
  EXPECT_EQ(seen_.size(), 2U);
}

TEST_F(Log, LoggersThatThrowAreNobody) {
  set_logger(LogLevel::kDebug, [](LogLevel, const char*) { throw Error(ErrorCode::kIo, "the disk is full"); });
  log(LogLevel::kInfo, "a");
  log(LogLevel::kInfo, "b");
}

TEST_F(Log, ReplacedWhileOthersLog) {
  std::atomic<int> told{0};
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!done.load()) log(LogLevel::kInfo, "message");
    });
  }
  for (int i = 0; i < 200 || told.load() == 0; ++i) {
    set_logger(i % 2 == 0 ? LogLevel::kDebug : LogLevel::kOff, [&](LogLevel, const char*) { ++told; });
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(told.load(), 0);
}

}  // namespace
}  // namespace coracle::internal
