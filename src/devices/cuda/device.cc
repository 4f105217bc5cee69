// SPDX-License-Identifier: Apache-2.0
#include "plan/device.h"

#include "devices/cuda/opened.h"
#include "devices/gpu/kernel_tables.h"

namespace coracle::internal::cuda {
namespace {

std::span<const KernelTable* const> kernels() {
  static const gpu::KernelTables& tables = *new gpu::KernelTables("cuda");
  return tables.all();
}

}  // namespace

extern const Device device;
constinit const Device device = {
    .name = "cuda", .kernels = kernels, .measure_limits = nullptr, .probe = probe, .open = open, .index_of = index_of};

}  // namespace coracle::internal::cuda
