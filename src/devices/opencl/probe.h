// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "devices/opencl/api.h"
#include "plan/device.h"

namespace coracle::internal::opencl {

struct FoundDevice {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  DeviceInfo info;
  std::string identity;  ///< all that tells one compiler's results from another's
};

/// All devices of all platforms that can be used: GPUs first, then others, each in the order in which the drivers name
/// them. Where there is none, `missing` says why.
std::vector<FoundDevice> find_devices(std::string& missing);

Probe probe();

}  // namespace coracle::internal::opencl
