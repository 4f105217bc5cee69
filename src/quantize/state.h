// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "quantize/messages.h"
#include "quantize/state_bytes.h"

namespace coracle::internal::quantize {

/// What content is told apart by: equal for equal parts in the same order.
class Fingerprint {
 public:
  void add(std::string_view part);
  /// 32 hexadecimal digits.
  std::string text() const;

 private:
  Checksum sum_;
};

/// What a run has found out so far, in a file that a later run of the same goes on with. A run asks for its results in
/// an order that follows from what the key is made of, so the n-th result of one run is that of the other.
class State {
 public:
  /// Keeps nothing.
  State() = default;
  /// Reads the file where there is one with that key, and says so to `tell`; one with another key or a damaged one is
  /// as none, with a warning. Throws Error where the file is none of these (kInvalidArgument), or cannot be read.
  State(std::string file, std::string key, const Messages& tell);

  bool keeps() const { return !file_.empty(); }
  /// What was seen of values, as far as runs got: it replaces what was kept before.
  const std::optional<std::string>& seen() const { return seen_; }
  void keep_seen(std::string bytes);
  /// The next result that the earlier run had; nothing where it had no more.
  std::optional<std::string> next();
  /// What stands behind it.
  void add(std::string result);
  /// The file goes: all is done.
  void remove() const;

 private:
  bool read(std::string_view whole);
  void write() const;

  std::string file_;
  std::string key_;
  std::optional<std::string> seen_;
  std::vector<std::string> results_;
  size_t taken_ = 0;
};

}  // namespace coracle::internal::quantize
