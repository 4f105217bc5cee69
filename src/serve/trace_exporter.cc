// SPDX-License-Identifier: Apache-2.0
#include "serve/trace_exporter.h"

#include <algorithm>
#include <utility>

#include "serve/failure.h"
#include "serve/otlp_json.h"

namespace coracle::serve {

using std::chrono::milliseconds;

TraceExporter::TraceExporter(HttpUrl endpoint) : endpoint_(std::move(endpoint)), thread_([this] { work(); }) {}

TraceExporter::~TraceExporter() {
  end_ = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  ending_ = true;
  queue_.close();
  thread_.join();
}

void TraceExporter::add(std::shared_ptr<const RequestRecord> record) {
  if (!queue_.push(std::move(record))) ++lost_;
}

void TraceExporter::work() {
  constexpr size_t kMost = 256;
  while (true) {
    const bool ending = ending_;
    const Records records = queue_.pop(kMost, milliseconds(1000), milliseconds(1000));
    if (records.empty() && ending) return;
    if (records.empty()) continue;
    bool sent = false;
    try {
      sent = send(otlp_json(records));
    } catch (const std::exception&) {
      sent = false;
    }
    (sent ? exported_ : lost_) += records.size();
  }
}

bool TraceExporter::send(const std::string& json) {
  constexpr milliseconds kTime{5000};
  milliseconds wait{250};
  for (int attempt = 0; attempt < 4; ++attempt) {
    if (attempt != 0 && queue_.closed_within(wait)) return false;
    if (attempt != 0) wait *= 4;
    milliseconds time = kTime;
    if (ending_) {
      const auto left = std::chrono::ceil<milliseconds>(end_ - std::chrono::steady_clock::now());
      if (left <= milliseconds(0)) return false;
      time = std::min(time, left);
    }
    try {
      const unsigned status = http_post(endpoint_, "application/json", json, time);
      if (status / 100 == 2) return true;
      // What OTLP lets clients try again.
      if (status != 429 && status != 502 && status != 503 && status != 504) return false;
    } catch (const Failure&) {
      continue;  // nobody is there
    }
  }
  return false;
}

}  // namespace coracle::serve
