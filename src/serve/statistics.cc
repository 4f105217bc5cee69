// SPDX-License-Identifier: Apache-2.0
#include "serve/statistics.h"

#include <algorithm>

namespace coracle::serve {
namespace {

double ms(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

/// As Triton names why requests fail (nv_inference_request_failure).
const char* reason_of(Code code) {
  switch (code) {
    case Code::kResourceExhausted:
    case Code::kDeadlineExceeded: return "REJECTED";
    case Code::kCancelled: return "CANCELED";
    case Code::kInternal:
    case Code::kUnsupported: return "BACKEND";
    default: return "OTHER";
  }
}

}  // namespace

void Histogram::add(double value) {
  ++counts[static_cast<size_t>(std::lower_bound(kLatencyBounds.begin(), kLatencyBounds.end(), value) -
                               kLatencyBounds.begin())];
  sum += value;
  ++count;
}

void Statistics::add(const Answer& answer, Clock::time_point received, int64_t rows) {
  const Timeline& t = answer.times;
  const Clock::time_point now = Clock::now();
  const std::lock_guard lock(mutex_);
  if (answer.failure.has_value()) {
    counts_.fail.add(now - received);
    ++counts_.failures[reason_of(answer.failure->code())];
    return;
  }
  counts_.success.add(now - received);
  counts_.queue.add(t.started - t.queued);
  counts_.compute_input.add(t.inputs_ready - t.started);
  counts_.compute_infer.add(t.computed - t.inputs_ready);
  counts_.compute_output.add(t.done - t.computed);
  counts_.inference_count += static_cast<uint64_t>(rows);
  counts_.last_inference_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  counts_.request_ms.add(ms(now - received));
  counts_.queue_ms.add(ms(t.started - t.queued));
  counts_.compute_input_ms.add(ms(t.inputs_ready - t.started));
  counts_.compute_infer_ms.add(ms(t.computed - t.inputs_ready));
  counts_.compute_output_ms.add(ms(t.done - t.computed));
}

void Statistics::add_execution(int64_t rows) {
  const std::lock_guard lock(mutex_);
  ++counts_.execution_count;
  ++counts_.batches[rows];
}

void Statistics::add_failure(Code code) {
  const std::lock_guard lock(mutex_);
  ++counts_.fail.count;
  ++counts_.failures[reason_of(code)];
}

Counts Statistics::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace coracle::serve
