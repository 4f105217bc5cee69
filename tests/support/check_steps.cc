// SPDX-License-Identifier: Apache-2.0
#include "support/check_steps.h"

#include <algorithm>
#include <climits>
#include <iterator>

namespace coracle::internal::test {
namespace {

/// The elements that one step writes: where they lie and until when they are read.
struct Content {
  int buffer = -1;
  int written = -1;  ///< step; -1: there before the first
  int last_read = -1;
};

class StepChecker {
 public:
  StepChecker(const Graph& graph, const Steps& steps)
      : graph_(graph), steps_(steps), writer_(steps.buffers.size(), -1), sole_(steps.buffers.size(), false) {}

  std::string check() {
    collect();
    for (const Content& c : contents_) {
      const Slot& slot = buffer(c.buffer).slot;
      if (slot.kind != Slot::Kind::kArena) continue;
      if (slot.offset % 64 != 0) return text("buffer ", c.buffer, " is not aligned");
      const std::vector<size_t> bytes = bytes_of(c.buffer);
      if (!bytes.empty() && bytes.back() >= steps_.workspace_offset) return text("buffer ", c.buffer, " is outside");
    }
    for (const Step& step : steps_.steps) {
      if (steps_.workspace_offset + step.prepared.workspace > steps_.arena_bytes) return "scratch outside the arena";
    }
    for (int s = 0; s < static_cast<int>(steps_.steps.size()); ++s) {
      for (size_t o = 0; o < at(s).out.size(); ++o) {
        const std::string complaint = check_result(s, written_by(at(s).out[o]));
        if (!complaint.empty()) return text("step ", s, " (", at(s).kernel->name, "), result ", o, ": ", complaint);
      }
    }
    return "";
  }

 private:
  const Step& at(int s) const { return steps_.steps[static_cast<size_t>(s)]; }
  const SegmentBuffer& buffer(int l) const { return steps_.buffers[static_cast<size_t>(l)]; }

  /// The buffer whose writing gave `l` its elements: itself, or what it is a view of.
  int content_of(int l) const {
    while (writer_[static_cast<size_t>(l)] < 0 && buffer(l).alias_of >= 0) l = buffer(l).alias_of;
    return l;
  }

  /// The buffer that is written as `l`: itself, or all of what it lies in where no other step writes there.
  int written_by(int l) const {
    const int base = buffer(l).alias_of;
    return buffer(l).view != nullptr && sole_[static_cast<size_t>(base)] ? base : l;
  }

  void collect() {
    for (int s = 0; s < static_cast<int>(steps_.steps.size()); ++s) {
      for (int l : at(s).out) writer_[static_cast<size_t>(l)] = s;
    }
    for (size_t l = 0; l < steps_.buffers.size(); ++l) {
      const SegmentBuffer& part = steps_.buffers[l];
      if (part.view == nullptr || writer_[l] < 0 || writer_[static_cast<size_t>(part.alias_of)] >= 0) continue;
      sole_[static_cast<size_t>(part.alias_of)] = true;
    }
    for (int s = 0; s < static_cast<int>(steps_.steps.size()); ++s) {
      for (int l : at(s).out) {
        if (written_by(l) == l) continue;
        writer_[static_cast<size_t>(l)] = -1;
        writer_[static_cast<size_t>(written_by(l))] = s;
      }
    }
    std::vector<int> last(steps_.buffers.size(), -1);
    for (int s = 0; s < static_cast<int>(steps_.steps.size()); ++s) {
      for (int l : at(s).in) last[static_cast<size_t>(content_of(l))] = s;
    }
    for (const LiveOut& out : steps_.live_out) last[static_cast<size_t>(content_of(out.buffer))] = INT_MAX;
    for (size_t l = 0; l < last.size(); ++l) {
      if (content_of(static_cast<int>(l)) != static_cast<int>(l)) continue;
      contents_.push_back({static_cast<int>(l), writer_[l], last[l]});
    }
  }

  /// Where a buffer's elements begin, from the beginning of the arena or of its tensor, in order.
  std::vector<size_t> bytes_of(int l) const {
    const Fact& fact = buffer(l).fact;
    std::vector<size_t> bytes;
    for (int64_t i = 0, n = fact.shape.count(); i < n; ++i) {
      auto at = static_cast<size_t>(i);
      if (const StridedView* view = buffer(l).view.get()) {
        int64_t element = view->start;
        int64_t rest = i;
        for (int d = fact.shape.rank() - 1; d >= 0; --d) {
          element += rest % fact.shape[d] * view->step[d];
          rest /= fact.shape[d];
        }
        at = static_cast<size_t>(element);
      }
      bytes.push_back(buffer(l).slot.offset + at * size_of(fact.dtype));
    }
    std::sort(bytes.begin(), bytes.end());
    return bytes;
  }

  bool overlap(int a, int b) const {
    const Slot& x = buffer(a).slot;
    const Slot& y = buffer(b).slot;
    if (x.kind != y.kind || buffer(a).fact.bytes() == 0 || buffer(b).fact.bytes() == 0) return false;
    if (x.kind == Slot::Kind::kExternal && x.external != y.external) return false;
    if (buffer(a).view != nullptr || buffer(b).view != nullptr) {
      const std::vector<size_t> left = bytes_of(a);
      const std::vector<size_t> right = bytes_of(b);
      std::vector<size_t> both;
      std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
      return !both.empty();
    }
    if (x.kind == Slot::Kind::kExternal) return true;
    return x.kind == Slot::Kind::kArena && x.offset < y.offset + buffer(b).fact.bytes() &&
           y.offset < x.offset + buffer(a).fact.bytes();
  }

  std::string check_result(int s, int result) const {
    const Slot& slot = buffer(result).slot;
    if (slot.kind == Slot::Kind::kConstant) return "writes a constant";
    if (slot.kind == Slot::Kind::kExternal && graph_.value(slot.external).producer == kNoNode) {
      return "writes an input of the program";
    }
    for (const Content& c : contents_) {
      if (c.buffer == result || !overlap(c.buffer, result)) continue;
      if (c.written == s) return text("shares memory with another result of the step, buffer ", c.buffer);
      if (c.written > s || c.last_read < s) continue;
      if (c.last_read > s) return text("overwrites buffer ", c.buffer, ", which step ", c.last_read, " reads");
      const SegmentBuffer& operand = buffer(c.buffer);
      const int over = at(s).prepared.in_place;
      const bool in_place = over >= 0 && content_of(at(s).in.at(static_cast<size_t>(over))) == c.buffer &&
                            at(s).out.at(0) == result && operand.slot.offset == slot.offset &&
                            operand.fact.bytes() == buffer(result).fact.bytes();
      // A part of the result that was written there before.
      const bool placed = operand.view != nullptr && operand.alias_of == result;
      if (!in_place && !placed) return text("overwrites its own operand, buffer ", c.buffer);
    }
    return "";
  }

  const Graph& graph_;
  const Steps& steps_;
  std::vector<int> writer_;
  std::vector<bool> sole_;  ///< written by one step only, as a part of it that covers it
  std::vector<Content> contents_;
};

}  // namespace

std::string memory_complaint(const Graph& graph, const Steps& steps) { return StepChecker(graph, steps).check(); }

}  // namespace coracle::internal::test
