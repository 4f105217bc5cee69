// SPDX-License-Identifier: Apache-2.0
#include "run/device_memory.h"

#include <algorithm>
#include <atomic>
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
  Storage(std::shared_ptr<DeviceMemory> from, Block block, Fate fate)
      : from_(std::move(from)), block_(std::move(block)), fate_(fate) {}
  ~Storage() override { from_->give_back(std::move(block_), fate_.load(std::memory_order_relaxed)); }
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
  void give_out(bool on_stream) const {
    Fate before = Fate::kKept;
    if (on_stream) {
      fate_.compare_exchange_strong(before, Fate::kKeptLater, std::memory_order_relaxed);
    } else {
      fate_.store(Fate::kFreed, std::memory_order_relaxed);
    }
  }

 private:
  const std::shared_ptr<DeviceMemory> from_;
  Block block_;
  mutable std::atomic<Fate> fate_;
};

Tensor DeviceMemory::make(DType dtype, const Shape& shape, const std::shared_ptr<MemoryLedger>& ledger) {
  const Size bytes = Size(static_cast<size_t>(shape.count())) * size_of(dtype);
  Block block = take(std::max<size_t>(bytes.bytes(), 1), ledger);
  // Under a limit, what one run has left must not be missing in the next.
  const Fate fate = ledger == nullptr || ledger->limit() == 0 ? Fate::kKept : Fate::kFreed;
  return Tensor::on_device(dtype, shape, std::make_shared<Storage>(shared_from_this(), std::move(block), fate));
}

Tensor DeviceMemory::upload(const Tensor& tensor, const std::shared_ptr<MemoryLedger>& ledger) {
  Tensor there = make(tensor.dtype(), tensor.shape(), ledger);
  there.share_lod(tensor);
  if (tensor.bytes() != 0) {
    copy("to", [&](Queue& queue) { queue.upload(tensor.raw(), {there.storage()->memory(), 0}, tensor.bytes()); });
  }
  return there;
}

Tensor DeviceMemory::clone(const Tensor& tensor, const std::shared_ptr<MemoryLedger>& ledger) {
  Tensor other = make(tensor.dtype(), tensor.shape(), ledger);
  other.share_lod(tensor);
  copy("on", [&](Queue& queue) {
    queue.copy({tensor.storage()->memory(), 0}, {other.storage()->memory(), 0}, tensor.bytes());
  });
  return other;
}

/// On the device it may be a part of where it is to be: by way of other memory then.
Tensor DeviceMemory::copy_to(const Tensor& tensor, const std::shared_ptr<const UserMemory>& memory) {
  const size_t bytes = tensor.bytes();
  require(bytes <= memory->bytes(), "more is written than there is room for");
  Tensor there = Tensor::on_device(tensor.dtype(), tensor.shape(), memory);
  there.share_lod(tensor);
  const DeviceBytes to{memory->memory(), 0};
  if (bytes == 0) return there;
  if (tensor.is_on_host()) {
    copy("to", [&](Queue& queue) { queue.upload(tensor.raw(), to, bytes); });
    return there;
  }
  const auto distance =
      reinterpret_cast<uintptr_t>(tensor.storage()->memory()) - reinterpret_cast<uintptr_t>(to.allocation);
  if (distance == 0) return there;
  const bool overlaps = distance < bytes || 0 - distance < bytes;
  const Tensor from = overlaps ? clone(tensor, nullptr) : tensor;
  copy("on", [&](Queue& queue) { queue.copy({from.storage()->memory(), 0}, to, bytes); });
  return there;
}

void DeviceMemory::follow(const StreamPoints& points) {
  const std::lock_guard lock(queue_mutex_);
  points_ = points;
}

void DeviceMemory::give_out(const Tensor& tensor, bool on_stream) {
  if (const auto* storage = dynamic_cast<const Storage*>(tensor.storage().get())) storage->give_out(on_stream);
}

void DeviceMemory::settle() {
  const std::lock_guard lock(mutex_);
  for (Block& block : later_) kept_.push_back(std::move(block));
  later_.clear();
  kept_bytes_ += std::exchange(later_bytes_, 0);
}

void follow_all(Queue& queue, StreamPoints& points) {
  auto* const follower = dynamic_cast<StreamFollower*>(&queue);
  for (const auto& point : std::exchange(points, {})) {
    if (follower != nullptr) {
      follower->follow(*point);
    } else {
      point->wait();
    }
  }
}

template <class F>
void DeviceMemory::copy(const char* what, const F& give) {
  const std::lock_guard lock(queue_mutex_);
  if (queue_ == nullptr) queue_ = device_->make_queue();
  follow_all(*queue_, points_);
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

void DeviceMemory::give_back(Block block, Fate fate) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    const size_t bytes = block.bytes();
    used_bytes_ -= bytes;
    if (fate == Fate::kFreed || !keeps_) return;
    (fate == Fate::kKept ? kept_ : later_).push_back(std::move(block));
    (fate == Fate::kKept ? kept_bytes_ : later_bytes_) += bytes;
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
  return used_bytes_ + kept_bytes_ + later_bytes_;
}

void DeviceMemory::release() {
  const std::lock_guard lock(mutex_);
  later_.clear();
  later_bytes_ = 0;
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
