// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <ctime>

#include "base/system/file_size_signal_guard.h"

// What makes sets of signals are macros on some systems: their names stand alone.
namespace coracle::internal {
namespace {

bool is_pending() {
  sigset_t pending;
  return ::sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

sigset_t its_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

}  // namespace

FileSizeSignalGuard::FileSizeSignalGuard() {
  const sigset_t set = its_signal();
  pending_before_ = is_pending();
  works_ = ::pthread_sigmask(SIG_BLOCK, &set, &before_) == 0;
}

FileSizeSignalGuard::~FileSizeSignalGuard() {
  if (!works_) return;
  const sigset_t set = its_signal();
  if (failed()) {
#if defined(__APPLE__)
    int taken = 0;
    ::sigwait(&set, &taken);
#else
    const timespec at_once{};
    ::sigtimedwait(&set, nullptr, &at_once);
#endif
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool FileSizeSignalGuard::failed() const { return works_ && !pending_before_ && is_pending(); }

}  // namespace coracle::internal
