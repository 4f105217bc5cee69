// SPDX-License-Identifier: Apache-2.0
#include "serve/request_queue.h"

#include <algorithm>
#include <utility>

namespace coracle::serve {
namespace {

/// Requests that a policy delays run after those of every priority.
constexpr uint32_t kDelayed = UINT32_MAX;

void answer_with(const InferencePtr& request, Code code, const std::string& message) {
  request->times.done = Clock::now();
  request->answer({.outputs = {}, .failure = Failure(code, message), .times = request->times});
}

}  // namespace

std::optional<int64_t> rows_of(const Inference& request) {
  std::optional<int64_t> rows;
  for (const Tensor& input : request.inputs) {
    if (input.dims.empty() || !input.lod.empty() || input.dims.front() < 1) return std::nullopt;
    if (rows.has_value() && *rows != input.dims.front()) return std::nullopt;
    rows = input.dims.front();
  }
  return rows;
}

std::string shape_of(const Inference& request, size_t pad_axis) {
  std::string shape;
  for (const Tensor& input : request.inputs) {
    shape += std::to_string(static_cast<int>(input.dtype));
    for (size_t d = 1; d < input.dims.size(); ++d) shape += d == pad_axis ? ",?" : ',' + std::to_string(input.dims[d]);
    shape += ';';
  }
  return shape;
}

Clock::time_point RequestQueue::Bucket::oldest() const {
  Clock::time_point oldest = Clock::time_point::max();
  for (const auto& [priority, waiting] : by_priority) {
    if (!waiting.empty()) oldest = std::min(oldest, waiting.front().request->times.queued);
  }
  return oldest;
}

RequestQueue::RequestQueue(BatchOptions options, Prediction predict, Worth worth)
    : options_(std::move(options)),
      predict_(std::move(predict)),
      worth_(options_.max_queue_delay.count() == 0 && options_.preferred_batch_size.empty() && options_.pad_axis == 0
                 ? std::move(worth)
                 : nullptr),
      batches_(options_.max_batch_size > 1) {}

/// Where requests wait that may run together with this one; of one that runs alone a bucket of its own.
RequestQueue::Bucket& RequestQueue::bucket_for(const Inference& request, int64_t& rows) {
  const std::optional<int64_t> own = batches_ ? rows_of(request) : std::nullopt;
  rows = own.value_or(1);
  const bool alone = !own.has_value() || rows >= options_.max_batch_size;
  const std::string key = alone ? "alone " + std::to_string(alone_++) : shape_of(request, options_.pad_axis);
  Bucket& bucket = buckets_[key];
  bucket.alone = alone;
  return bucket;
}

void RequestQueue::push(InferencePtr request, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (closed_) throw Failure(Code::kUnavailable, "the model is being unloaded");
  uint32_t priority = request->priority;
  if (priority == 0 || priority > options_.priority_levels) priority = options_.default_priority_level;
  const QueuePolicy& policy = options_.policy(priority);
  size_t& waiting = waiting_[priority];
  if (policy.max_queue_size != 0 && waiting >= policy.max_queue_size) {
    throw Failure(Code::kResourceExhausted,
                  "the queue is full: " + std::to_string(waiting) + " requests wait, which is its bound");
  }
  Waiting entry;
  entry.request = std::move(request);
  Inference& added = *entry.request;
  added.priority = priority;
  added.times.queued = now;
  // A policy's time is that of waiting alone; a request's own, where it counts, is that of its run too.
  if (policy.default_timeout.count() != 0) {
    const Clock::time_point end = added.times.queued + policy.default_timeout;
    const bool shorter = policy.allow_timeout_override && added.deadline.has_value() && *added.deadline < end;
    if (!shorter) added.deadline.reset();
    entry.expires = added.deadline.value_or(end);
  } else {
    entry.expires = added.deadline;
  }
  Bucket& bucket = bucket_for(added, entry.rows);
  bucket.rows += entry.rows;
  bucket.by_priority[priority].push_back(std::move(entry));
  ++waiting;
  ++size_;
  changed_.notify_one();
}

/// Takes out what was cancelled and what has waited too long; the latter is returned.
std::vector<InferencePtr> RequestQueue::expire(Clock::time_point now, std::vector<InferencePtr>& cancelled) {
  std::vector<InferencePtr> expired;
  for (auto& [key, bucket] : buckets_) {
    std::vector<Waiting> delayed;
    for (auto& [priority, waiting] : bucket.by_priority) {
      for (auto entry = waiting.begin(); entry != waiting.end();) {
        const bool gone = entry->request->cancelled.load(std::memory_order_relaxed) % 2 != 0;
        const bool late = !entry->delayed && entry->expires.has_value() && *entry->expires <= now;
        if (!gone && !late) {
          ++entry;
          continue;
        }
        const QueuePolicy& policy = options_.policy(entry->request->priority);
        if (!gone && policy.timeout_action == QueuePolicy::TimeoutAction::kDelay) {
          entry->delayed = true;
          entry->request->deadline.reset();
          delayed.push_back(std::move(*entry));
        } else {
          (gone ? cancelled : expired).push_back(entry->request);
          bucket.rows -= entry->rows;
          --waiting_[entry->request->priority];
          --size_;
        }
        entry = waiting.erase(entry);
      }
    }
    for (Waiting& entry : delayed) bucket.by_priority[kDelayed].push_back(std::move(entry));
  }
  std::erase_if(buckets_, [](const auto& entry) { return entry.second.rows == 0; });
  return expired;
}

/// How many rows may run together: as many as are answered in time. Where not even one is, as many as may be, since
/// rows that run together take less time than others.
int64_t RequestQueue::most_rows(const std::string& shape, const Bucket& bucket, Clock::time_point now) const {
  const int64_t most = std::max<int64_t>(options_.max_batch_size, 1);
  if (options_.target.count() == 0 || predict_ == nullptr || bucket.alone) return most;
  const Clock::duration left = options_.target - (now - bucket.oldest());
  for (int64_t rows = most; rows > 0; --rows) {
    if (predict_(shape, rows).value_or(Clock::duration(0)) <= left) return rows;
  }
  return most;
}

/// When a bucket waits for no others any more: one more row would be answered too late from then on.
Clock::time_point RequestQueue::due(const std::string& shape, const Bucket& bucket) const {
  Clock::duration delay = options_.max_queue_delay;
  if (options_.target.count() != 0 && predict_ != nullptr) {
    const std::optional<Clock::duration> cost = predict_(shape, bucket.rows + 1);
    delay = std::min<Clock::duration>(delay, options_.target - cost.value_or(Clock::duration(0)));
  }
  return bucket.oldest() + std::max(delay, Clock::duration(0));
}

/// How many rows of a bucket are to run now: 0 where others are still to be waited for.
int64_t RequestQueue::rows_to_take(const std::string& shape, const Bucket& bucket, Clock::time_point now) const {
  const int64_t most = most_rows(shape, bucket, now);
  if (closed_ || bucket.alone || bucket.rows >= most || now >= due(shape, bucket)) return most;
  int64_t preferred = 0;
  for (const int64_t size : options_.preferred_batch_size) {
    if (size <= bucket.rows) preferred = std::max(preferred, size);
  }
  return preferred;
}

std::vector<InferencePtr> RequestQueue::take(Bucket& bucket, int64_t rows) {
  std::vector<InferencePtr> taken;
  for (auto& [priority, waiting] : bucket.by_priority) {
    while (!waiting.empty() && (taken.empty() || waiting.front().rows <= rows)) {
      rows -= waiting.front().rows;
      bucket.rows -= waiting.front().rows;
      --waiting_[waiting.front().request->priority];
      --size_;
      taken.push_back(std::move(waiting.front().request));
      waiting.pop_front();
    }
    if (!waiting.empty()) break;
  }
  return taken;
}

std::optional<Clock::time_point> RequestQueue::next_event() const {
  std::optional<Clock::time_point> next;
  const auto consider = [&](Clock::time_point t) {
    if (!next.has_value() || t < *next) next = t;
  };
  for (const auto& [key, bucket] : buckets_) {
    consider(due(key, bucket));
    for (const auto& [priority, waiting] : bucket.by_priority) {
      for (const Waiting& entry : waiting) {
        if (!entry.delayed && entry.expires.has_value()) consider(*entry.expires);
      }
    }
  }
  return next;
}

std::vector<InferencePtr> RequestQueue::take_ready(std::unique_lock<std::mutex>& lock, Clock::time_point now) {
  while (true) {
    std::vector<InferencePtr> cancelled;
    const std::vector<InferencePtr> expired = expire(now, cancelled);
    if (!expired.empty() || !cancelled.empty()) {
      lock.unlock();
      for (const InferencePtr& request : expired)
        answer_with(request, Code::kDeadlineExceeded, "the request has waited longer than its time limit allows");
      for (const InferencePtr& request : cancelled) answer_with(request, Code::kCancelled, "the request was cancelled");
      lock.lock();
      continue;
    }
    // Of the buckets that are ready the one with the highest priority, of those the one that has waited longest.
    auto chosen = buckets_.end();
    int64_t rows = 0;
    std::pair<uint32_t, Clock::time_point> rank;
    for (auto bucket = buckets_.begin(); bucket != buckets_.end(); ++bucket) {
      const int64_t ready = rows_to_take(bucket->first, bucket->second, now);
      if (ready == 0) continue;
      uint32_t priority = kDelayed;
      for (const auto& [level, waiting] : bucket->second.by_priority) {
        if (!waiting.empty()) {
          priority = level;
          break;
        }
      }
      const std::pair own{priority, bucket->second.oldest()};
      if (chosen == buckets_.end() || own < rank) {
        chosen = bucket;
        rows = ready;
        rank = own;
      }
    }
    if (chosen == buckets_.end()) return {};
    if (worth_ != nullptr && !chosen->second.alone) {
      const int64_t first = chosen->second.by_priority.at(rank.first).front().rows;
      rows = worth_(chosen->first, first, std::min(rows, chosen->second.rows));
    }
    std::vector<InferencePtr> taken = take(chosen->second, rows);
    if (chosen->second.rows == 0) buckets_.erase(chosen);
    if (size_ != 0) changed_.notify_one();
    return taken;
  }
}

std::vector<InferencePtr> RequestQueue::poll(Clock::time_point now) {
  std::unique_lock lock(mutex_);
  return take_ready(lock, now);
}

std::vector<InferencePtr> RequestQueue::pop() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::vector<InferencePtr> taken = take_ready(lock, Clock::now());
    if (!taken.empty()) return taken;
    if (closed_ && size_ == 0) return {};
    if (const std::optional<Clock::time_point> next = next_event()) {
      changed_.wait_until(lock, *next);
    } else {
      changed_.wait(lock);
    }
  }
}

void RequestQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

size_t RequestQueue::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

void RequestQueue::stop_batching() {
  const std::lock_guard lock(mutex_);
  batches_ = false;
}

bool RequestQueue::batches() const {
  const std::lock_guard lock(mutex_);
  return batches_;
}

}  // namespace coracle::serve
