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

DeviceLibrary library(std::string_view name) {
  if (name == "cudnn") return {loaded_convolutions().version, loaded_convolutions().missing};
  if (name == "cublaslt") return {loaded_products().version, loaded_products().missing};
  return {.version = {}, .missing = "no kernel calls it"};
}

}  // namespace

extern const Device device;
constinit const Device device = {.name = "cuda",
                                 .kernels = kernels,
                                 .measure_limits = nullptr,
                                 .probe = probe,
                                 .open = open,
                                 .index_of = index_of,
                                 .library = library};

}  // namespace coracle::internal::cuda
