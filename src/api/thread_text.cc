// SPDX-License-Identifier: Apache-2.0
#include "api/thread_text.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace coracle::internal {

ThreadText::ThreadText()
    : made_(::pthread_key_create(&key_, [](void* text) { delete static_cast<std::string*>(text); }) == 0) {}

// Before the library is unloaded: no thread may call its code afterwards.
ThreadText::~ThreadText() {
  if (made_) ::pthread_key_delete(key_);
}

const char* ThreadText::keep(std::string text) {
  if (!made_) throw std::bad_alloc();
  auto* kept = static_cast<std::string*>(::pthread_getspecific(key_));
  if (kept == nullptr) {
    auto made = std::make_unique<std::string>();
    if (::pthread_setspecific(key_, made.get()) != 0) throw std::bad_alloc();
    kept = made.release();
  }
  *kept = std::move(text);
  return kept->c_str();
}

const char* ThreadText::kept() const noexcept {
  const auto* kept = made_ ? static_cast<const std::string*>(::pthread_getspecific(key_)) : nullptr;
  return kept == nullptr ? "" : kept->c_str();
}

char* copied(std::string_view text) {
  char* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out == nullptr) throw std::bad_alloc();
  std::copy(text.begin(), text.end(), out);
  out[text.size()] = 0;
  return out;
}

}  // namespace coracle::internal
