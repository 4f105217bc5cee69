// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "serve/memory_budget.h"

namespace coracle::serve {

/// The part of the server's memory that a body takes while it is read, and then with it.
class BodyMemory {
 public:
  explicit BodyMemory(MemoryBudget budget) : budget_(std::move(budget)) {}

  /// Throws Failure (kUnavailable).
  void add(size_t bytes) {
    shares_.push_back(budget_.reserve(bytes, "the body of the request"));
    bytes_ += bytes;
  }
  void clear() {
    shares_.clear();
    bytes_ = 0;
  }
  size_t bytes() const { return bytes_; }
  std::shared_ptr<const std::string> keep(std::string body) {
    struct Kept {
      std::string body;
      std::vector<MemoryBudget::Share> shares;
    };
    const auto kept = std::make_shared<Kept>(Kept{std::move(body), std::exchange(shares_, {})});
    bytes_ = 0;
    return {kept, &kept->body};
  }

 private:
  const MemoryBudget budget_;
  std::vector<MemoryBudget::Share> shares_;
  size_t bytes_ = 0;
};

}  // namespace coracle::serve
