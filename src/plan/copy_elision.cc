// SPDX-License-Identifier: Apache-2.0
#include "plan/copy_elision.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "plan/steps.h"

namespace coracle::internal {
namespace {

/// A buffer as part of another one.
struct ElidedCopy {
  int base = -1;
  StridedView view;
  bool moved = false;  ///< a step that moves elements is in between, not only views
};

/// The same elements in the same order under another shape, if steps can say that. Dimensions are met from the last to
/// the first; one of `to` may be a part of one of `from`, or several of them that lie one behind the other.
std::optional<StridedView> reshaped(const StridedView& x, const Shape& from, const Shape& to) {
  StridedView y{.start = x.start};
  int i = from.rank();
  int64_t left = 1;  // elements of dimension i of `from` that were not met yet
  int64_t step = 1;  // between them
  for (int d = to.rank() - 1; d >= 0; --d) {
    y.step[d] = 0;
    bool first = true;
    for (int64_t need = to[d]; need > 1;) {
      if (left == 1) {
        do --i;
        while (i >= 0 && from[i] == 1);
        if (i < 0 || (!first && x.step[i] != step)) return std::nullopt;
        left = from[i];
        step = x.step[i];
      }
      if (first) y.step[d] = step;
      first = false;
      const int64_t met = std::min(need, left);
      if (need % met != 0 || left % met != 0) return std::nullopt;
      need /= met;
      left /= met;
      step *= met;
    }
  }
  return y;
}

/// Operators that only move elements and that views stand for.
bool moves(const Step& step) { return step.kernel->view || step.op.schema().view_of_result != nullptr; }

/// Steps, one behind the other, through which an operand is followed.
constexpr int kMostMoves = 64;

class CopyElision {
 public:
  CopyElision(Steps& steps, const std::function<void(Step&, const ArgFacts&)>& prepare)
      : steps_(steps), prepare_(prepare), producer_(steps.buffers.size(), -1), uses_(steps.buffers.size(), 0) {
    for (size_t s = 0; s < steps.steps.size(); ++s) {
      for (int l : steps.steps[s].out) producer_[static_cast<size_t>(l)] = static_cast<int>(s);
      for (int l : steps.steps[s].in) ++uses_[static_cast<size_t>(l)];
    }
    for (const LiveOut& out : steps.live_out) ++uses_[static_cast<size_t>(out.buffer)];
    for (size_t l = 0; l < steps.buffers.size(); ++l) {
      const int of = steps.buffers[l].alias_of;
      if (of >= 0 && producer_[l] < 0) ++uses_[static_cast<size_t>(of)];  // seen in another layout
    }
  }

  void run() {
    bool changed = false;
    for (size_t s = 0; s < steps_.steps.size(); ++s) {
      if (steps_.steps[s].kernel->strided) changed = adapt(s) || changed;
    }
    if (changed) erase_unused();
  }

 private:
  const Fact& fact(int buffer) const { return steps_.buffers[static_cast<size_t>(buffer)].fact; }
  bool is_row_major(int buffer) const {
    return fact(buffer).layout == Layout::kRowMajor || layouts_agree(fact(buffer).shape);
  }

  /// The facts of a step's operands and results.
  struct FactLists {
    std::vector<const Fact*> in;
    std::vector<const Fact*> out;
    FactLists(const CopyElision& elision, const Step& step) {
      for (int l : step.in) in.push_back(&elision.fact(l));
      for (int l : step.out) out.push_back(&elision.fact(l));
    }
    NodeFacts of(const Step& step) const { return {in, step.in_counts, out, step.out_counts}; }
  };

  /// Where a buffer's elements lie before they are moved or seen with another shape; nothing if they are not.
  std::optional<ElidedCopy> source(int buffer, int moves_before = 0) const {
    const int p = producer_[static_cast<size_t>(buffer)];
    const auto placed = placed_.find(buffer);
    if (placed != placed_.end()) return placed->second;
    if (p < 0 || fact(buffer).shape.count() == 0) return std::nullopt;
    const Step& step = steps_.steps[static_cast<size_t>(p)];
    if (!moves(step) || moves_before == kMostMoves) return std::nullopt;
    const int from = step.in.at(0);
    if (step.kernel->view ? !is_row_major(buffer) || !is_row_major(from) : fact(buffer).layout != fact(from).layout) {
      return std::nullopt;
    }
    const ElidedCopy x = source(from, moves_before + 1).value_or(ElidedCopy{from, dense_view(fact(from))});
    const std::optional<StridedView> view = moved(step, x.view, buffer);
    if (!view) return std::nullopt;
    return ElidedCopy{x.base, *view, x.moved || !step.kernel->view};
  }

  /// How the step's result `buffer` lies where its operand lies as x says.
  std::optional<StridedView> moved(const Step& step, const StridedView& x, int buffer) const {
    if (step.kernel->view) return reshaped(x, fact(step.in[0]).shape, fact(buffer).shape);
    const auto which = std::find(step.out.begin(), step.out.end(), buffer) - step.out.begin();
    const FactLists facts(*this, step);
    return step.op.schema().view_of_result(step.op.attributes(), facts.of(step), x, static_cast<int>(which));
  }

