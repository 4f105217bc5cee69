// SPDX-License-Identifier: Apache-2.0
#include "plan/device_constants.h"

#include <algorithm>
#include <mutex>

#include "base/size.h"

namespace coracle::internal {
namespace {

/// Constants share allocations of this size, larger ones have their own: devices take their time for each allocation.
constexpr size_t kAllocationBytes = size_t{4} << 20U;

}  // namespace

DevicePiece DeviceConstants::get(std::string_view name, const Tensor& constant) {
  const std::lock_guard lock(mutex_);
  std::string key = text(name, ":", constant.dtype());
  if (const auto it = pieces_.find(key); it != pieces_.end()) return it->second;
  if (queue_ == nullptr) queue_ = device_->make_queue();
  DevicePiece piece = take(constant.bytes());
  if (constant.bytes() != 0) {
    queue_->upload(constant.raw(), {piece.allocation.get(), piece.offset}, constant.bytes());
    on_their_way_.push_back(key);
  }
  pieces_.emplace(std::move(key), piece);
  return piece;
}

void DeviceConstants::finish() {
  const std::lock_guard lock(mutex_);
  if (on_their_way_.empty()) return;
  std::string detail;
  const char* const failure = queue_->finish(&detail);
  if (failure != nullptr) {
    for (const std::string& key : on_their_way_) pieces_.erase(key);
  }
  on_their_way_.clear();
  require(failure == nullptr, ErrorCode::kRunFailure, "constants were not copied to ", device_->info().name, ": ",
          detail.empty() && failure != nullptr ? std::string(failure) : detail);
}

DevicePiece DeviceConstants::take(size_t bytes) {
  const DeviceInfo& info = device_->info();
  const size_t wanted = Size(std::max<size_t>(bytes, 1)).rounded_up(static_cast<int64_t>(info.alignment)).bytes();
  if (wanted > free_bytes_) {
    const size_t allocation = std::max(wanted, std::min(kAllocationBytes, info.largest_allocation));
    DevicePiece made{.allocation = device_->allocate(allocation)};
    bytes_ += allocation;
    if (allocation == wanted) return made;  // what is left of the allocation before stays of use
    free_ = std::move(made);
    free_bytes_ = allocation;
  }
  DevicePiece piece = free_;
  free_.offset += wanted;
  free_bytes_ -= wanted;
  return piece;
}

size_t DeviceConstants::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace coracle::internal
