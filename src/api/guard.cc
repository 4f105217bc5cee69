// SPDX-License-Identifier: Apache-2.0
#include "api/guard.h"

#include "api/enumerations.h"
#include "api/thread_text.h"
#include "base/current_error.h"
#include "base/printable.h"

namespace coracle::internal {
namespace {

constexpr const char* kNoMemory = "out of memory";

/// This thread's last message is kNoMemory: there was none for another.
thread_local bool no_memory = false;

ThreadText& last_error() {
  static ThreadText text;
  return text;
}

}  // namespace

bool set_last_error(std::string_view message) noexcept {
  try {
    last_error().keep(printable(message, /*lines=*/true));
    no_memory = false;
    return true;
  } catch (...) {
    no_memory = true;
    return false;
  }
}

coracle_status keep_current_error() noexcept {
  try {
    const Error error = current_error();
    return set_last_error(error.text()) ? number_of(error.code()) : CORACLE_OUT_OF_MEMORY;
  } catch (...) {  // there was no memory for the text
    no_memory = true;
    return CORACLE_OUT_OF_MEMORY;
  }
}

}  // namespace coracle::internal

extern "C" const char* coracle_last_error(void) {
  return coracle::internal::no_memory ? coracle::internal::kNoMemory : coracle::internal::last_error().kept();
}

extern "C" void coracle_set_last_error(const char* message) {
  coracle::internal::set_last_error(message == nullptr ? "" : message);
}
