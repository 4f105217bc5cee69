// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
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
  /// `ledger` and `trace` may be null. The trace has to outlive the context.
  explicit RunContext(const Deadline& deadline, std::shared_ptr<MemoryLedger> ledger = nullptr,
                      LoopTrace* trace = nullptr)
      : ledger_(std::move(ledger)), trace_(trace) {
    if (deadline.may_pass()) deadline_.emplace(deadline);
  }

  /// The same but for the ledger; null for none.
  RunContext with_ledger(std::shared_ptr<MemoryLedger> ledger) const {
    RunContext other = *this;
    other.ledger_ = std::move(ledger);
    return other;
  }

  const Deadline* deadline() const noexcept { return deadline_ ? &*deadline_ : nullptr; }  ///< null: none ever passes
  const std::shared_ptr<MemoryLedger>& ledger() const noexcept { return ledger_; }
  LoopTrace* trace() const noexcept { return trace_; }

  bool over() const noexcept { return deadline_ && deadline_->passed(); }
  /// Throws Error when the deadline has passed.
  void check() const {
    if (deadline_) deadline_->check();
  }

 private:
  std::optional<Deadline> deadline_;
  std::shared_ptr<MemoryLedger> ledger_;
  LoopTrace* trace_ = nullptr;
};

/// Of what works for no run.
inline constinit const RunContext kNoRun{};

}  // namespace coracle::internal
