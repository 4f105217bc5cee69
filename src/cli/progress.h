// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/system/program.h"
#include "cli/note.h"

namespace coracle::cli {

/// A line of a terminal that says how far the work is; nothing elsewhere.
class Progress {
 public:
  Progress() : shown_(internal::errors_go_to_terminal()) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(size_t done, size_t all) const {
    if (!shown_) return;
    constexpr size_t kWidth = 30;
    const size_t filled = done * kWidth / all;
    note("\r[{}{}] {}/{}", std::string(filled, '#'), std::string(kWidth - filled, '.'), done, all);
  }
  /// Before other text.
  void clear() const {
    if (shown_) note("\r\x1b[K");
  }

 private:
  bool shown_;
};

}  // namespace coracle::cli
