// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/inference.h"
#include "serve/trace_context.h"

namespace coracle::serve {

/// A model that ran for a request, or was to.
struct ModelRun {
  std::string model;
  int64_t version = 0;
  Timeline times;
  bool failed = false;
};

/// What becomes of a request, for those who watch the server, whatever protocol it came by. Whoever reads the request
/// makes it and sets the first group, whoever handles it the second, before it answers, and whoever writes the answer
/// the third.
struct RequestRecord {
  const std::chrono::system_clock::time_point time = std::chrono::system_clock::now();  ///< of `begin`
  const Clock::time_point begin = Clock::now();
  std::string peer;
  std::string method;
  std::string path;       ///< not decoded, without the query, which may have secrets
  uint64_t bytes_in = 0;  ///< of the body, as it was sent

  std::string id;  ///< as the client has it
  TraceContext trace;

  unsigned status = 0;                 ///< of HTTP; of a call of gRPC that which says the same
  std::optional<uint8_t> grpc_status;  ///< the number of gRPC's
  uint64_t bytes_out = 0;              ///< of the body, as far as it was sent
  Clock::time_point end;

  /// Models may run at the same time. Of very many the first are kept.
  void add(ModelRun run) {
    constexpr size_t kMost = 128;  // a page of some hundred lines
    const std::lock_guard lock(mutex_);
    if (runs_.size() < kMost) runs_.push_back(std::move(run));
  }
  std::vector<ModelRun> runs() const {
    const std::lock_guard lock(mutex_);
    return runs_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<ModelRun> runs_;
};

/// Puts a request into its trace by what the client sent as traceparent. Returns what it is answered, empty where there
/// are no traces. Does not throw.
using RequestBegan = std::function<std::string(RequestRecord& record, std::string_view traceparent)>;
/// Takes what is known of a request once it was answered. Does not throw.
using RequestAnswered = std::function<void(std::shared_ptr<const RequestRecord>)>;

/// The beginning of a text of a client as valid UTF-8: at most `most` bytes of it, with U+FFFD for bytes that are none.
std::string valid_utf8(std::string_view text, size_t most);

}  // namespace coracle::serve
