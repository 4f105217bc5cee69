// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/process.h"
#include "base/tensor.h"
#include "plan/queue.h"

namespace coracle::internal {

/// Some bytes of a device's memory, and a share of the allocation that they lie in.
struct DevicePiece {
  std::shared_ptr<void> allocation;
  size_t offset = 0;
};

/// The constants of one model on one device: copied there once, shared by its sessions. Thread-safe.
class DeviceConstants {
 public:
  explicit DeviceConstants(std::shared_ptr<OpenDevice> device) : device_(std::move(device)) {}

  /// The elements of `constant`, row-major, which `name` names uniquely within the model ("main/12"); of one name there
  /// may be tensors of several types. Copied at first use, from then on; it must stay until `finish`. Throws Error.
  DevicePiece get(std::string_view name, const Tensor& constant);
  /// Returns when all constants that anybody got are on the device. Throws Error.
  void finish();

  /// Bytes of the device's memory that they take.
  size_t bytes() const;

 private:
  DevicePiece take(size_t bytes);

  const std::shared_ptr<OpenDevice> device_;
  mutable ProcessMutex mutex_;
  std::unique_ptr<Queue> queue_;
  std::unordered_map<std::string, DevicePiece> pieces_;
  std::vector<std::string> on_their_way_;
  DevicePiece free_;  // what is left of the newest allocation
  size_t free_bytes_ = 0;
  size_t bytes_ = 0;
};

}  // namespace coracle::internal
