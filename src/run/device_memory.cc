// SPDX-License-Identifier: Apache-2.0
#include "run/device_memory.h"

#include <algorithm>
#include <mutex>

#include "base/size.h"

namespace coracle::internal {

/// One block, which goes back to where it is from.
class DeviceMemory::Storage final : public DeviceStorage {
 public:
  Storage(std::shared_ptr<DeviceMemory> from, Block block, bool keep)
      : from_(std::move(from)), block_(std::move(block)), keep_(keep) {}
  ~Storage() override { from_->give_back(std::move(block_), keep_); }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  const void* device() const override { return from_->device_.get(); }
  void* memory() const override { return block_.memory.get(); }
  size_t bytes() const override { return block_.bytes(); }
  void read(void* to, size_t bytes) const override {
    require(bytes <= this->bytes(), "more is read than there is");
    if (bytes == 0) return;
    from_->copy("from", [&](Queue& queue) { queue.download({memory(), 0}, to, bytes); });
  }

 private:
  const std::shared_ptr<DeviceMemory> from_;
  Block block_;
  const bool keep_;
};

Tensor DeviceMemory::make(DType dtype, const Shape& shape, const std::shared_ptr<MemoryLedger>& ledger) {
  const Size bytes = Size(static_cast<size_t>(shape.count())) * size_of(dtype);
  Block block = take(std::max<size_t>(bytes.bytes(), 1), ledger);
  // Under a limit, what one run has left must not be missing in the next.
  const bool keep = ledger == nullptr || ledger->limit() == 0;
  return Tensor::on_device(dtype, shape, std::make_shared<Storage>(shared_from_this(), std::move(block), keep));
}

Tensor DeviceMemory::upload(const Tensor& tensor, const std::shared_ptr<MemoryLedger>& ledger) {
  Tensor there = make(tensor.dtype(), tensor.shape(), ledger);
  there.share_lod(tensor);
  if (tensor.bytes() != 0) {
    copy("to", [&](Queue& queue) { queue.upload(tensor.raw(), {there.storage()->memory(), 0}, tensor.bytes()); });
  }
  return there;
}

template <class F>
void DeviceMemory::copy(const char* what, const F& give) {
  const std::lock_guard lock(queue_mutex_);
  if (queue_ == nullptr) queue_ = device_->make_queue();
  give(*queue_);
  std::string detail;
  const char* const failure = queue_->finish(&detail);
  require(failure == nullptr, ErrorCode::kRunFailure, "a tensor was not copied ", what, " ", device_->info().name, ": ",
          detail.empty() && failure != nullptr ? std::string(failure) : detail);
}

/// The smallest block that is kept and not twice as large; else a new one, once all that are kept are freed.
DeviceMemory::Block DeviceMemory::take(size_t bytes, const std::shared_ptr<MemoryLedger>& ledger) {
  {
    const std::lock_guard lock(mutex_);
    auto best = kept_.end();
    for (auto it = kept_.begin(); it != kept_.end(); ++it) {
      const bool fits = it->bytes() >= bytes && it->bytes() / 2 <= bytes;
      if (fits && (best == kept_.end() || it->bytes() < best->bytes())) best = it;
    }
    if (best != kept_.end()) {
      Block block = std::move(*best);
      kept_.erase(best);
      return block;
    }
  }
  release();
  const std::string& name = device_->info().name;
  Block block;
  MemoryCharge charge(ledger, bytes, [&] { return text("a tensor on ", name); });
  try {
    block.memory = device_->allocate(bytes);
  } catch (Error& e) {
    e.add_context(text("making room for a tensor on ", name));
    throw;
  }
  block.charge = std::move(charge);
  const std::lock_guard lock(mutex_);
  bytes_ += bytes;
  return block;
}

void DeviceMemory::give_back(Block block, bool keep) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (keep && keeps_) {
      kept_.push_back(std::move(block));
    } else {
      bytes_ -= block.bytes();
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): in a child that was forked meanwhile, or without memory: it is freed
  }
}

size_t DeviceMemory::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void DeviceMemory::release() {
  std::vector<Block> freed;
  const std::lock_guard lock(mutex_);
  freed.swap(kept_);
  for (const Block& block : freed) bytes_ -= block.bytes();
}

void DeviceMemory::close() noexcept {
  try {
    release();
    const std::lock_guard lock(mutex_);
    keeps_ = false;
  } catch (...) {  // NOLINT(bugprone-empty-catch): in a child that was forked meanwhile
  }
}

}  // namespace coracle::internal
