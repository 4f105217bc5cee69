// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/pages.h"

namespace coracle {

/// Weights in the form kernels want, made once per model and shared by all sessions. Thread-safe.
class PackedWeights {
 public:
  using Make = std::function<std::shared_ptr<const void>()>;

  std::shared_ptr<const void> get(const std::string& key, const Make& make) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const void>& entry = entries_[key];
    if (entry == nullptr) entry = make();
    return entry;
  }

  /// Where they should lie.
  PageArena& memory() { return memory_; }

 private:
  PageArena memory_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const void>> entries_;
};

}  // namespace coracle
