// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coracle::internal {

/// While it lives, signals by which users end processes (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM) wait, if this
/// thread would get them; threads that are started meanwhile never get them. Several may live on a thread.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Whether one waits that users send.
  static bool any_waits();
};

}  // namespace coracle::internal
