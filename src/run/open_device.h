// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "plan/kernel_selector.h"

namespace coracle::internal {

/// The devices that a program uses besides the host, as people name them: "opencl" for the first of that kind,
/// "opencl:1" for the second; "cpu" or nothing for none. Throws Error, with what is missing and what is there.
std::vector<UsedDevice> open_devices(std::string_view name);

}  // namespace coracle::internal
