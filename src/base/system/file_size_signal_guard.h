// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(_WIN32)
#include <csignal>
#endif

namespace coracle::internal {

/// While it lives, a write of this thread that would make a file larger than the process may have (RLIMIT_FSIZE) fails,
/// as on a full disk, instead of ending the process by a signal. On one thread, one within the other.
class FileSizeSignalGuard {
 public:
  FileSizeSignalGuard();
  ~FileSizeSignalGuard();
  FileSizeSignalGuard(const FileSizeSignalGuard&) = delete;
  FileSizeSignalGuard& operator=(const FileSizeSignalGuard&) = delete;

  /// Whether one has failed so since it was made: for what others wrote, and may not have looked at.
  bool failed() const;

 private:
#if !defined(_WIN32)
  sigset_t before_;
  bool works_ = false;
  bool pending_before_ = false;
#endif
};

}  // namespace coracle::internal
