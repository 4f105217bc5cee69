// SPDX-License-Identifier: Apache-2.0
#include "plan/device.h"

#include "base/deadline.h"
#include "devices/cpu/compute_mode.h"
#include "devices/cpu/isa.h"
#include "devices/cpu/isa/over.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/limits.h"
#include "devices/cpu/processor.h"
#include "devices/cpu/stages/row_tiles.h"

namespace coracle::internal::cpu {

bool over(const Deadline* deadline) noexcept { return deadline != nullptr && deadline->passed(); }

/// All kernel tables of this folder; generated from the files in kernels/.
std::span<const KernelTable* const> all_kernels();

namespace {

#ifdef CORACLE_LIGHT
std::span<const KernelTable* const> kernels() {
  static const std::span<const KernelTable* const> kWritten = [] {
    for (const KernelTable* table : all_kernels()) table->write();
    return all_kernels();
  }();
  return kWritten;
}
#else
std::span<const KernelTable* const> kernels() { return all_kernels(); }
#endif

CapabilityLevel best() { return detected_isa(); }
bool has(CapabilityLevel isa) { return runs_on(isa.as<Isa>(), detected_isa()); }

bool takes(const KernelDef& kernel, CapabilityLevel isa, Precision precision, bool emulated) {
  if (!runs_on(kernel_isa(kernel), isa.as<Isa>())) return false;
  const ComputeMode mode = kernel_mode(kernel);
  if (mode == ComputeMode::kFloat32) return true;
  if (mode != compute_mode_of(precision)) return false;
  if (emulated) return true;
#if !defined(__x86_64__)
  return isa == Isa::kNeon && mode == ComputeMode::kBf16 && processor().has(Capability::kNeonBf16);
#else
  // Several parts pay on tiles only.
  if (isa != Isa::kAvx512) return false;
  return processor().has(Capability::kAmx) || (mode == ComputeMode::kBf16 && processor().has(Capability::kAvx512Bf16));
#endif
}

constexpr Capabilities kInstructionSets = {.names = isa_names, .best = best, .has = has, .takes = takes};
constexpr PlanStage kStages[] = {kRowTiles};

}  // namespace

extern const Device device;
constinit const Device device = {.name = "cpu",
                                 .kernels = kernels,
                                 .capabilities = &kInstructionSets,
                                 .measure_limits = measure_limits,
                                 .probe = nullptr,
                                 .open = nullptr,
                                 .speed = {.flops_per_second = 5e10, .bytes_per_second = 1e10, .start = 1e-6},
                                 .stages = kStages};

}  // namespace coracle::internal::cpu
