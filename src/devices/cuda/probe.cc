// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/probe.h"

#include "base/error.h"

namespace coracle::internal::cuda {
namespace {

constexpr int kOldestArchitecture = 70;

int attribute(const DriverApi& api, CUdevice device, int name) {
  int value = 0;
  return api.cuDeviceGetAttribute(&value, name, device) == CUDA_SUCCESS ? value : 0;
}

std::string identity_of(const DriverApi& api, CUdevice device) {
  CUuuid uuid{};
  std::string hex;
  if (api.cuDeviceGetUuid_v2(&uuid, device) != CUDA_SUCCESS) return hex;
  for (const char byte : uuid.bytes) {
    const auto value = static_cast<unsigned char>(byte);
    hex += "0123456789abcdef"[value >> 4U];
    hex += "0123456789abcdef"[value & 15U];
  }
  return hex;
}

FoundDevice found_device(const DriverApi& api, CUdevice device, int driver) {
  FoundDevice found;
  found.device = device;
  char name[256] = {};
  if (api.cuDeviceGetName(name, sizeof(name) - 1, device) == CUDA_SUCCESS) found.info.name = name;
  found.architecture = attribute(api, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                       attribute(api, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  found.info.driver = text("CUDA ", driver / 1000, ".", driver % 1000 / 10, ", compute capability ",
                           found.architecture / 10, ".", found.architecture % 10);
  size_t bytes = 0;
  if (api.cuDeviceTotalMem_v2(&bytes, device) == CUDA_SUCCESS) found.info.memory_bytes = bytes;
  found.info.largest_allocation = found.info.memory_bytes;
  found.info.compute_units = attribute(api, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  found.info.half = true;
  found.info.doubles = true;
  found.info.shares_memory = attribute(api, device, CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0;
  for (int d = 0; d < 3; ++d) {
    found.most_blocks[static_cast<size_t>(d)] = attribute(api, device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + d);
  }
  found.identity = identity_of(api, device);
  return found;
}

}  // namespace

std::vector<FoundDevice> find_devices(Probe& none) {
  std::string& missing = none.missing;
  const LoadedDriver& loaded = loaded_driver();
  none.unusable = loaded.found;
  if (loaded.api == nullptr) {
    missing = loaded.missing;
    return {};
  }
  const DriverApi& api = *loaded.api;
  int count = 0;
  CUresult code = api.cuInit(0);
  if (code == CUDA_SUCCESS) code = api.cuDeviceGetCount(&count);
  // The toolkit's stub, in place of a driver that is not there.
  if ((code == CUDA_SUCCESS && count == 0) || code == CUDA_ERROR_NO_DEVICE || code == CUDA_ERROR_STUB_LIBRARY) {
    none.unusable = false;
  }
  if (code != CUDA_SUCCESS && code != CUDA_ERROR_NO_DEVICE) {
    missing = text("NVIDIA's driver does not start: ", code_text(code),
                   "; is its kernel module loaded, and of the same version (nvidia-smi)?");
    return {};
  }
  std::vector<FoundDevice> devices;
  std::string refused;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    if (api.cuDeviceGet(&device, i) != CUDA_SUCCESS) continue;
    FoundDevice found = found_device(api, device, loaded.version);
    const bool prohibited = attribute(api, device, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) == CU_COMPUTEMODE_PROHIBITED;
    if (prohibited || found.architecture < kOldestArchitecture) {
      refused += text(refused.empty() ? "" : "; ", found.info.name,
                      prohibited ? " is set to compute nothing (nvidia-smi --compute-mode=DEFAULT)"
                                 : text(" has compute capability ", found.architecture / 10, ".",
                                        found.architecture % 10, ", 7.0 or later is needed"));
      continue;
    }
    devices.push_back(std::move(found));
  }
  if (devices.empty()) {
    missing = refused.empty()
                  ? "NVIDIA's driver has no device: is it plugged in, and does CUDA_VISIBLE_DEVICES hide it?"
                  : "CUDA's devices cannot be used: " + refused;
  } else if (loaded_compiler().api == nullptr) {
    missing = text("the device ", devices[0].info.name, " cannot be used: ", loaded_compiler().missing);
    devices.clear();
  }
  return devices;
}

Probe probe() {
  Probe result;
  for (FoundDevice& device : find_devices(result)) {
    const LoadedProducts& products = loaded_products();
    device.info.driver += products.api != nullptr ? text(", cuBLASLt ", products.version)
                                                  : text(", no cuBLASLt for products: ", products.missing);
    const LoadedConvolutions& convolutions = loaded_convolutions();
    device.info.driver += convolutions.api != nullptr ? text(", cuDNN ", convolutions.version)
                                                      : text(", no cuDNN for convolutions: ", convolutions.missing);
    result.devices.push_back(std::move(device.info));
  }
  return result;
}

}  // namespace coracle::internal::cuda
