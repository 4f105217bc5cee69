// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace paddle {
namespace detail {

/// Two columns in a frame of ASCII, in groups with a line between them.
class SummaryTable {
 public:
  void row(const std::string& option, const std::string& value) { rows_.emplace_back(option, value); }
  void row(const std::string& option, bool value) { row(option, std::string(value ? "true" : "false")); }
  void row(const std::string& option, const char* value) { row(option, std::string(value)); }
  void row(const std::string& option, int value) { row(option, std::to_string(value)); }
  /// Ends a group.
  void line() { rows_.emplace_back(); }

  std::string text() const {
    size_t first = 0;
    size_t second = 0;
    for (const auto& row : rows_) {
      first = std::max(first, row.first.size());
      second = std::max(second, row.second.size());
    }
    const std::string divider = "+" + std::string(first + 2, '-') + "+" + std::string(second + 2, '-') + "+\n";
    std::string out = divider;
    for (const auto& row : rows_) {
      out += row.first.empty() ? divider
                               : "| " + row.first + std::string(first - row.first.size(), ' ') + " | " + row.second +
                                     std::string(second - row.second.size(), ' ') + " |\n";
    }
    return out + divider;
  }

 private:
  std::vector<std::pair<std::string, std::string>> rows_;
};

}  // namespace detail
}  // namespace paddle
