// SPDX-License-Identifier: Apache-2.0
// Messages of the library to a function of the program: coracle_set_logger for C++.
#pragma once

#include <coracle/coracle.hpp>
#include <string_view>
#include <utility>

namespace coracle {

enum class LogLevel {
  kOff = CORACLE_LOG_OFF,
  kWarning = CORACLE_LOG_WARNING,
  kInfo = CORACLE_LOG_INFO,
  kDebug = CORACLE_LOG_DEBUG
};

/// Is given a message, one line without its end, in the thread that it comes from. Must not throw.
using Logger = std::function<void(LogLevel level, std::string_view message)>;

/// Gives the messages of all threads to `logger` from now on, those up to `level`; an empty one gives them to nobody.
/// It is never destroyed: another thread may be calling it when it is replaced.
inline void set_logger(LogLevel level, Logger logger) {
  if (!logger) return check(coracle_set_logger(CORACLE_LOG_OFF, nullptr, nullptr));
  const coracle_log_function call = [](void* user, coracle_log_level of, const char* message) {
    (*static_cast<const Logger*>(user))(static_cast<LogLevel>(of), message);
  };
  check(coracle_set_logger(static_cast<coracle_log_level>(level), call, new Logger(std::move(logger))));
}

}  // namespace coracle
