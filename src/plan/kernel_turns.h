// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace coracle::internal {

/// What a queue is, too, whose kernels take turns with those of other queues of its device: two computations at a time
/// slow each other, while copies beside one cost nothing.
class KernelTurns {
 public:
  virtual ~KernelTurns() = default;

  /// Kernels that are given until `end_turn` are done when those of the turn before are, and before those of the next.
  /// Waits while another queue is given its own; what is given first waits for nothing that the calling thread does.
  virtual void begin_turn() noexcept = 0;
  /// By the same thread. Without a turn it does nothing.
  virtual void end_turn() noexcept = 0;
};

}  // namespace coracle::internal
