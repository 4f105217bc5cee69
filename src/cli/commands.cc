// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include "cli/failure.h"
#include "cli/input/inputs.h"

namespace coracle::cli {
namespace {

/// Whether a failure leaves open what the model declares: that of a run or of its inputs says it itself, and an
/// interrupted command prints one line.
bool prints_other_sizes(const Failure& failure) {
  switch (failure.code()) {
    case ExitCode::kRunFailure:
    case ExitCode::kUsage:
    case ExitCode::kInterrupted: return false;
    default: return true;
  }
}

}  // namespace

void run_and_print_sizes(const std::function<void()>& command) {
  try {
    command();
  } catch (...) {
    if (prints_other_sizes(current_failure())) print_other_sizes();
    throw;
  }
  print_other_sizes();
}

}  // namespace coracle::cli
