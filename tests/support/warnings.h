// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <mutex>
#include <string>

#include "base/log.h"

namespace coracle::internal::test {

/// The library's warnings while it lives, from any thread, a line each.
class Warnings {
 public:
  Warnings() {
    set_logger(LogLevel::kWarning, [this](LogLevel, const char* message) {
      const std::lock_guard lock(mutex_);
      all_.append(message).append("\n");
    });
  }
  ~Warnings() { set_logger(LogLevel::kOff, nullptr); }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;

  std::string all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }
  int64_t lines() const {
    const std::lock_guard lock(mutex_);
    return std::count(all_.begin(), all_.end(), '\n');
  }

 private:
  mutable std::mutex mutex_;
  std::string all_;
};

}  // namespace coracle::internal::test
