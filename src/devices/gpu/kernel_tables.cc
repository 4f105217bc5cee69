// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/kernel_tables.h"

#include "base/error.h"

namespace coracle::internal::gpu {

/// All kernel tables of this folder; generated from the files in kernels/.
std::span<const KernelTable* const> all_kernels();

KernelTables::KernelTables(std::string_view device, std::span<const KernelTable* const> own)
    : all_(own.begin(), own.end()) {
  for (const KernelTable* shared : all_kernels()) {
    std::vector<KernelDef>& kernels = kernels_.emplace_back(shared->kernels.begin(), shared->kernels.end());
    for (KernelDef& kernel : kernels) {
      kernel.name = names_.emplace_back(text(kernel.name, ".", device)).c_str();
      if (kernel.rank > kLastResort + 1) --kernel.rank;
    }
    all_.push_back(&tables_.emplace_back(KernelTable{kernels}));
  }
}

}  // namespace coracle::internal::gpu
