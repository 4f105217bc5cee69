// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "serve/bounded_queue.h"
#include "serve/request_record.h"

namespace coracle::serve {

/// What the access log says of a request: a JSON object in one line, without its end.
std::string access_line(const RequestRecord& record);

/// Writes a line for each request, by a thread of its own. Requests never wait for it: where lines come faster than
/// the file takes them, or it takes none, they are lost and counted. For any number of threads.
class AccessLog {
 public:
  /// `path` "-" is standard output. Throws Failure where the file cannot be written.
  explicit AccessLog(std::string path);
  /// Writes what waits, as far as a second is enough.
  ~AccessLog();
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  void add(std::shared_ptr<const RequestRecord> record);
  /// Opens the file again, which somebody has renamed. The one before goes on where that fails.
  void reopen() { reopen_ = true; }
  uint64_t written() const { return written_; }
  uint64_t lost() const { return lost_; }

 private:
  void work();
  void write(const std::string& text, uint64_t lines);
  bool ready_to_take();

  const std::string path_;
  int file_ = -1;
  bool cut_ = false;  // the last line was written in part
  BoundedQueue<std::shared_ptr<const RequestRecord>> queue_{8192};
  std::atomic<bool> reopen_{false};
  std::atomic<bool> ending_{false};
  std::atomic<uint64_t> written_{0};
  std::atomic<uint64_t> lost_{0};
  std::chrono::steady_clock::time_point end_;  // set before ending_
  std::thread thread_;
};

}  // namespace coracle::serve
