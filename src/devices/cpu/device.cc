// SPDX-License-Identifier: Apache-2.0
#include "plan/device.h"

#include "base/deadline.h"
#include "devices/cpu/isa/over.h"
#include "devices/cpu/limits.h"
#include "devices/cpu/stages/row_tiles.h"

namespace coracle::cpu {

bool over() noexcept { return Deadline::over(); }

/// All kernel tables of this folder; generated from the files in kernels/.
std::span<const KernelTable* const> all_kernels();

constexpr PlanStage kStages[] = {kRowTiles};

extern const Device device;
constinit const Device device = {.name = "cpu",
                                 .kernels = all_kernels,
                                 .measure_limits = measure_limits,
                                 .probe = nullptr,
                                 .open = nullptr,
                                 .stages = kStages};

}  // namespace coracle::cpu
