// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/deadline.h"
#include "base/loop_trace.h"
#include "base/memory_ledger.h"

namespace coracle::internal {

/// What one run, one planning or one load goes by: when it has to end, the ledger that its memory is charged to, and
/// the trace that its loops report to. It is made where that begins (Executor::run, Executor::plan, Model::load) and
/// handed down as an argument; it does not change, and any number of threads may read it.
class RunContext {
 public:
  /// Of what never has to end, and is charged to nobody.
  RunContext() = default;
  explicit RunContext(const Deadline& deadline, LoopTrace* trace = nullptr) : trace_(trace) {
    if (deadline.may_pass()) deadline_.emplace(deadline);
  }
  /// `ledger` and `trace` may be null. That pointer and the trace have to outlive the context and its copies, which
  /// need no destructor for that.
  RunContext(const Deadline& deadline, const std::shared_ptr<MemoryLedger>& ledger, LoopTrace* trace = nullptr)
      : RunContext(deadline, trace) {
    ledger_ = &ledger;
  }
  RunContext(const Deadline& deadline, std::shared_ptr<MemoryLedger>&& ledger, LoopTrace* trace = nullptr) = delete;

  /// The same but for the ledger, which has to outlive it.
  RunContext with_ledger(const std::shared_ptr<MemoryLedger>& ledger) const {
    RunContext other = *this;
    other.ledger_ = &ledger;
    return other;
  }
  RunContext with_ledger(std::shared_ptr<MemoryLedger>&& ledger) const = delete;
  RunContext without_ledger() const {
    RunContext other = *this;
    other.ledger_ = nullptr;
    return other;
  }

  const Deadline* deadline() const noexcept { return deadline_ ? &*deadline_ : nullptr; }  ///< null: none ever passes
  /// Null: memory is charged to nobody.
  std::shared_ptr<MemoryLedger> ledger() const noexcept { return ledger_ != nullptr ? *ledger_ : nullptr; }
  LoopTrace* trace() const noexcept { return trace_; }

  bool over() const noexcept { return deadline_ && deadline_->passed(); }
  /// Throws Error when the deadline has passed.
  void check() const {
    if (deadline_) deadline_->check();
  }

 private:
  std::optional<Deadline> deadline_;
  const std::shared_ptr<MemoryLedger>* ledger_ = nullptr;
  LoopTrace* trace_ = nullptr;
};

/// Of what works for no run. It is there before any code runs, and after it.
static_assert(std::is_trivially_destructible_v<RunContext>);
inline constinit const RunContext kNoRun{};

}  // namespace coracle::internal