  /// Where the result of a step lies in that of the step that alone uses it and holds it unchanged: one that only moves
  /// it, or whose kernel takes operands that lie there already.
  std::optional<ElidedCopy> target(const Step& step) const {
    const int made = step.out.at(0);
    const SegmentBuffer& buffer = steps_.buffers[static_cast<size_t>(made)];
    if (step.out.size() != 1 || uses_[static_cast<size_t>(made)] != 1 || buffer.alias_of >= 0) return std::nullopt;
    if (buffer.slot.kind != Slot::Kind::kArena || buffer.fact.shape.count() == 0) return std::nullopt;
    const auto after = steps_.steps.begin() + producer_[static_cast<size_t>(made)] + 1;
    const auto user = std::find_if(after, steps_.steps.end(), [&](const Step& s) {
      return std::find(s.in.begin(), s.in.end(), made) != s.in.end();
    });
    if (user == steps_.steps.end() || user->op.schema().view_of_operand == nullptr) return std::nullopt;
    if (user->out.size() != 1 || !(moves(*user) || user->kernel->strided)) return std::nullopt;
    const Fact& whole = fact(user->out[0]);
    if (buffer.fact.dtype != whole.dtype || buffer.fact.layout != whole.layout) return std::nullopt;
    const auto operand = std::find(user->in.begin(), user->in.end(), made) - user->in.begin();
    const FactLists facts(*this, *user);
    const std::optional<StridedView> view = user->op.schema().view_of_operand(
        user->op.attributes(), facts.of(*user), dense_view(whole), static_cast<int>(operand));
    if (!view) return std::nullopt;
    return ElidedCopy{user->out[0], *view, true};
  }

  /// Takes those views of a step's operands and result that its kernel takes. True if there were any.
  bool adapt(size_t s) {
    Step& step = steps_.steps[s];
    const FactLists facts(*this, step);
    std::vector<const StridedView*> in_views(step.in.size(), nullptr);
    std::vector<const StridedView*> out_views(step.out.size(), nullptr);
    ArgFacts args(facts.in, step.in_counts, facts.out, step.out_counts);
    args.set_views(in_views, out_views);
    bool any = false;
    const auto take = [&](const std::optional<ElidedCopy>& elided, const StridedView*& view) {
      if (!elided || !elided->moved) return;
      view = &elided->view;
      const bool fits = step.kernel->rejection(step.op.attributes(), args) == nullptr;
      if (!fits) view = nullptr;
      any = any || fits;
    };
    std::vector<std::optional<ElidedCopy>> in;
    for (int l : step.in) in.push_back(source(l));
    const std::optional<ElidedCopy> out = target(step);
    for (size_t i = 0; i < in.size(); ++i) take(in[i], in_views[i]);
    take(out, out_views[0]);
    if (!any) return false;
    prepare_(step, args);
    step.prepared.in_place = -1;
    for (size_t i = 0; i < in.size(); ++i) {
      if (in_views[i] == nullptr) continue;
      --uses_[static_cast<size_t>(step.in[i])];
      step.in[i] = part_of(step.in[i], *in[i]);
    }
    if (out_views[0] != nullptr) {
      const int writer = producer_[static_cast<size_t>(out->base)];
      if (!moves(steps_.steps[static_cast<size_t>(writer)])) {
        placed_.emplace(step.out[0], *out);
      } else {
        erased_.push_back(writer);
        producer_[static_cast<size_t>(out->base)] = static_cast<int>(s);
      }
      step.out[0] = part_of(step.out[0], *out);
    }
    return true;
  }

  /// A buffer with the facts of `buffer` that lies elsewhere.
  int part_of(int buffer, const ElidedCopy& elided) {
    const SegmentBuffer& old = steps_.buffers[static_cast<size_t>(buffer)];
    steps_.buffers.push_back({.fact = old.fact,
                              .value = old.value,
                              .alias_of = elided.base,
                              .slot = {},
                              .view = std::make_shared<const StridedView>(elided.view)});
    producer_.push_back(-1);
    uses_.push_back(1);
    ++uses_[static_cast<size_t>(elided.base)];
    return static_cast<int>(steps_.buffers.size()) - 1;
  }

  void erase_unused() {
    std::vector<bool> gone(steps_.steps.size(), false);
    for (int s : erased_) gone[static_cast<size_t>(s)] = true;
    for (size_t s = steps_.steps.size(); s-- > 0;) {
      Step& step = steps_.steps[s];
      const bool used =
          std::any_of(step.out.begin(), step.out.end(), [&](int l) { return uses_[static_cast<size_t>(l)] > 0; });
      if (!gone[s] && (used || !moves(step))) continue;
      for (int l : step.in) --uses_[static_cast<size_t>(l)];
      gone[s] = true;
    }
    size_t s = 0;
    std::erase_if(steps_.steps, [&](const Step&) { return gone[s++]; });
  }

  Steps& steps_;
  const std::function<void(Step&, const ArgFacts&)>& prepare_;
  std::vector<int> producer_;
  std::vector<int> uses_;  // as operands of steps and live results, and as memory of parts
  std::vector<int> erased_;
  std::map<int, ElidedCopy> placed_;  // results that are written where the kernel that uses them wants them
};

}  // namespace

void elide_copies(Steps& steps, const StageContext& context) { CopyElision(steps, context.prepare).run(); }

}  // namespace coracle::internal
