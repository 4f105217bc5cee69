// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/memory_ledger.h"
#include "base/process.h"
#include "base/tensor.h"
#include "plan/queue.h"

namespace coracle::internal {

/// Tensors of one session in the memory of a device. For any thread.
///
/// Blocks that tensors leave are kept for the next ones. A tensor gets the oldest block that fits, so a run that makes
/// and leaves tensors of the sizes of an earlier one finds them where they were then, whatever ran in between. Blocks
/// are freed where all would take more than twice what tensors took at one time.
class DeviceMemory : public std::enable_shared_from_this<DeviceMemory> {
 public:
  explicit DeviceMemory(std::shared_ptr<OpenDevice> device) : device_(std::move(device)) {}

  /// Elements are not initialised. Tensors may outlive whoever made them. Throws Error.
  Tensor make(DType dtype, const Shape& shape, const std::shared_ptr<MemoryLedger>& ledger);
  /// A copy of a tensor on the host.
  Tensor upload(const Tensor& tensor, const std::shared_ptr<MemoryLedger>& ledger);
  /// Memory of the device; where it has no more, the blocks that no tensor is in are freed for it. Throws Error.
  std::shared_ptr<void> allocate(size_t bytes);

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
    uint64_t number = 0;  ///< how many were made before it
    size_t bytes() const { return charge.bytes(); }
  };

  Block take(size_t bytes, const std::shared_ptr<MemoryLedger>& ledger);
  std::optional<Block> take_kept(size_t bytes);
  void give_back(Block block, bool keep) noexcept;
  /// Frees blocks until those that stay take that many bytes at most.
  void keep_within(size_t bytes);
  /// Copies that `give` puts into a queue, done when it returns.
  template <class F>
  void copy(const char* what, const F& give);

  const std::shared_ptr<OpenDevice> device_;
  mutable ProcessMutex mutex_;
  std::vector<Block> kept_;  // the one that a tensor left last comes last
  size_t kept_bytes_ = 0;
  size_t used_bytes_ = 0;  // by tensors
  size_t most_used_ = 0;   // at one time
  uint64_t made_ = 0;
  bool keeps_ = true;
  ProcessMutex queue_mutex_;
  std::unique_ptr<Queue> queue_;  // of copies alone; made when it is needed first
};

}  // namespace coracle::internal
