// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <atomic>

namespace coracle::internal {
namespace {

/// Never freed, since another thread may be about to use one that was replaced; each leads to the one before, so that
/// all can be found.
struct Logger {
  LogLevel most;
  std::function<void(LogLevel, const char*)> function;
  const Logger* before;
};

std::atomic<const Logger*> current{nullptr};
thread_local bool in_message = false;

}  // namespace

void set_logger(LogLevel most, std::function<void(LogLevel, const char*)> logger) {
  auto* next = new Logger{most, std::move(logger), current.load(std::memory_order_acquire)};
  while (!current.compare_exchange_weak(next->before, next, std::memory_order_acq_rel)) {
  }
}

bool logs(LogLevel level) noexcept {
  const Logger* logger = current.load(std::memory_order_acquire);
  return logger != nullptr && level <= logger->most;
}

void send_message(LogLevel level, const std::string& message) {
  const Logger* logger = current.load(std::memory_order_acquire);
  if (in_message || level > logger->most) return;
  struct Mark {
    Mark() { in_message = true; }
    ~Mark() { in_message = false; }
  } const mark;
  logger->function(level, message.c_str());
}

}  // namespace coracle::internal
