// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/written_table.h"
#include "plan/kernel.h"

/// Kernels as the light library has them: written by code (see WrittenTable).
namespace coracle::internal {
namespace written_kernel_detail {

/// What a KernelDef has besides addresses: these can be constants at no cost.
struct KernelTraits {
  CapabilityLevel capability;
  LayoutRule layout;
  CapabilityLevel mode;
  TypeRule types;
  int8_t rank;
  bool view;
  bool strided;
  bool sized;
  bool doubles;
  double multiplies;
};

/// A member that is new does not compile here: it also has to be written below.
consteval KernelTraits traits_of(const KernelDef& kernel) {
  const auto& [name, op, capability, layout, mode, types, rank, view, strided, sized, doubles, multiplies, fits,
               estimate, prepare, bounds, run, run_rows] = kernel;
  return {capability, layout, mode, types, rank, view, strided, sized, doubles, multiplies};
}

/// What rows of all tables share.
[[gnu::noinline]] inline void put_row(KernelDef& to, const KernelTraits& traits, const char* name, const OpSchema* op,
                                      decltype(KernelDef::fits) fits, decltype(KernelDef::run) run) noexcept {
  to.name = name;
  to.op = op;
  to.capability = traits.capability;
  to.layout = traits.layout;
  to.mode = traits.mode;
  to.types = traits.types;
  to.rank = traits.rank;
  to.view = traits.view;
  to.strided = traits.strided;
  to.sized = traits.sized;
  to.doubles = traits.doubles;
  to.multiplies = traits.multiplies;
  to.fits = fits;
  to.run = run;
}

template <const auto& kFrom, size_t kIndex>
inline constexpr KernelTraits kTraits = traits_of(kFrom[kIndex]);

}  // namespace written_kernel_detail

template <const auto& kFrom, size_t kIndex>
void write_constant(KernelDef& to) noexcept {
  constexpr KernelDef kKernel = kFrom[kIndex];
  written_kernel_detail::put_row(to, written_kernel_detail::kTraits<kFrom, kIndex>, kKernel.name, kKernel.op,
                                 kKernel.fits, kKernel.run);
  if constexpr (kKernel.estimate != nullptr) to.estimate = kKernel.estimate;
  if constexpr (kKernel.prepare != nullptr) to.prepare = kKernel.prepare;
  if constexpr (kKernel.bounds != nullptr) to.bounds = kKernel.bounds;
  if constexpr (kKernel.run_rows != nullptr) to.run_rows = kKernel.run_rows;
}

}  // namespace coracle::internal
