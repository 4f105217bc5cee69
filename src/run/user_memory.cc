// SPDX-License-Identifier: Apache-2.0
#include "run/user_memory.h"

#include <utility>

namespace coracle::internal {

SharedDevice& shared(OpenDevice& device) {
  auto* const found = dynamic_cast<SharedDevice*>(&device);
  if (found == nullptr) {
    fail(ErrorCode::kUnsupported, "memory and streams of ", device.info().name,
         " cannot be shared with others in this process: that takes a CUDA device");
  }
  return *found;
}

std::shared_ptr<const UserMemory> UserMemory::make(std::shared_ptr<OpenDevice> device, void* address, size_t bytes,
                                                   void* stream, std::shared_ptr<const void> owner) {
  SharedDevice& there = shared(*device);
  if (bytes != 0) there.check_memory(address, bytes);
  std::shared_ptr<UserMemory> memory(new UserMemory(std::move(device), address, bytes, std::move(owner)));
  if (stream != nullptr) memory->points_.push_back(there.point_of(stream));
  return memory;
}

std::shared_ptr<const UserMemory> UserMemory::after(std::shared_ptr<const StreamPoint> point) const {
  std::shared_ptr<UserMemory> same(new UserMemory(device_, address_, bytes_, owner_));
  same->points_ = points_;
  same->points_.push_back(std::move(point));
  return same;
}

bool UserMemory::takes_kernels() const {
  return reinterpret_cast<uintptr_t>(address_) % shared(*device_).kernel_alignment() == 0;
}

void UserMemory::read(void* to, size_t bytes) const {
  require(bytes <= bytes_, "more is read than there is");
  if (bytes == 0) return;
  for (const auto& point : points_) point->wait();
  const std::unique_ptr<Queue> queue = device_->make_queue();
  queue->download({address_, 0}, to, bytes);
  std::string detail;
  const char* const failure = queue->finish(&detail);
  require(failure == nullptr, ErrorCode::kRunFailure, "a tensor was not copied from ", device_->info().name, ": ",
          detail.empty() && failure != nullptr ? std::string(failure) : detail);
}

}  // namespace coracle::internal
