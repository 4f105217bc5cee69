// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace coracle::serve {

/// What happens to requests that wait; names and meaning are those of Triton's ModelQueuePolicy.
struct QueuePolicy {
  enum class TimeoutAction : uint8_t {
    kReject,  ///< a request that has waited too long is answered with an error
    kDelay,   ///< it runs after all others
  };
  TimeoutAction timeout_action = TimeoutAction::kReject;
  std::chrono::microseconds default_timeout{0};  ///< 0: none
  bool allow_timeout_override = false;           ///< requests may shorten it
  size_t max_queue_size = 1024;                  ///< requests; 0: no bound
};

/// How requests are joined; names and meaning are those of Triton's ModelDynamicBatching.
struct BatchOptions {
  int64_t max_batch_size = 0;  ///< rows; 0: requests run alone
  std::vector<int64_t> preferred_batch_size;
  std::chrono::microseconds max_queue_delay{0};
  bool preserve_ordering = false;
  /// Requests are to be answered so soon after they were queued: batches wait and grow only as far as what runs have
  /// cost leaves time for it. 0: none.
  std::chrono::microseconds target{0};
  size_t pad_axis = 0;           ///< requests that differ in this axis of their inputs are padded; 0: they run apart
  uint32_t priority_levels = 0;  ///< 0: there are none
  uint32_t default_priority_level = 0;
  QueuePolicy default_queue_policy;
  std::map<uint32_t, QueuePolicy> priority_queue_policy;

  const QueuePolicy& policy(uint32_t priority) const {
    const auto found = priority_queue_policy.find(priority);
    return found == priority_queue_policy.end() ? default_queue_policy : found->second;
  }
};

}  // namespace coracle::serve
