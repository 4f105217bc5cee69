// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "serve/bounded_queue.h"
#include "serve/http_client.h"
#include "serve/request_record.h"

namespace coracle::serve {

/// Sends the traces of requests to a collector of OpenTelemetry, by a thread of its own and many at a time. Requests
/// never wait for it: what the collector does not take is tried again a few times, then lost and counted. For any
/// number of threads.
class TraceExporter {
 public:
  explicit TraceExporter(HttpUrl endpoint);
  /// Sends what waits, as far as two seconds are enough.
  ~TraceExporter();
  TraceExporter(const TraceExporter&) = delete;
  TraceExporter& operator=(const TraceExporter&) = delete;

  void add(std::shared_ptr<const RequestRecord> record);
  uint64_t exported() const { return exported_; }  ///< requests
  uint64_t lost() const { return lost_; }

 private:
  using Records = std::vector<std::shared_ptr<const RequestRecord>>;
  void work();
  bool send(const std::string& json);

  const HttpUrl endpoint_;
  BoundedQueue<std::shared_ptr<const RequestRecord>> queue_{2048};
  std::atomic<bool> ending_{false};
  std::atomic<uint64_t> exported_{0};
  std::atomic<uint64_t> lost_{0};
  std::chrono::steady_clock::time_point end_;  // set before ending_
  std::thread thread_;
};

}  // namespace coracle::serve
