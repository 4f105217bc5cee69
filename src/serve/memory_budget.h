// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace coracle::serve {

/// The memory that a server may use for its work, in bytes: what the library holds for all models
/// (coracle_memory_total), bodies of requests, and tensors that wait, run or are sent. Copies share one budget. For any
/// number of threads.
class MemoryBudget {
 public:
  /// What was reserved counts as used until the last owner is gone.
  using Share = std::shared_ptr<const void>;

  /// 0: no limit, and nothing is counted.
  explicit MemoryBudget(size_t limit = 0);
  /// As above, with another measure of what the library holds.
  MemoryBudget(size_t limit, std::function<size_t()> held_by_library);

  bool limited() const { return state_ != nullptr; }
  /// Bytes for `what`. Throws Failure (kUnavailable) where there are not so many, even after idle sessions gave back
  /// theirs.
  Share reserve(size_t bytes, std::string_view what) const;

  /// Throws Failure (kTooLarge) for more than the limit, which no waiting will help.
  void require_possible(size_t bytes, std::string_view what) const;
  /// Throws Failure (kUnavailable) where more is in use than the limit, even after idle sessions gave back theirs, now
  /// that there is `what`, which holds about so many bytes.
  void require_kept(size_t bytes, std::string_view what) const;

  /// What a run may use.
  struct Run {
    size_t bytes = 0;  ///< what its session may hold, with what it held before; 0: no limit
    Share share;       ///< to be kept until the run has ended
  };
  /// For a run that needs about `least` bytes, by a session that holds `held` already. It gets up to `wished`, with
  /// which it is faster, where half of what is left stays for others; SIZE_MAX: all that is left. Waits for other runs
  /// to end where that helps. Throws Failure (kUnavailable).
  Run reserve_run(size_t least, size_t wished, size_t held) const;

  /// `trim` is called when memory is short, by any thread, until the result is gone: it gives back what nobody uses
  /// now, without waiting for anything.
  Share when_short(std::function<void()> trim) const;

  /// Bytes that count now; 0 without a limit.
  size_t used() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace coracle::serve
