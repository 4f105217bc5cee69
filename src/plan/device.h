// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "plan/kernel.h"

namespace coracle {

/// A kind of place where kernels run, with its kernels. One folder of src/devices each.
struct Device {
  const char* name;
  Place::Kind place;
  std::span<const KernelTable* const> (*kernels)();
};

/// The devices of this build, generated from the folders of src/devices.
std::span<const Device* const> all_devices();

}  // namespace coracle
