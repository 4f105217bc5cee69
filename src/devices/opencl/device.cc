// SPDX-License-Identifier: Apache-2.0
#include "plan/device.h"

#include "devices/opencl/opened.h"

namespace coracle::opencl {

/// All kernel tables of this folder; generated from the files in kernels/.
std::span<const KernelTable* const> all_kernels();

extern const Device device;
constinit const Device device = {
    .name = "opencl", .kernels = all_kernels, .measure_limits = nullptr, .probe = probe, .open = open};

}  // namespace coracle::opencl
