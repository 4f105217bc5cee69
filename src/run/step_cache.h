// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/process.h"
#include "base/run_context.h"
#include "plan/steps.h"

namespace coracle::internal {

/// Where a segment ends, and the values whose facts decide what its plan is.
struct SegmentReads {
  size_t stop = 0;
  std::vector<ValueId> values;
};
/// Those that the nodes from `position` to `stop` read from before, with the node at `stop` if the segment could have
/// gone on there: `end` is where it had to end at the latest.
SegmentReads segment_reads(const Graph& graph, size_t position, size_t stop, size_t end = SIZE_MAX);

/// A segment to be planned, for the facts of the values that are there.
struct SegmentRequest {
  const Graph& graph;
  int32_t number = 0;  ///< of the graph within the model
  size_t position = 0;
  size_t end = SIZE_MAX;               ///< position where it ends at the latest
  std::span<const Fact> facts;         ///< by value
  int threads = 1;                     ///< that will run the steps
  std::span<const ValueId> stay = {};  ///< see PlanContext
};

/// Steps that the sessions of a model share. Nobody changes them.
struct PlannedSteps {
  Steps steps;
  size_t table_bytes = 0;  ///< of tensors and buffers that were made while planning; sessions that use them count them

  std::shared_ptr<const SegmentReads> reads;  // the rest is the cache's
  std::string key;
  mutable std::atomic<uint64_t> used{0};  // when, counted in uses of the cache

  size_t bytes() const { return sizeof(*this) + steps.bytes + key.size(); }
  /// Whether they are what planning `request` would make. `scratch` is written.
  bool match(const SegmentRequest& request, std::string& scratch) const;
};

/// The steps of one model, for all its sessions, by the facts that they were planned for; those used least recently are
/// dropped when they take more than a bound. Whoever runs dropped steps keeps them to the end. Thread-safe.
///
/// The bound is the largest that a session of the model asks for. Where no session asks for a number it is
/// eight times the largest plan, at least kLeastBytes, and doubles, up to kMostBytes, where the plans of one run have
/// no room in it. A run never drops what it has used itself: a loop that needs more plans than there is room for finds
/// those that have room again.
class StepCache {
 public:
  static constexpr size_t kByModel = SIZE_MAX;  ///< as a bound: whatever suits the model
  static constexpr size_t kLeastBytes = size_t{4} << 20U;
  static constexpr size_t kMostBytes = size_t{64} << 20U;

  /// A session, as long as it lives. One thread at a time.
  class User {
   public:
    /// With a bound of 0 it wants nothing kept.
    User(StepCache& cache, size_t max_bytes);
    ~User();
    User(const User&) = delete;
    User& operator=(const User&) = delete;

    /// What is used from here on belongs to one run.
    void begin_run() { run_start_ = cache_.uses_.load(std::memory_order_relaxed); }

   private:
    friend class StepCache;
    StepCache& cache_;
    const size_t max_bytes_;
    uint64_t run_start_ = 0;
  };
  using Plan = std::function<std::unique_ptr<PlannedSteps>()>;

  StepCache() = default;
  StepCache(const StepCache&) = delete;
  StepCache& operator=(const StepCache&) = delete;

  /// The steps for a request, planned by `plan` if there are none. Of several threads that want the same at a time one
  /// plans and the others wait; if it fails, the next one tries. Throws Error, also when the deadline of `context`
  /// passes meanwhile.
  std::shared_ptr<const PlannedSteps> get(const SegmentRequest& request, const User& user, const RunContext& context,
                                          const Plan& plan);
  /// Notes a use of steps that the caller still has.
  void touch(const PlannedSteps& steps) { steps.used.store(++uses_, std::memory_order_relaxed); }
  /// Drops what no session is bound to; returns its bytes.
  size_t release_unused();

  size_t bytes() const;
  /// How often something was planned so far.
  size_t plans_made() const { return plans_made_.load(std::memory_order_relaxed); }

 private:
  using Entries = std::unordered_map<std::string_view, std::shared_ptr<const PlannedSteps>>;
  using Dropped = std::vector<std::shared_ptr<const PlannedSteps>>;
  struct Making;
  class Mark;
  /// What is known of the segments that begin at one position.
  struct Begin {
    std::shared_ptr<const SegmentReads> all;  // if it goes on as far as it may
    std::vector<std::shared_ptr<const SegmentReads>> seen;
  };

  Begin& begin_of(const SegmentRequest& request);
  std::shared_ptr<const PlannedSteps> find(const Begin& begin, const SegmentRequest& request);
  void keep(const std::shared_ptr<PlannedSteps>& made, const SegmentRequest& request, const User& user);
  bool make_room(size_t bytes, const User& user, Dropped& dropped);
  void shrink(Dropped& dropped);
  void drop(Entries::iterator entry, Dropped& dropped);
  Entries::iterator oldest();
  size_t bound() const;
  size_t bound_by_model() const;

  mutable ProcessMutex mutex_;
  std::atomic<uint64_t> uses_{0};
  std::atomic<size_t> plans_made_{0};
  std::vector<const User*> users_;
  std::map<std::pair<int32_t, size_t>, Begin> begins_;  // by graph and position
  Entries entries_;
  std::unordered_map<std::string, std::shared_ptr<Making>> making_;
  size_t bytes_ = 0;
  size_t largest_ = 0;                // plan so far
  size_t least_bytes_ = kLeastBytes;  // of the bound by model
};

}  // namespace coracle::internal
