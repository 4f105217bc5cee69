// SPDX-License-Identifier: Apache-2.0
#include "plan/device.h"

#include "base/deadline.h"
#include "devices/cpu/isa/over.h"
#include "devices/cpu/limits.h"

namespace coracle::cpu {

bool over() noexcept { return Deadline::over(); }

/// All kernel tables of this folder; generated from the files in kernels/.
std::span<const KernelTable* const> all_kernels();

extern const Device device;
constinit const Device device = {
    .name = "cpu", .kernels = all_kernels, .measure_limits = measure_limits, .probe = nullptr, .open = nullptr};

}  // namespace coracle::cpu
