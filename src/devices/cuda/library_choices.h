// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file_cache.h"
#include "devices/cuda/probe.h"

namespace coracle::internal::cuda {

/// What was chosen of a library's ways to compute something: in memory, and on disk beside the programs, one for all
/// processes. Each is known by the whole text of what it was made of. For any number of threads.
class LibraryChoices {
 public:
  /// What tells ways apart, in an order of the library's user.
  using Numbers = std::vector<int64_t>;
  struct Made {
    Numbers numbers;
    bool is_kept = false;  ///< the same would be made again: nothing failed that need not fail the next time
  };

  /// `are_measured`: ways are timed, which does not give the same each time, so one process makes them and the others
  /// wait.
  LibraryChoices(const FoundDevice& device, bool are_measured);

  bool are_measured() const { return are_measured_; }
  /// What was kept under the key; else what `make` makes. The key has all that a choice is made of but the device and
  /// the driver. What `make` throws is passed on.
  Numbers get(const std::string& key, const std::function<Made()>& make);

 private:
  std::optional<Numbers> find(const std::string& key) const;

  const bool are_measured_;
  const std::string device_;
  FileCache disk_;
  std::mutex mutex_;
  std::unordered_map<std::string, Numbers> kept_;
};

}  // namespace coracle::internal::cuda
