// SPDX-License-Identifier: Apache-2.0
#include "api/thread_text.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace coracle::internal {

ThreadText::ThreadText() : slot_([](void* text) { delete static_cast<std::string*>(text); }) {}

const char* ThreadText::keep(std::string text) {
  auto* kept = static_cast<std::string*>(slot_.get());
  if (kept == nullptr) {
    auto made = std::make_unique<std::string>();
    if (!slot_.set(made.get())) throw std::bad_alloc();
    kept = made.release();
  }
  *kept = std::move(text);
  return kept->c_str();
}

const char* ThreadText::kept() const noexcept {
  const auto* kept = static_cast<const std::string*>(slot_.get());
  return kept == nullptr ? "" : kept->c_str();
}

const char* kept_text(std::string text) {
  static ThreadText kept;
  return kept.keep(std::move(text));
}

char* copied(std::string_view text) {
  char* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out == nullptr) throw std::bad_alloc();
  std::copy(text.begin(), text.end(), out);
  out[text.size()] = 0;
  return out;
}

}  // namespace coracle::internal
