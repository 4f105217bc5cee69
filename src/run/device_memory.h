// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "base/memory_ledger.h"
#include "base/process.h"
#include "base/tensor.h"
#include "plan/queue.h"

namespace coracle::internal {

/// Tensors of one session in the memory of a device. Blocks that tensors leave are kept for the next ones, so that a
/// run finds its values where those of the run before were; they are freed when sizes change. For any thread.
class DeviceMemory : public std::enable_shared_from_this<DeviceMemory> {
 public:
  explicit DeviceMemory(std::shared_ptr<OpenDevice> device) : device_(std::move(device)) {}

  /// Elements are not initialised. Tensors may outlive whoever made them. Throws Error.
  Tensor make(DType dtype, const Shape& shape, const std::shared_ptr<MemoryLedger>& ledger);
  /// A copy of a tensor on the host.
  Tensor upload(const Tensor& tensor, const std::shared_ptr<MemoryLedger>& ledger);

  /// Of tensors and of blocks that are kept.
  size_t bytes() const;
  /// Frees the blocks that no tensor is in.
  void release();
  /// Keeps none from now on.
  void close() noexcept;

 private:
  class Storage;
  struct Block {
    std::shared_ptr<void> memory;
    MemoryCharge charge;
    size_t bytes() const { return charge.bytes(); }
  };

  Block take(size_t bytes, const std::shared_ptr<MemoryLedger>& ledger);
  void give_back(Block block, bool keep) noexcept;
  /// Copies that `give` puts into a queue, done when it returns.
  template <class F>
  void copy(const char* what, const F& give);

  const std::shared_ptr<OpenDevice> device_;
  mutable ProcessMutex mutex_;
  std::vector<Block> kept_;
  size_t bytes_ = 0;
  bool keeps_ = true;
  ProcessMutex queue_mutex_;
  std::unique_ptr<Queue> queue_;  // of copies alone; made when it is needed first
};

}  // namespace coracle::internal
