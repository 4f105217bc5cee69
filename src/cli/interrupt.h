// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "coracle/coracle.hpp"

namespace coracle::cli {

/// While it lives, the first SIGINT (Ctrl-C) ends loading and runs with CORACLE_CANCELLED; the second ends the program,
/// as without it. Where SIGINT was ignored it stays so. One at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool happened();
  /// The same options for a model whose loading ends so.
  static api::ModelOptions interruptible(api::ModelOptions options);
  /// Runs at once at most.
  static constexpr int kMostRuns = 256;
  /// A run of `session`, from any thread. Throws Failure where the signal came before it.
  static void run(api::Session& session);
};

}  // namespace coracle::cli
