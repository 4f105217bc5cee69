// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "coracle/coracle.h"

namespace coracle::cli {

/// The program's exit codes, as `coracle --help` lists them.
enum class ExitCode : int {
  kOk = 0,
  kRunFailure = 1,
  kUsage = 2,
  kInvalidModel = 3,
  kUnsupported = 4,
  kIo = 5,
  kOutOfMemory = 6,
  kDifferent = 7,      ///< compare: past the tolerance
  kInterrupted = 130,  ///< as shells count what SIGINT ended
};

/// A failure of the program itself (not of the library).
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

inline ExitCode exit_code(coracle_status status) {
  switch (status) {
    case CORACLE_OK: return ExitCode::kOk;
    case CORACLE_INVALID_ARGUMENT: return ExitCode::kUsage;
    case CORACLE_INVALID_MODEL: return ExitCode::kInvalidModel;
    case CORACLE_UNSUPPORTED: return ExitCode::kUnsupported;
    case CORACLE_IO: return ExitCode::kIo;
    case CORACLE_OUT_OF_MEMORY: return ExitCode::kOutOfMemory;
    case CORACLE_RUN_FAILURE: return ExitCode::kRunFailure;
    case CORACLE_CANCELLED: return ExitCode::kInterrupted;
  }
  return ExitCode::kRunFailure;
}

/// The exception being handled (call it in a catch block) as a Failure. What the C++ library or another one says of
/// itself helps no user and is not repeated.
Failure current_failure();

}  // namespace coracle::cli
