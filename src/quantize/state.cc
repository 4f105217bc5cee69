// SPDX-License-Identifier: Apache-2.0
#include "quantize/state.h"

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/printable.h"
#include "base/system/native_path.h"
#include "coracle/coracle.hpp"
#include "quantize/error.h"

namespace coracle::internal::quantize {
namespace {

constexpr std::string_view kFirstLine = "coracle quantize state 1\n";

std::string checksum(std::string_view content) {
  Fingerprint f;
  f.add(content);
  return f.text();
}

/// Of a regular file, if it is there. Throws Error.
std::optional<std::string> content_of_file(const std::string& path) {
  const std::optional<File> file = File::open(path);
  if (!file) return std::nullopt;
  const FileBytes whole = file->read_all();
  return std::string(reinterpret_cast<const char*>(whole.bytes.data()), whole.bytes.size());
}

}  // namespace

void Fingerprint::add(std::string_view part) {
  // With its length, so that parts do not run together.
  const uint64_t size = part.size();
  sum_.add(&size, sizeof(size));
  sum_.add(part.data(), part.size());
}

std::string Fingerprint::text() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto [first, second] = sum_.value();
  std::string out;
  for (const uint64_t number : {first, second}) {
    for (unsigned shift = 64; shift > 0; shift -= 4) out += kDigits[number >> (shift - 4) & 15U];
  }
  return out;
}

State::State(std::string file, std::string key, const Messages& tell) : file_(std::move(file)), key_(std::move(key)) {
  const std::optional<std::string> content = content_of_file(file_);
  if (!content) return;
  const std::string name = printable(file_);
  require(content->rfind(kFirstLine, 0) == 0, ErrorCode::kInvalidArgument, name,
          ": the file for the state is there, and no state of coracle quantize; name another file");
  if (read(*content)) {
    // What was seen begins with how many runs it is of (Calibration).
    const auto runs = seen_ ? StateReader(*seen_).number<uint64_t>() : 0;
    tell(CORACLE_LOG_INFO,
         text(name, ": this state goes on behind ", runs, " runs and ", results_.size(), " comparisons"));
    return;
  }
  seen_.reset();
  results_.clear();
  tell(CORACLE_LOG_WARNING, text(name,
                                 ": this state is damaged, or of another model, other inputs, options or "
                                 "versions; all is done anew"));
}

bool State::read(std::string_view whole) try {
  constexpr size_t kDigits = 32;
  if (whole.size() < kFirstLine.size() + kDigits) return false;
  const std::string_view body = whole.substr(kFirstLine.size() + kDigits);
  if (whole.substr(kFirstLine.size(), kDigits) != checksum(body)) return false;
  StateReader r(body);
  if (r.text() != key_) return false;
  if (r.number<uint8_t>() != 0) seen_ = r.text();
  while (!r.empty()) results_.push_back(r.text());
  return true;
} catch (const Error&) {
  return false;
}

void State::write() const {
  if (file_.empty()) return;
  StateWriter w;
  w.text(key_);
  w.number<uint8_t>(seen_ ? 1 : 0);
  if (seen_) w.text(*seen_);
  for (const std::string& result : results_) w.text(result);
  const std::string body = w.take();
  coracle::write_file(file_, std::string(kFirstLine) + checksum(body) + body);
}

void State::keep_seen(std::string bytes) {
  seen_ = std::move(bytes);
  write();
}

std::optional<std::string> State::next() {
  if (taken_ >= results_.size()) return std::nullopt;
  return results_[taken_++];
}

void State::add(std::string result) {
  if (file_.empty()) return;
  results_.push_back(std::move(result));
  taken_ = results_.size();
  write();
}

void State::remove() const {
  std::error_code error;
  if (!file_.empty()) std::filesystem::remove(native_path(file_), error);
}

}  // namespace coracle::internal::quantize
