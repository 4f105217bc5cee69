// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/system/program.h"

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
    const size_t filled = all > 0 ? std::min(done, all) * kWidth / all : 0;
    write("\r[" + std::string(filled, '#') + std::string(kWidth - filled, '.') + "] " + std::to_string(done) + "/" +
          std::to_string(all));
  }
  /// Before other text.
  void clear() const {
    if (shown_) write("\r\x1b[K");
  }

 private:
  static void write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

  bool shown_;
};

}  // namespace coracle::cli
