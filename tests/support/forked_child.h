// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CORACLE_NO_THREADS_AFTER_FORK 1  // that ThreadSanitizer cannot follow
#endif
#endif
#ifndef CORACLE_NO_THREADS_AFTER_FORK
#define CORACLE_NO_THREADS_AFTER_FORK 0
#endif

namespace coracle::internal::test {

/// Whether f holds in a forked child. A child that hangs is killed by its alarm.
inline bool holds_in_child(const std::function<bool()>& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(f() ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace coracle::internal::test
