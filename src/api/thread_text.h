// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/system/thread_slot.h"

namespace coracle::internal {

/// A text for each thread, freed when the thread ends. An object with thread_local would end the process instead of
/// throwing: where a new thread has no memory to note a destructor, the C library does that.
class ThreadText {
 public:
  ThreadText();

  /// Keeps `text` until this thread's next call, and returns it. Throws std::bad_alloc.
  const char* keep(std::string text);
  /// What was kept last, or an empty text.
  const char* kept() const noexcept;

 private:
  ThreadSlot slot_;
};

/// Keeps what a session says of itself until this thread's next such text, whatever other threads do, and returns it.
/// Throws std::bad_alloc.
const char* kept_text(std::string text);

/// A text that the caller frees by coracle_string_free, with a zero byte behind its end. Throws std::bad_alloc.
char* copied(std::string_view text);

}  // namespace coracle::internal
