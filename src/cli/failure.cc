// SPDX-License-Identifier: Apache-2.0
#include "cli/failure.h"

#include <new>
#include <system_error>

#include "coracle/coracle.hpp"
#include "coracle/vision/image.h"

namespace coracle::cli {
namespace {

ExitCode exit_code_of(vision::Problem problem) {
  switch (problem) {
    case vision::Problem::kUsage: return ExitCode::kUsage;
    case vision::Problem::kPicture:
    case vision::Problem::kFile: return ExitCode::kIo;
    case vision::Problem::kDescription: return ExitCode::kInvalidModel;
    case vision::Problem::kUnsupported: return ExitCode::kUnsupported;
  }
  return ExitCode::kRunFailure;
}

}  // namespace

Failure current_failure() {
  try {
    throw;
  } catch (const Failure& e) {
    return e;
  } catch (const coracle::Exception& e) {
    return {exit_code(e.status()), e.what()};
  } catch (const vision::Error& e) {
    return {exit_code_of(e.problem()), e.what()};
  } catch (const std::bad_alloc&) {
    return {ExitCode::kOutOfMemory, "out of memory"};
  } catch (const std::length_error&) {  // a list that no memory holds
    return {ExitCode::kOutOfMemory, "out of memory"};
  } catch (const std::system_error& e) {
    return {ExitCode::kRunFailure, "the system refused a call: " + e.code().message()};
  } catch (...) {
    return {ExitCode::kRunFailure, "a check within the program failed: this is a fault of it, not of its use"};
  }
}

}  // namespace coracle::cli
