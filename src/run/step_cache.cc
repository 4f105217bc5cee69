// SPDX-License-Identifier: Apache-2.0
#include "run/step_cache.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "base/counted.h"
#include "base/log.h"
#include "plan/planner.h"
#include "run/fact_key.h"

namespace coracle::internal {
namespace {

/// Plans of this size that the bound has room for at least, if the model decides.
constexpr size_t kLeastPlans = 8;

void append_key(std::string& key, const SegmentRequest& request, const SegmentReads& reads) {
  append_raw(key, request.number);
  append_raw(key, request.position);
  append_raw(key, reads.stop);
  append_raw(key, request.threads);
  append_raw(key, request.stay.size());
  for (ValueId v : request.stay) append_raw(key, v);
  for (ValueId v : reads.values) {
    const Fact& fact = request.facts[index(v)];
    key.push_back(fact.is_array ? 'A' : 'T');
    if (fact.is_array) continue;
    append_raw(key, fact.lod == nullptr ? size_t{0} : fact.lod->size());
    append_fact(key, fact);
    append_raw(key, fact.place);
  }
}

}  // namespace

SegmentReads segment_reads(const Graph& graph, size_t position, size_t stop, size_t end) {
  SegmentReads reads{.stop = stop, .values = {}};
  std::vector<bool> met(graph.value_count(), false);  // made here, or noted
  for (size_t p = position; p <= stop && p < graph.order().size(); ++p) {
    const Node& node = graph.node(graph.order()[p]);
    if (p == stop && (p >= end || !plannable(graph, node))) break;  // it ends here whatever the node reads
    for (ValueId v : node.inputs) {
      if (!met[index(v)] && !graph.value(v).is_constant()) reads.values.push_back(v);
      met[index(v)] = true;
    }
    for (ValueId v : node.outputs) met[index(v)] = true;
  }
  return reads;
}

bool PlannedSteps::match(const SegmentRequest& request, std::string& scratch) const {
  scratch.clear();
  append_key(scratch, request, *reads);
  return scratch == key;
}

/// Steps that a thread is planning.
struct StepCache::Making {
  enum class State : uint8_t { kGoesOn, kMade, kFailed };

  const int64_t process = this_process();
  std::atomic<State> state{State::kGoesOn};
  std::shared_ptr<const PlannedSteps> made = {};  // before the state says so

  bool goes_on() const {
    // A child that was forked has no thread that would make it.
    return state.load(std::memory_order_acquire) == State::kGoesOn && process == this_process();
  }
  /// Null if it failed.
  std::shared_ptr<const PlannedSteps> await(const RunContext& context) const {
    std::chrono::microseconds pause{20};
    while (state.load(std::memory_order_acquire) == State::kGoesOn) {
      context.check();
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, std::chrono::microseconds(1000));
    }
    return made;
  }
};

/// Says that this thread plans, until it is done or has failed.
class StepCache::Mark {
 public:
  /// `others`: whoever plans the same already, if anybody does. The cache is locked.
  Mark(StepCache& cache, std::string key, std::shared_ptr<Making>& others) : cache_(cache), key_(std::move(key)) {
    std::shared_ptr<Making>& making = cache_.making_[key_];
    if (making != nullptr && making->goes_on()) {
      others = making;
    } else {
      making = mine_ = std::make_shared<Making>();
    }
  }
  ~Mark() {
    if (mine_ == nullptr) return;
    mine_->state.store(mine_->made != nullptr ? Making::State::kMade : Making::State::kFailed,
                       std::memory_order_release);
    try {
      const std::lock_guard lock(cache_.mutex_);
      const auto it = cache_.making_.find(key_);
      if (it != cache_.making_.end() && it->second == mine_) cache_.making_.erase(it);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the next one takes its place
    }
  }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;

  void done(std::shared_ptr<const PlannedSteps> made) { mine_->made = std::move(made); }

 private:
  StepCache& cache_;
  const std::string key_;
  std::shared_ptr<Making> mine_;  // null where another one plans
};

StepCache::User::User(StepCache& cache, size_t max_bytes) : cache_(cache), max_bytes_(max_bytes) {
  Dropped dropped;
  const std::lock_guard lock(cache_.mutex_);
  cache_.users_.push_back(this);
  cache_.shrink(dropped);
}

StepCache::User::~User() {
  Dropped dropped;
  try {
    const std::lock_guard lock(cache_.mutex_);
    std::erase(cache_.users_, this);
    if (!cache_.users_.empty()) cache_.shrink(dropped);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): a forked process that can use the model no more
  }
}

size_t StepCache::bound_by_model() const {
  return std::min(std::max(least_bytes_, kLeastPlans * largest_), kMostBytes);
}

size_t StepCache::bound() const {
  size_t bound = 0;
  for (const User* user : users_) {
    bound = std::max(bound, user->max_bytes_ == kByModel ? bound_by_model() : user->max_bytes_);
  }
  return bound;
}

