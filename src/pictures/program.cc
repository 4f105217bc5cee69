// SPDX-License-Identifier: Apache-2.0
#include "pictures/program.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace coracle::pictures {
namespace {

using vision::Error;
using vision::Problem;

constexpr size_t kLongestMessage = 300;

}  // namespace

std::string as_path(const std::string& path) { return path.starts_with('-') ? "./" + path : path; }

std::string last_line(std::string_view messages) {
  std::string_view last;
  std::string_view last_error;
  while (!messages.empty()) {
    const size_t length = std::min(messages.find_first_of("\r\n"), messages.size());
    const std::string_view line = messages.substr(0, length);
    messages.remove_prefix(std::min(length + 1, messages.size()));
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    last = line;
    if (line.find("[error]") != std::string_view::npos || line.find("[fatal]") != std::string_view::npos)
      last_error = line;
  }
  return std::string((last_error.empty() ? last : last_error).substr(0, kLongestMessage));
}

Program::Program(std::string file, const std::vector<std::string>& words, const char* package)
    : file_(std::move(file)), name_(words[0]), child_(words, internal::Child::Pipe::kOutput) {
  if (child_.error() == ENOENT) {
    throw Error(Problem::kPicture, file_ + ": is read by the program " + name_ +
                                       ", which is not installed or not in PATH (Debian: apt install " + package + ")");
  }
  if (child_.error() != 0) fail(std::string("cannot be started: ") + std::strerror(child_.error()));
}

void Program::fail(const std::string& why) const { throw Error(Problem::kPicture, file_ + ": " + name_ + " " + why); }

size_t Program::read(void* to, size_t most) {
  const size_t count = child_.read(to, most, kPatience);
  if (child_.silent()) {
    fail("was ended, as it gave nothing for " +
         std::to_string(std::chrono::duration_cast<std::chrono::seconds>(kPatience).count()) + " seconds");
  }
  return count;
}

std::string Program::text(size_t most) {
  std::string text;
  std::array<char, 4096> part{};
  while (const size_t count = read(part.data(), part.size())) {
    text.append(part.data(), count);
    if (text.size() > most) fail("says more of the file than " + std::to_string(most) + " bytes");
  }
  finish();
  return text;
}

void Program::finish() {
  const int status = child_.finish();
  if (status == 0) return;
  const std::string message = last_line(child_.messages());
  fail(message.empty() ? internal::how_ended(status) : "says: " + message);
}

bool PpmReader::fill() {
  at_ = 0;
  end_ = program_.read(buffer_.data(), buffer_.size());
  return end_ > 0;
}

uint8_t PpmReader::byte() {
  if (at_ == end_ && !fill()) {
    program_.finish();
    program_.fail("ended within a picture");
  }
  return buffer_[at_++];
}

int PpmReader::number() {
  uint8_t c = byte();
  while (c == ' ' || c == '\n' || c == '\t' || c == '\r') c = byte();
  int64_t value = 0;
  for (; c >= '0' && c <= '9' && value <= kMostPixels; c = byte()) value = value * 10 + (c - '0');
  if (c != ' ' && c != '\n' && c != '\t' && c != '\r') program_.fail("gave what is no PPM picture");
  return static_cast<int>(value);
}

bool PpmReader::next(vision::Image& image) {
  if (at_ == end_ && !fill()) return false;
  if (byte() != 'P' || byte() != '6') program_.fail("gave what is no PPM picture");
  const int width = number();
  const int height = number();
  if (width < 1 || height < 1 || number() != 255) program_.fail("gave a picture that is empty or has not 8 bits");
  if (int64_t{width} * height > kMostPixels) {
    program_.fail("gives " + std::to_string(width) + " x " + std::to_string(height) + " pixels; " +
                  std::to_string(kMostPixels) + " are allowed");
  }
  if (image.width != width || image.height != height) image = vision::Image(width, height);
  uint8_t* to = image.bgr.data();
  size_t missing = image.bgr.size();
  while (missing > 0) {
    if (at_ == end_) {
      // The rest goes where it belongs, unless it is little.
      const size_t count = missing > buffer_.size() ? program_.read(to, missing) : 0;
      to += count;
      missing -= count;
      if (count > 0) continue;
      *to = byte();
      ++to;
      --missing;
      continue;
    }
    const size_t count = std::min(missing, end_ - at_);
    std::copy_n(buffer_.data() + at_, count, to);
    at_ += count;
    to += count;
    missing -= count;
  }
  for (size_t i = 0; i < image.bgr.size(); i += 3) std::swap(image.bgr[i], image.bgr[i + 2]);
  return true;
}

}  // namespace coracle::pictures
