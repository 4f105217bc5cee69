// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "base/current_error.h"
#include "base/error.h"
#include "plan/kernel.h"

namespace coracle::internal {

/// What KernelCall::failure points to where memory or its limit was too small; told by its address.
inline constexpr char kNoMemoryFailure[] = "the operator needs more memory than there is";
/// The same where the run was cancelled.
inline constexpr char kCancelledFailure[] = "the run was cancelled";

/// The code that a call's failure becomes an Error of.
inline ErrorCode code_of_failure(const char* failure) {
  if (failure == kCancelledFailure) return ErrorCode::kCancelled;
  return failure == kNoMemoryFailure ? ErrorCode::kOutOfMemory : ErrorCode::kRunFailure;
}

/// Lets a call fail with the exception that is being handled. What the standard library says of missing memory names
/// nothing, and is left out.
inline void fail_with_exception(KernelCall& call, const char* reason) noexcept {
  try {
    throw;
  } catch (const Error& e) {
    if (e.code() == ErrorCode::kOutOfMemory) reason = kNoMemoryFailure;
    if (e.code() == ErrorCode::kCancelled) reason = kCancelledFailure;
    call.fail(reason, [&] { return e.text(); });
  } catch (const std::bad_alloc&) {
    call.fail(kNoMemoryFailure, [] { return std::string(); });
  } catch (const std::length_error&) {
    call.fail(kNoMemoryFailure, [] { return std::string(); });
  } catch (...) {
    call.fail(reason, [] { return current_error().text(); });
  }
}

}  // namespace coracle::internal
