// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <initializer_list>
#include <string>

#include "base/error.h"
#include "devices/cuda/faults/stand_in.h"

namespace coracle::internal::test {

/// The device is open during each test.
class OpenStandIn : public CudaStandIn {
 protected:
  void SetUp() override {
    CudaStandIn::SetUp();
    if (!HasFatalFailure() && !IsSkipped()) open();
  }
  void TearDown() override {
    close();
    CudaStandIn::TearDown();
  }
  void open() {
    device_ = kDevice.open(0);
    queue_ = device_->make_queue();
  }
  void close() {
    queue_.reset();
    device_.reset();
  }
  std::string finish() {
    std::string detail;
    const char* failure = queue_->finish(&detail);
    return failure == nullptr ? "" : text(failure, ": ", detail);
  }

  /// Each call of a library's functions fails once, with one code and the other by turns, while `plan` plans on a
  /// device that has kept no choice: it makes nothing then, and leaves nothing behind.
  void expect_planning_to_fail(std::initializer_list<const char*> functions, int code, int other,
                               const std::function<bool()>& plan) {
    const auto make = [&] {
      close();
      open();
      return plan();
    };
    ASSERT_TRUE(make());  // with a handle, which stays
    for (const char* function : functions) {
      const int64_t live = live_();
      const int64_t before = calls_(function);
      ASSERT_TRUE(make());
      const int64_t calls = calls_(function) - before;
      EXPECT_GT(calls, 0) << function;
      for (int64_t i = 0; i < calls; ++i) {
        fail_(function, i % 2 == 0 ? code : other, i);
        EXPECT_FALSE(make()) << function << " " << i;
        fail_("", 0, 0);
      }
      EXPECT_EQ(live_(), live) << function;
      EXPECT_TRUE(make()) << "after " << function;
    }
  }
  /// The device goes with each call that `run` needs, which says its error; nothing is left behind.
  void expect_the_device_to_go(const std::function<std::string()>& run) {
    std::string error;
    const auto work = [&] {
      try {
        close();
        open();
        error = run();
      } catch (const Error& e) {
        error = e.text();
      }
      close();
    };
    work();
    ASSERT_EQ(error, "");
    const int64_t before = calls_(nullptr);
    work();
    const int64_t calls = calls_(nullptr) - before;
    for (int64_t i = 1; i <= calls; ++i) {
      lose_(i);
      work();
      lose_(0);
      EXPECT_EQ(live_(), 0) << "call " << i;
    }
    work();
    EXPECT_EQ(error, "");
  }
  /// A function fails in a child.
  void expect_to_fail_after_a_fork(const gpu::Function& function, std::initializer_list<gpu::Argument> arguments) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      launch(*queue_, function, {}, arguments);
      ::_exit(queue_->finish(nullptr) != nullptr ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }

  std::shared_ptr<OpenDevice> device_;
  std::unique_ptr<Queue> queue_;
};

}  // namespace coracle::internal::test
