// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "devices/cuda/api.h"
#include "plan/device.h"

namespace coracle::internal::cuda {

struct FoundDevice {
  CUdevice device = 0;
  DeviceInfo info;
  int architecture = 0;              ///< 90 of compute capability 9.0
  std::array<int, 3> most_blocks{};  ///< of a grid, along each dimension
  std::string identity;              ///< what tells it from others: its UUID
};

/// All devices that can be used, in the driver's order. Where there is none, `none` says why.
std::vector<FoundDevice> find_devices(Probe& none);

Probe probe();

}  // namespace coracle::internal::cuda
