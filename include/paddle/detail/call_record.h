// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace paddle {
namespace detail {

/// Calls that a Config took and that change nothing here, each with what happens instead. Config::Summary lists them.
class CallRecord {
 public:
  const std::vector<std::pair<std::string, std::string>>& recorded_calls() const { return calls_; }

 protected:
  void record(const char* call, const char* instead) {
    for (const auto& known : calls_) {
      if (known.first == call) return;
    }
    calls_.emplace_back(call, instead);
  }

 private:
  std::vector<std::pair<std::string, std::string>> calls_;
};

/// Marks a Config as used by a predictor. Copies are unused again.
class UsedFlag {
 public:
  UsedFlag() = default;
  UsedFlag(const UsedFlag&) {}
  UsedFlag& operator=(const UsedFlag&) {
    used_ = false;
    return *this;
  }
  void set() { used_ = true; }
  bool get() const { return used_; }

 private:
  bool used_ = false;
};

}  // namespace detail
}  // namespace paddle
