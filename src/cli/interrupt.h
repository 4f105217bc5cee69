// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "coracle/coracle.hpp"

namespace coracle::cli {

/// Ctrl-C: the first SIGINT ends loading and runs with CORACLE_CANCELLED, so that a command can tell what it has done.
/// Where the program has not ended soon after, it ends at once, with the one line and the exit code of all that was
/// interrupted; the second SIGINT ends it by the signal. Where SIGINT was ignored it stays so.
class Interruption {
 public:
  /// From here on.
  static void handle();
  /// The program ends on its own now. False where it is being ended, and has said so.
  static bool begin_end();

  static bool happened();
  /// The same options for a model whose loading ends so.
  static coracle::ModelOptions interruptible(coracle::ModelOptions options);
  /// Runs at once at most.
  static constexpr int kMostRuns = 256;
  /// A run of `session`, from any thread. Throws Failure where the signal came before it.
  static void run(coracle::Session& session);
};

}  // namespace coracle::cli
