// SPDX-License-Identifier: Apache-2.0
// Programs of others that read files: what they write is not trusted more than the files.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/child.h"
#include "coracle/vision/image.h"

namespace coracle::pictures {

/// A program that says and makes nothing for so long is ended.
constexpr std::chrono::milliseconds kPatience{60'000};
/// As pictures in files (vision::Decoding).
constexpr int64_t kMostPixels = int64_t{1} << 27;

/// A program that reads `file`, for messages.
class Program {
 public:
  /// `package`: what has it in Debian. Throws vision::Error where it cannot be started.
  Program(std::string file, const std::vector<std::string>& words, const char* package);

  internal::Child& child() { return child_; }
  /// Some bytes of what it writes; 0 at the end. Throws vision::Error where it writes nothing for too long.
  size_t read(void* to, size_t most);
  /// All that it writes, but `most` bytes at most, which is an error too. Throws where it fails.
  std::string text(size_t most);
  /// Waits for its end; throws with the last line it wrote to standard error where it failed.
  void finish();
  [[noreturn]] void fail(const std::string& why) const;

 private:
  std::string file_;
  std::string name_;
  internal::Child child_;
};

/// A path that is no option and no address to a program: one that begins with a dash gets "./" in front.
std::string as_path(const std::string& path);

/// Pictures in the format PPM that a program writes one after the other.
class PpmReader {
 public:
  explicit PpmReader(Program& program) : program_(program) {}
  /// The next picture; false at the end. Throws vision::Error where it is none or has more than kMostPixels.
  bool next(vision::Image& image);

 private:
  bool fill();
  int number();
  uint8_t byte();

  Program& program_;
  std::array<uint8_t, 1U << 16U> buffer_{};
  size_t at_ = 0;
  size_t end_ = 0;
};

/// The last line of a text that is not empty, and of several kinds the last one that tells of an error, as ffmpeg marks
/// them.
std::string last_line(std::string_view messages);

}  // namespace coracle::pictures
