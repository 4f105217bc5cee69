// SPDX-License-Identifier: Apache-2.0
#include "run/device_memory.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/size.h"

namespace coracle::internal {
namespace {

/// Bytes of blocks that are not worth freeing.
constexpr size_t kAlwaysKept = size_t{1} << 20U;

}  // namespace

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

DeviceMemory::Block DeviceMemory::take(size_t bytes, const std::shared_ptr<MemoryLedger>& ledger) {
  if (std::optional<Block> kept = take_kept(bytes)) return std::move(*kept);
  const std::string& name = device_->info().name;
  Block block;
  MemoryCharge charge(ledger, bytes, [&] { return text("a tensor on ", name); });
  try {
    block.memory = allocate(bytes);
  } catch (Error& e) {
    e.add_context(text("making room for a tensor on ", name));
    throw;
  }
  block.charge = std::move(charge);
  const std::lock_guard lock(mutex_);
  block.number = made_++;
  used_bytes_ += bytes;
  most_used_ = std::max(most_used_, used_bytes_);
  return block;
}

/// The oldest block that fits and is not twice as large. Which ones came later does not matter to it, nor the order in
/// which tensors left them. Where none fits there is room for a new one.
std::optional<DeviceMemory::Block> DeviceMemory::take_kept(size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto oldest = kept_.end();
  for (auto it = kept_.begin(); it != kept_.end(); ++it) {
    const bool fits = it->bytes() >= bytes && it->bytes() / 2 <= bytes;
    if (fits && (oldest == kept_.end() || it->number < oldest->number)) oldest = it;
  }
  if (oldest == kept_.end()) {
    const size_t most = std::max(kAlwaysKept, 2 * std::max(most_used_, used_bytes_ + bytes));
    keep_within(most - used_bytes_ - bytes);
    return std::nullopt;
  }
  Block block = std::move(*oldest);
  kept_.erase(oldest);
  kept_bytes_ -= block.bytes();
  used_bytes_ += block.bytes();
  most_used_ = std::max(most_used_, used_bytes_);
  return block;
}

std::shared_ptr<void> DeviceMemory::allocate(size_t bytes) {
  try {
    return device_->allocate(bytes);
  } catch (const Error&) {
    const size_t before = this->bytes();
    release();
    if (this->bytes() == before) throw;
  }
  return device_->allocate(bytes);
}

void DeviceMemory::give_back(Block block, bool keep) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    const size_t bytes = block.bytes();
    used_bytes_ -= bytes;
    if (!keep || !keeps_) return;
    kept_.push_back(std::move(block));
    kept_bytes_ += bytes;
  } catch (...) {  // NOLINT(bugprone-empty-catch): in a child that was forked meanwhile, or without memory: it is freed
  }
}

void DeviceMemory::keep_within(size_t bytes) {
  auto end = kept_.begin();
  for (; kept_bytes_ > bytes; ++end) kept_bytes_ -= end->bytes();
  kept_.erase(kept_.begin(), end);
}

size_t DeviceMemory::bytes() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_ + kept_bytes_;
}

void DeviceMemory::release() {
  const std::lock_guard lock(mutex_);
  keep_within(0);
  most_used_ = used_bytes_;
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
