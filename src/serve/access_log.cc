// SPDX-License-Identifier: Apache-2.0
#include "serve/access_log.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/json.h"
#include "serve/grpc_status.h"

namespace coracle::serve {
namespace {

constexpr size_t kLongestText = 2048;
constexpr size_t kLongestName = 255;
/// A pipe that has room takes as many bytes without waiting (PIPE_BUF).
constexpr size_t kWrite = 4096;

/// In milliseconds, with the digits that clocks have.
double rounded_ms(Clock::duration d) { return std::round(std::chrono::duration<double, std::micro>(d).count()) / 1000; }

/// RFC 3339, in UTC: 2026-01-31T10:20:30.123Z
std::string time_text(std::chrono::system_clock::time_point time) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const auto seconds = static_cast<time_t>(ms / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string fraction = std::to_string(1000 + ms % 1000);
  return std::string(text.data()) + '.' + fraction.substr(1) + 'Z';
}

int open_log(const std::string& path) {
  if (path == "-") return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0640);
}

/// A model's, or sums where several ran.
void write_runs(internal::JsonWriter& json, const std::vector<ModelRun>& runs) {
  if (runs.empty()) return;
  json.field("model", runs.front().model);
  json.field("version", runs.front().version);
  if (runs.size() > 1) json.field("runs", static_cast<uint64_t>(runs.size()));
  Clock::duration queue{0};
  Clock::duration compute{0};
  const Clock::time_point never;
  for (const ModelRun& run : runs) {
    const Timeline& t = run.times;
    if (t.queued == never || t.started == never) continue;
    queue += t.started - t.queued;
    if (t.done != never) compute += t.done - t.started;
  }
  if (runs.front().times.started == never) return;  // it was refused
  json.field("batch", runs.front().times.batch);
  json.field("queue_ms", rounded_ms(queue));
  json.field("compute_ms", rounded_ms(compute));
}

}  // namespace

std::string access_line(const RequestRecord& record) {
  return internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    json.field("time", time_text(record.time));
    json.field("peer", record.peer);
    json.field("method", valid_utf8(record.method, kLongestName));
    json.field("path", valid_utf8(record.path, kLongestText));
    json.field("status", uint64_t{record.status});
    if (record.grpc_status) json.field("grpc_status", std::string_view(grpc_status(*record.grpc_status).name));
    json.field("bytes_in", record.bytes_in);
    json.field("bytes_out", record.bytes_out);
    json.field("ms", rounded_ms(record.end - record.begin));
    write_runs(json, record.runs());
    if (!record.id.empty()) json.field("id", valid_utf8(record.id, kLongestName));
    if (!record.trace.trace_id.empty()) json.field("trace_id", record.trace.trace_id);
    json.EndObject();
  });
}

AccessLog::AccessLog(std::string path) : path_(std::move(path)), file_(open_log(path_)) {
  if (file_ < 0) {
    throw Failure(Code::kUnavailable, "the access log " + path_ + " cannot be written: " + std::strerror(errno));
  }
  thread_ = std::thread([this] { work(); });
}

AccessLog::~AccessLog() {
  end_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  ending_ = true;
  queue_.close();
  thread_.join();
  ::close(file_);
}

void AccessLog::add(std::shared_ptr<const RequestRecord> record) {
  if (!queue_.push(std::move(record))) ++lost_;
}

void AccessLog::work() {
  constexpr std::chrono::milliseconds kIdle{250};
  while (true) {
    const bool ending = ending_;
    const auto records = queue_.pop(1024, kIdle, std::chrono::milliseconds(0));
    if (records.empty() && ending) return;
    if (reopen_.exchange(false)) {
      if (const int file = open_log(path_); file >= 0) {
        ::close(std::exchange(file_, file));
        cut_ = false;
      }
    }
    std::string text;
    uint64_t lines = 0;
    for (const auto& record : records) {
      const std::string line = access_line(*record) + '\n';
      if (lines != 0 && text.size() + line.size() > kWrite) {
        write(std::exchange(text, {}), std::exchange(lines, 0));
      }
      text += line;
      ++lines;
    }
    if (lines != 0) write(text, lines);
  }
}

/// Waits until writing does not; false where the server is to end first.
bool AccessLog::ready_to_take() {
  constexpr int kLookMs = 100;
  while (true) {
    const bool over = ending_ && std::chrono::steady_clock::now() >= end_;
    pollfd file{file_, POLLOUT, 0};
    const int ready = ::poll(&file, 1, over ? 0 : kLookMs);
    if (ready > 0) return true;
    if (over || (ready < 0 && errno != EINTR)) return false;
  }
}

void AccessLog::write(const std::string& text, uint64_t lines) {
  std::string_view rest = text;
  const std::string ended = cut_ ? '\n' + text : std::string();
  if (cut_) rest = ended;
  while (!rest.empty() && ready_to_take()) {
    const ssize_t count = ::write(file_, rest.data(), std::min(rest.size(), kWrite));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) break;
    rest.remove_prefix(static_cast<size_t>(count));
    cut_ = !rest.empty();
  }
  (rest.empty() ? written_ : lost_) += lines;
}

}  // namespace coracle::serve