size_t StepCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

StepCache::Begin& StepCache::begin_of(const SegmentRequest& request) {
  Begin& begin = begins_[{request.number, request.position}];
  if (begin.all == nullptr) {
    begin.all = std::make_shared<const SegmentReads>(segment_reads(
        request.graph, request.position, std::min(request.graph.order().size(), request.end), request.end));
  }
  return begin;
}

std::shared_ptr<const PlannedSteps> StepCache::find(const Begin& begin, const SegmentRequest& request) {
  std::string key;
  for (const std::shared_ptr<const SegmentReads>& reads : begin.seen) {
    key.clear();
    append_key(key, request, *reads);
    const auto it = entries_.find(key);
    if (it == entries_.end()) continue;
    touch(*it->second);
    return it->second;
  }
  return nullptr;
}

std::shared_ptr<const PlannedSteps> StepCache::get(const SegmentRequest& request, const User& user,
                                                   const RunContext& context, const Plan& plan) {
  for (;;) {
    std::optional<Mark> mark;
    std::shared_ptr<Making> others;
    {
      const std::lock_guard lock(mutex_);
      const Begin& begin = begin_of(request);
      if (std::shared_ptr<const PlannedSteps> found = find(begin, request)) return found;
      std::string key;
      append_key(key, request, *begin.all);
      mark.emplace(*this, std::move(key), others);
    }
    if (others != nullptr) {
      std::shared_ptr<const PlannedSteps> made = others->await(context);
      if (made == nullptr) continue;
      touch(*made);
      return made;
    }
    const std::shared_ptr<PlannedSteps> made = plan();
    keep(made, request, user);
    ++plans_made_;
    mark->done(made);
    return made;
  }
}

void StepCache::keep(const std::shared_ptr<PlannedSteps>& made, const SegmentRequest& request, const User& user) {
  const size_t stop = made->steps.stop;
  Dropped dropped;
  size_t bytes = 0;
  size_t most = 0;
  {
    const std::lock_guard lock(mutex_);
    Begin& begin = begin_of(request);
    const auto ends_there = [&](const auto& reads) { return reads->stop == stop; };
    auto reads = std::find_if(begin.seen.begin(), begin.seen.end(), ends_there);
    if (reads == begin.seen.end()) {
      begin.seen.push_back(
          std::make_shared<const SegmentReads>(segment_reads(request.graph, request.position, stop, request.end)));
      reads = std::prev(begin.seen.end());
    }
    made->reads = *reads;
    append_key(made->key, request, **reads);
    touch(*made);
    bytes = made->bytes();
    largest_ = std::max(largest_, bytes);
    // The same may have been planned meanwhile for values that differ where the segment does not read them.
    if (entries_.count(made->key) != 0 || !make_room(bytes, user, dropped)) return;
    entries_.emplace(made->key, made);
    bytes_ += bytes;
    most = bound();
  }
  if (!dropped.empty()) {
    log(LogLevel::kInfo, "dropped the plans of ", dropped.size(), " other shapes for a new one of ",
        counted(bytes, "byte"), ": cache_bytes is ", most);
  }
}

StepCache::Entries::iterator StepCache::oldest() {
  return std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
    return a.second->used.load(std::memory_order_relaxed) < b.second->used.load(std::memory_order_relaxed);
  });
}

void StepCache::drop(Entries::iterator entry, Dropped& dropped) {
  dropped.push_back(entry->second);
  bytes_ -= entry->second->bytes();
  entries_.erase(entry);
}

void StepCache::shrink(Dropped& dropped) {
  const size_t most = bound();
  while (bytes_ > most && (entries_.size() > 1 || most == 0)) drop(oldest(), dropped);
}

/// True if there is room for `bytes` more, if need be without plans of other runs.
bool StepCache::make_room(size_t bytes, const User& user, Dropped& dropped) {
  const bool by_model =
      std::any_of(users_.begin(), users_.end(), [](const User* u) { return u->max_bytes_ == kByModel; });
  for (;;) {
    const size_t most = bound();
    if (most == 0) return false;
    if (entries_.empty() || (bytes <= most && bytes_ <= most - bytes)) return true;
    const auto victim = oldest();
    if (victim->second->used.load(std::memory_order_relaxed) <= user.run_start_) {
      drop(victim, dropped);
    } else if (by_model && bound_by_model() < kMostBytes) {
      least_bytes_ = 2 * bound_by_model();
    } else {
      return false;
    }
  }
}

size_t StepCache::release_unused() {
  Dropped dropped;
  const std::lock_guard lock(mutex_);
  const size_t before = bytes_;
  for (auto it = entries_.begin(); it != entries_.end();) {
    // Nobody but this cache can hand out another reference to what has only one.
    const auto entry = it++;
    if (entry->second.use_count() == 1) drop(entry, dropped);
  }
  return before - bytes_;
}

}  // namespace coracle::internal
