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
#include "run/user_memory.h"

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
  /// A copy of a tensor on the device.
  Tensor clone(const Tensor& tensor, const std::shared_ptr<MemoryLedger>& ledger);
  /// A copy of a tensor on the host or on the device, in memory that has room for it.
  Tensor copy_to(const Tensor& tensor, const std::shared_ptr<const UserMemory>& memory);
  /// Copies are done after these points, until the next call names others.
  void follow(const StreamPoints& points);
  /// Others in the process work on a tensor by its address, and may still do so when it ends. Its block is then freed,
  /// which waits for them; or, where they do so `on_stream`, the session's, kept for what begins after the next
  /// `settle`. Does nothing to tensors that are no session's.
  static void give_out(const Tensor& tensor, bool on_stream);
  /// What begins from now on is done after all that the session's stream was given so far.
  void settle();
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
  /// What becomes of the block of a tensor that ends.
  enum class Fate : uint8_t { kKept, kKeptLater, kFreed };
  void give_back(Block block, Fate fate) noexcept;
  /// Frees blocks until those that stay take that many bytes at most.
  void keep_within(size_t bytes);
  /// Copies that `give` puts into a queue, done when it returns.
  template <class F>
  void copy(const char* what, const F& give);

  const std::shared_ptr<OpenDevice> device_;
  mutable ProcessMutex mutex_;
  std::vector<Block> kept_;  // the one that a tensor left last comes last
  size_t kept_bytes_ = 0;
  std::vector<Block> later_;  // to be kept when the session's stream is known to be done with them
  size_t later_bytes_ = 0;
  size_t used_bytes_ = 0;  // by tensors
  size_t most_used_ = 0;   // at one time
  uint64_t made_ = 0;
  bool keeps_ = true;
  ProcessMutex queue_mutex_;
  std::unique_ptr<Queue> queue_;  // of copies alone; made when it is needed first
  StreamPoints points_;           // that it has to follow before anything else
};

/// What the queue is given from now on is done after all points, which are taken off the list.
void follow_all(Queue& queue, StreamPoints& points);

}  // namespace coracle::internal
