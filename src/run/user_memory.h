// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "base/tensor.h"
#include "plan/queue.h"
#include "plan/shared_device.h"

namespace coracle::internal {

/// The device as one whose addresses others may use. Throws Error where it is none.
SharedDevice& shared(OpenDevice& device);

using StreamPoints = std::vector<std::shared_ptr<const StreamPoint>>;

/// Memory of a device that belongs to a user of this library, who may write there between runs.
class UserMemory final : public DeviceStorage {
 public:
  /// `owner` is kept as long as this. What `stream` was given before is done before anybody reads here; null: nobody
  /// waits. Throws Error where the device has no such memory or stream.
  static std::shared_ptr<const UserMemory> make(std::shared_ptr<OpenDevice> device, void* address, size_t bytes,
                                                void* stream, std::shared_ptr<const void> owner);
  /// That of a tensor; null where it lies elsewhere.
  static const UserMemory* of(const Tensor& tensor) { return dynamic_cast<const UserMemory*>(tensor.storage().get()); }
  /// The same memory, read after that point, too.
  std::shared_ptr<const UserMemory> after(std::shared_ptr<const StreamPoint> point) const;

  const void* device() const override { return device_.get(); }
  void* memory() const override { return address_; }
  size_t bytes() const override { return bytes_; }
  void read(void* to, size_t bytes) const override;

  /// Whether kernels read and write there; else tensors are copied.
  bool takes_kernels() const;

  const std::shared_ptr<OpenDevice>& open_device() const { return device_; }
  /// After which it is read.
  const StreamPoints& points() const { return points_; }

 private:
  UserMemory(std::shared_ptr<OpenDevice> device, void* address, size_t bytes, std::shared_ptr<const void> owner)
      : device_(std::move(device)), address_(address), bytes_(bytes), owner_(std::move(owner)) {}

  const std::shared_ptr<OpenDevice> device_;
  void* const address_;
  const size_t bytes_;
  const std::shared_ptr<const void> owner_;
  StreamPoints points_;
};

}  // namespace coracle::internal
