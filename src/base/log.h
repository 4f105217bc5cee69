// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/error.h"

namespace coracle::internal {

/// What a message is for: what somebody should change; what happened at loading or planning; why.
enum class LogLevel { kOff = 0, kWarning = 1, kInfo = 2, kDebug = 3 };

/// Who gets the messages of all threads from now on: those up to `most`. A message under way may still reach the one
/// before.
void set_logger(LogLevel most, std::function<void(LogLevel, const char*)> logger);

/// Whether somebody gets messages of the level: where to find out what a message says takes time.
bool logs(LogLevel level) noexcept;

/// Hands a message on, in this thread; drops it within another one of the same thread.
void send_message(LogLevel level, const std::string& message);

/// The parts joined and handed on. Built for size: nobody waits for it.
template <class... Parts>
[[gnu::cold, gnu::noinline]] void compose_message(LogLevel level, const Parts&... parts) noexcept {
  try {
    send_message(level, text(parts...));
  } catch (...) {  // NOLINT(bugprone-empty-catch): what it is about goes on without it
  }
}

/// A message of all parts, if somebody gets it. Where memory runs out nobody does.
template <class... Parts>
void log(LogLevel level, const Parts&... parts) noexcept {
  if (logs(level)) compose_message(level, parts...);
}

}  // namespace coracle::internal
