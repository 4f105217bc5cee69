// SPDX-License-Identifier: Apache-2.0
#include "base/run_context.h"

namespace coracle {
namespace {

/// A pointer, as it needs no destructor: where a new thread has no memory to note one, the C library ends the process.
thread_local const RunContext* current_context = nullptr;

}  // namespace

const RunContext* RunContext::current() noexcept { return current_context; }

RunContext::Scope::Scope(const RunContext& context) noexcept : before_(std::exchange(current_context, &context)) {}
RunContext::Scope::~Scope() { current_context = before_; }

}  // namespace coracle
