// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/run_context.h"
#include "base/tensor.h"

namespace coracle::internal {

/// Memory that is charged to `ledger` (or to none) and to the process. Throws Error (out of memory), and when the
/// deadline, null for none, has passed.
void* allocate_charged(MemoryLedger* ledger, const Deadline* deadline, size_t count, size_t element_bytes);
void free_charged(MemoryLedger* ledger, void* data, size_t bytes) noexcept;

/// Charges what a container allocates to the ledger of a run. The context has to outlive the last allocation; what is
/// allocated may outlive the context. There is none for nobody that code could get by leaving it out: see kNoRun.
template <class T>
class LedgerAllocator {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  LedgerAllocator(const RunContext& context) noexcept  // NOLINT(google-explicit-constructor): Buffer<T> x(n, context)
      : ledger_(context.ledger()), deadline_(context.deadline()) {}
  LedgerAllocator(RunContext&& context) = delete;
  template <class U>
  LedgerAllocator(const LedgerAllocator<U>& other) noexcept : ledger_(other.ledger()), deadline_(other.deadline()) {}

  T* allocate(size_t count) { return static_cast<T*>(allocate_charged(ledger_.get(), deadline_, count, sizeof(T))); }
  void deallocate(T* data, size_t count) noexcept { free_charged(ledger_.get(), data, count * sizeof(T)); }

  const std::shared_ptr<MemoryLedger>& ledger() const { return ledger_; }
  const Deadline* deadline() const { return deadline_; }
  friend bool operator==(const LedgerAllocator& a, const LedgerAllocator& b) { return a.ledger_ == b.ledger_; }

 private:
  std::shared_ptr<MemoryLedger> ledger_;
  const Deadline* deadline_;
};

/// A vector for what may be as large as the data: scratch of references, tables made while planning.
template <class T>
using Buffer = std::vector<T, LedgerAllocator<T>>;

/// All elements of a real tensor.
Buffer<double> doubles_of(const RunContext& context, const Tensor& tensor);
/// The same as integers.
Buffer<int64_t> integers_of(const RunContext& context, const Tensor& tensor);

}  // namespace coracle::internal
