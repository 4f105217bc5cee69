// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <csignal>
#include <initializer_list>

#include "base/system/held_signals.h"

// What makes sets of signals are macros on some systems: their names stand alone.
namespace coracle::internal {
namespace {

/// Of this thread.
thread_local int holders = 0;
thread_local sigset_t mask_before;

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM}) sigaddset(&set, signal);
  return set;
}

}  // namespace

HeldSignals::HeldSignals() {
  const sigset_t set = ending_signals();
  if (holders++ == 0) ::pthread_sigmask(SIG_BLOCK, &set, &mask_before);
}

HeldSignals::~HeldSignals() {
  if (--holders == 0) ::pthread_sigmask(SIG_SETMASK, &mask_before, nullptr);
}

bool HeldSignals::any_waits() {
  sigset_t waiting;
  if (::sigpending(&waiting) != 0) return false;
  const auto waits = [&](int signal) { return sigismember(&waiting, signal) == 1; };
  return waits(SIGINT) || waits(SIGTERM) || waits(SIGHUP) || waits(SIGQUIT);
}

}  // namespace coracle::internal
