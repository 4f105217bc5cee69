// SPDX-License-Identifier: Apache-2.0
#include "base/pages.h"

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "base/memory_ledger.h"
#include "base/system/memory.h"

// Sanitizers watch the ends of what is allocated alone.
#if defined(CORACLE_SANITIZED)
#define CORACLE_MAPS_PAGES 0
#else
#define CORACLE_MAPS_PAGES 1
#endif

namespace coracle::internal {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kLargePage = size_t{2} << 20U;
// Blocks of an arena.
constexpr size_t kFirstBlock = 2 * kLargePage;
constexpr size_t kBlock = 16 * kLargePage;

constexpr size_t round_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

void Pages::swap(Pages& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(mapped_, other.mapped_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
}

#if CORACLE_MAPS_PAGES

namespace {

// The last large page is seldom full: what is small does not get any.
constexpr size_t kEnoughForLarge = 3 * kLargePage;
// The largest page of a system that is not a large page.
constexpr size_t kPage = size_t{64} << 10U;

}  // namespace

Pages::Pages(size_t bytes) : bytes_(bytes), mapped_bytes_(bytes + kLargePage) {
  if (bytes >= SIZE_MAX / 2) throw std::bad_alloc();
  mapped_ = map_memory(mapped_bytes_);
  if (mapped_ == nullptr) throw std::bad_alloc();
  const auto address = reinterpret_cast<uintptr_t>(mapped_);
  data_ = static_cast<std::byte*>(mapped_) + (round_up(address, kLargePage) - address);
  if (bytes >= kEnoughForLarge) prefer_large_pages(data_, bytes);
  MemoryLedger::count_in_process(bytes);
}

Pages::~Pages() {
  if (mapped_ == nullptr) return;
  unmap_memory(mapped_, mapped_bytes_);
  MemoryLedger::uncount_in_process(bytes_);
}

void Pages::trim(size_t bytes) noexcept {
  if (bytes >= bytes_) return;
  const size_t kept = round_up(bytes, kPage);
  if (kept < bytes_) give_back_pages(data_ + kept, bytes_ - kept);
  MemoryLedger::uncount_in_process(bytes_ - bytes);
  bytes_ = bytes;
}

#else

Pages::Pages(size_t bytes) : bytes_(bytes) {
  if (bytes >= SIZE_MAX / 2) throw std::bad_alloc();
  // Sanitizers end the program where the other form would throw.
  mapped_ = ::operator new (round_up(bytes, kAlignment), std::align_val_t{kAlignment}, std::nothrow);
  if (mapped_ == nullptr) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(mapped_);
  MemoryLedger::count_in_process(bytes);
}

Pages::~Pages() {
  if (mapped_ == nullptr) return;
  ::operator delete (mapped_, std::align_val_t{kAlignment});
  MemoryLedger::uncount_in_process(bytes_);
}

void Pages::trim(size_t bytes) noexcept {
  if (bytes >= bytes_) return;
  MemoryLedger::uncount_in_process(bytes_ - bytes);
  bytes_ = bytes;
}

#endif

std::shared_ptr<void> PageArena::take(size_t bytes) {
  if (bytes >= SIZE_MAX / 2) throw std::bad_alloc();
  bytes = round_up(bytes, kAlignment);
  const std::lock_guard lock(mutex_);
  if (CORACLE_MAPS_PAGES == 0 || block_ == nullptr || used_ + bytes > block_->bytes()) {
    const size_t block = block_ == nullptr && bytes <= kFirstBlock ? kFirstBlock : kBlock;
    block_ = std::make_shared<Pages>(CORACLE_MAPS_PAGES == 0 || bytes > block ? bytes : block);
    used_ = 0;
  }
  std::byte* at = block_->data() + used_;
  used_ += bytes;
  if (CORACLE_MAPS_PAGES == 0) std::memset(at, 0, bytes);  // those of the system are zeros
  return {block_, at};
}

}  // namespace coracle::internal
