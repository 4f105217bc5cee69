// SPDX-License-Identifier: Apache-2.0
#include "cli/quantize/state.h"

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>

#include "base/system/native_path.h"
#include "cli/failure.h"
#include "cli/file.h"
#include "cli/note.h"
#include "cli/text.h"
#include "quantize/error.h"

namespace coracle::cli {
namespace {

constexpr std::string_view kFirstLine = "coracle quantize state 1\n";

std::string checksum(std::string_view content) {
  Fingerprint f;
  f.add(content);
  return f.text();
}

}  // namespace

void Fingerprint::add(std::string_view part) {
  // With its length, so that parts do not run together.
  const uint64_t size = part.size();
  sum_.add(&size, sizeof(size));
  sum_.add(part.data(), part.size());
}

std::string Fingerprint::text() const {
  const auto [first, second] = sum_.value();
  return fmt::format("{:016x}{:016x}", first, second);
}

State::State(std::string file, std::string key) : file_(std::move(file)), key_(std::move(key)) {
  std::error_code error;
  if (!std::filesystem::exists(internal::native_path(file_), error)) return;
  const std::string content = read_file(file_);
  if (content.rfind(kFirstLine, 0) != 0) {
    throw Failure(ExitCode::kUsage,
                  "--state " + printable(file_) + ": it is there, and no state of coracle quantize; name another file");
  }
  if (read(content)) {
    // What was seen begins with how many runs it is of (Calibration).
    const auto runs = seen_ ? StateReader(*seen_).number<uint64_t>() : 0;
    note("coracle: --state {}: goes on behind {} runs and {} comparisons\n", printable(file_), runs, results_.size());
    return;
  }
  seen_.reset();
  results_.clear();
  note(
      "coracle: warning: --state {}: it is damaged, or of another model, other inputs, options or versions; all "
      "is done anew\n",
      printable(file_));
}

bool State::read(const std::string& content) try {
  const std::string_view whole = content;
  constexpr size_t kDigits = 32;
  if (whole.size() < kFirstLine.size() + kDigits) return false;
  const std::string_view body = whole.substr(kFirstLine.size() + kDigits);
  if (whole.substr(kFirstLine.size(), kDigits) != checksum(body)) return false;
  StateReader r(body);
  if (r.text() != key_) return false;
  if (r.number<uint8_t>() != 0) seen_ = r.text();
  while (!r.empty()) results_.push_back(r.text());
  return true;
} catch (const internal::quantize::Error&) {
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
  if (!file_.empty()) std::filesystem::remove(internal::native_path(file_), error);
}

}  // namespace coracle::cli
